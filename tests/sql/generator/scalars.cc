#include "tests/sql/generator/scalars.h"

#include <fmt/format.h>

#include <algorithm>

namespace bennu::sql::testing {
namespace {

const std::vector<Kind>& NumberKinds() {
  static const auto* const kinds = new std::vector<Kind>{
      Kind::kInteger,        Kind::kTinyint,         Kind::kSmallint,         Kind::kBigint,
      Kind::kUnsignedInt,    Kind::kUnsignedLong,    Kind::kDecimal,          Kind::kDouble,
      Kind::kFloat,          Kind::kUnsignedTinyint, Kind::kUnsignedSmallint, Kind::kUnsignedFloat,
      Kind::kUnsignedDouble, Kind::kBareDecimal};
  return *kinds;
}

const std::vector<Kind>& TimeKinds() {
  static const auto* const kinds =
      new std::vector<Kind>{Kind::kDate,         Kind::kTimestamp,    Kind::kTime,
                            Kind::kUnsignedDate, Kind::kUnsignedTime, Kind::kUnsignedTimestamp};
  return *kinds;
}

}  // namespace

std::string ScalarMaker::ColumnOf(const std::vector<Kind>& kinds) {
  std::vector<std::string> names;
  for (const Column& column : table_->columns) {
    if (std::find(kinds.begin(), kinds.end(), column.kind) == kinds.end()) continue;
    if (ascending_ > 0 && column.descending) continue;
    names.push_back(prefix_ + column.name);
  }
  if (names.empty()) return Literal(kinds[0], choices_, false);
  return choices_->Pick(names);
}

std::string ScalarMaker::Number(int depth) {
  if (depth <= 0) {
    return choices_->Percent(75)
               ? ColumnOf(NumberKinds())
               : Pick({"1", "2.5", "-3", "0", "7", "1000000", "0.001", "CAST(2 AS BIGINT)"});
  }
  const int next = depth - 1;
  switch (choices_->Below(18)) {
    case 0:
    case 1:
    case 2: return "(" + Number(next) + Pick({" + ", " - ", " * ", " / "}) + Number(next) + ")";
    case 3:
      return "(" + ColumnOf({Kind::kInteger, Kind::kBigint}) + " % " + Pick({"2", "3", "-3"}) + ")";
    case 4: return "-" + Number(0);
    case 5:
      return fmt::format("CAST({} AS {})", Number(next),
                         Pick({"INTEGER", "BIGINT", "DECIMAL", "DECIMAL(10,1)", "DOUBLE", "FLOAT",
                               "SMALLINT", "TINYINT", "UNSIGNED_INT"}));
    case 6: return Pick({"ABS(", "SIGN(", "SQRT(", "CBRT(", "EXP(", "LN("}) + Number(next) + ")";
    case 7:
      return fmt::format("{}({}{})", Pick({"ROUND", "FLOOR", "CEIL", "TRUNC"}), Number(next),
                         Pick({"", "", ", 1", ", 0", ", 2", ", -1"}));
    case 8: return fmt::format("POWER({}, {})", Number(0), Pick({"2", "0.5", "-1", "0"}));
    case 9: return "LENGTH(" + Text(next) + ")";
    case 10: return fmt::format("INSTR({}, {})", Text(next), Pick({"'a'", "'b'", "'ab'"}));
    case 11: return fmt::format("TO_NUMBER({})", Pick({"'12.5'", "'-7'", "'1E3'"}));
    case 12:
      return Pick({"YEAR(", "MONTH(", "DAYOFMONTH(", "HOUR(", "MINUTE(", "SECOND(", "WEEK(",
                   "DAYOFYEAR(", "DAYOFWEEK("}) +
             Time(next) + ")";
    case 13: {
      const std::string first = Ascending([&] { return Number(next); });
      return fmt::format("COALESCE({}, {})", first, Ascending([&] { return Number(0); }));
    }
    case 14: {
      const std::string condition = Condition(next);
      const std::string first = Ascending([&] { return Number(next); });
      return fmt::format("CASE WHEN {} THEN {} ELSE {} END", condition, first,
                         Ascending([&] { return Number(0); }));
    }
    case 15: return fmt::format("ARRAY_LENGTH({})", Array(next));
    case 16: return fmt::format("({} - {})", Time(next), Time(0));
    default: return Number(0);
  }
}

std::string ScalarMaker::Text(int depth) {
  if (depth <= 0) {
    return choices_->Percent(80) ? ColumnOf({Kind::kVarchar, Kind::kChar})
                                 : Literal(Kind::kVarchar, choices_, false);
  }
  const int next = depth - 1;
  switch (choices_->Below(16)) {
    case 0: return Text(next) + " || " + Text(0);
    case 1: return "UPPER(" + Text(next) + ")";
    case 2: return "LOWER(" + Text(next) + ")";
    case 3:
      return fmt::format("SUBSTR({}, {}{})", Text(next), choices_->Between(-2, 3),
                         Pick({"", ", 1", ", 2", ", 5", ", 0"}));
    case 4: return Pick({"TRIM(", "LTRIM(", "RTRIM("}) + Text(next) + ")";
    case 5: return fmt::format("LPAD({}, {}, '*')", Text(0), choices_->Between(0, 6));
    case 6: return "REVERSE(" + Text(next) + ")";
    case 7:
      return fmt::format("REGEXP_SUBSTR({}, '{}')", Text(next), Pick({"[a-b]+", "b", "^.", ".$"}));
    case 8:
      return fmt::format("REGEXP_REPLACE({}, '{}', '{}')", Text(next), Pick({"a", "[bc]", "^."}),
                         Pick({"x", "", "yy"}));
    case 9: return fmt::format("TO_CHAR({})", choices_->Percent(50) ? Number(next) : Time(next));
    case 10: {
      const std::string first = Ascending([&] { return Text(next); });
      return fmt::format("COALESCE({}, {})", first, Ascending([&] { return Text(0); }));
    }
    case 11: {
      const std::string condition = Condition(next);
      const std::string first = Ascending([&] { return Text(next); });
      return fmt::format("CASE WHEN {} THEN {} ELSE {} END", condition, first,
                         Ascending([&] { return Text(0); }));
    }
    case 12: return fmt::format("CAST({} AS {})", Text(next), Pick({"VARCHAR", "VARCHAR(20)"}));
    case 13: return fmt::format("ARRAY_TO_STRING({}, ',')", Array(next));
    case 14:
      return fmt::format("TO_CHAR({}, '{}')", Time(0), Pick({"yyyy-MM-dd", "HH:mm:ss", "D E"}));
    default: return Text(0);
  }
}

std::string ScalarMaker::Time(int depth) {
  if (depth <= 0) return ColumnOf(TimeKinds());
  const int next = depth - 1;
  switch (choices_->Below(9)) {
    case 0: return fmt::format("{} + {}", Time(next), Pick({"1", "0.5", "-1", "30"}));
    case 1: return fmt::format("{} - {}", Time(next), Pick({"1", "0.25", "365"}));
    case 2:
    case 3:
      return fmt::format("{}({}, '{}')", Pick({"FLOOR", "CEIL", "ROUND", "TRUNC"}), Time(next),
                         Pick({"SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "YEAR"}));
    case 4: return fmt::format("CAST({} AS {})", Time(next), Pick({"DATE", "TIMESTAMP", "TIME"}));
    case 5: return fmt::format("TO_DATE('{}')", Pick({"2020-05-06", "2020-05-06 07:08:09"}));
    case 6: {
      const std::string first = Ascending([&] { return Time(next); });
      return fmt::format("COALESCE({}, {})", first, Ascending([&] { return Time(0); }));
    }
    case 7:
      return fmt::format("TO_TIMESTAMP('{}')", Pick({"2020-05-06", "2020-05-06 07:08:09.123"}));
    default: return Time(0);
  }
}

std::string ScalarMaker::Bytes(int depth) {
  if (depth <= 0) return ColumnOf({Kind::kVarbinary, Kind::kBinary});
  switch (choices_->Below(6)) {
    case 0: return "MD5(" + Any(0) + ")";
    case 1: return fmt::format("GET_BYTE({}, 0)", ColumnOf({Kind::kBinary}));
    case 2: return fmt::format("SET_BYTE({}, 0, 7)", ColumnOf({Kind::kBinary}));
    case 3: return "OCTET_LENGTH(" + Bytes(0) + ")";
    case 4: return fmt::format("GET_BIT({}, 3)", ColumnOf({Kind::kBinary}));
    default: return Bytes(0);
  }
}

std::string ScalarMaker::Array(int depth) {
  if (depth <= 0) return ColumnOf({Kind::kIntegerArray, Kind::kVarcharArray});
  const std::string whole = ColumnOf({Kind::kIntegerArray});
  const std::string text = ColumnOf({Kind::kVarcharArray});
  switch (choices_->Below(8)) {
    case 0: return fmt::format("ARRAY_APPEND({}, {})", whole, Pick({"1", "7", "-1"}));
    case 1: return fmt::format("ARRAY_PREPEND({}, {})", Pick({"1", "7"}), whole);
    case 2: return fmt::format("ARRAY_CAT({}, {})", whole, ColumnOf({Kind::kIntegerArray}));
    case 3:
      return fmt::format("ARRAY_CAT({}, {})", text, Literal(Kind::kVarcharArray, choices_, false));
    case 4: return fmt::format("ARRAY_REMOVE({}, {})", whole, Pick({"1", "2"}));
    case 5: return fmt::format("STRING_TO_ARRAY({}, 'b')", ColumnOf({Kind::kVarchar}));
    case 6:
      return fmt::format("ARRAY_FILL({}, {})", Pick({"1", "'x'", "1.5"}), choices_->Between(1, 3));
    default: return Array(0);
  }
}

std::string ScalarMaker::Condition(int depth) {
  const std::string compare = Pick({" = ", " < ", " > ", " <= ", " >= ", " <> "});
  switch (choices_->Below(8)) {
    // Between columns the real one cuts off a DOUBLE's fraction.
    case 0: return Number(depth) + compare + Pick({"1", "2", "0", "-2", "100"});
    case 1: return Text(depth) + compare + Text(0);
    case 2: return Time(depth) + compare + Time(0);
    case 3: return Any(depth) + (choices_->Percent(50) ? " IS NULL" : " IS NOT NULL");
    case 4: return fmt::format("{} LIKE '{}'", Text(depth), Pick({"a%", "%b%", "_", "%"}));
    case 5:
      return fmt::format("{}{}{}({})", Pick({"1", "2"}), compare, Pick({"ANY", "ALL"}),
                         ColumnOf({Kind::kIntegerArray}));
    default: return expressions_.Predicate(depth > 1 ? 1 : 0);
  }
}

std::string ScalarMaker::Any(int depth) {
  switch (choices_->Below(10)) {
    case 0:
    case 1:
    case 2: return Number(depth);
    case 3:
    case 4: return Text(depth);
    case 5:
    case 6: return Time(depth);
    case 7: return Bytes(depth);
    case 8: return Array(depth);
    default:
      return choices_->Percent(50)
                 ? expressions_.AnyColumn()
                 : fmt::format("{}[{}]", ColumnOf({Kind::kIntegerArray, Kind::kVarcharArray}),
                               choices_->Between(1, 3));
  }
}

}  // namespace bennu::sql::testing
