// HBase's data types (package org.apache.hadoop.hbase.types): descriptions of values in row keys,
// qualifiers and cells, and Struct, which makes one key of several of them.
//
//   BENNU_ASSIGN_OR_RETURN(const auto key, types::StructBuilder()
//                                        .Add(types::OrderedString(Order::kAscending))
//                                        .Add(types::OrderedInt64(Order::kDescending))
//                                        .Build());
//   const types::Value::List values{"sensor-7", int64_t{1714557600000}};
//   bennu::Bytes row;
//   BENNU_RETURN_IF_ERROR(key->Encode(&row, values));
//   auto fields = key->Iterate(row);
//   BENNU_ASSIGN_OR_RETURN(const types::Value sensor, fields.Next());
//
// The bytes are those of HBase 2.5's classes of the same names, so that both read each other's
// keys. PBType, the Union classes and types that a program makes of its own classes are missing. A
// program defines a type of its own by a class that derives from DataType.
//
// A DataType is immutable: any number of threads at once. Values own their bytes.
#ifndef BENNU_TYPES_H_
#define BENNU_TYPES_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/ordered_bytes.h"
#include "bennu/status.h"

namespace bennu::types {

using ordered_bytes::Order;

// The integer types that a Value takes: numbers, and neither truth values nor characters.
template <typename T>
concept ValueInteger =
    std::integral<T> && sizeof(T) <= sizeof(int64_t) && !std::same_as<T, bool> &&
    !std::same_as<T, char> && !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
    !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

// A value of one type, or null. Each DataType takes and gives one kind, which its comment names.
class Value {
 public:
  // A decimal number of any size.
  struct Decimal {
    std::string digits;  // what Java's BigDecimal takes and prints, such as "-12.50" or "1E+2"
    friend bool operator==(const Decimal&, const Decimal&) = default;
  };
  using List = std::vector<Value>;  // of a Struct, field by field
  using Variant = std::variant<std::monostate, int64_t, double, Decimal, Bytes, List>;

  Value() = default;        // null
  Value(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  // Every integer type of up to 64 bits. An unsigned number above the largest int64_t becomes a
  // Decimal, which keeps its value.
  template <ValueInteger Integer>
  Value(Integer value)  // NOLINT(google-explicit-constructor)
      : value_(std::in_range<int64_t>(value) ? Variant(static_cast<int64_t>(value))
                                             : Variant(Decimal{std::to_string(value)})) {}
  Value(double value) : value_(value) {}              // NOLINT
  Value(Decimal value) : value_(std::move(value)) {}  // NOLINT
  Value(const char* text) {                           // NOLINT; a null pointer is null
    if (text != nullptr) value_ = Bytes(text);
  }
  Value(ByteView bytes) : value_(Bytes(bytes)) {}    // NOLINT
  Value(Bytes bytes) : value_(std::move(bytes)) {}   // NOLINT
  Value(List fields) : value_(std::move(fields)) {}  // NOLINT
  Value(bool) = delete;                              // HBase has no type for it

  const Variant& variant() const { return value_; }
  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  // Null when the value is of another kind. They live as long as this Value is left alone.
  const int64_t* integer() const { return std::get_if<int64_t>(&value_); }
  const double* real() const { return std::get_if<double>(&value_); }
  const Decimal* decimal() const { return std::get_if<Decimal>(&value_); }
  const Bytes* bytes() const { return std::get_if<Bytes>(&value_); }
  const List* list() const { return std::get_if<List>(&value_); }

  // For people: "null", 5, 1.5, "text" as Bytes.toStringBinary prints it, [a, b].
  std::string ToString() const;

  friend bool operator==(const Value& a, const Value& b) { return a.value_ == b.value_; }

 private:
  Variant value_;
};

// How values of one type become bytes and are found again.
class DataType {
 public:
  virtual ~DataType() = default;

  virtual std::string name() const = 0;  // of HBase's class
  // Whether the order of the bytes is that of the values. HBase's answer, which is wrong for
  // OrderedBlobVar (see EncodeBlobVar) and for RawBytes in descending order.
  virtual bool is_order_preserving() const = 0;
  // Empty where HBase's class names no order (Raw numbers, Struct).
  virtual std::optional<Order> order() const = 0;
  virtual bool is_nullable() const = 0;
  // Whether a value's end can be found without knowing where the key ends. Types that are not
  // skippable can only be a Struct's last field.
  virtual bool is_skippable() const = 0;

  // Appends the value to *out, which is as it was after an error. InvalidArgument: a value of
  // another kind or beyond the type's range, a null where the type has none, a text or blob with
  // bytes that the encoding has no form for.
  virtual Status Encode(Bytes* out, const Value& value) const = 0;
  // Takes a value from the front of *in, which is as it was after an error. Corruption: none begins
  // there, or it is cut short.
  virtual Result<Value> Decode(ByteView* in) const = 0;
  // Drops a value from the front of *in and returns the bytes that it had. Corruption: likewise.
  virtual Result<size_t> Skip(ByteView* in) const = 0;

  // How many bytes Encode appends; its errors.
  Result<size_t> EncodedLength(const Value& value) const;
};

using DataTypePtr = std::shared_ptr<const DataType>;

// ---- over bennu/bytes_codec.h. None is nullable. Numbers sort as their bytes do, negative ones
// behind the others, and are not order-preserving.
DataTypePtr RawByte();     // integer
DataTypePtr RawShort();    // integer
DataTypePtr RawInteger();  // integer
DataTypePtr RawLong();     // integer
DataTypePtr RawFloat();    // real; rounded to the nearest float
DataTypePtr RawDouble();   // real
// bytes, up to the end of the key: not skippable. RawString inverts them in descending order;
// RawBytes leaves them as they are in both, as HBase's class does.
DataTypePtr RawString(Order order = Order::kAscending);
DataTypePtr RawBytes(Order order = Order::kAscending);
// The same followed by 'term' or filled up with zero bytes: see the wrappers below.
Result<DataTypePtr> RawStringTerminated(ByteView term, Order order = Order::kAscending);
Result<DataTypePtr> RawBytesTerminated(ByteView term, Order order = Order::kAscending);
DataTypePtr RawStringFixedLength(size_t length, Order order = Order::kAscending);
DataTypePtr RawBytesFixedLength(size_t length, Order order = Order::kAscending);

// ---- over bennu/ordered_bytes.h. All are order-preserving, and but for OrderedBlob skippable.
DataTypePtr OrderedInt8(Order order);     // integer; not nullable
DataTypePtr OrderedInt16(Order order);    // integer; not nullable
DataTypePtr OrderedInt32(Order order);    // integer; not nullable
DataTypePtr OrderedInt64(Order order);    // integer; not nullable
DataTypePtr OrderedFloat32(Order order);  // real, rounded to the nearest float; not nullable
DataTypePtr OrderedFloat64(Order order);  // real; not nullable
// Takes an integer, a real or a decimal; gives a decimal, or a real for NaN and infinities.
DataTypePtr OrderedNumeric(Order order);
DataTypePtr OrderedString(Order order);   // bytes without a zero byte
DataTypePtr OrderedBlob(Order order);     // bytes, up to the end of the key
DataTypePtr OrderedBlobVar(Order order);  // bytes

// ---- wrappers: a type that is not skippable becomes one that is
// A value of 'wrapped', then 'term', inverted in descending order. Encode refuses a value in
// which 'term' would begin too early. InvalidArgument: 'term' is empty, or 'wrapped' has no order.
Result<DataTypePtr> TerminatedWrapper(DataTypePtr wrapped, ByteView term);
// A value of 'base' filled up to 'length' bytes with zero bytes, which stay with the values of
// RawBytes and RawString when they are read. Encode refuses a value that is longer.
DataTypePtr FixedLengthWrapper(DataTypePtr base, size_t length);

// The fields of a Struct, one after another. Keeps a view of the bytes that it was made of, which
// must outlive it. One thread at a time.
class StructIterator {
 public:
  bool HasNext() const { return index_ < fields_->size(); }
  // The next field; null for one that is nullable where the bytes have ended: Struct leaves nulls
  // at the end out. FailedPrecondition: there is no further field.
  Result<Value> Next();
  // Passes over it; returns the bytes that it had.
  Result<size_t> Skip();
  ByteView rest() const { return in_; }  // what was not read yet

 private:
  friend class Struct;
  StructIterator(ByteView in, std::shared_ptr<const std::vector<DataTypePtr>> fields)
      : in_(in), fields_(std::move(fields)) {}

  ByteView in_;
  std::shared_ptr<const std::vector<DataTypePtr>> fields_;
  size_t index_ = 0;
};

// Fields one after another, sorted by the first, then the second, and so on, each in its own order.
//
// Nulls at the end of a list are not written, and read back where the bytes end: a Struct reads the
// keys of one that has fewer fields when all further ones are nullable, and the key of the first
// few fields is a prefix of the keys that begin so, which is how a scan asks for them. Struct
// itself is not nullable and has no order; it is order-preserving and skippable when all fields
// are.
class Struct final : public DataType {
 public:
  // InvalidArgument: a field but the last is not skippable, or is missing.
  static Result<std::shared_ptr<const Struct>> Make(std::vector<DataTypePtr> fields);

  std::string name() const override { return "Struct"; }
  bool is_order_preserving() const override { return is_order_preserving_; }
  std::optional<Order> order() const override { return std::nullopt; }
  bool is_nullable() const override { return false; }
  bool is_skippable() const override { return is_skippable_; }

  // 'value': a list of as many values as there are fields, or of the first few. An error names the
  // field.
  Status Encode(Bytes* out, const Value& value) const override;
  // A list of as many values as there are fields.
  Result<Value> Decode(ByteView* in) const override;
  Result<size_t> Skip(ByteView* in) const override;

  // The field at 'index' alone. 'in': a whole key. InvalidArgument: there is no such field.
  Result<Value> DecodeField(ByteView in, size_t index) const;
  StructIterator Iterate(ByteView in) const { return StructIterator(in, fields_); }
  size_t field_count() const { return fields_->size(); }

 private:
  explicit Struct(std::vector<DataTypePtr> fields);

  const std::shared_ptr<const std::vector<DataTypePtr>> fields_;
  bool is_order_preserving_ = true;
  bool is_skippable_ = true;
};

// Gathers the fields of a Struct. Build may be called again after more were added. One thread at a
// time.
class StructBuilder {
 public:
  StructBuilder& Add(DataTypePtr field);
  StructBuilder& Add(Result<DataTypePtr> field);  // an error is kept for Build
  // The first error of Add, and those of Struct::Make.
  Result<std::shared_ptr<const Struct>> Build() const;
  void Reset();  // without fields

 private:
  std::vector<DataTypePtr> fields_;
  Status status_;
};

}  // namespace bennu::types

#endif  // BENNU_TYPES_H_
