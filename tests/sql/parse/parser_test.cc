// The parser against what Apache Phoenix 5.3.2 accepted and refused, and the shape of its trees.
#include "src/sql/parse/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "src/sql/parse/literal.h"

namespace bennu::sql::parse {
namespace {

using ::testing::EndsWith;

struct Recorded {
  std::string file;
  std::string sql;
  std::string refusal;  // empty: accepted
};

std::vector<Recorded> ReadRecordedStatements() {
  std::ifstream in(std::string(BENNU_SOURCE_DIR) + "/tests/sql/parse/phoenix_statements.txt");
  std::vector<Recorded> all;
  Recorded next;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("# ", 0) == 0) continue;
    if (line.rfind("@ ", 0) == 0) {
      next.file = line.substr(2);
    } else if (line.rfind("! ", 0) == 0) {
      next.refusal = line.substr(2);
    } else if (!line.empty()) {
      next.sql += (next.sql.empty() ? "" : "\n") + line;
    } else if (!next.sql.empty()) {
      all.push_back(next);
      next.sql.clear();
      next.refusal.clear();
    }
  }
  return all;
}

void ExpectSame(const ExprPtr& expr, const ExprPtr& copy);
void ExpectSame(const TableRef& ref, const TableRef& copy);
void ExpectSame(const Select& select, const Select& copy);

void ExpectSame(const ExprList& list, const ExprList& copies) {
  ASSERT_EQ(list.size(), copies.size());
  for (size_t i = 0; i < list.size(); ++i) ExpectSame(list[i], copies[i]);
}

template <typename Node>
void ExpectSame(const std::unique_ptr<Node>& node, const std::unique_ptr<Node>& copy) {
  ASSERT_EQ(node == nullptr, copy == nullptr);
  if (node != nullptr) ExpectSame(*node, *copy);
}

void ExpectSame(const ExprPtr& expr, const ExprPtr& copy) {
  ASSERT_EQ(expr == nullptr, copy == nullptr);
  if (expr == nullptr) return;
  EXPECT_NE(expr.get(), copy.get());
  EXPECT_EQ(expr->kind, copy->kind);
  EXPECT_EQ(expr->position, copy->position);
  EXPECT_EQ(expr->end, copy->end);
  EXPECT_EQ(expr->height, copy->height);
  EXPECT_EQ(ToText(*expr), ToText(*copy));
  ExpectSame(expr->children, copy->children);
  ExpectSame(expr->within_group_order, copy->within_group_order);
  ExpectSame(expr->subquery, copy->subquery);
}

void ExpectSame(const TableRef& ref, const TableRef& copy) {
  EXPECT_EQ(ref.kind, copy.kind);
  EXPECT_EQ(ref.position, copy.position);
  EXPECT_EQ(ref.alias.text, copy.alias.text);
  EXPECT_EQ(ref.name.ToString(), copy.name.ToString());
  EXPECT_EQ(ref.join_type, copy.join_type);
  ASSERT_EQ(ref.dynamic_columns.size(), copy.dynamic_columns.size());
  for (size_t i = 0; i < ref.dynamic_columns.size(); ++i) {
    EXPECT_EQ(ref.dynamic_columns[i].name.ToString(), copy.dynamic_columns[i].name.ToString());
    EXPECT_EQ(ref.dynamic_columns[i].type.name, copy.dynamic_columns[i].type.name);
  }
  ExpectSame(ref.sample_percent, copy.sample_percent);
  ExpectSame(ref.subquery, copy.subquery);
  ExpectSame(ref.left, copy.left);
  ExpectSame(ref.right, copy.right);
  ExpectSame(ref.on, copy.on);
}

void ExpectSame(const Select& select, const Select& copy) {
  EXPECT_EQ(select.position, copy.position);
  EXPECT_EQ(select.end, copy.end);
  EXPECT_EQ(select.hints.size(), copy.hints.size());
  EXPECT_EQ(select.distinct, copy.distinct);
  ASSERT_EQ(select.items.size(), copy.items.size());
  for (size_t i = 0; i < select.items.size(); ++i) {
    ExpectSame(select.items[i].expr, copy.items[i].expr);
    EXPECT_EQ(select.items[i].alias.text, copy.items[i].alias.text);
  }
  ASSERT_EQ(select.from.size(), copy.from.size());
  for (size_t i = 0; i < select.from.size(); ++i) ExpectSame(select.from[i], copy.from[i]);
  ExpectSame(select.where, copy.where);
  ExpectSame(select.group_by, copy.group_by);
  ExpectSame(select.having, copy.having);
  ASSERT_EQ(select.union_all.size(), copy.union_all.size());
  for (size_t i = 0; i < select.union_all.size(); ++i) {
    ExpectSame(select.union_all[i], copy.union_all[i]);
  }
  ASSERT_EQ(select.order_by.size(), copy.order_by.size());
  for (size_t i = 0; i < select.order_by.size(); ++i) {
    ExpectSame(select.order_by[i].expr, copy.order_by[i].expr);
    EXPECT_EQ(select.order_by[i].descending, copy.order_by[i].descending);
    EXPECT_EQ(select.order_by[i].nulls_last, copy.order_by[i].nulls_last);
    EXPECT_EQ(select.order_by[i].position, copy.order_by[i].position);
  }
  ExpectSame(select.limit, copy.limit);
  ExpectSame(select.offset, copy.offset);
  ExpectSame(select.offset_columns, copy.offset_columns);
  ExpectSame(select.offset_values, copy.offset_values);
}

// Messages that show Java's insides are matched by code alone.
bool ShowsJava(const std::string& refusal) {
  return refusal.find("java") != std::string::npos || refusal.find("joda") != std::string::npos ||
         refusal.find("out of bounds") != std::string::npos;
}

// A copied query says the same at the same places, and shares nothing with the original.
TEST(Parser, ClonesEveryRecordedQuery) {
  int queries = 0;
  for (const Recorded& recorded : ReadRecordedStatements()) {
    const Result<Statement> statement = ParseStatement(recorded.sql);
    if (!statement.ok()) continue;
    const auto* const select = std::get_if<Select>(&statement->node);
    if (select == nullptr) continue;
    SCOPED_TRACE(recorded.sql);
    ExpectSame(*select, select->Clone());
    ++queries;
  }
  EXPECT_GT(queries, 3000);
}

// Every recorded statement is accepted, or refused with the recorded code, state and words.
TEST(Parser, AgreesWithEveryRecordedStatement) {
  const std::vector<Recorded> all = ReadRecordedStatements();
  ASSERT_GT(all.size(), 8000u);
  int refused = 0;
  for (const Recorded& recorded : all) {
    const Result<Statement> statement = ParseStatement(recorded.sql);
    const std::string got = statement.ok() ? "" : statement.status().ToString();
    if (ShowsJava(recorded.refusal)) {
      EXPECT_EQ(got.substr(0, 17), recorded.refusal.substr(0, 17)) << recorded.sql;
    } else {
      EXPECT_EQ(got, recorded.refusal) << recorded.file << ": " << recorded.sql;
    }
    refused += recorded.refusal.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 70);
}

void ExpectSameAfterRoundTrip(const ExprPtr& expr) {
  if (expr == nullptr || expr->kind == ExprKind::kStar) return;
  const std::string text = ToText(*expr);
  // Sub-queries are abbreviated, and COUNT(*) is written as Phoenix does.
  if (text.find("(SELECT ...)") != std::string::npos) return;
  if (text.find("COUNT(1)") != std::string::npos) return;
  const Result<ExprPtr> again = ParseExpression(text);
  ASSERT_TRUE(again.ok()) << text << ": " << again.status().ToString();
  EXPECT_TRUE(SameExpr(*expr, **again)) << text << " became " << ToText(**again);
}

// The text of an expression reads back to the same tree, for all that the recordings contain.
TEST(ExpressionText, ReadsBackToTheSameTree) {
  for (const Recorded& recorded : ReadRecordedStatements()) {
    const Result<Statement> statement = ParseStatement(recorded.sql);
    if (!statement.ok()) continue;
    const Select* select = std::get_if<Select>(&statement->node);
    if (select == nullptr) continue;
    for (const SelectItem& item : select->items) ExpectSameAfterRoundTrip(item.expr);
    ExpectSameAfterRoundTrip(select->where);
    ExpectSameAfterRoundTrip(select->having);
    for (const ExprPtr& expr : select->group_by) ExpectSameAfterRoundTrip(expr);
  }
}

std::string Normalised(std::string_view text) {
  const Result<ExprPtr> expr = ParseExpression(text);
  return expr.ok() ? ToText(**expr) : expr.status().ToString();
}

// A name in quotes may be one of a type or of a function, whether there is such a one or not.
TEST(ExpressionText, QuotesNamesThatAreNotPlain) {
  const char* const texts[] = {"CAST(A AS \"(M10,2) ARRAY[3\")", "\"NO NAME (OF 1\"(A)",
                               "\"SELECT\"(A, CAST(B AS \"ARRAY\"(4,2) ARRAY))"};
  for (const char* text : texts) EXPECT_EQ(Normalised(text), text);
  EXPECT_EQ(Normalised("\"Upper\"(cast(a as \"integer\"))"), "UPPER(CAST(A AS INTEGER))");
}

// '+' binds loosest, then '-', then '||', then the rest (types/numeric_rules.test).
TEST(Parser, KeepsPhoenixPrecedence) {
  EXPECT_EQ(Normalised("a - b + c"), "((A - B) + C)");
  EXPECT_EQ(Normalised("a + b - c"), "(A + (B - C))");
  EXPECT_EQ(Normalised("a || b - c"), "((A || B) - C)");
  EXPECT_EQ(Normalised("a * b || c / d % e"), "((A * B) || ((C / D) % E))");
  EXPECT_EQ(Normalised("a or b and not c = 1"), "(A OR (B AND NOT (C = 1)))");
}

TEST(Parser, NumbersBindsFromTheLeft) {
  const Result<Statement> statement =
      ParseStatement("SELECT ? FROM t WHERE (a = ? AND b IN (?, ?)) LIMIT ?");
  ASSERT_TRUE(statement.ok());
  EXPECT_EQ(statement->bind_count, 5);
  const Select& select = std::get<Select>(statement->node);
  EXPECT_EQ(select.items[0].expr->bind_index, 1);
  EXPECT_EQ(select.limit->bind_index, 5);
}

TEST(Parser, KeepsPlacesForCarets) {
  const std::string sql = "SELECT a.b, \"q\" + 1 FROM t WHERE nope = 3";
  const Result<Statement> statement = ParseStatement(sql);
  ASSERT_TRUE(statement.ok());
  const Select& select = std::get<Select>(statement->node);
  EXPECT_EQ(select.items[1].expr->position, 12);
  EXPECT_EQ(sql.substr(static_cast<size_t>(select.where->position), 8), "nope = 3");
  EXPECT_EQ(select.where->end, static_cast<int32_t>(sql.size()));
  EXPECT_TRUE(select.items[1].expr->children[0]->column.quoted);
}

TEST(Parser, PointsAtTheErrorAndHints) {
  const Result<Statement> insert = ParseStatement("INSERT INTO t VALUES (1)");
  ASSERT_FALSE(insert.ok());
  ASSERT_NE(insert.status().sql_error(), nullptr);
  EXPECT_EQ(insert.status().sql_error()->position, 0);
  EXPECT_NE(insert.status().sql_error()->hint.find("UPSERT"), std::string::npos);
  const Result<Statement> reserved = ParseStatement("SELECT k\n  FROM order");
  ASSERT_FALSE(reserved.ok());
  EXPECT_EQ(reserved.status().sql_error()->position, 16);
  EXPECT_EQ(reserved.status().message(),
            "Syntax error. Encountered \"order\" at line 2, column 8.");
  EXPECT_NE(reserved.status().sql_error()->hint.find("\"ORDER\""), std::string::npos);
}

// Columns in the order of other systems: the hint is the definition to write.
TEST(Parser, HintsAtTheOrderOfAColumnsParts) {
  const auto hint_of = [](const std::string& columns) {
    const Result<Statement> create = ParseStatement("CREATE TABLE t (" + columns + ")");
    EXPECT_FALSE(create.ok()) << columns;
    return create.ok() ? "" : create.status().sql_error()->hint;
  };
  EXPECT_THAT(hint_of("k VARCHAR PRIMARY KEY, id NOT NULL CHAR(15), v BIGINT"),
              EndsWith(": id CHAR(15) NOT NULL"));
  EXPECT_THAT(hint_of("at NOT NULL DATE, v BIGINT"), EndsWith(": at DATE NOT NULL"));
  EXPECT_THAT(hint_of("at NULL DECIMAL(10, 2), v BIGINT"), EndsWith(": at DECIMAL(10, 2) NULL"));
  EXPECT_THAT(hint_of("INTEGER k NOT NULL, CHAR(5) pk4 NOT NULL"), EndsWith(": pk4 CHAR(5)"));
  EXPECT_THAT(hint_of("CHAR(5"), EndsWith(": NAME CHAR(5)"));
  EXPECT_THAT(hint_of("k BIGINT NOT NULL ROW_TIMESTAMP PRIMARY KEY, v BIGINT"),
              EndsWith(": K BIGINT NOT NULL PRIMARY KEY ROW_TIMESTAMP"));
  EXPECT_THAT(hint_of("\"k\" VARCHAR ROW_TIMESTAMP PRIMARY KEY"),
              EndsWith(": \"k\" DATE NOT NULL PRIMARY KEY ROW_TIMESTAMP; its type is one of DATE, "
                       "TIME, TIMESTAMP, BIGINT, UNSIGNED_LONG"));
  EXPECT_THAT(hint_of("i INTEGER, at DATE NOT NULL ROW_TIMESTAMP CONSTRAINT p PRIMARY KEY (at)"),
              EndsWith(": CONSTRAINT PK PRIMARY KEY (AT ROW_TIMESTAMP)"));
}

// A hostile text must not exhaust the stack, nor take exponential time.
TEST(Parser, BoundsNesting) {
  const std::string open(100000, '(');
  EXPECT_FALSE(ParseStatement("SELECT " + open).ok());
  EXPECT_FALSE(ParseStatement("SELECT * FROM " + open).ok());
  const std::string inside(300, '(');
  EXPECT_TRUE(ParseStatement("SELECT " + inside + "a" + std::string(300, ')')).ok());
  EXPECT_FALSE(ParseStatement("SELECT " + inside + "a ==").ok());
  EXPECT_FALSE(ParseStatement("SELECT " + inside + "a" + std::string(299, ')')).ok());
  std::string explain;
  for (int i = 0; i < 5000; ++i) explain += "EXPLAIN ";
  EXPECT_FALSE(ParseStatement(explain).ok());
  std::string factors = "SELECT 1";
  for (int i = 0; i < 100000; ++i) factors += "*1";
  EXPECT_FALSE(ParseStatement(factors).ok());
  std::string terms = "SELECT 1";
  for (int i = 0; i < 100000; ++i) terms += "+1";
  EXPECT_FALSE(ParseStatement(terms).ok());
  std::string parts = "SELECT 1";
  for (int i = 0; i < 100000; ++i) parts += "||1";
  EXPECT_TRUE(ParseStatement(parts).ok());
  std::string calls;
  for (int i = 0; i < 5000; ++i) calls += "f(";
  EXPECT_FALSE(ParseStatement("SELECT " + calls).ok());
  std::string brackets;
  for (int i = 0; i < 5000; ++i) brackets += "a[";
  EXPECT_FALSE(ParseStatement("SELECT " + brackets).ok());
}

TEST(Parser, ReadsHints) {
  const Result<Statement> statement =
      ParseStatement("SELECT /*+ NO_INDEX index(t idx1 \"idx2\") bogus */ * FROM t");
  ASSERT_TRUE(statement.ok());
  const Select& select = std::get<Select>(statement->node);
  ASSERT_EQ(select.hints.size(), 3u);
  EXPECT_EQ(select.hints[0].name, "NO_INDEX");
  EXPECT_EQ(select.hints[1].name, "INDEX");
  EXPECT_EQ(select.hints[1].arguments, (std::vector<std::string>{"T", "IDX1", "idx2"}));
}

Value LiteralOf(std::string_view text) {
  const Result<ExprPtr> expr = ParseExpression(text);
  EXPECT_TRUE(expr.ok()) << text;
  const Result<Value> value = LiteralValue(**expr);
  EXPECT_TRUE(value.ok()) << text;
  return *value;
}

TEST(Literal, TakesTheSmallestType) {
  EXPECT_EQ(LiteralOf("2147483647"), Value::Integer(2147483647));
  EXPECT_EQ(LiteralOf("2147483648"), Value::Bigint(2147483648));
  EXPECT_EQ(LiteralOf("9223372036854775808").type().id, TypeId::kDecimal);
  EXPECT_EQ(LiteralOf("1.50"), Value::Number(Decimal(150, 2)));
  EXPECT_EQ(LiteralOf("1.5e2"), Value::Double(150));
  EXPECT_EQ(LiteralOf("'it''s \\'a\\' \\n \\%'"), Value::Varchar("it's 'a' \n \\%"));
  EXPECT_EQ(LiteralOf("X'0a fF' '00'").bytes(), std::string("\x0a\xff\x00", 3));
  EXPECT_EQ(LiteralOf("B'01000001'").bytes(), "A");
  EXPECT_TRUE(LiteralOf("''").is_null());
  EXPECT_EQ(LiteralOf("DATE '1970-01-02'"), Value::Int({TypeId::kDate}, 86400000));
}

// Every statement of the grammar's rarer half becomes the node that its name says.
TEST(Parser, ReadsRareStatements) {
  const std::pair<const char*, size_t> statements[] = {
      {"CREATE CDC c ON t INCLUDE (PRE, POST)", 6},
      {"CREATE OR REPLACE TEMPORARY FUNCTION f(VARCHAR CONSTANT DEFAULTVALUE='a', INTEGER) "
       "RETURNS INTEGER AS 'a.B' USING JAR 'x.jar'",
       9},
      {"DROP CDC IF EXISTS c ON t", 10},
      {"DROP FUNCTION IF EXISTS f", 10},
      {"ALTER INDEX IF EXISTS i ON s.t REBUILD ALL ASYNC", 12},
      {"ALTER INDEX i ON t CONSISTENCY = EVENTUAL", 12},
      {"ALTER SESSION SET CONSISTENCY = 'TIMELINE'", 13},
      {"USE DEFAULT", 14},
      {"UPDATE STATISTICS t ALL SET a=1", 15},
      {"SHOW TABLES IN s LIKE 'x%'", 16},
      {"DECLARE c CURSOR FOR SELECT * FROM t", 17},
      {"FETCH NEXT 5 ROWS FROM c", 20},
      {"GRANT 'RW' ON SCHEMA s TO GROUP 'g'", 21},
      {"REVOKE ON t FROM 'u'", 21},
      {"TRACE ON WITH SAMPLING 0.5", 22},
      {"ADD JARS 'a', 'b'", 22},
      {"LIST JARS", 22},
      {"DELETE JAR 'a'", 22},
      {"EXECUTE UPGRADE", 22},
      {"EXPLAIN ANALYZE DELETE FROM t;", 23},
  };
  for (const auto& [sql, index] : statements) {
    const Result<Statement> statement = ParseStatement(sql);
    ASSERT_TRUE(statement.ok()) << sql << ": " << statement.status().ToString();
    EXPECT_EQ(statement->node.index(), index) << sql;
  }
}

}  // namespace
}  // namespace bennu::sql::parse
