#include "src/shell/options.h"

#include <fmt/format.h>

#include <charconv>

namespace bennu::shell {

Result<int64_t> IntegerOf(std::string_view what, const Value& value) {
  if (const auto* number = value.As<int64_t>()) return *number;
  if (const auto* text = value.As<Bytes>()) {
    int64_t number = 0;
    const auto done = std::from_chars(text->data(), text->data() + text->size(), number);
    if (done.ec == std::errc() && done.ptr == text->data() + text->size()) return number;
  }
  return InvalidArgument(fmt::format("{} must be a whole number, not {}", what, value.Inspect()));
}

Result<bool> BooleanOf(std::string_view what, const Value& value) {
  if (const auto* boolean = value.As<bool>()) return *boolean;
  if (const auto* text = value.As<Bytes>()) {
    if (*text == "true" || *text == "TRUE") return true;
    if (*text == "false" || *text == "FALSE") return false;
  }
  return InvalidArgument(fmt::format("{} must be true or false, not {}", what, value.Inspect()));
}

Result<Options> Options::Of(const Value& value) {
  if (value.is_nil()) return Options(nullptr);
  const auto* const hash = value.As<Value::Hash>();
  if (hash == nullptr) {
    return InvalidArgument("named arguments such as {LIMIT => 5} are wanted, not " +
                           value.Inspect());
  }
  return Options(hash);
}

const Value* Options::Find(std::string_view key) {
  asked_.emplace(key);
  if (hash_ == nullptr) return nullptr;
  const Value* found = nullptr;
  for (const auto& [candidate, value] : *hash_) {
    // Of a key that stands twice the last value counts.
    if (candidate.ToText() == key) found = value.is_nil() ? nullptr : &value;
  }
  return found;
}

Result<int64_t> Options::Integer(std::string_view key, int64_t missing) {
  const Value* const value = Find(key);
  return value == nullptr ? Result<int64_t>(missing) : IntegerOf(key, *value);
}

Result<bool> Options::Boolean(std::string_view key, bool missing) {
  const Value* const value = Find(key);
  return value == nullptr ? Result<bool>(missing) : BooleanOf(key, *value);
}

std::optional<Bytes> Options::Text(std::string_view key) {
  const Value* const value = Find(key);
  return value == nullptr ? std::nullopt : std::optional<Bytes>(value->ToText());
}

Result<std::vector<Bytes>> Options::Texts(std::string_view key) {
  std::vector<Bytes> texts;
  const Value* const value = Find(key);
  if (value == nullptr) return texts;
  if (const auto* text = value->As<Bytes>()) {
    texts.push_back(*text);
  } else if (const auto* array = value->As<Value::Array>()) {
    for (const Value& element : *array) texts.push_back(element.ToText());
  } else {
    return InvalidArgument(fmt::format("{} must be specified as a String or an Array", key));
  }
  return texts;
}

std::vector<std::string> Options::UnknownKeys() const {
  std::vector<std::string> unknown;
  if (hash_ == nullptr) return unknown;
  for (const auto& [key, value] : *hash_) {
    if (asked_.count(key.ToText()) == 0) unknown.push_back(key.ToText());
  }
  return unknown;
}

Status Options::CheckAllKnown() const {
  const std::vector<std::string> unknown = UnknownKeys();
  if (unknown.empty()) return Status::Ok();
  return InvalidArgument("unknown argument " + unknown.front());
}

}  // namespace bennu::shell
