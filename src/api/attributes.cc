#include "src/api/attributes.h"

#include <charconv>

#include "bennu/descriptor.h"
#include "src/base/units.h"

namespace bennu::api {

const std::string* Find(const Attributes& attributes, const std::string& key) {
  const auto found = attributes.find(key);
  return found == attributes.end() ? nullptr : &found->second;
}

std::string ToUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<bool> ParseBool(std::string_view text) {
  const std::string upper = ToUpper(text);
  if (upper == "TRUE") return true;
  if (upper == "FALSE") return false;
  return std::nullopt;
}

std::optional<int64_t> ParseTtlSeconds(std::string_view text) {
  if (const auto seconds = ParseInteger(text)) return seconds;
  if (ToUpper(text) == "FOREVER") return kTtlForever;
  return ParseInterval(text);
}

std::string OwnerPrefix(std::string_view owner) {
  return owner.empty() ? std::string() : std::string(owner) + ": ";
}

Status BadAttribute(std::string_view owner, std::string_view key, std::string_view value,
                    std::string_view expected) {
  return InvalidArgument(OwnerPrefix(owner) + std::string(key) + " is '" + std::string(value) +
                         "'; expected " + std::string(expected));
}

Status UnsupportedAttribute(std::string_view owner, std::string_view key, std::string_view value) {
  return NotSupported(std::string(owner) + ": " + std::string(key) + "=" + std::string(value) +
                      " has no effect here yet; leave the attribute out");
}

Status CheckIntegerAttribute(std::string_view owner, const Attributes& attributes,
                             const std::string& key, int64_t min, int64_t max) {
  const std::string* const text = Find(attributes, key);
  if (text == nullptr) return Status::Ok();
  const auto value = ParseInteger(*text);
  if (value && *value >= min && *value <= max) return Status::Ok();
  return BadAttribute(owner, key, *text,
                      "a number from " + std::to_string(min) + " to " + std::to_string(max));
}

Status CheckBoolAttribute(std::string_view owner, const Attributes& attributes,
                          const std::string& key) {
  const std::string* const text = Find(attributes, key);
  if (text == nullptr || ParseBool(*text)) return Status::Ok();
  return BadAttribute(owner, key, *text, "true or false");
}

}  // namespace bennu::api
