#include "bennu/types.h"

#include <fmt/format.h>

#include <limits>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/encoding/bytes_codec.h"
#include "src/encoding/java_double.h"

namespace bennu::types {

namespace {

// The values at the ends of the integer type T.
template <typename T>
Result<T> Narrow(const DataType& type, const Value& value) {
  const int64_t* const integer = value.integer();
  if (integer == nullptr) {
    return InvalidArgument(
        fmt::format("{} takes an integer, not {}", type.name(), value.ToString()));
  }
  if (*integer < std::numeric_limits<T>::min() || *integer > std::numeric_limits<T>::max()) {
    return InvalidArgument(fmt::format("{} takes {} to {}, not {}", type.name(),
                                       int64_t{std::numeric_limits<T>::min()},
                                       int64_t{std::numeric_limits<T>::max()}, *integer));
  }
  return static_cast<T>(*integer);
}

template <typename T>
Result<T> NarrowReal(const DataType& type, const Value& value) {
  const double* const real = value.real();
  if (real != nullptr) return static_cast<T>(*real);
  return InvalidArgument(
      fmt::format("{} takes a real, such as 1.0, not {}", type.name(), value.ToString()));
}

Result<ByteView> BytesOf(const DataType& type, const Value& value) {
  const Bytes* const bytes = value.bytes();
  if (bytes != nullptr) return ByteView(*bytes);
  return InvalidArgument(
      fmt::format("{} takes text or bytes, not {}", type.name(), value.ToString()));
}

Status CutShort(const DataType& type, size_t wanted, size_t found) {
  return Corruption(
      fmt::format("{}: {} bytes are expected, and {} are left", type.name(), wanted, found));
}

void Invert(Order order, size_t begin, Bytes* bytes) {
  if (order == Order::kAscending) return;
  for (size_t i = begin; i < bytes->size(); ++i) (*bytes)[i] = static_cast<char>(~(*bytes)[i]);
}

// ---- over Bytes

// T: an integer or floating type, in as many bytes as it has.
template <typename T>
class RawNumber final : public DataType {
 public:
  using EncodeCall = void (*)(Bytes*, T);
  using DecodeCall = Result<T> (*)(ByteView*);
  RawNumber(const char* name, EncodeCall encode, DecodeCall decode)
      : name_(name), encode_(encode), decode_(decode) {}

  std::string name() const override { return name_; }
  bool is_order_preserving() const override { return false; }
  std::optional<Order> order() const override { return std::nullopt; }
  bool is_nullable() const override { return false; }
  bool is_skippable() const override { return true; }

  Status Encode(Bytes* out, const Value& value) const override {
    if constexpr (std::is_integral_v<T>) {
      ASSIGN_OR_RETURN(const T number, Narrow<T>(*this, value));
      encode_(out, number);
    } else {
      ASSIGN_OR_RETURN(const T number, NarrowReal<T>(*this, value));
      encode_(out, number);
    }
    return Status::Ok();
  }
  Result<Value> Decode(ByteView* in) const override {
    if (in->size() < sizeof(T)) return CutShort(*this, sizeof(T), in->size());
    ASSIGN_OR_RETURN(const T number, decode_(in));
    if constexpr (std::is_integral_v<T>) {
      return Value(int64_t{number});
    } else {
      return Value(double{number});
    }
  }
  Result<size_t> Skip(ByteView* in) const override {
    if (in->size() < sizeof(T)) return CutShort(*this, sizeof(T), in->size());
    in->remove_prefix(sizeof(T));
    return sizeof(T);
  }

 private:
  const char* const name_;
  const EncodeCall encode_;
  const DecodeCall decode_;
};

// RawString and RawBytes.
class RawText final : public DataType {
 public:
  // 'inverts': whether descending order shows in the bytes.
  RawText(const char* name, Order order, bool inverts)
      : name_(name), order_(order), applied_(inverts ? order : Order::kAscending) {}

  std::string name() const override { return name_; }
  bool is_order_preserving() const override { return true; }
  std::optional<Order> order() const override { return order_; }
  bool is_nullable() const override { return false; }
  bool is_skippable() const override { return false; }

  Status Encode(Bytes* out, const Value& value) const override {
    ASSIGN_OR_RETURN(const ByteView bytes, BytesOf(*this, value));
    const size_t begin = out->size();
    out->append(bytes);
    Invert(applied_, begin, out);
    return Status::Ok();
  }
  Result<Value> Decode(ByteView* in) const override {
    Bytes bytes(*in);
    Invert(applied_, 0, &bytes);
    in->remove_prefix(in->size());
    return Value(std::move(bytes));
  }
  Result<size_t> Skip(ByteView* in) const override {
    const size_t size = in->size();
    in->remove_prefix(size);
    return size;
  }

 private:
  const char* const name_;
  const Order order_;
  const Order applied_;
};

// ---- over OrderedBytes

class OrderedType : public DataType {
 public:
  OrderedType(const char* name, Order order) : name_(name), order_(order) {}

  std::string name() const override { return name_; }
  bool is_order_preserving() const override { return true; }
  std::optional<Order> order() const override { return order_; }
  bool is_nullable() const override { return true; }
  bool is_skippable() const override { return true; }
  Result<size_t> Skip(ByteView* in) const override { return ordered_bytes::Skip(in); }

 private:
  const char* const name_;

 protected:
  const Order order_;
};

template <typename T>
class OrderedNumber final : public OrderedType {
 public:
  using EncodeCall = void (*)(Bytes*, T, Order);
  using DecodeCall = Result<T> (*)(ByteView*);
  OrderedNumber(const char* name, Order order, EncodeCall encode, DecodeCall decode)
      : OrderedType(name, order), encode_(encode), decode_(decode) {}

  bool is_nullable() const override { return false; }
  Status Encode(Bytes* out, const Value& value) const override {
    if constexpr (std::is_integral_v<T>) {
      ASSIGN_OR_RETURN(const T number, Narrow<T>(*this, value));
      encode_(out, number, order_);
    } else {
      ASSIGN_OR_RETURN(const T number, NarrowReal<T>(*this, value));
      encode_(out, number, order_);
    }
    return Status::Ok();
  }
  Result<Value> Decode(ByteView* in) const override {
    ASSIGN_OR_RETURN(const T number, decode_(in));
    if constexpr (std::is_integral_v<T>) {
      return Value(int64_t{number});
    } else {
      return Value(double{number});
    }
  }

 private:
  const EncodeCall encode_;
  const DecodeCall decode_;
};

class NumericType final : public OrderedType {
 public:
  explicit NumericType(Order order) : OrderedType("OrderedNumeric", order) {}

  Status Encode(Bytes* out, const Value& value) const override {
    if (value.is_null()) {
      ordered_bytes::EncodeNull(out, order_);
    } else if (const int64_t* const integer = value.integer(); integer != nullptr) {
      ordered_bytes::EncodeNumeric(out, *integer, order_);
    } else if (const double* const real = value.real(); real != nullptr) {
      ordered_bytes::EncodeNumeric(out, *real, order_);
    } else if (const Value::Decimal* const decimal = value.decimal(); decimal != nullptr) {
      return ordered_bytes::EncodeDecimal(out, decimal->digits, order_).Annotate(name());
    } else {
      return InvalidArgument(fmt::format("{} takes a number, not {}", name(), value.ToString()));
    }
    return Status::Ok();
  }
  Result<Value> Decode(ByteView* in) const override {
    using ordered_bytes::Kind;
    const auto header = ordered_bytes::Inspect(*in);
    const bool is_special = header.has_value() && (header->kind == Kind::kNaN ||
                                                   header->kind == Kind::kPositiveInfinity ||
                                                   header->kind == Kind::kNegativeInfinity);
    if (is_special) {
      ASSIGN_OR_RETURN(const double real, ordered_bytes::DecodeNumericAsDouble(in));
      return Value(real);
    }
    ASSIGN_OR_RETURN(auto digits, ordered_bytes::DecodeDecimal(in));
    if (!digits.has_value()) return Value();
    return Value(Value::Decimal{*std::move(digits)});
  }
};

// OrderedString, OrderedBlob and OrderedBlobVar.
class OrderedBytesType final : public OrderedType {
 public:
  using EncodeCall = Status (*)(Bytes*, ByteView, Order);
  using NullCall = void (*)(Bytes*, Order);
  using DecodeCall = Result<std::optional<Bytes>> (*)(ByteView*);
  OrderedBytesType(const char* name, Order order, EncodeCall encode, NullCall encode_null,
                   DecodeCall decode, bool is_skippable)
      : OrderedType(name, order),
        encode_(encode),
        encode_null_(encode_null),
        decode_(decode),
        is_skippable_(is_skippable) {}

  bool is_skippable() const override { return is_skippable_; }
  Status Encode(Bytes* out, const Value& value) const override {
    if (value.is_null()) {
      encode_null_(out, order_);
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(const ByteView bytes, BytesOf(*this, value));
    return encode_(out, bytes, order_);
  }
  Result<Value> Decode(ByteView* in) const override {
    ASSIGN_OR_RETURN(auto bytes, decode_(in));
    if (!bytes.has_value()) return Value();
    return Value(*std::move(bytes));
  }

 private:
  const EncodeCall encode_;
  const NullCall encode_null_;
  const DecodeCall decode_;
  const bool is_skippable_;
};

Status EncodeAnyBlob(Bytes* out, ByteView value, Order order) {
  ordered_bytes::EncodeBlobVar(out, value, order);
  return Status::Ok();
}

// ---- wrappers

class WrapperType : public DataType {
 public:
  explicit WrapperType(DataTypePtr wrapped) : wrapped_(std::move(wrapped)) {}

  bool is_order_preserving() const override { return wrapped_->is_order_preserving(); }
  std::optional<Order> order() const override { return wrapped_->order(); }
  bool is_nullable() const override { return wrapped_->is_nullable(); }
  bool is_skippable() const override { return true; }

 protected:
  const DataTypePtr wrapped_;
};

class TerminatedType final : public WrapperType {
 public:
  // 'term': as it stands in the bytes.
  TerminatedType(DataTypePtr wrapped, Bytes term)
      : WrapperType(std::move(wrapped)), term_(std::move(term)) {}

  std::string name() const override { return "TerminatedWrapper of " + wrapped_->name(); }

  Status Encode(Bytes* out, const Value& value) const override {
    const size_t begin = out->size();
    RETURN_IF_ERROR(wrapped_->Encode(out, value));
    const size_t size = out->size() - begin;
    out->append(term_);
    // Also one that begins within the value and ends with the terminator's first bytes.
    if (ByteView(*out).substr(begin).find(term_) == size) return Status::Ok();
    out->resize(begin);
    return InvalidArgument(fmt::format("{}: {} holds the terminator '{}'", name(), value.ToString(),
                                       ToStringBinary(term_)));
  }
  Result<Value> Decode(ByteView* in) const override {
    ByteView rest = *in;
    ByteView inner = rest;
    if (!wrapped_->is_skippable()) {
      ASSIGN_OR_RETURN(const size_t size, SizeBefore(rest));
      inner = rest.substr(0, size);
      rest.remove_prefix(size);
    }
    ASSIGN_OR_RETURN(Value value, wrapped_->Decode(&inner));
    if (wrapped_->is_skippable()) rest = inner;
    RETURN_IF_ERROR(TakeTerm(&rest));
    *in = rest;
    return value;
  }
  Result<size_t> Skip(ByteView* in) const override {
    ByteView rest = *in;
    size_t size = 0;
    if (wrapped_->is_skippable()) {
      ASSIGN_OR_RETURN(size, wrapped_->Skip(&rest));
    } else {
      ASSIGN_OR_RETURN(size, SizeBefore(rest));
      rest.remove_prefix(size);
    }
    RETURN_IF_ERROR(TakeTerm(&rest));
    *in = rest;
    return size + term_.size();
  }

 private:
  Result<size_t> SizeBefore(ByteView in) const {
    const size_t found = in.find(term_);
    if (found != ByteView::npos) return found;
    return Corruption(fmt::format("{}: the terminator '{}' is not in the {} bytes left", name(),
                                  ToStringBinary(term_), in.size()));
  }
  Status TakeTerm(ByteView* in) const {
    if (!in->starts_with(term_)) {
      return Corruption(fmt::format("{}: the terminator '{}' does not come behind the value",
                                    name(), ToStringBinary(term_)));
    }
    in->remove_prefix(term_.size());
    return Status::Ok();
  }

  const Bytes term_;
};

class FixedLengthType final : public WrapperType {
 public:
  FixedLengthType(DataTypePtr base, size_t length)
      : WrapperType(std::move(base)), length_(length) {}

  std::string name() const override { return "FixedLengthWrapper of " + wrapped_->name(); }

  Status Encode(Bytes* out, const Value& value) const override {
    const size_t begin = out->size();
    RETURN_IF_ERROR(wrapped_->Encode(out, value));
    const size_t size = out->size() - begin;
    if (size > length_) {
      out->resize(begin);
      return InvalidArgument(fmt::format("{}: {} takes {} bytes, and there are {}", name(),
                                         value.ToString(), size, length_));
    }
    // Zero bytes in descending order too, as HBase has it.
    out->append(length_ - size, '\0');
    return Status::Ok();
  }
  Result<Value> Decode(ByteView* in) const override {
    if (in->size() < length_) return CutShort(*this, length_, in->size());
    ByteView inner = in->substr(0, length_);
    ASSIGN_OR_RETURN(Value value, wrapped_->Decode(&inner));
    in->remove_prefix(length_);
    return value;
  }
  Result<size_t> Skip(ByteView* in) const override {
    if (in->size() < length_) return CutShort(*this, length_, in->size());
    in->remove_prefix(length_);
    return length_;
  }

 private:
  const size_t length_;
};

}  // namespace

std::string Value::ToString() const {
  if (const auto* const number = integer(); number != nullptr) return std::to_string(*number);
  if (const auto* const number = real(); number != nullptr) {
    return encoding::JavaDoubleToString(*number);
  }
  if (const auto* const number = decimal(); number != nullptr) return number->digits;
  if (const auto* const text = bytes(); text != nullptr) return '"' + ToStringBinary(*text) + '"';
  if (const auto* const fields = list(); fields != nullptr) {
    std::string text = "[";
    for (const Value& field : *fields) text += (text.size() > 1 ? ", " : "") + field.ToString();
    return text + "]";
  }
  return "null";
}

Result<size_t> DataType::EncodedLength(const Value& value) const {
  Bytes encoded;
  RETURN_IF_ERROR(Encode(&encoded, value));
  return encoded.size();
}

DataTypePtr RawByte() {
  return std::make_shared<RawNumber<int8_t>>("RawByte", bytes_codec::EncodeInt8,
                                             bytes_codec::DecodeInt8);
}
DataTypePtr RawShort() {
  return std::make_shared<RawNumber<int16_t>>("RawShort", bytes_codec::EncodeInt16,
                                              bytes_codec::DecodeInt16);
}
DataTypePtr RawInteger() {
  return std::make_shared<RawNumber<int32_t>>("RawInteger", bytes_codec::EncodeInt32,
                                              bytes_codec::DecodeInt32);
}
DataTypePtr RawLong() {
  return std::make_shared<RawNumber<int64_t>>("RawLong", bytes_codec::EncodeInt64,
                                              bytes_codec::DecodeInt64);
}
DataTypePtr RawFloat() {
  return std::make_shared<RawNumber<float>>("RawFloat", bytes_codec::EncodeFloat32,
                                            bytes_codec::DecodeFloat32);
}
DataTypePtr RawDouble() {
  return std::make_shared<RawNumber<double>>("RawDouble", bytes_codec::EncodeFloat64,
                                             bytes_codec::DecodeFloat64);
}
DataTypePtr RawString(Order order) {
  return std::make_shared<RawText>("RawString", order, /*inverts=*/true);
}
DataTypePtr RawBytes(Order order) {
  return std::make_shared<RawText>("RawBytes", order, /*inverts=*/false);
}
Result<DataTypePtr> RawStringTerminated(ByteView term, Order order) {
  return TerminatedWrapper(RawString(order), term);
}
Result<DataTypePtr> RawBytesTerminated(ByteView term, Order order) {
  return TerminatedWrapper(RawBytes(order), term);
}
DataTypePtr RawStringFixedLength(size_t length, Order order) {
  return FixedLengthWrapper(RawString(order), length);
}
DataTypePtr RawBytesFixedLength(size_t length, Order order) {
  return FixedLengthWrapper(RawBytes(order), length);
}

DataTypePtr OrderedInt8(Order order) {
  return std::make_shared<OrderedNumber<int8_t>>("OrderedInt8", order, ordered_bytes::EncodeInt8,
                                                 ordered_bytes::DecodeInt8);
}
DataTypePtr OrderedInt16(Order order) {
  return std::make_shared<OrderedNumber<int16_t>>("OrderedInt16", order, ordered_bytes::EncodeInt16,
                                                  ordered_bytes::DecodeInt16);
}
DataTypePtr OrderedInt32(Order order) {
  return std::make_shared<OrderedNumber<int32_t>>("OrderedInt32", order, ordered_bytes::EncodeInt32,
                                                  ordered_bytes::DecodeInt32);
}
DataTypePtr OrderedInt64(Order order) {
  return std::make_shared<OrderedNumber<int64_t>>("OrderedInt64", order, ordered_bytes::EncodeInt64,
                                                  ordered_bytes::DecodeInt64);
}
DataTypePtr OrderedFloat32(Order order) {
  return std::make_shared<OrderedNumber<float>>(
      "OrderedFloat32", order, ordered_bytes::EncodeFloat32, ordered_bytes::DecodeFloat32);
}
DataTypePtr OrderedFloat64(Order order) {
  return std::make_shared<OrderedNumber<double>>(
      "OrderedFloat64", order, ordered_bytes::EncodeFloat64, ordered_bytes::DecodeFloat64);
}
DataTypePtr OrderedNumeric(Order order) { return std::make_shared<NumericType>(order); }
DataTypePtr OrderedString(Order order) {
  return std::make_shared<OrderedBytesType>("OrderedString", order, ordered_bytes::EncodeText,
                                            ordered_bytes::EncodeNull, ordered_bytes::DecodeText,
                                            /*is_skippable=*/true);
}
DataTypePtr OrderedBlob(Order order) {
  return std::make_shared<OrderedBytesType>("OrderedBlob", order, ordered_bytes::EncodeBlobCopy,
                                            ordered_bytes::EncodeNullBlobCopy,
                                            ordered_bytes::DecodeBlobCopy, /*is_skippable=*/false);
}
DataTypePtr OrderedBlobVar(Order order) {
  return std::make_shared<OrderedBytesType>("OrderedBlobVar", order, EncodeAnyBlob,
                                            ordered_bytes::EncodeNull, ordered_bytes::DecodeBlobVar,
                                            /*is_skippable=*/true);
}

Result<DataTypePtr> TerminatedWrapper(DataTypePtr wrapped, ByteView term) {
  if (term.empty()) return InvalidArgument("TerminatedWrapper: the terminator is empty");
  const std::optional<Order> order = wrapped->order();
  if (!order.has_value()) {
    return InvalidArgument(fmt::format(
        "TerminatedWrapper: {} has no order, which the terminator would go by", wrapped->name()));
  }
  Bytes applied(term);
  Invert(*order, 0, &applied);
  return DataTypePtr(std::make_shared<TerminatedType>(std::move(wrapped), std::move(applied)));
}

DataTypePtr FixedLengthWrapper(DataTypePtr base, size_t length) {
  return std::make_shared<FixedLengthType>(std::move(base), length);
}

}  // namespace bennu::types
