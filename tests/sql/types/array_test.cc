// The stored form of arrays, against cells that a real Phoenix wrote (arrays/ of the corpus, and
// the table of the phoenix-types spec section 7), and its way back.
#include "src/sql/types/array.h"

#include "gtest/gtest.h"
#include "src/base/hex.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql {
namespace {

constexpr SortOrder kAsc = SortOrder::kAsc;
constexpr SortOrder kDesc = SortOrder::kDesc;

const DataType kVarchars = {TypeId::kVarcharArray};
const Value kNullText = Value::Null({TypeId::kVarchar});

Value Text(const char* text) { return *text == '\0' ? kNullText : Value::Varchar(text); }

Value Texts(const std::vector<const char*>& texts) {
  std::vector<Value> values;
  for (const char* text : texts) values.push_back(Text(text));
  return *MakeArray(kVarchars, values);
}

std::string Stored(const Value& array, const DataType& type, SortOrder order = kAsc) {
  Bytes bytes;
  const Status status = Encode(array, type, order, &bytes);
  EXPECT_TRUE(status.ok()) << status.ToString();
  const Result<Value> back = Decode(bytes, type, order);
  EXPECT_TRUE(back.ok() && ToText(*back) == ToText(*Coerce(array, type))) << HexEncode(bytes);
  return HexEncode(bytes);
}

TEST(Array, TextAsRecorded) {
  const auto stored = [](const std::vector<const char*>& texts, SortOrder order = kAsc) {
    return Stored(Texts(texts), kVarchars, order);
  };
  EXPECT_EQ(stored({"a", "bb", "ccc"}), "61006262006363630000008001800380060000000b0000000301");
  EXPECT_EQ(stored({"a", "", "c"}), "610000ff63000000800180038005000000080000000301");
  EXPECT_EQ(stored({"", "x", ""}), "00ff78000000800180038005000000060000000301");
  EXPECT_EQ(stored({"only"}), "6f6e6c790000008001000000070000000101");
  EXPECT_EQ(stored({"", "a", "", "", "", "b"}),
            "00ff610000fd620000008001800380058005800580070000000a0000000601");
  EXPECT_EQ(stored({"p", "q", ""}), "700071000000800180038005000000060000000301");
  EXPECT_EQ(stored({"a", "", ""}),
            "6100000080018003800300000004"
            "0000000301");
  EXPECT_EQ(stored({""}), "00008001000000020000000101");
  EXPECT_EQ(stored({"a", "bc"}, kDesc),
            "9eff9d9cffffff8001800300000007"
            "0000000201");
}

TEST(Array, OtherElementsAsRecorded) {
  const auto stored = [](const DataType& type, const std::vector<Value>& elements) {
    return Stored(*MakeArray(type, elements), type);
  };
  EXPECT_EQ(stored({TypeId::kIntegerArray}, {Value::Integer(1), Value::Integer(2)}),
            "8000000180000002");
  EXPECT_EQ(stored({TypeId::kIntegerArray}, {Value::Integer(1), Value::Null({TypeId::kInteger})}),
            "8000000180000000");
  EXPECT_EQ(stored({TypeId::kBooleanArray}, {Value::Bool(true), Value::Bool(false)}), "0100");
  EXPECT_EQ(stored({TypeId::kCharArray, 3}, {Value::Varchar("x"), Value::Varchar("yz")}),
            "782020797a20");
  EXPECT_EQ(stored({TypeId::kDecimalArray, 6, 2}, {Value::Number(*Decimal::Parse("1.5")),
                                                   Value::Number(*Decimal::Parse("-2.25"))}),
            "c10233003e634c66000000800180050000000b0000000201");
  EXPECT_EQ(stored({TypeId::kDecimalArray, 6, 2},
                   {Value::Null({TypeId::kDecimal}), Value::Number(*Decimal::Parse("0.01"))}),
            "00ffc00200000080018003000000070000000201");
}

// A literal's elements are as wide as the longest; the column has its own width.
TEST(Array, BinaryTakesTheColumnsWidth) {
  const std::vector<Value> elements = {Value::Varbinary(Bytes("\0\1", 2)),
                                       Value::Varbinary("\xff")};
  const Value array = *MakeArray({TypeId::kBinaryArray}, elements);
  EXPECT_EQ(Stored(array, {TypeId::kBinaryArray, 2}), "0001ff00");
  EXPECT_EQ(Stored(array, {TypeId::kBinaryArray, 3}), "000100ff0000");
}

TEST(Array, LongRunsAndFarOffsets) {
  for (const size_t nulls : {254u, 255u, 256u, 510u, 511u, 1000u}) {
    std::vector<Value> elements(nulls, kNullText);
    elements.push_back(Value::Varchar("z"));
    for (const SortOrder order : {kAsc, kDesc}) {
      Stored(*MakeArray(kVarchars, elements), kVarchars, order);
    }
  }
  const std::vector<Value> far = {Value::Varchar(Bytes(70000, 'a')), kNullText,
                                  Value::Varchar("b")};
  const Value array = *MakeArray(kVarchars, far);
  EXPECT_EQ(*ArrayElements(array.bytes(), kVarchars), far);
  for (const SortOrder order : {kAsc, kDesc}) Stored(array, kVarchars, order);
}

TEST(Array, TextOfAClient) {
  EXPECT_EQ(ToText(Texts({"a'b", "", "NULL"})), "['a''b',NULL,'\\NULL']");
  const DataType chars = {TypeId::kCharArray, 3};
  const std::vector<Value> elements = {Value::Varchar("x"), Value::Varchar("yz")};
  EXPECT_EQ(ToText(*MakeArray(chars, elements)), "['x\\u0020','yz']");
}

TEST(Array, Conversions) {
  const std::vector<Value> one_two = {Value::Integer(1), Value::Integer(2)};
  const Value integers = *MakeArray({TypeId::kIntegerArray}, one_two);
  EXPECT_EQ(ToText(*Cast(integers, {TypeId::kBigintArray})), "[1,2]");
  EXPECT_EQ(ToText(*Coerce(integers, {TypeId::kTinyintArray})), "[1,2]");
  EXPECT_FALSE(Cast(integers, {TypeId::kVarcharArray}).ok());
  EXPECT_FALSE(Coerce(integers, {TypeId::kInteger}).ok());
  EXPECT_FALSE(Coerce(Value::Integer(5), {TypeId::kIntegerArray}).ok());
  EXPECT_FALSE(Coerce(Texts({"toolong"}), {TypeId::kCharArray, 3}).ok());
}

TEST(Array, DamagedBytes) {
  const Bytes stored = Texts({"a", "", "bb"}).bytes();
  for (size_t size = 0; size < stored.size(); ++size) {
    (void)ArrayElements(ByteView(stored).substr(0, size), kVarchars);
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    for (const char c : {'\0', '\1', '\x7f', '\xff'}) {
      Bytes damaged = stored;
      damaged[i] = c;
      (void)ArrayElements(damaged, kVarchars);
      (void)AscendingArray(damaged, kVarchars);
    }
  }
  EXPECT_FALSE(ArrayElements("abc", {TypeId::kIntegerArray}).ok());
  // Nobody writes an array of texts without elements.
  const Bytes none("\0\0\0\0\0\2\0\0\0\0\1", 11);
  const Result<Bytes> ascending = AscendingArray(none, kVarchars);
  ASSERT_TRUE(ascending.ok()) << ascending.status().ToString();
  const auto elements = ArrayElements(*ascending, kVarchars);
  ASSERT_TRUE(elements.ok()) << elements.status().ToString();
  EXPECT_TRUE(elements->empty());
}

// Every cut of an array's bytes, and every changed byte of what says where its elements are, is
// refused or gives elements inside of it.
TEST(ArrayTest, LooksNowhereElse) {
  const Bytes whole = Texts({"a", "bb", "", "ccc"}).bytes();
  const ArrayView view = *ArrayView::Open(whole, kVarchars);
  ASSERT_EQ(view.size(), 4U);
  EXPECT_EQ(*view.At(1), "bb");
  EXPECT_EQ(*view.At(2), "");
  EXPECT_EQ(*view.At(3), "ccc");
  const auto check = [](const Bytes& bytes) {
    const Result<ArrayView> opened = ArrayView::Open(bytes, kVarchars);
    for (size_t i = 0; opened.ok() && i < opened->size(); ++i) {
      const Result<ByteView> part = opened->At(i);
      if (!part.ok() || part->empty()) continue;
      EXPECT_GE(part->data(), bytes.data());
      EXPECT_LE(part->data() + part->size(), bytes.data() + bytes.size());
    }
  };
  for (size_t size = 0; size < whole.size(); ++size) check(whole.substr(0, size));
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int change = 1; change < 256; ++change) {
      Bytes damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      check(damaged);
    }
  }
}

// Joined from its parts an array is what it was.
TEST(ArrayTest, JoinsParts) {
  const Bytes whole = Texts({"", "a", "", "", "b", ""}).bytes();
  const ArrayView view = *ArrayView::Open(whole, kVarchars);
  std::vector<ByteView> parts;
  for (size_t i = 0; i < view.size(); ++i) parts.push_back(*view.At(i));
  Bytes joined;
  JoinArray(parts, kVarchars, &joined);
  EXPECT_EQ(joined, whole);
}

}  // namespace
}  // namespace bennu::sql
