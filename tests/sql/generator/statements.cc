#include "tests/sql/generator/statements.h"

#include <fmt/format.h>

namespace bennu::sql::testing {
namespace {

using Words = std::vector<std::string>;

const Words& Functions() {
  static const auto* const names = new Words{"ABS",
                                             "SIGN",
                                             "ROUND",
                                             "FLOOR",
                                             "CEIL",
                                             "TRUNC",
                                             "SQRT",
                                             "CBRT",
                                             "EXP",
                                             "LN",
                                             "LOG",
                                             "POWER",
                                             "SIN",
                                             "COS",
                                             "TAN",
                                             "PI",
                                             "RAND",
                                             "SUBSTR",
                                             "INSTR",
                                             "TRIM",
                                             "LTRIM",
                                             "RTRIM",
                                             "LPAD",
                                             "LENGTH",
                                             "REVERSE",
                                             "UPPER",
                                             "LOWER",
                                             "REGEXP_SUBSTR",
                                             "REGEXP_REPLACE",
                                             "REGEXP_SPLIT",
                                             "REGEXP_LIKE",
                                             "TO_CHAR",
                                             "TO_NUMBER",
                                             "TO_DATE",
                                             "TO_TIME",
                                             "TO_TIMESTAMP",
                                             "CURRENT_DATE",
                                             "CURRENT_TIME",
                                             "NOW",
                                             "YEAR",
                                             "MONTH",
                                             "WEEK",
                                             "DAYOFMONTH",
                                             "DAYOFWEEK",
                                             "DAYOFYEAR",
                                             "HOUR",
                                             "MINUTE",
                                             "SECOND",
                                             "CONVERT_TZ",
                                             "TIMEZONE_OFFSET",
                                             "COALESCE",
                                             "MD5",
                                             "INVERT",
                                             "ENCODE",
                                             "DECODE",
                                             "ENCODE_BINARY",
                                             "DECODE_BINARY",
                                             "GET_BYTE",
                                             "GET_BIT",
                                             "SET_BYTE",
                                             "SET_BIT",
                                             "OCTET_LENGTH",
                                             "SUBBINARY",
                                             "COLLATION_KEY",
                                             "ARRAY_ELEM",
                                             "ARRAY_LENGTH",
                                             "ARRAY_APPEND",
                                             "ARRAY_PREPEND",
                                             "ARRAY_CAT",
                                             "ARRAY_REMOVE",
                                             "ARRAY_FILL",
                                             "ARRAY_TO_STRING",
                                             "STRING_TO_ARRAY",
                                             "JSON_VALUE",
                                             "JSON_QUERY",
                                             "JSON_EXISTS",
                                             "JSON_MODIFY",
                                             "BSON_VALUE",
                                             "BSON_VALUE_TYPE",
                                             "BSON_CONDITION_EXPRESSION",
                                             "BSON_UPDATE_EXPRESSION",
                                             "ROW_SIZE",
                                             "RAW_ROW_SIZE",
                                             "PHOENIX_ROW_TIMESTAMP",
                                             "PARTITION_ID",
                                             "SCAN_START_KEY",
                                             "SCAN_END_KEY",
                                             "TOTAL_SEGMENTS",
                                             "ROWKEY_BYTES_STRING",
                                             "DECODE_VIEW_INDEX_ID",
                                             "SQLTYPENAME",
                                             "SQLTABLETYPE",
                                             "NO_SUCH"};
  return *names;
}

const Words& Types() {
  static const auto* const types = new Words{"INTEGER",
                                             "VARCHAR",
                                             "VARCHAR(5)",
                                             "CHAR(3)",
                                             "BIGINT",
                                             "SMALLINT",
                                             "TINYINT",
                                             "FLOAT",
                                             "DOUBLE",
                                             "DECIMAL",
                                             "DECIMAL(10,2)",
                                             "DECIMAL(38,37)",
                                             "BOOLEAN",
                                             "DATE",
                                             "TIME",
                                             "TIMESTAMP",
                                             "UNSIGNED_INT",
                                             "UNSIGNED_LONG",
                                             "UNSIGNED_SMALLINT",
                                             "UNSIGNED_TINYINT",
                                             "UNSIGNED_FLOAT",
                                             "UNSIGNED_DOUBLE",
                                             "UNSIGNED_DATE",
                                             "UNSIGNED_TIME",
                                             "UNSIGNED_TIMESTAMP",
                                             "BINARY(2)",
                                             "VARBINARY",
                                             "VARBINARY_ENCODED",
                                             "JSON",
                                             "BSON",
                                             "INTEGER ARRAY",
                                             "VARCHAR ARRAY[3]",
                                             "DOUBLE ARRAY",
                                             "CHAR(2) ARRAY",
                                             "CHAR",
                                             "LONG",
                                             "DECIMAL(2,5)"};
  return *types;
}

const Words& Formats() {
  static const auto* const texts = new Words{"''",
                                             "'a'",
                                             "'ab%'",
                                             "'a_\\\\%'",
                                             "'yyyy-MM-dd'",
                                             "'#,##0.00'",
                                             "'HEX'",
                                             "'BASE62'",
                                             "'[a-z]+('",
                                             "'(a*)*b'",
                                             "'$.a[0]'",
                                             "'{\"a\": [1, {\"b\": null}]}'",
                                             "'en'",
                                             "'UTC'",
                                             "'America/New_York'",
                                             "'2020-02-30 25:61:61'",
                                             "'day'",
                                             "'month'",
                                             "'NaN'",
                                             "'1e400'",
                                             "'\xc3\xa4\xf0\x9f\x98\x80'",
                                             "'\\\\'",
                                             "'{\"$SET\": {\"a\": 1}}'",
                                             "'default'"};
  return *texts;
}

// Conditions and values that make sense over the fixture's tables, so that more than the binder is
// reached.
const Words& SoundConditions() {
  static const auto* const conditions = new Words{"K = 1",
                                                  "K IN (1, 2, -3)",
                                                  "L LIKE 'a%'",
                                                  "L > 'a'",
                                                  "M < 2.5",
                                                  "M IS NULL",
                                                  "C = 0.5",
                                                  "H",
                                                  "B = 'x'",
                                                  "A = ANY(ARRAY[1, 2])",
                                                  "G > X'00'",
                                                  "D < NOW()",
                                                  "(K, L) > (1, 'a')",
                                                  "(K, L) IN ((1, 'a'), (2, 'b'))",
                                                  "K BETWEEN -5 AND 5",
                                                  "L IN (SELECT L FROM T)",
                                                  "EXISTS (SELECT 1 FROM T X WHERE X.K = K)",
                                                  "K < ALL(SELECT A FROM T)",
                                                  "E[1] = 'a'",
                                                  "SUBSTR(L, 1, 1) = 'a'",
                                                  "FLOOR(D, 'DAY') < NOW()",
                                                  "NOT (K > 0)",
                                                  "L IS NOT NULL"};
  return *conditions;
}

const Words& SoundValues() {
  static const auto* const values = new Words{"K + A",
                                              "A * 2 - K",
                                              "A / 2",
                                              "K % 2",
                                              "L || B",
                                              "UPPER(B)",
                                              "SUBSTR(L, -1, 5)",
                                              "LPAD(B, 9, 'ab')",
                                              "LENGTH(B)",
                                              "INSTR(B, 'x')",
                                              "REGEXP_REPLACE(B, '[a-z]', 'y')",
                                              "REGEXP_SPLIT(B, '')",
                                              "REVERSE(B)",
                                              "TO_CHAR(K, '#,##0.00')",
                                              "TO_CHAR(D)",
                                              "TO_NUMBER('12.5')",
                                              "TO_DATE('2020-01-01')",
                                              "ROUND(D, 'HOUR', 3)",
                                              "TRUNC(M, 1)",
                                              "ROUND(C, -3)",
                                              "YEAR(D)",
                                              "WEEK(D)",
                                              "CONVERT_TZ(D, 'UTC', 'Asia/Tokyo')",
                                              "TIMEZONE_OFFSET('America/New_York', D)",
                                              "COALESCE(A, 7)",
                                              "MD5(L)",
                                              "ENCODE(A, 'BASE62')",
                                              "DECODE('00ff', 'HEX')",
                                              "GET_BYTE(G, 1)",
                                              "SET_BIT(G, 3, 1)",
                                              "OCTET_LENGTH(G)",
                                              "SUBBINARY(G, 1)",
                                              "E[2]",
                                              "ARRAY_APPEND(E, 'z')",
                                              "ARRAY_CAT(E, E)",
                                              "ARRAY_LENGTH(E)",
                                              "ARRAY_TO_STRING(E, ',', 'n')",
                                              "STRING_TO_ARRAY('a,b', ',')",
                                              "ARRAY_FILL(A, 3)",
                                              "ARRAY_REMOVE(E, 'a')",
                                              "CAST(K AS VARCHAR)",
                                              "CAST(M AS DECIMAL(3, 1))",
                                              "POWER(C, 2)",
                                              "LN(C)",
                                              "LOG(C, 3)",
                                              "CASE WHEN K = 1 THEN A ELSE 3 END",
                                              "INVERT(K)",
                                              "PI()",
                                              "RAND(3)",
                                              "ROW_SIZE()",
                                              "PHOENIX_ROW_TIMESTAMP()",
                                              "D + 1",
                                              "D - D",
                                              "-K",
                                              "NOW()"};
  return *values;
}

const Words& SoundAggregates() {
  static const auto* const aggregates =
      new Words{"COUNT(*)",
                "SUM(A)",
                "AVG(M)",
                "MIN(L)",
                "MAX(D)",
                "COUNT(DISTINCT L, A)",
                "STDDEV_POP(K)",
                "APPROX_COUNT_DISTINCT(L)",
                "COLLECTDISTINCT(A)",
                "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY K ASC)",
                "PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY C DESC)",
                "PERCENT_RANK(1) WITHIN GROUP (ORDER BY K ASC)",
                "FIRST_VALUE(L) WITHIN GROUP (ORDER BY K DESC)",
                "NTH_VALUE(A, 2) WITHIN GROUP (ORDER BY L ASC)",
                "LAST_VALUES(K, 3) WITHIN GROUP (ORDER BY L ASC)",
                "SUM(A + K)",
                "MAX(E)",
                "MIN(H)"};
  return *aggregates;
}

}  // namespace

const std::vector<std::string>& StatementMaker::Fixture() {
  static const auto* const statements = new Words{
      "CREATE TABLE T (K INTEGER NOT NULL, L VARCHAR, M DECIMAL, A INTEGER, F.B VARCHAR, "
      "C DOUBLE, D TIMESTAMP, E VARCHAR ARRAY, G VARBINARY, H BOOLEAN, "
      "CONSTRAINT PK PRIMARY KEY (K DESC, L, M DESC)) SALT_BUCKETS=2",
      "CREATE IMMUTABLE TABLE U (K VARCHAR NOT NULL, L BIGINT NOT NULL, A INTEGER ARRAY, "
      "B CHAR(3), C DATE, D JSON, E BSON, CONSTRAINT PK PRIMARY KEY (K, L))",
      "CREATE VIEW V AS SELECT * FROM T WHERE A = 1",
      "CREATE SEQUENCE S MINVALUE 1 MAXVALUE 4 CYCLE CACHE 2",
      "UPSERT INTO T VALUES (1, 'a', 1.5, 1, 'x', 0.5, NOW(), ARRAY['a', 'b'], X'00ff', TRUE)",
      "UPSERT INTO T (K, A) VALUES (2, 1)",
      "UPSERT INTO T (K, L, B) VALUES (-3, 'b', 'y')",
      "UPSERT INTO U VALUES ('p', 1, ARRAY[1, 2], 'q', NOW(), '{\"a\": [1]}', '{\"a\": 1}')",
      "UPSERT INTO U (K, L) VALUES ('p', 2)"};
  return *statements;
}

std::string StatementMaker::Number() {
  static const auto* const numbers = new Words{"1",
                                               "0",
                                               "-1",
                                               "2",
                                               "3",
                                               "100",
                                               "127",
                                               "128",
                                               "32768",
                                               "2147483647",
                                               "2147483648",
                                               "-2147483649",
                                               "9223372036854775807",
                                               "9223372036854775808",
                                               "99999999999999999999999999",
                                               "1.5",
                                               "0.00000000000000000001",
                                               "1e10",
                                               "1e308",
                                               "-1e-308",
                                               "12345678901234567890.123",
                                               "99999999999999999999999999999999999999",
                                               "1000000"};
  return Pick(*numbers);
}

std::string StatementMaker::Text() { return Pick(Formats()); }

std::string StatementMaker::Leaf() {
  switch (choices_->Below(10)) {
    case 0: return Column();
    case 1: return Number();
    case 2: return Text();
    case 3: return Pick({"NULL", "TRUE", "FALSE"});
    case 4:
      return Pick({"DATE '2020-01-01'", "TIMESTAMP '1969-12-31 23:59:59.999999999'",
                   "TIME '12:00:00'", "DATE '-9999-01-01'", "DATE '294276-12-31'", "DATE 'x'"});
    case 5: return Pick({"X'00ff'", "X''", "X'0'", "X'8000000000000000000000'"});
    case 6: return choices_->Percent(10) ? "?" : Column();
    case 7:
      return choices_->Percent(30)
                 ? Pick({"NEXT VALUE FOR S", "CURRENT VALUE FOR S", "NEXT 3 VALUES FOR S"})
                 : Number();
    default: return Column();
  }
}

std::string StatementMaker::Column() {
  static const auto* const columns =
      new Words{"K",   "L",   "M",   "A", "B",   "C",   "D",   "E",       "G",   "H",
                "F.B", "T.K", "U.K", "X", "X.K", "Y.A", "T.A", "\"0\".A", "NOPE"};
  return Pick(*columns);
}

std::string StatementMaker::Table() {
  return choices_->Percent(4) ? Pick({"SYSTEM.CATALOG", "SYSTEM.\"SEQUENCE\"", "NOPE", "S"})
                              : Pick({"T", "U", "V", "T", "N0"});
}

std::string StatementMaker::Type() { return Pick(Types()); }

std::string StatementMaker::List(int depth, size_t count_max) {
  std::string text = Expression(depth);
  for (size_t i = 0, count = choices_->Below(count_max); i < count; ++i) {
    text += ", " + Expression(depth);
  }
  return text;
}

std::string StatementMaker::Call(int depth) {
  const size_t count = choices_->Below(4);
  return Pick(Functions()) + "(" + (count == 0 ? "" : List(depth - 1, count)) + ")";
}

std::string StatementMaker::Aggregate(int depth) {
  if (choices_->Percent(60)) return Pick(SoundAggregates());
  static const auto* const plain = new Words{"COUNT",
                                             "SUM",
                                             "AVG",
                                             "MIN",
                                             "MAX",
                                             "STDDEV_POP",
                                             "STDDEV_SAMP",
                                             "APPROX_COUNT_DISTINCT",
                                             "COLLECTDISTINCT"};
  static const auto* const ordered =
      new Words{"PERCENTILE_CONT", "PERCENTILE_DISC", "PERCENT_RANK", "FIRST_VALUE",
                "LAST_VALUE",      "NTH_VALUE",       "FIRST_VALUES", "LAST_VALUES"};
  switch (choices_->Below(4)) {
    case 0: return "COUNT(*)";
    case 1: return "COUNT(DISTINCT " + List(depth - 1, 2) + ")";
    case 2:
      return Pick(*ordered) + "(" + List(depth - 1, 2) + ") WITHIN GROUP (ORDER BY " +
             Expression(depth - 1) + (choices_->Percent(50) ? " ASC)" : " DESC)");
    default: return Pick(*plain) + "(" + Expression(depth - 1) + ")";
  }
}

std::string StatementMaker::Expression(int depth) {
  if (choices_->Percent(50)) return Pick(SoundValues());
  if (depth <= 0) return Leaf();
  const int next = depth - 1;
  switch (choices_->Below(16)) {
    case 0:
    case 1: return Leaf();
    case 2:
    case 3: return Call(depth);
    case 4:
      return Expression(next) + Pick({" + ", " - ", " * ", " / ", " % ", " || "}) +
             Expression(next);
    case 5: return "-" + Expression(next);
    case 6: return "CAST(" + Expression(next) + " AS " + Type() + ")";
    case 7:
      return "CASE WHEN " + Condition(next) + " THEN " + Expression(next) + " ELSE " +
             Expression(next) + " END";
    case 8: return "CASE " + Expression(next) + " WHEN " + Leaf() + " THEN " + Leaf() + " END";
    case 9: return "ARRAY[" + List(next, 3) + "]";
    case 10: return Expression(next) + "[" + Leaf() + "]";
    case 11: return "(" + List(next, 3) + ")";
    case 12: return Condition(next);
    case 13: return choices_->Percent(30) ? "(" + Select(next) + ")" : Leaf();
    case 14: return Aggregate(depth);
    default: return Call(depth);
  }
}

std::string StatementMaker::Condition(int depth) {
  if (choices_->Percent(60)) return Pick(SoundConditions());
  const int next = depth - 1;
  static const auto* const compare = new Words{" = ", " < ", " <= ", " > ", " >= ", " <> "};
  switch (choices_->Below(14)) {
    case 0:
    case 1: return Expression(next) + Pick(*compare) + Expression(next);
    case 2: return Column() + Pick(*compare) + Leaf();
    case 3: return Expression(next) + (choices_->Percent(50) ? " IS NULL" : " IS NOT NULL");
    case 4: return Expression(next) + " BETWEEN " + Leaf() + " AND " + Leaf();
    case 5: return Expression(next) + Pick({" IN (", " NOT IN ("}) + List(0, 5) + ")";
    case 6: return Expression(next) + Pick({" LIKE ", " NOT LIKE ", " ILIKE "}) + Leaf();
    case 7: return depth > 0 ? "(" + Condition(next) + " AND " + Condition(next) + ")" : "TRUE";
    case 8: return depth > 0 ? "(" + Condition(next) + " OR " + Condition(next) + ")" : "FALSE";
    case 9: return depth > 0 ? "NOT (" + Condition(next) + ")" : Column();
    case 10:
      return depth > 0 ? Expression(next) + Pick({" IN (", " NOT IN ("}) + Select(next) + ")"
                       : Column();
    case 11: return depth > 0 ? Pick({"EXISTS (", "NOT EXISTS ("}) + Select(next) + ")" : Column();
    case 12:
      return Expression(next) + Pick(*compare) + Pick({"ANY(", "ALL("}) +
             (depth > 0 && choices_->Percent(50) ? Select(next) : Leaf()) + ")";
    default:
      return "(" + Leaf() + ", " + Leaf() + ")" + Pick(*compare) + "(" + Leaf() + ", " + Leaf() +
             ")";
  }
}

std::string StatementMaker::Hint() {
  if (!choices_->Percent(15)) return "";
  return Pick({"/*+ SKIP_SCAN */ ", "/*+ RANGE_SCAN */ ", "/*+ USE_SORT_MERGE_JOIN */ ",
               "/*+ NO_INDEX */ ", "/*+ SERIAL FORWARD_SCAN */ ", "/*+ INDEX(T \"x\" */ "});
}

std::string StatementMaker::TableReference(int depth) {
  if (depth > 0 && choices_->Percent(20)) return "(" + Select(depth - 1) + ") X";
  std::string text = Table();
  if (choices_->Percent(30)) text += Pick({" X", " Y", " AS T"});
  if (choices_->Percent(5)) text += " (NEW_ONE " + Type() + ")";
  if (choices_->Percent(5)) text += " TABLESAMPLE (" + Number() + ")";
  return text;
}

std::string StatementMaker::Joined(int depth) {
  std::string text = TableReference(depth);
  if (depth <= 0) return text;
  for (size_t i = 0, count = choices_->Percent(40) ? 1 + choices_->Below(2) : 0; i < count; ++i) {
    const std::string other = i == 0 ? TableReference(depth - 1) + " Y" : Table() + " Z";
    if (choices_->Percent(20)) {
      text += ", " + other;
      continue;
    }
    text += Pick({" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL OUTER JOIN "}) + other + " ON ";
    text += choices_->Percent(70) ? "T.K = Y.L" : Condition(depth - 1);
  }
  return text;
}

std::string StatementMaker::SingleSelect(int depth) {
  std::string text = "SELECT " + Hint() + (choices_->Percent(15) ? "DISTINCT " : "");
  const bool groups = choices_->Percent(20);
  if (groups) {
    text += Pick({"L", "A", "B"}) + ", " + Aggregate(0);
  } else {
    text += choices_->Percent(25) ? "*" : List(depth, 3);
  }
  if (choices_->Percent(95)) text += " FROM " + Joined(depth);
  if (choices_->Percent(50)) text += " WHERE " + Condition(depth);
  if (groups || choices_->Percent(10)) {
    text += " GROUP BY " + (groups ? "L, A, B" : List(depth > 1 ? 1 : 0, 3));
  }
  if (choices_->Percent(12)) text += " HAVING " + Condition(depth);
  return text;
}

std::string StatementMaker::Select(int depth) {
  std::string text = SingleSelect(depth);
  if (depth > 0 && choices_->Percent(10)) text += " UNION ALL " + SingleSelect(depth - 1);
  if (choices_->Percent(25)) {
    text += " ORDER BY " + Expression(depth > 1 ? 1 : 0) + Pick({"", " DESC", " NULLS LAST"});
  }
  if (choices_->Percent(15)) text += " LIMIT " + Pick({"1", "0", "2", "99999999999999999999"});
  if (choices_->Percent(10)) text += " OFFSET " + Pick({"1", "0", "5000000000"});
  if (choices_->Percent(3)) text += " OFFSET (K, L, M) = (" + List(0, 3) + ")";
  return text;
}

std::string StatementMaker::ColumnDefinition(size_t index) {
  std::string text = fmt::format("{}C{} {}", choices_->Percent(15) ? "F." : "", index, Type());
  if (choices_->Percent(30)) text += " NOT NULL";
  if (choices_->Percent(15)) text += " DEFAULT " + Expression(1);
  if (index == 0 && choices_->Percent(40)) text += " PRIMARY KEY" + Pick({"", " DESC"});
  return text;
}

std::string StatementMaker::Option() {
  static const auto* const options = new Words{"SALT_BUCKETS",
                                               "VERSIONS",
                                               "TTL",
                                               "COLUMN_ENCODED_BYTES",
                                               "IMMUTABLE_ROWS",
                                               "STORE_NULLS",
                                               "IMMUTABLE_STORAGE_SCHEME",
                                               "DEFAULT_COLUMN_FAMILY",
                                               "MULTI_TENANT",
                                               "DATA_BLOCK_ENCODING",
                                               "UPDATE_CACHE_FREQUENCY",
                                               "GUIDE_POSTS_WIDTH",
                                               "F.COMPRESSION",
                                               "APPEND_ONLY_SCHEMA",
                                               "AUTO_PARTITION_SEQ",
                                               "BLOCKSIZE",
                                               "BLOOMFILTER",
                                               "NO_SUCH",
                                               "MAX_FILESIZE"};
  return Pick(*options) + " = " +
         Pick({"1", "true", "'x'", "-1", "NONE", "'GZ'", "99999999999", "false", "'A > 1'", "F"});
}

std::string StatementMaker::Create() {
  switch (choices_->Below(5)) {
    case 0: return "CREATE VIEW N1 AS SELECT * FROM T WHERE " + Condition(1);
    case 1:
      return "CREATE SEQUENCE N2 START WITH " + Number() + " INCREMENT BY " + Number() +
             " MAXVALUE " + Number() + " CACHE " + Pick({"1", "10", "99999999999"});
    default: break;
  }
  std::string text = Pick({"CREATE TABLE N0 (", "CREATE IMMUTABLE TABLE N0 ("});
  const size_t count = 1 + choices_->Below(5);
  for (size_t i = 0; i < count; ++i) text += ColumnDefinition(i) + (i + 1 < count ? ", " : "");
  if (choices_->Percent(70)) {
    text += " CONSTRAINT PK PRIMARY KEY (C0" + Pick({"", " DESC"});
    if (count > 1 && choices_->Percent(60)) text += ", C1" + Pick({"", " DESC", " ROW_TIMESTAMP"});
    text += ")";
  }
  text += ")";
  if (choices_->Percent(40)) text += " " + Option();
  if (choices_->Percent(20)) text += ", " + Option();
  if (choices_->Percent(10)) text += " SPLIT ON (" + List(0, 3) + ")";
  return text;
}

std::string StatementMaker::Upsert() {
  std::string text = "UPSERT INTO " + Table();
  if (choices_->Percent(40)) {
    text += " (K, L" + Pick({"", ", A", ", F.B", ", NEW_ONE VARCHAR", ", M, C"}) + ")";
  }
  if (choices_->Percent(35)) return text + " " + Select(2);
  text += " VALUES (" + List(2, 6) + ")";
  if (choices_->Percent(30)) {
    text +=
        " ON DUPLICATE KEY " +
        (choices_->Percent(30) ? "IGNORE" : Pick({"UPDATE A = ", "UPDATE B = "}) + Expression(2));
  }
  if (choices_->Percent(15)) text += " RETURNING *";
  return text;
}

std::string StatementMaker::Alter() {
  switch (choices_->Below(4)) {
    case 0: return "ALTER TABLE " + Table() + " ADD " + ColumnDefinition(7);
    case 1: return "ALTER TABLE " + Table() + " DROP COLUMN " + Column();
    case 2: return "ALTER TABLE " + Table() + " SET " + Option();
    default: return "ALTER VIEW V ADD " + ColumnDefinition(8);
  }
}

std::string StatementMaker::Other() {
  switch (choices_->Below(10)) {
    case 0: return "EXPLAIN " + (choices_->Percent(70) ? Select(2) : Upsert());
    case 1:
      return "DROP " + Pick({"TABLE ", "VIEW ", "SEQUENCE "}) + Pick({"N0", "V", "S", "N1", "T"});
    case 2: return "DECLARE CUR CURSOR FOR " + Select(1);
    case 3: return Pick({"OPEN CUR", "FETCH NEXT 3 ROWS FROM CUR", "CLOSE CUR"});
    case 4:
      return Pick({"SHOW TABLES", "SHOW CREATE TABLE T", "SHOW CREATE TABLE V", "SHOW SCHEMAS"});
    case 5:
      return "UPDATE STATISTICS " + Table() + Pick({"", " ALL", " SET GUIDE_POSTS_WIDTH = 10"});
    case 6: return Pick({"CREATE SCHEMA Q", "USE Q", "USE DEFAULT", "DROP SCHEMA Q"});
    case 7: return Pick({"GRANT 'RW' ON T TO 'x'", "REVOKE FROM 'x'", "TRACE ON", "LIST JARS"});
    case 8: return "CREATE INDEX I ON T (" + Expression(1) + ") INCLUDE (" + Column() + ")";
    default: return "CREATE FUNCTION FN(" + Type() + ") RETURNS INTEGER AS 'x.Y'";
  }
}

std::string StatementMaker::Statement() {
  switch (choices_->Below(12)) {
    case 0: return Create();
    case 1:
    case 2: return Upsert();
    case 3:
      return "DELETE FROM " + Table() + (choices_->Percent(80) ? " WHERE " + Condition(2) : "") +
             (choices_->Percent(20) ? " LIMIT 1" : "");
    case 4: return choices_->Percent(50) ? Alter() : Other();
    default: return Select(3);
  }
}

}  // namespace bennu::sql::testing
