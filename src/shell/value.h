// Value: what an expression of the shell's language is worth. The language is the part of Ruby that
// HBase's shell is used with; values print as Ruby prints them.
//
// Values: copies are independent; no thread rule beyond that.
#ifndef BENNU_SRC_SHELL_VALUE_H_
#define BENNU_SRC_SHELL_VALUE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bennu/bytes.h"

namespace bennu::shell {

class Value {
 public:
  struct Symbol {
    std::string name;
    friend bool operator==(const Symbol&, const Symbol&) = default;
  };
  // What `get_table` gives: a name on which commands may be called.
  struct TableReference {
    std::string name;
    friend bool operator==(const TableReference&, const TableReference&) = default;
  };
  using Array = std::vector<Value>;
  using Hash = std::vector<std::pair<Value, Value>>;  // in the order written
  using Variant = std::variant<std::monostate, bool, int64_t, double, Bytes, Symbol, TableReference,
                               Array, Hash>;

  Value() = default;  // nil
  explicit Value(Variant variant) : variant_(std::move(variant)) {}
  static Value Boolean(bool value) { return Value(Variant(value)); }
  static Value Integer(int64_t value) { return Value(Variant(value)); }
  static Value String(std::string_view value) { return Value(Variant(Bytes(value))); }
  static Value Strings(const std::vector<std::string>& values);

  bool is_nil() const { return variant_.index() == 0; }
  // Null unless the value is of that kind.
  template <typename Kind>
  const Kind* As() const {
    return std::get_if<Kind>(&variant_);
  }
  template <typename Kind>
  Kind* As() {
    return std::get_if<Kind>(&variant_);
  }

  // The class's name, as Ruby has it: "String", "Integer", "Hash" …
  std::string_view TypeName() const;
  // Ruby's to_s: what a value becomes where a command wants text.
  Bytes ToText() const;
  // Ruby's inspect: what stands behind "=> ".
  std::string Inspect() const;

  friend bool operator==(const Value&, const Value&) = default;

 private:
  Variant variant_;
};

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_VALUE_H_
