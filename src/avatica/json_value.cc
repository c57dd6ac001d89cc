#include "src/avatica/json_value.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace bennu::avatica {

namespace {

// Far deeper than any message is.
constexpr size_t kDepthMax = 32;
// A value with its name, its place and what the heap adds, as a document and as a message.
constexpr size_t kValueBytes = 256;

// Builds a document as the parser reads it.
class DocumentBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Add(JsonValue()); }
  bool boolean(bool value) override { return Add(JsonValue(value)); }
  bool number_integer(number_integer_t value) override { return Add(JsonValue(int64_t{value})); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return Add(JsonValue(std::to_string(value)));
    }
    return Add(JsonValue(static_cast<int64_t>(value)));
  }
  bool number_float(number_float_t, const string_t& text) override { return Add(JsonValue(text)); }
  bool string(string_t& text) override { return Add(JsonValue(std::move(text))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(JsonValue(JsonValue::Object())); }
  bool start_array(size_t) override { return Open(JsonValue(JsonValue::List())); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  JsonValue Take() { return std::move(document_); }

 private:
  JsonValue* Place(JsonValue value) {
    if (open_.empty()) {
      document_ = std::move(value);
      return &document_;
    }
    JsonValue* const parent = open_.back();
    if (JsonValue::List* const list = parent->list(); list != nullptr) {
      return &list->emplace_back(std::move(value));
    }
    return &parent->object()->emplace_back(std::move(key_), std::move(value)).second;
  }
  bool Add(JsonValue value) {
    Place(std::move(value));
    return true;
  }
  bool Open(JsonValue value) {
    if (open_.size() >= kDepthMax) return false;
    open_.push_back(Place(std::move(value)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  JsonValue document_;
  std::vector<JsonValue*>
      open_;  // those that the parser is in; what is last in each stays in place
  std::string key_;
};

}  // namespace

const JsonValue* JsonValue::Find(std::string_view name) const {
  const Object* const members = object();
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->rbegin(), members->rend(),
                                  [name](const auto& member) { return member.first == name; });
  return found == members->rend() ? nullptr : &found->second;
}

std::optional<JsonValue> ParseJson(ByteView text) {
  DocumentBuilder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return std::nullopt;
  return builder.Take();
}

size_t ParsedJsonSize(ByteView text) {
  const auto values = std::count_if(text.begin(), text.end(), [](char c) {
    return c == ',' || c == '[' || c == '{' || c == ':';
  });
  return 2 * text.size() + kValueBytes * static_cast<size_t>(values);
}

}  // namespace bennu::avatica
