// Comparators but for the one with regular expressions (regex_comparator.cc).
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "src/base/status_macros.h"
#include "src/encoding/big_decimal.h"
#include "src/filter/messages.h"
#include "src/filter/text.h"

namespace bennu {
namespace filter {
namespace {

int Sign(int order) { return order < 0 ? -1 : static_cast<int>(order > 0); }

// The message that most comparators have: the value alone.
template <typename Message>
Bytes SerializeComparable(ByteView value) {
  Message message;
  message.mutable_comparable()->set_value(Bytes(value));
  return Serialize(message);
}

class BinaryComparator final : public ByteComparator {
 public:
  explicit BinaryComparator(Bytes value) : value_(std::move(value)) {}
  int Compare(ByteView bytes, Status* /*error*/) override {
    return Sign(ByteView(value_).compare(bytes));
  }
  ComparatorPtr Clone() const override { return std::make_unique<BinaryComparator>(value_); }
  Bytes class_name() const override { return ClassName("BinaryComparator"); }
  Bytes Encode() const override { return SerializeComparable<pb::BinaryComparator>(value_); }

 private:
  const Bytes value_;
};

class BinaryPrefixComparator final : public ByteComparator {
 public:
  explicit BinaryPrefixComparator(Bytes value) : value_(std::move(value)) {}
  int Compare(ByteView bytes, Status* /*error*/) override {
    return Sign(ByteView(value_).compare(bytes.substr(0, value_.size())));
  }
  ComparatorPtr Clone() const override { return std::make_unique<BinaryPrefixComparator>(value_); }
  Bytes class_name() const override { return ClassName("BinaryPrefixComparator"); }
  Bytes Encode() const override { return SerializeComparable<pb::BinaryPrefixComparator>(value_); }

 private:
  const Bytes value_;
};

class BinaryComponentComparator final : public ByteComparator {
 public:
  BinaryComponentComparator(Bytes value, int32_t offset)
      : value_(std::move(value)), offset_(offset) {}
  int Compare(ByteView bytes, Status* error) override {
    // HBase compares until the bytes are used up or differ, and only then misses the rest.
    const ByteView rest = offset_ < 0 || static_cast<size_t>(offset_) > bytes.size()
                              ? ByteView()
                              : bytes.substr(static_cast<size_t>(offset_), value_.size());
    const int order = ByteView(value_).substr(0, rest.size()).compare(rest);
    if (order == 0 && rest.size() < value_.size()) {
      *error = InvalidArgument("BinaryComponentComparator: " + std::to_string(value_.size()) +
                               " bytes from " + std::to_string(offset_) + " on are compared, but " +
                               std::to_string(bytes.size()) + " is all there is");
    }
    return Sign(order);
  }
  ComparatorPtr Clone() const override {
    return std::make_unique<BinaryComponentComparator>(value_, offset_);
  }
  Bytes class_name() const override { return ClassName("BinaryComponentComparator"); }
  Bytes Encode() const override {
    pb::BinaryComponentComparator message;
    message.set_value(value_);
    message.set_offset(static_cast<uint32_t>(offset_));
    return Serialize(message);
  }

 private:
  const Bytes value_;
  const int32_t offset_;
};

int64_t LoadInt64(ByteView eight_bytes) {
  uint64_t value = 0;
  for (const char c : eight_bytes) value = value << 8 | static_cast<uint8_t>(c);
  return static_cast<int64_t>(value);
}

class LongComparator final : public ByteComparator {
 public:
  explicit LongComparator(int64_t value) : value_(value) {}
  int Compare(ByteView bytes, Status* error) override {
    if (bytes.size() != 8) {
      *error = InvalidArgument("LongComparator: a value has " + std::to_string(bytes.size()) +
                               " bytes; a long has 8");
      return 0;
    }
    const int64_t other = LoadInt64(bytes);
    return value_ < other ? -1 : static_cast<int>(value_ > other);
  }
  ComparatorPtr Clone() const override { return std::make_unique<LongComparator>(value_); }
  Bytes class_name() const override { return ClassName("LongComparator"); }
  Bytes Encode() const override {
    Bytes bytes(8, '\0');
    for (int i = 0; i < 8; ++i) {
      bytes[static_cast<size_t>(i)] =
          static_cast<char>(static_cast<uint64_t>(value_) >> (56 - 8 * i));
    }
    return SerializeComparable<pb::LongComparator>(bytes);
  }

 private:
  const int64_t value_;
};

class BigDecimalComparator final : public ByteComparator {
 public:
  explicit BigDecimalComparator(Bytes encoded) : encoded_(std::move(encoded)) {
    auto value = encoding::DecodeBigDecimal(encoded_);
    if (value.ok()) value_ = std::move(value).value();
  }
  int Compare(ByteView bytes, Status* error) override {
    const auto other = encoding::DecodeBigDecimal(bytes);
    if (!value_.has_value() || !other.ok()) {
      *error = InvalidArgument(
          "BigDecimalComparator: " + std::string(value_.has_value() ? "a value" : "its own value") +
          " is not a BigDecimal, which has 5 bytes or more");
      return 0;
    }
    return encoding::CompareNumbers(*value_, *other);
  }
  ComparatorPtr Clone() const override { return std::make_unique<BigDecimalComparator>(encoded_); }
  Bytes class_name() const override { return ClassName("BigDecimalComparator"); }
  Bytes Encode() const override { return SerializeComparable<pb::BigDecimalComparator>(encoded_); }

 private:
  const Bytes encoded_;
  std::optional<encoding::BigDecimal> value_;
};

class NullComparator final : public ByteComparator {
 public:
  int Compare(ByteView /*bytes*/, Status* /*error*/) override { return 1; }
  ComparatorPtr Clone() const override { return std::make_unique<NullComparator>(); }
  Bytes class_name() const override { return ClassName("NullComparator"); }
  Bytes Encode() const override { return Bytes(); }
};

class BitComparator final : public ByteComparator {
 public:
  BitComparator(Bytes value, BitwiseOp op) : value_(std::move(value)), op_(op) {}
  int Compare(ByteView bytes, Status* /*error*/) override {
    if (bytes.size() != value_.size()) return 1;
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (Combine(value_[i], bytes[i]) != 0) return 0;
    }
    return 1;
  }
  ComparatorPtr Clone() const override { return std::make_unique<BitComparator>(value_, op_); }
  Bytes class_name() const override { return ClassName("BitComparator"); }
  Bytes Encode() const override {
    pb::BitComparator message;
    message.mutable_comparable()->set_value(value_);
    message.set_bitwise_op(static_cast<pb::BitComparator::BitwiseOp>(op_));
    return Serialize(message);
  }

 private:
  int Combine(char left, char right) const {
    switch (op_) {
      case BitwiseOp::kAnd: return left & right;
      case BitwiseOp::kOr: return left | right;
      case BitwiseOp::kXor: return left ^ right;
    }
    return 0;
  }
  const Bytes value_;
  const BitwiseOp op_;
};

class SubstringComparator final : public ByteComparator {
 public:
  explicit SubstringComparator(ByteView substr) { AppendLowerCase(substr, &substr_); }
  int Compare(ByteView bytes, Status* /*error*/) override {
    lower_.clear();
    AppendLowerCase(bytes, &lower_);
    return lower_.find(substr_) == Bytes::npos ? 1 : 0;
  }
  ComparatorPtr Clone() const override { return std::make_unique<SubstringComparator>(substr_); }
  Bytes class_name() const override { return ClassName("SubstringComparator"); }
  Bytes Encode() const override {
    pb::SubstringComparator message;
    message.set_substr(substr_);
    return Serialize(message);
  }

 private:
  Bytes substr_;
  Bytes lower_;  // kept for its memory
};

Result<ComparatorPtr> DecodeRegex(ByteView bytes) {
  pb::RegexStringComparator message;
  RETURN_IF_ERROR(Parse(bytes, "RegexStringComparator", &message));
  RegexOptions options;
  options.flags = message.pattern_flags();
  if (!message.charset().empty()) options.charset = message.charset();
  if (message.has_engine()) {
    if (message.engine() != "JAVA" && message.engine() != "JONI") {
      return InvalidArgument("RegexStringComparator: unknown engine '" + message.engine() +
                             "'; there are JAVA and JONI");
    }
    options.joni = message.engine() == "JONI";
  }
  return NewRegexComparator(message.pattern(), options);
}

template <typename Message>
Result<Bytes> ParseComparable(ByteView bytes, std::string_view what) {
  Message message;
  RETURN_IF_ERROR(Parse(bytes, what, &message));
  return message.comparable().value();
}

Result<ComparatorPtr> DecodeByName(std::string_view name, ByteView bytes) {
  if (name == "BinaryComparator") {
    ASSIGN_OR_RETURN(Bytes value, ParseComparable<pb::BinaryComparator>(bytes, name));
    return NewBinaryComparator(std::move(value));
  }
  if (name == "BinaryPrefixComparator") {
    ASSIGN_OR_RETURN(Bytes value, ParseComparable<pb::BinaryPrefixComparator>(bytes, name));
    return NewBinaryPrefixComparator(std::move(value));
  }
  if (name == "BinaryComponentComparator") {
    pb::BinaryComponentComparator message;
    RETURN_IF_ERROR(Parse(bytes, name, &message));
    return NewBinaryComponentComparator(message.value(), static_cast<int32_t>(message.offset()));
  }
  if (name == "LongComparator") {
    ASSIGN_OR_RETURN(const Bytes value, ParseComparable<pb::LongComparator>(bytes, name));
    if (value.size() != 8) {
      return InvalidArgument("LongComparator: a value of " + std::to_string(value.size()) +
                             " bytes; a long has 8");
    }
    return NewLongComparator(LoadInt64(value));
  }
  if (name == "BigDecimalComparator") {
    ASSIGN_OR_RETURN(Bytes value, ParseComparable<pb::BigDecimalComparator>(bytes, name));
    return NewBigDecimalComparator(std::move(value));
  }
  if (name == "BitComparator") {
    pb::BitComparator message;
    RETURN_IF_ERROR(Parse(bytes, name, &message));
    return NewBitComparator(message.comparable().value(),
                            static_cast<BitwiseOp>(message.bitwise_op()));
  }
  if (name == "NullComparator") {
    pb::NullComparator message;
    RETURN_IF_ERROR(Parse(bytes, name, &message));
    return NewNullComparator();
  }
  if (name == "SubstringComparator") {
    pb::SubstringComparator message;
    RETURN_IF_ERROR(Parse(bytes, name, &message));
    return NewSubstringComparator(message.substr());
  }
  if (name == "RegexStringComparator") return DecodeRegex(bytes);
  return InvalidArgument("unknown comparator " + Bytes(kPackage) + std::string(name));
}

}  // namespace

Result<ComparatorPtr> DecodeComparator(const pb::Comparator& message) {
  const std::string_view name = message.name();
  if (!name.starts_with(kPackage)) {
    return InvalidArgument("unknown comparator '" + message.name() + "'");
  }
  return DecodeByName(name.substr(kPackage.size()), message.serialized_comparator());
}

}  // namespace filter

ComparatorPtr NewBinaryComparator(Bytes value) {
  return std::make_unique<filter::BinaryComparator>(std::move(value));
}

ComparatorPtr NewBinaryPrefixComparator(Bytes value) {
  return std::make_unique<filter::BinaryPrefixComparator>(std::move(value));
}

ComparatorPtr NewBinaryComponentComparator(Bytes value, int32_t offset) {
  return std::make_unique<filter::BinaryComponentComparator>(std::move(value), offset);
}

ComparatorPtr NewLongComparator(int64_t value) {
  return std::make_unique<filter::LongComparator>(value);
}

ComparatorPtr NewBigDecimalComparator(Bytes encoded) {
  return std::make_unique<filter::BigDecimalComparator>(std::move(encoded));
}

ComparatorPtr NewNullComparator() { return std::make_unique<filter::NullComparator>(); }

ComparatorPtr NewBitComparator(Bytes value, BitwiseOp op) {
  return std::make_unique<filter::BitComparator>(std::move(value), op);
}

ComparatorPtr NewSubstringComparator(ByteView substr) {
  return std::make_unique<filter::SubstringComparator>(substr);
}

}  // namespace bennu
