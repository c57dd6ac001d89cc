// BSON documents against cells that a real Phoenix wrote (functions/ of the corpus), and extended
// JSON as the MongoDB driver writes and reads it.
#include "src/sql/types/bson.h"

#include "gtest/gtest.h"
#include "src/base/hex.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

std::string Stored(std::string_view json) {
  const Result<Bytes> bytes = BsonFromJson(json);
  return bytes.ok() ? HexEncode(*bytes) : bytes.status().ToString();
}

// What is read, written again.
std::string Again(std::string_view json) {
  const Result<BsonValue> value = ParseBsonJson(json);
  if (!value.ok()) return value.status().ToString();
  std::string text;
  AppendBsonJson(*value, &text);
  return text;
}

TEST(BsonTest, StoresWhatPhoenixStores) {
  EXPECT_EQ(
      Stored(R"({"attr": "x", "num": 5, "dbl": 2.5, "arr": [1, "two", {"in": true}], )"
             R"("sub": {"deep": "d", "nul": null}})"),
      "6b000000026174747200020000007800106e756d00050000000164626c000000000000000440046172720024"
      "000000103000010000000231000400000074776f000332000a00000008696e00010000037375620016000000"
      "0264656570000200000064000a6e756c000000");
  EXPECT_EQ(
      Stored(R"({"num": {"$numberLong": "9000000000"}, "dec": {"$numberDecimal": "1.50"}, )"
             R"("bin": {"$binary": {"base64": "AP8=", "subType": "00"}}, )"
             R"("when": {"$date": "2020-01-01T00:00:00Z"}})"),
      "41000000126e756d00001a711802000000136465630096000000000000000000000000003c300562696e0002"
      "0000000000ff097768656e0000e8665e6f01000000");
  EXPECT_EQ(Stored(R"({"b":1,"a":2,"a":3})"),
            "1a00000010620001000000106100020000001061000300000000");
  EXPECT_EQ(Stored("{}"), "0500000000");
}

// Fields keep their order and their doubles; numbers take the smallest type that they fit.
TEST(BsonTest, WritesRelaxedJson) {
  EXPECT_EQ(Again(R"({"b":1,"a":[1.0,2147483648,-0.0,1e300,{}],"c":[]})"),
            R"({"b": 1, "a": [1.0, 2147483648, -0.0, 1.0E300, {}], "c": []})");
  EXPECT_EQ(Again(R"("a\u0000\n\"\\/é\ud83d\ude00\u2028")"),
            R"("a\u0000\n\"\\/é\ud83d\ude00\u2028")");
  EXPECT_EQ(Again(R"({x: 'y', _z: NaN})"), R"({"x": "y", "_z": {"$numberDouble": "NaN"}})");
}

TEST(BsonTest, KeepsExtendedTypes) {
  for (const char* json : {
           R"({"$oid": "0102030405060708090a0b0c"})", R"({"$numberDecimal": "-1.5E+10"})",
           R"({"$numberDecimal": "Infinity"})", R"({"$date": "2020-01-01T00:00:00.120Z"})",
           R"({"$date": {"$numberLong": "-1"}})",
           R"({"$binary": {"base64": "AQI=", "subType": "80"}})",
           R"({"$regularExpression": {"pattern": "a\"b", "options": "i"}})",
           R"({"$timestamp": {"t": 4294967295, "i": 7}})", R"({"$symbol": "s"})",
           R"({"$code": "f"})", R"({"$undefined": true})", R"({"$minKey": 1})", R"({"$maxKey": 1})",
           R"({"$set": [1, 2]})",  // a document like any other
       }) {
    const std::string document = std::string(R"({"v": )") + json + "}";
    const Result<Bytes> bytes = BsonFromJson(document);
    ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
    EXPECT_EQ(BsonToJson(*bytes), document);
  }
  EXPECT_EQ(Again(R"({"v": {"$numberInt": "5"}})"), R"({"v": 5})");
  EXPECT_EQ(Again(R"({"v": {"$binary": "AQI=", "$type": "00"}})"),
            R"({"v": {"$binary": {"base64": "AQI=", "subType": "00"}}})");
}

// IEEE 754-2019: 34 digits, exponents from -6176 to 6111.
TEST(BsonTest, Decimal128) {
  for (const char* text :
       {"0", "-0", "1.50", "0.000001", "1E-7", "-12E+3",
        "9.999999999999999999999999999999999E+6144", "1E-6176", "NaN", "-Infinity"}) {
    const std::optional<Bytes> bytes = ParseDecimal128(text);
    ASSERT_TRUE(bytes.has_value()) << text;
    EXPECT_EQ(Decimal128ToText(*bytes), std::string_view(text) == "-12E+3" ? "-1.2E+4" : text);
  }
  EXPECT_EQ(HexEncode(*ParseDecimal128("1.50")), "96000000000000000000000000003c30");
  EXPECT_FALSE(ParseDecimal128("12345678901234567890123456789012345").has_value());
  EXPECT_FALSE(ParseDecimal128("1E+7000").has_value());
  EXPECT_FALSE(ParseDecimal128("1.2.3").has_value());
  EXPECT_FALSE(ParseDecimal128("").has_value());
}

TEST(BsonTest, RefusesWhatIsNoJson) {
  for (const char* json :
       {"", "{bad", "not bson", "[1,2]", "\"str\"", "{\"a\": 01}", "{\"a\": 1,}x",
        "{\"a\": 99999999999999999999}", "{\"a\" 1}", "{\"a\": \"b}", R"({"a": "\q"})",
        R"({"a": "\u12"})", R"({"a": {"$oid": "00"}})", R"({"a": {"$date": "yesterday"}})",
        R"({"a\u0000": 1})",
        R"({"a": {"$regularExpression": {"pattern": "\u0000", "options": ""}}})"}) {
    EXPECT_FALSE(BsonFromJson(json).ok()) << json;
  }
  std::string deep(200, '[');
  EXPECT_FALSE(ParseBsonJson(deep).ok());
}

// Every cut, and every wrong length, of a document is refused; nothing outside of it is read.
TEST(BsonTest, RefusesDamagedBytes) {
  const Bytes whole = *BsonFromJson(
      R"({"a": "text", "b": {"c": [1, 2.5]}, "d": {"$binary": {"base64": "AP8=", "subType": "00"}}, )"
      R"("e": {"$regularExpression": {"pattern": "x", "options": ""}}})");
  ASSERT_TRUE(DecodeBson(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut = whole.substr(0, size);  // its own memory, for the sanitizer
    EXPECT_FALSE(DecodeBson(cut).ok()) << size;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      Bytes damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      const Result<BsonValue> value = DecodeBson(damaged);
      if (!value.ok()) continue;
      Bytes again;
      EncodeBson(*value, &again);
      EXPECT_EQ(again.size(), damaged.size()) << i;
    }
  }
  EXPECT_EQ(BsonToJson("abc"), "x'616263'");
}

TEST(BsonTest, TextBecomesADocument) {
  const Result<Value> value = Coerce(Value::Varchar("{\"a\": 1}"), {TypeId::kBson});
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(HexEncode(value->bytes()), "0c0000001061000100000000");
  EXPECT_EQ(ToText(*value), "{\"a\": 1}");
  EXPECT_TRUE(Coerce(Value::Varchar(""), {TypeId::kJson})->is_null());
  EXPECT_FALSE(Coerce(Value::Integer(5), {TypeId::kJson}).ok());
}

TEST(BsonTest, Equality) {
  const auto parse = [](const char* json) { return *ParseBsonJson(json); };
  EXPECT_TRUE(parse(R"({"a": 1, "b": [1]})") == parse(R"({"b": [1], "a": 1})"));
  EXPECT_FALSE(parse("5") == parse("5.0"));
  EXPECT_FALSE(parse("[1, 2]") == parse("[2, 1]"));
  EXPECT_FALSE(parse(R"({"a": 1})") == parse(R"({"a": 1, "b": 2})"));
}

}  // namespace
}  // namespace bennu::sql
