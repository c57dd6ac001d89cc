// A document of JSON. Unlike nlohmann's, its end takes no memory, so that a process that has none
// left gets through it.
#ifndef BENNU_SRC_AVATICA_JSON_VALUE_H_
#define BENNU_SRC_AVATICA_JSON_VALUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bennu/bytes.h"

namespace bennu::avatica {

// Numbers with a point or an exponent, and those beyond 64 bits, are kept as their text, because a
// double has too few digits for a DECIMAL.
class JsonValue {
 public:
  using List = std::vector<JsonValue>;
  using Object = std::vector<std::pair<std::string, JsonValue>>;  // names in the text's order

  JsonValue() = default;  // null
  explicit JsonValue(bool value) : data_(value) {}
  explicit JsonValue(int64_t value) : data_(value) {}
  explicit JsonValue(std::string value) : data_(std::move(value)) {}
  explicit JsonValue(List value) : data_(std::move(value)) {}
  explicit JsonValue(Object value) : data_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  // Null pointers: it is of another kind.
  const bool* boolean() const { return std::get_if<bool>(&data_); }
  const int64_t* number() const { return std::get_if<int64_t>(&data_); }
  const std::string* text() const { return std::get_if<std::string>(&data_); }
  const List* list() const { return std::get_if<List>(&data_); }
  List* list() { return std::get_if<List>(&data_); }
  const Object* object() const { return std::get_if<Object>(&data_); }
  Object* object() { return std::get_if<Object>(&data_); }

  // The member of an object; of several with this name the last. Null: there is none.
  const JsonValue* Find(std::string_view name) const;

 private:
  std::variant<std::monostate, bool, int64_t, std::string, List, Object> data_;
};

// Nothing: the text is no JSON, or lists and objects stand in each other deeper than any message
// has them.
std::optional<JsonValue> ParseJson(ByteView text);

// What the parsed document, and a message made of it, take at most in bytes. Untrusted bytes.
size_t ParsedJsonSize(ByteView text);

}  // namespace bennu::avatica

#endif  // BENNU_SRC_AVATICA_JSON_VALUE_H_
