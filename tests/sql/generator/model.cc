#include "tests/sql/generator/model.h"

#include <fmt/format.h>

namespace bennu::sql::testing {
namespace {

// NULL needs a width that varies: a fixed one has no room for it inside a key.
bool MayBeNullInKey(Kind kind) { return kind == Kind::kVarchar || kind == Kind::kDecimal; }

const std::vector<Kind>& KeyKinds() {
  static const auto* const kinds = new std::vector<Kind>{Kind::kInteger, Kind::kVarchar,
                                                         Kind::kTinyint, Kind::kSmallint,
                                                         Kind::kBigint,  Kind::kUnsignedInt,
                                                         Kind::kDecimal, Kind::kUnsignedLong,
                                                         Kind::kDouble,  Kind::kChar,
                                                         Kind::kDate,    Kind::kTimestamp,
                                                         Kind::kBinary,  Kind::kVarbinaryEncoded,
                                                         Kind::kBoolean, Kind::kVarchar,
                                                         Kind::kInteger, Kind::kVarchar};
  return *kinds;
}

const std::vector<Kind>& ValueKinds() {
  static const auto* const kinds = new std::vector<Kind>{
      Kind::kInteger,     Kind::kVarchar,      Kind::kTinyint, Kind::kSmallint, Kind::kBigint,
      Kind::kUnsignedInt, Kind::kUnsignedLong, Kind::kDecimal, Kind::kDouble,   Kind::kChar,
      Kind::kDate,        Kind::kTimestamp,    Kind::kBoolean, Kind::kBinary,   Kind::kVarbinary,
      Kind::kInteger,     Kind::kVarchar};
  return *kinds;
}

const std::vector<Kind>& WideKeyKinds() {
  static const auto* const kinds = new std::vector<Kind>{Kind::kFloat,
                                                         Kind::kTime,
                                                         Kind::kUnsignedTinyint,
                                                         Kind::kUnsignedSmallint,
                                                         Kind::kUnsignedFloat,
                                                         Kind::kUnsignedDouble,
                                                         Kind::kUnsignedDate,
                                                         Kind::kUnsignedTime,
                                                         Kind::kUnsignedTimestamp,
                                                         Kind::kBareDecimal};
  return *kinds;
}

std::string WholeLiteral(Kind kind, Choices* choices, bool stored) {
  const bool is_unsigned = IsWhole(kind) && !IsSigned(kind);
  if (choices->Percent(85)) return std::to_string(choices->Between(is_unsigned ? 0 : -2, 6));
  // The ends of the types, whose successors are borders of key ranges.
  switch (kind) {
    case Kind::kTinyint: return choices->Percent(50) ? "127" : "-128";
    case Kind::kSmallint: return choices->Percent(50) ? "32767" : "-32768";
    case Kind::kInteger: return choices->Percent(50) ? "2147483647" : "-2147483648";
    case Kind::kUnsignedInt: return "2147483647";
    case Kind::kUnsignedTinyint: return "127";
    case Kind::kUnsignedSmallint: return "32767";
    default: return stored ? "1000000007" : "1000000008";
  }
}

std::string DecimalLiteral(Choices* choices, bool stored) {
  static const auto* const values =
      new std::vector<std::string>{"0", "1", "1.5", "2", "2.25", "10", "99.5", "100", "0.01"};
  const std::string& value = choices->Pick(*values);
  return stored || value == "0" || choices->Percent(80) ? value : "-" + value;
}

std::string TextLiteral(Choices* choices, size_t length_max) {
  static const auto* const values = new std::vector<std::string>{
      "a", "b", "ab", "aa", "abc", "B", "z", "ba", "a%", "A_", "\xc3\xa4", "bcd"};
  std::string value = choices->Pick(*values);
  while (value.size() > length_max) value.pop_back();
  if (length_max < 4 && value[0] == '\xc3') value = "c";
  return "'" + value + "'";
}

std::string BinaryLiteral(Choices* choices, size_t length, bool varies) {
  static const auto* const bytes = new std::vector<std::string>{"01", "02", "41", "7f", "80"};
  if (varies) length = 1 + choices->Below(length);
  std::string hex;
  for (size_t i = 0; i < length; ++i) hex += choices->Pick(*bytes);
  return "X'" + hex + "'";
}

std::string EncodedLiteral(Choices* choices) {
  static const auto* const bytes =
      new std::vector<std::string>{"01", "00", "41", "7f", "80", "ff", "fe"};
  std::string hex;
  for (size_t i = 0, length = 1 + choices->Below(3); i < length; ++i) hex += choices->Pick(*bytes);
  return "X'" + hex + "'";
}

std::string DayText(Choices* choices) {
  static const auto* const days = new std::vector<std::string>{
      "2020-01-01 00:00:00", "2020-01-01 12:30:00", "2020-02-29 00:00:00",
      "1969-12-31 23:59:59", "2021-01-01 00:00:00", "1970-01-01 00:00:00"};
  return choices->Pick(*days);
}

// Not before 1970.
std::string LateDayText(Choices* choices) {
  std::string text = DayText(choices);
  return text[0] == '1' ? "1970-01-02 03:04:05" : text;
}

}  // namespace

bool IsWhole(Kind kind) {
  return kind == Kind::kInteger || kind == Kind::kTinyint || kind == Kind::kSmallint ||
         kind == Kind::kBigint || kind == Kind::kUnsignedInt || kind == Kind::kUnsignedLong ||
         kind == Kind::kUnsignedTinyint || kind == Kind::kUnsignedSmallint;
}

bool IsSigned(Kind kind) {
  return IsWhole(kind) && kind != Kind::kUnsignedInt && kind != Kind::kUnsignedLong &&
         kind != Kind::kUnsignedTinyint && kind != Kind::kUnsignedSmallint;
}

bool IsText(Kind kind) { return kind == Kind::kVarchar || kind == Kind::kChar; }

std::string TypeText(Kind kind) {
  switch (kind) {
    case Kind::kInteger: return "INTEGER";
    case Kind::kVarchar: return "VARCHAR";
    case Kind::kTinyint: return "TINYINT";
    case Kind::kSmallint: return "SMALLINT";
    case Kind::kBigint: return "BIGINT";
    case Kind::kUnsignedInt: return "UNSIGNED_INT";
    case Kind::kUnsignedLong: return "UNSIGNED_LONG";
    case Kind::kDecimal: return "DECIMAL(10,2)";
    case Kind::kDouble: return "DOUBLE";
    case Kind::kChar: return "CHAR(3)";
    case Kind::kDate: return "DATE";
    case Kind::kTimestamp: return "TIMESTAMP";
    case Kind::kBoolean: return "BOOLEAN";
    case Kind::kBinary: return "BINARY(2)";
    case Kind::kVarbinary: return "VARBINARY";
    case Kind::kVarbinaryEncoded: return "VARBINARY_ENCODED";
    case Kind::kFloat: return "FLOAT";
    case Kind::kTime: return "TIME";
    case Kind::kUnsignedTinyint: return "UNSIGNED_TINYINT";
    case Kind::kUnsignedSmallint: return "UNSIGNED_SMALLINT";
    case Kind::kUnsignedFloat: return "UNSIGNED_FLOAT";
    case Kind::kUnsignedDouble: return "UNSIGNED_DOUBLE";
    case Kind::kUnsignedDate: return "UNSIGNED_DATE";
    case Kind::kUnsignedTime: return "UNSIGNED_TIME";
    case Kind::kUnsignedTimestamp: return "UNSIGNED_TIMESTAMP";
    case Kind::kBareDecimal: return "DECIMAL";
    case Kind::kIntegerArray: return "INTEGER ARRAY";
    case Kind::kVarcharArray: return "VARCHAR ARRAY";
  }
  return "";
}

TableModel MakeTable(Choices* choices, const TableOptions& options) {
  TableModel table;
  table.key_count = 1 + choices->Below(4);
  table.written_once = choices->Percent(50);
  for (size_t i = 0; i < table.key_count; ++i) {
    Column column;
    column.name = fmt::format("K{}", i);
    column.key = true;
    column.kind = choices->Pick(KeyKinds());
    if (options.wide && choices->Percent(30)) column.kind = choices->Pick(WideKeyKinds());
    if (!options.encoded_binary && column.kind == Kind::kVarbinaryEncoded) {
      column.kind = Kind::kVarchar;
    }
    const bool last = i + 1 == table.key_count;
    if (last && choices->Percent(8)) column.kind = Kind::kVarbinary;
    // One column at least keeps the key from being empty.
    column.nullable = i > 0 && MayBeNullInKey(column.kind) && choices->Percent(60);
    column.can_descend = column.kind != Kind::kBoolean && column.kind != Kind::kVarbinary;
    table.columns.push_back(std::move(column));
  }
  const size_t value_count = 1 + choices->Below(5);
  for (size_t i = 0; i < value_count; ++i) {
    Column column;
    column.name = fmt::format("V{}", i);
    column.kind = choices->Pick(ValueKinds());
    if (options.wide && choices->Percent(30)) {
      column.kind = choices->Percent(30)
                        ? (choices->Percent(50) ? Kind::kIntegerArray : Kind::kVarcharArray)
                        : choices->Pick(WideKeyKinds());
    }
    table.columns.push_back(std::move(column));
  }
  table.columns.push_back({.name = "Z", .kind = Kind::kInteger});
  return table;
}

Layout PlainLayout(const TableModel& table) {
  Layout layout;
  layout.descending.assign(table.key_count, false);
  layout.families.assign(table.columns.size(), "");
  return layout;
}

Layout MakeLayout(const TableModel& table, Choices* choices) {
  Layout layout = PlainLayout(table);
  for (size_t i = 0; i < table.key_count; ++i) {
    layout.descending[i] = table.columns[i].can_descend && choices->Percent(50);
  }
  std::vector<std::string> options;
  if (choices->Percent(40)) {
    options.push_back(fmt::format("SALT_BUCKETS={}", choices->Between(2, 5)));
  }
  layout.immutable = table.written_once && choices->Percent(60);
  if (choices->Percent(40)) {
    static const auto* const widths = new std::vector<std::string>{"NONE", "1", "2", "3", "4"};
    const std::string& width = choices->Pick(*widths);
    options.push_back("COLUMN_ENCODED_BYTES=" + width);
    // Cells of a row can only share one when their numbers are known.
    if (layout.immutable && width == "NONE") {
      options.emplace_back("IMMUTABLE_STORAGE_SCHEME=ONE_CELL_PER_COLUMN");
    }
  } else if (layout.immutable && choices->Percent(50)) {
    options.emplace_back("IMMUTABLE_STORAGE_SCHEME=ONE_CELL_PER_COLUMN");
  }
  if (choices->Percent(20)) options.emplace_back("STORE_NULLS=true");
  if (choices->Percent(30)) {
    static const auto* const encodings =
        new std::vector<std::string>{"NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"};
    options.push_back("DATA_BLOCK_ENCODING='" + choices->Pick(*encodings) + "'");
  }
  for (size_t i = 0; i < options.size(); ++i) {
    layout.options += (i == 0 ? " " : ", ") + options[i];
  }
  if (choices->Percent(40)) {
    for (size_t i = table.key_count; i < table.columns.size(); ++i) {
      if (choices->Percent(50)) layout.families[i] = choices->Percent(50) ? "F" : "G";
    }
  }
  return layout;
}

std::string CreateTable(const std::string& name, const TableModel& table, const Layout& layout) {
  std::string text = fmt::format("CREATE {}TABLE {} (", layout.immutable ? "IMMUTABLE " : "", name);
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (!layout.families[i].empty()) text += layout.families[i] + ".";
    text += column.name + " " + TypeText(column.kind);
    if (column.key && !column.nullable) text += " NOT NULL";
    text += ", ";
  }
  text += "CONSTRAINT PK PRIMARY KEY (";
  for (size_t i = 0; i < table.key_count; ++i) {
    if (i > 0) text += ", ";
    text += table.columns[i].name;
    if (layout.descending[i]) text += " DESC";
  }
  return text + "))" + layout.options;
}

std::string Literal(Kind kind, Choices* choices, bool stored) {
  switch (kind) {
    case Kind::kDecimal: return DecimalLiteral(choices, stored);
    case Kind::kDouble: return choices->Pick<std::string>({"0.5", "1.25", "-2.5", "3.0", "100.0"});
    case Kind::kVarchar: return TextLiteral(choices, 10);
    case Kind::kChar: return TextLiteral(choices, 3);
    case Kind::kDate: return "DATE '" + DayText(choices) + "'";
    case Kind::kTimestamp:
      return "TIMESTAMP '" + DayText(choices) + (choices->Percent(30) ? ".123" : "") + "'";
    case Kind::kBoolean: return choices->Percent(50) ? "TRUE" : "FALSE";
    case Kind::kBinary: return BinaryLiteral(choices, 2, false);
    case Kind::kVarbinary: return BinaryLiteral(choices, 3, true);
    case Kind::kVarbinaryEncoded: return EncodedLiteral(choices);
    case Kind::kFloat:
      return choices->Pick<std::string>({"0.5", "1.25", "-2.5", "3.0", "100.0", "0.1"});
    case Kind::kUnsignedFloat:
    case Kind::kUnsignedDouble:
      return choices->Pick<std::string>({"0.5", "1.25", "2.5", "3.0", "100.0", "0.0"});
    case Kind::kTime: return "TIME '" + DayText(choices) + "'";
    case Kind::kUnsignedDate: return "DATE '" + LateDayText(choices) + "'";
    case Kind::kUnsignedTime: return "TIME '" + LateDayText(choices) + "'";
    case Kind::kUnsignedTimestamp:
      return "TIMESTAMP '" + LateDayText(choices) + (choices->Percent(30) ? ".123" : "") + "'";
    case Kind::kBareDecimal: return DecimalLiteral(choices, stored);
    case Kind::kIntegerArray:
    case Kind::kVarcharArray: {
      const Kind element = kind == Kind::kIntegerArray ? Kind::kInteger : Kind::kVarchar;
      std::string text = "ARRAY[" + Literal(element, choices, stored);
      for (size_t i = 0, count = choices->Below(4); i < count; ++i) {
        text += ", " + Literal(element, choices, stored);
      }
      return text + "]";
    }
    default: return WholeLiteral(kind, choices, stored);
  }
}

std::string ExtremeLiteral(Kind kind, Choices* choices) {
  switch (kind) {
    case Kind::kTinyint: return choices->Pick<std::string>({"127", "-128", "0", "-1"});
    case Kind::kSmallint: return choices->Pick<std::string>({"32767", "-32768", "-1"});
    case Kind::kInteger: return choices->Pick<std::string>({"2147483647", "-2147483648", "-1"});
    case Kind::kBigint:
      return choices->Pick<std::string>(
          {"9223372036854775807", "-9223372036854775807", "-1", "2147483648"});
    case Kind::kUnsignedLong: return "9223372036854775807";
    case Kind::kDecimal:
      return choices->Pick<std::string>({"-1.5", "99999999.99", "-99999999.99", "-0.01", "100"});
    case Kind::kBareDecimal:
      return choices->Pick<std::string>({"-1.5", "12345678901234567890.123456789",
                                         "-99999999999999999999999999999999999999", "0.000001",
                                         "1000000"});
    case Kind::kFloat: return choices->Pick<std::string>({"3.4E38", "-1.0E-30", "1.0E10", "-0.5"});
    case Kind::kDouble:
      return choices->Pick<std::string>({"1.7E308", "-1.0E-300", "1.0E10", "12345678.9"});
    case Kind::kVarchar:
      return choices->Pick<std::string>({"'\xf0\x9f\x98\x80'", "'a b'", "''", "'~'", "'abcdefgh'"});
    case Kind::kChar: return choices->Pick<std::string>({"'a'", "'a b'", "'~~~'", "' a'"});
    case Kind::kVarbinary:
      return choices->Pick<std::string>({"X'00'", "X'0001'", "X'ff'", "X'ff00'", "X'01ff'"});
    case Kind::kBinary:
      return choices->Pick<std::string>({"X'0000'", "X'ffff'", "X'01'", "X'ff00'"});
    case Kind::kDate:
    case Kind::kTime:
    case Kind::kTimestamp: {
      const std::string type = TypeText(kind);
      return type + choices->Pick<std::string>({" '1600-02-29 00:00:00'", " '9999-12-31 23:59:59'",
                                                " '1900-02-28 23:59:59.999'",
                                                " '2020-01-01 00:00:00.001'"});
    }
    default: return Literal(kind, choices, true);
  }
}

std::string ValueFor(const Column& column, Choices* choices) {
  if (column.name == "Z") return "0";
  if (column.nullable && choices->Percent(25)) return "NULL";
  return Literal(column.kind, choices, /*stored=*/true);
}

}  // namespace bennu::sql::testing
