// One typed scalar, possibly NULL, that owns its bytes: literals, bound parameters, defaults,
// constant folding. Rows in bulk go through Vector.
#ifndef BENNU_SRC_SQL_TYPES_VALUE_H_
#define BENNU_SRC_SQL_TYPES_VALUE_H_

#include <string>
#include <utility>
#include <variant>

#include "src/sql/types/decimal.h"
#include "src/sql/types/type.h"

namespace bennu::sql {

class Value {
 public:
  Value() = default;  // untyped NULL
  static Value Null(DataType type = {}) { return Value(type, Data()); }
  static Value Bool(bool value) { return Value({TypeId::kBoolean}, Data(value)); }
  // 'type' is physically the alternative that is given (PhysicalTypeOf).
  static Value Int(DataType type, int64_t value) { return Value(type, Data(value)); }
  static Value Integer(int32_t value) { return Int({TypeId::kInteger}, value); }
  static Value Bigint(int64_t value) { return Int({TypeId::kBigint}, value); }
  static Value Real(DataType type, double value) { return Value(type, Data(value)); }
  static Value Double(double value) { return Real({TypeId::kDouble}, value); }
  static Value Number(const Decimal& value, DataType type = {TypeId::kDecimal}) {
    return Value(type, Data(value));
  }
  static Value Time(DataType type, Timestamp value) { return Value(type, Data(value)); }
  static Value String(DataType type, std::string value) {
    return Value(type, Data(std::move(value)));
  }
  static Value Varchar(std::string value) { return String({TypeId::kVarchar}, std::move(value)); }
  static Value Varbinary(std::string value) {
    return String({TypeId::kVarbinary}, std::move(value));
  }

  const DataType& type() const { return type_; }
  void set_type(const DataType& type) { type_ = type; }  // same physical type only
  bool is_null() const { return data_.index() == 0; }

  // Each only for a value of that physical type that is not NULL.
  bool boolean() const { return std::get<bool>(data_); }
  int64_t int64() const { return std::get<int64_t>(data_); }
  double real() const { return std::get<double>(data_); }
  const Decimal& decimal() const { return std::get<Decimal>(data_); }
  Timestamp timestamp() const { return std::get<Timestamp>(data_); }
  const std::string& bytes() const { return std::get<std::string>(data_); }

  // Same type, and both NULL or the same value; not SQL's '='.
  friend bool operator==(const Value&, const Value&) = default;

 private:
  using Data = std::variant<std::monostate, bool, int64_t, double, Decimal, Timestamp, std::string>;
  Value(DataType type, Data data) : type_(type), data_(std::move(data)) {}

  DataType type_;
  Data data_;
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_VALUE_H_
