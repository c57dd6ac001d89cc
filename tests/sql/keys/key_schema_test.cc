#include "src/sql/keys/key_schema.h"

#include <gtest/gtest.h>

#include <random>

#include "src/base/hex.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"
#include "tests/sql/keys/key_columns.h"

namespace bennu::sql {
namespace {

// Values as text; nullptr is NULL.
std::vector<Value> Values(const KeySchema& schema, const std::vector<const char*>& texts) {
  std::vector<Value> values;
  for (size_t i = 0; i < texts.size(); ++i) {
    const DataType& type = schema.columns()[i].type;
    values.push_back(texts[i] == nullptr ? Value::Null(type) : *ParseValue(texts[i], type));
  }
  return values;
}

struct Example {
  std::vector<const char*> values;
  const char* key;
};

void ExpectKeys(const KeySchema& schema, const std::vector<Example>& examples) {
  for (const Example& example : examples) {
    const std::vector<Value> values = Values(schema, example.values);
    const Result<Bytes> key = schema.EncodeKey(values);
    ASSERT_TRUE(key.ok()) << key.status().ToString();
    EXPECT_EQ(HexEncode(*key), example.key);
    const Result<std::vector<Value>> back = schema.DecodeKey(*key);
    ASSERT_TRUE(back.ok()) << back.status().ToString();
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(ToText((*back)[i]), ToText(values[i])) << example.key << " column " << i;
      Bytes encoded;
      ASSERT_TRUE(
          Encode(values[i], schema.columns()[i].type, schema.columns()[i].order, &encoded).ok());
      EXPECT_EQ(HexEncode(schema.ColumnView(*key, i)), HexEncode(encoded));
    }
  }
}

TEST(KeySchema, KeysOfTheReference) {
  ExpectKeys(KeySchema({Col(TypeId::kVarchar), Col(TypeId::kVarchar), Col(TypeId::kInteger),
                        Col(TypeId::kChar, kAsc, 5), Col(TypeId::kVarchar)}),
             {{{"a", nullptr, "1", "xy", "z"},
               "61000080000001"
               "78792020207a"},
              {{nullptr, "b", "2", "xyz", nullptr},
               "006200"
               "8000000278797a2020"}});
  ExpectKeys(KeySchema({Col(TypeId::kVarchar, kDesc), Col(TypeId::kVarbinaryEncoded),
                        Col(TypeId::kVarbinaryEncoded, kDesc), Col(TypeId::kVarchar, kDesc)}),
             {{{"a", "0001ff", "0001ff", "q"}, "9eff00ff01ff0001ff00fe00fffe8eff"},
              {{nullptr, "02", "03", nullptr}, "00020001fcfffe"}});
  ExpectKeys(KeySchema({Col(TypeId::kVarchar), Col(TypeId::kVarbinaryEncoded, kDesc)}, 4),
             {{{"a", "0001ff"}, "026100ff00fe00fffe"}, {{"b", nullptr}, "0162"}});
  ExpectKeys(KeySchema({Col(TypeId::kVarchar), Col(TypeId::kVarchar), Col(TypeId::kVarchar)}),
             {{{"a", nullptr, "c"}, "61000063"},
              {{"a", "b", nullptr}, "610062"},
              {{"a", nullptr, nullptr}, "61"}});
  ExpectKeys(KeySchema({Col(TypeId::kDate), Col(TypeId::kChar, kAsc, 3)}, 2),
             {{{"2020-01-02", "abc"}, "018000016f638d4400616263"}});
}

// The separator within a value is read as its end, and the inverted ff in front as a NULL.
TEST(KeySchema, RefusesWhatWouldBeReadAsAnother) {
  const KeySchema schema({Col(TypeId::kVarchar), Col(TypeId::kVarchar, kDesc),
                          Col(TypeId::kVarbinaryEncoded), Col(TypeId::kVarchar)});
  const Bytes zero("x\0y", 3);
  const Bytes ones("x\xff", 2);
  const Bytes begins_as_null("\0x", 2);
  const auto key_of = [&](std::vector<ByteView> parts, Bytes* key) {
    return schema.AppendKey(parts, key);
  };
  Bytes key;
  EXPECT_TRUE(IsSqlError(key_of({zero, "b", "c", "d"}, &key), 201));
  EXPECT_TRUE(IsSqlError(key_of({zero}, &key), 201));
  EXPECT_TRUE(IsSqlError(key_of({"a", ones, "c", "d"}, &key), 201));
  EXPECT_TRUE(IsSqlError(key_of({"a", begins_as_null, "c", "d"}, &key), 201));
  EXPECT_TRUE(key.empty());
  ASSERT_TRUE(key_of({ones, zero, Bytes("\0\xff", 2), zero}, &key).ok());
  std::vector<KeyPart> parts(4);
  ASSERT_TRUE(schema.Split(key, parts).ok());
  EXPECT_EQ(key.substr(parts[1].offset, parts[1].length), zero);
  EXPECT_EQ(key.substr(parts[3].offset, parts[3].length), zero);
  // A row that is there is found by its bytes, whatever they are.
  const std::vector<ByteView> stored = {zero, "b"};
  key.clear();
  EXPECT_TRUE(schema.AppendStoredKey(stored, &key).ok());
  EXPECT_EQ(key, Bytes("x\0y\0b\xff", 6));
}

TEST(KeySchema, RefusesNulls) {
  KeySchema schema({Col(TypeId::kVarchar), Col(TypeId::kVarchar)});
  const Status all = schema.EncodeKey(Values(schema, {nullptr, nullptr})).status();
  EXPECT_EQ(all.ToString(), "ERROR 218 (23018): Constraint violation. Primary key may not be null");
  KeySchema fixed({Col(TypeId::kVarchar), Col(TypeId::kInteger)});
  EXPECT_EQ(fixed.EncodeKey(Values(fixed, {"a"})).status().ToString(),
            "ERROR 218 (23018): Constraint violation. T.C may not be null");
  EXPECT_TRUE(IsSqlError(fixed.EncodeKey(Values(fixed, {"a", nullptr})).status(), 218));
}

TEST(KeySchema, RefusesLongKeys) {
  KeySchema schema({Col(TypeId::kVarchar)});
  const std::vector<Value> fits = {Value::Varchar(std::string(kMaxRowKeyBytes, 'x'))};
  EXPECT_TRUE(schema.EncodeKey(fits).ok());
  const std::vector<Value> too_long = {Value::Varchar(std::string(kMaxRowKeyBytes + 1, 'x'))};
  EXPECT_TRUE(IsSqlError(schema.EncodeKey(too_long).status(), 201));
}

TEST(KeySchema, OldKeysReadNullInAddedColumns) {
  KeySchema schema({Col(TypeId::kVarchar, kDesc), Col(TypeId::kVarchar), Col(TypeId::kDecimal)});
  const Result<std::vector<Value>> values = schema.DecodeKey(*HexDecode("9eff"));
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(ToText((*values)[0]), "a");
  EXPECT_TRUE((*values)[1].is_null());
  EXPECT_TRUE((*values)[2].is_null());
}

TEST(KeySchema, SplitTellsMalformedKeys) {
  KeySchema schema({Col(TypeId::kVarchar, kDesc), Col(TypeId::kInteger)}, 2);
  std::vector<KeyPart> parts(2);
  EXPECT_TRUE(schema.Split(*HexDecode("009eff80000001"), parts).ok());
  for (const char* hex : {"", "009eff800000", "009eff8000000101", "009e"}) {
    const Status status = schema.Split(*HexDecode(hex), parts);
    EXPECT_EQ(status.code(), StatusCode::kCorruption) << hex;
  }
}

TEST(KeySchema, SaltIsTheRemainderOfASignedHash) {
  // Found in tables of the reference: see the salted examples above; and by hand:
  EXPECT_EQ(KeySchema::SaltByte("", 4), 1);                   // the hash starts at 1
  EXPECT_EQ(KeySchema::SaltByte(Bytes(1, '\1'), 256), 32);    // 31 * 1 + 1
  EXPECT_EQ(KeySchema::SaltByte(Bytes(1, '\x80'), 256), 97);  // |31 - 128|
}

TEST(KeySchema, PadsSplitPoints) {
  const KeySchema salted({Col(TypeId::kVarchar), Col(TypeId::kVarbinaryEncoded)}, 3);
  EXPECT_EQ(salted.SaltSplitPoints(), (std::vector<Bytes>{Bytes("\1\0\0", 3), Bytes("\2\0\0", 3)}));
  const KeySchema one({Col(TypeId::kVarchar)}, 2);
  EXPECT_EQ(one.SaltSplitPoints(), std::vector<Bytes>{Bytes("\1")});
  const KeySchema fixed({Col(TypeId::kInteger), Col(TypeId::kVarchar), Col(TypeId::kSmallint)});
  EXPECT_EQ(HexEncode(fixed.PadSplitPoint("\x80")), "80000000000000");
  EXPECT_EQ(HexEncode(fixed.PadSplitPoint(*HexDecode("80000001"))), "80000001000000");
  EXPECT_EQ(HexEncode(fixed.PadSplitPoint(*HexDecode("8000000161"))), "8000000161000000");
  EXPECT_EQ(HexEncode(fixed.PadSplitPoint(*HexDecode("800000016100"))), "8000000161000000");
  EXPECT_EQ(HexEncode(fixed.PadSplitPoint(*HexDecode("8000000161008001"))), "8000000161008001");
}

TEST(KeySchema, BulkDecoding) {
  KeySchema schema({Col(TypeId::kVarchar), Col(TypeId::kInteger)});
  std::vector<Bytes> keys;
  std::vector<ByteView> views;
  for (int i = 0; i < 10; ++i) {
    const std::vector<Value> values = {
        i % 3 == 0 ? Value::Null({TypeId::kVarchar}) : Value::Varchar(std::string(i, 'k')),
        Value::Integer(i)};
    keys.push_back(*schema.EncodeKey(values));
  }
  for (const Bytes& key : keys) views.push_back(key);
  Vector numbers({TypeId::kInteger}, 10);
  Vector texts({TypeId::kVarchar}, 10);
  ASSERT_TRUE(schema.DecodeColumnInto(views, 1, &numbers).ok());
  ASSERT_TRUE(schema.DecodeColumnInto(views, 0, &texts).ok());
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(numbers.At<int64_t>(i), i);
    EXPECT_EQ(texts.IsNull(i), i % 3 == 0);
    if (i % 3 != 0) {
      EXPECT_EQ(texts.At<ByteView>(i), std::string(i, 'k'));
    }
  }
}

// Columns of numbers at one place in all keys are what each key by itself says.
TEST(KeySchema, BulkDecodingOfFixedColumns) {
  const std::vector<int64_t> numbers = {0, 1, -1, 300, -300, INT32_MAX, INT32_MIN};
  for (const int32_t buckets : {0, 7}) {
    const KeySchema schema({Col(TypeId::kInteger, kDesc), Col(TypeId::kInteger),
                            Col(TypeId::kBigint, kDesc), Col(TypeId::kDate), Col(TypeId::kVarchar)},
                           buckets);
    std::vector<Bytes> keys;
    for (const int64_t number : numbers) {
      keys.push_back(*schema.EncodeKey(std::vector<Value>{
          Value::Integer(static_cast<int32_t>(number)),
          Value::Integer(static_cast<int32_t>(number)), Value::Bigint(number * 4'000'000'000),
          Value::Int({TypeId::kDate}, number * 3), Value::Varchar("text")}));
    }
    const std::vector<ByteView> views(keys.begin(), keys.end());
    for (size_t column = 0; column < 4; ++column) {
      Vector all(schema.columns()[column].type, numbers.size());
      ASSERT_TRUE(schema.DecodeColumnInto(views, column, &all).ok());
      for (size_t i = 0; i < numbers.size(); ++i) {
        const int64_t factor = column == 2 ? 4'000'000'000 : column == 3 ? 3 : 1;
        EXPECT_EQ(all.At<int64_t>(i), numbers[i] * factor) << column;
      }
    }
    // A key that is cut short is refused or NULL, as by itself.
    Vector one(schema.columns()[1].type, 1);
    const std::vector<ByteView> cut = {views[0].substr(0, schema.prefix_size() + 6)};
    EXPECT_FALSE(schema.DecodeColumnInto(cut, 1, &one).ok());
    const std::vector<ByteView> ended = {views[0].substr(0, schema.prefix_size() + 4)};
    ASSERT_TRUE(schema.DecodeColumnInto(ended, 1, &one).ok());
    EXPECT_TRUE(one.IsNull(0));
  }
}

// The bytes of NULL are also those with which values that begin with ff fe begin: what follows
// tells.
TEST(KeySchema, TellsNullOfDescendingBinaryFromValues) {
  const KeySchema text({Col(TypeId::kVarbinaryEncoded, kDesc), Col(TypeId::kVarchar)});
  const KeySchema binary({Col(TypeId::kInteger), Col(TypeId::kVarbinaryEncoded, kDesc),
                          Col(TypeId::kVarbinaryEncoded)});
  const auto read = [](const KeySchema& schema, const char* key, size_t column) {
    Vector value(schema.columns()[column].type, 1);
    const Bytes bytes = HexDecode(key).value();  // the vector may point into it
    const Status status = schema.DecodeColumnInto(bytes, column, &value, 0);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return value.IsNull(0) ? "NULL" : HexEncode(value.At<ByteView>(0));
  };
  EXPECT_EQ(read(text, "0001fefffe61", 0), "fffe01");
  EXPECT_EQ(read(text, "0001fefffe61", 1), "61");
  EXPECT_EQ(read(text, "00016162", 0), "NULL");
  EXPECT_EQ(read(text, "00016162", 1), "6162");
  EXPECT_EQ(read(binary, "800000000001fffe01", 1), "fffe");
  EXPECT_EQ(read(binary, "800000000001fffe01", 2), "01");
  EXPECT_EQ(read(binary, "80000007000100ffff", 1), "NULL");
  EXPECT_EQ(read(binary, "80000007000100ffff", 2), "00ff");
  EXPECT_EQ(read(binary, "7ffffffb", 1), "NULL");
  // An INTEGER behind it has four bytes: those of -2 look like a terminator.
  const KeySchema integer({Col(TypeId::kVarbinaryEncoded, kDesc),
                           {"B", {TypeId::kInteger}, SortOrder::kAsc, /*nullable=*/false}});
  EXPECT_EQ(read(integer, "00017ffffffe", 0), "NULL");
  EXPECT_EQ(read(integer, "0001fffe7ffffffe", 0), "fffe");
  // Several such columns: NULL, NULL, and a value that begins with ff fe behind a NULL.
  const KeySchema several({Col(TypeId::kVarbinaryEncoded, kDesc),
                           Col(TypeId::kVarbinaryEncoded, kDesc),
                           {"C", {TypeId::kInteger}, SortOrder::kAsc, /*nullable=*/false}});
  EXPECT_EQ(read(several, "0001000180000001", 1), "NULL");
  EXPECT_EQ(read(several, "0001fefffe000180000001", 0), "fffe01");
  EXPECT_EQ(read(several, "0001fefffe000180000001", 1), "NULL");
}

// A key made up of what looks like NULLs and values takes a bounded time.
TEST(KeySchema, BoundsTheReadingOfAmbiguousKeys) {
  std::vector<KeyColumn> columns(40, Col(TypeId::kVarbinaryEncoded, kDesc));
  columns.push_back({"C", {TypeId::kInteger}, SortOrder::kAsc, /*nullable=*/false});
  const KeySchema schema(columns);
  Bytes key;
  for (int i = 0; i < 200; ++i) key.append("\0\1\xff\xfe", 4);
  EXPECT_LE(schema.ColumnView(key, 39).size(), key.size());
}

// A walk over a key tells a value that begins with ff fe from NULL by its terminator.
TEST(KeySchema, StepsOverDescendingBinary) {
  const KeySchema schema({Col(TypeId::kVarbinaryEncoded, kDesc), Col(TypeId::kVarchar)});
  const Bytes value_key = HexDecode("0001fefffe61").value();
  const KeyStep value = schema.Step(value_key, 0, 0);
  EXPECT_EQ(value.end, 3);
  EXPECT_EQ(value.next, 5);
  const Bytes null_key = HexDecode("00016162").value();
  const KeyStep null = schema.Step(null_key, 0, 0);
  EXPECT_EQ(null.end, 0);
  EXPECT_EQ(null.next, 2);
}

// Keys sort as their values do, column by column, whatever the mixture.
TEST(KeySchema, OrderOfKeysIsOrderOfRows) {
  std::mt19937 random(17);
  const auto text = [&random](bool binary) {
    Bytes bytes;
    const char alphabet[] = {'\0', '\1', '\xfd', '\xff'};
    const size_t length = random() % 4;
    for (size_t i = 0; i < length; ++i) {
      bytes += binary ? alphabet[random() % 4] : static_cast<char>('a' + random() % 2);
    }
    return bytes;
  };
  for (int round = 0; round < 400; ++round) {
    std::vector<KeyColumn> columns;
    const size_t count = 1 + random() % 4;
    for (size_t i = 0; i < count; ++i) {
      const TypeId types[] = {TypeId::kVarchar, TypeId::kVarbinaryEncoded, TypeId::kTinyint,
                              TypeId::kDecimal};
      columns.push_back(Col(types[random() % 4], random() % 2 == 0 ? kAsc : kDesc));
    }
    const KeySchema schema(columns);
    std::vector<std::vector<Value>> rows;
    std::vector<Bytes> keys;
    for (int n = 0; n < 12; ++n) {
      std::vector<Value> row;
      for (const KeyColumn& column : columns) {
        if (column.type.id == TypeId::kTinyint) {
          row.push_back(Value::Int(column.type, static_cast<int>(random() % 3) - 1));
        } else if (column.type.id == TypeId::kDecimal && random() % 3 != 0) {
          row.push_back(Value::Number(Decimal(static_cast<int>(random() % 200) - 100, 1)));
        } else {
          const bool binary = column.type.id == TypeId::kVarbinaryEncoded;
          Bytes bytes = column.type.id == TypeId::kDecimal ? "" : text(binary);
          // Descending, ff in front would come before NULL: see SlotLayout::IsOutOfOrder.
          if (column.order == kDesc && !bytes.empty() && bytes[0] == '\xff') bytes[0] = '\xfd';
          // Its NULL cannot be told from a value when ff fe may follow: see
          // StepsOverDescendingBinary.
          if (binary && column.order == kDesc && bytes.empty()) bytes = "\x01";
          row.push_back(bytes.empty() ? Value::Null(column.type)
                                      : Value::String(column.type, bytes));
        }
      }
      const Result<Bytes> key = schema.EncodeKey(row);
      if (!key.ok()) {
        ASSERT_TRUE(IsSqlError(key.status(), 218));
        continue;
      }
      rows.push_back(row);
      keys.push_back(*key);
    }
    for (size_t a = 0; a < rows.size(); ++a) {
      for (size_t b = 0; b < rows.size(); ++b) {
        int expected = 0;
        for (size_t i = 0; i < count && expected == 0; ++i) {
          const Value& x = rows[a][i];
          const Value& y = rows[b][i];
          if (x.is_null() || y.is_null()) {
            expected = static_cast<int>(y.is_null()) - static_cast<int>(x.is_null());
          } else {
            expected = *CompareValues(x, y);
            if (columns[i].order == kDesc) expected = -expected;
          }
        }
        const int order = keys[a].compare(keys[b]);
        ASSERT_EQ(order < 0, expected < 0) << HexEncode(keys[a]) << " " << HexEncode(keys[b]);
        ASSERT_EQ(order > 0, expected > 0) << HexEncode(keys[a]) << " " << HexEncode(keys[b]);
      }
      const Result<std::vector<Value>> back = schema.DecodeKey(keys[a]);
      ASSERT_TRUE(back.ok()) << back.status().ToString();
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ((*back)[i].is_null(), rows[a][i].is_null());
        if (!rows[a][i].is_null()) {
          ASSERT_EQ(*CompareValues((*back)[i], rows[a][i]), 0);
        }
      }
    }
  }
}

// A final ff is no terminator.
TEST(KeySchema, AVarbinaryAtTheEndIsReadWhole) {
  const KeySchema schema({Col(TypeId::kVarbinary, kAsc)});
  Vector read({TypeId::kVarbinary}, 3);
  const Bytes keys[] = {*HexDecode("00ff"), *HexDecode("ff"), *HexDecode("ff00")};
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(schema.DecodeColumnInto(keys[i], 0, &read, i).ok());
    EXPECT_EQ(read.GetValue(i).bytes(), keys[i]);
  }
}

}  // namespace
}  // namespace bennu::sql
