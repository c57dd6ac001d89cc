// What is offered at a place of a statement that is being written.
#include "src/sql/parse/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace bennu::sql::parse {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TableColumns kTables = {{"PEOPLE", {"ID", "NAME"}}, {"S.ORDERS", {"ID", "PRICE"}}};

TEST(CompletionTest, OffersWhatThePlaceWants) {
  EXPECT_THAT(CompleteStatement(kTables, "", "SELE"), ElementsAre("SELECT"));
  EXPECT_THAT(CompleteStatement(kTables, "SELECT * FROM ", ""), ElementsAre("PEOPLE", "S.ORDERS"));
  EXPECT_THAT(CompleteStatement(kTables, "SELECT * FROM PEOPLE ", "PEO"), IsEmpty());
  // Columns of the tables that are named, and words.
  const auto words = CompleteStatement(kTables, "SELECT * FROM PEOPLE WHERE ", "");
  EXPECT_THAT(words, Contains("NAME"));
  EXPECT_THAT(words, Contains("NOT"));
  EXPECT_THAT(words, ::testing::Not(Contains("PRICE")));
}

TEST(CompletionTest, KnowsAliasesAndSchemas) {
  EXPECT_THAT(CompleteStatement(kTables, "SELECT * FROM S.ORDERS O WHERE ", "O.P"),
              ElementsAre("O.PRICE"));
  EXPECT_THAT(CompleteStatement(kTables, "SELECT * FROM ", "s."), ElementsAre("s.orders"));
}

// Behind ON of CREATE INDEX a table comes, and in the parentheses its columns; DROP INDEX wants
// indexes, which are offered nowhere else, nor are their columns.
TEST(CompletionTest, Indexes) {
  TableColumns tables = kTables;
  tables["BY_NAME"] = {"0:NAME", ":ID"};
  EXPECT_THAT(CompleteStatement(tables, "CREATE INDEX q ON ", ""),
              ElementsAre("PEOPLE", "S.ORDERS"));
  const auto columns = CompleteStatement(tables, "CREATE LOCAL INDEX q ON PEOPLE (", "");
  EXPECT_THAT(columns, Contains("NAME"));
  EXPECT_THAT(columns, ::testing::Not(Contains("PRICE")));
  EXPECT_THAT(CompleteStatement(tables, "CREATE INDEX q ON PEOPLE (ID) INCLUDE (", "NA"),
              ElementsAre("NAME"));
  EXPECT_THAT(CompleteStatement(tables, "DROP INDEX ", ""), ElementsAre("BY_NAME"));
  EXPECT_THAT(CompleteStatement(tables, "DROP INDEX IF EXISTS ", "b"), ElementsAre("by_name"));
  EXPECT_THAT(CompleteStatement(tables, "DROP INDEX BY_NAME ON ", "P"), ElementsAre("PEOPLE"));
  EXPECT_THAT(CompleteStatement(tables, "SELECT * FROM ", "B"), IsEmpty());
  EXPECT_THAT(CompleteStatement(tables, "SELECT ", "0"), IsEmpty());
}

// The words of statements about indexes, in their order.
TEST(CompletionTest, StatementsAboutIndexes) {
  TableColumns tables = kTables;
  tables["S.BY_PRICE"] = {"0:PRICE", ":ID"};
  EXPECT_THAT(CompleteStatement(tables, "CREATE ", "UNC"), ElementsAre("UNCOVERED"));
  EXPECT_THAT(CompleteStatement(tables, "CREATE ", "loc"), ElementsAre("local"));
  EXPECT_THAT(CompleteStatement(tables, "CREATE UNCOVERED ", ""), ElementsAre("INDEX"));
  EXPECT_THAT(CompleteStatement(tables, "CREATE LOCAL ", "i"), ElementsAre("index"));
  for (const std::string verb : {"ALTER", "CHECK", "DROP"}) {
    const std::string index = verb + " INDEX ";
    EXPECT_THAT(CompleteStatement(tables, index, ""), ElementsAre("BY_PRICE")) << verb;
    EXPECT_THAT(CompleteStatement(tables, index + "BY_PRICE ", ""), ElementsAre("ON")) << verb;
    EXPECT_THAT(CompleteStatement(tables, index + "BY_PRICE ON ", ""),
                ElementsAre("PEOPLE", "S.ORDERS"));
  }
  EXPECT_THAT(CompleteStatement(tables, "ALTER INDEX IF ", ""), ElementsAre("EXISTS"));
  EXPECT_THAT(CompleteStatement(tables, "ALTER INDEX IF EXISTS ", ""), ElementsAre("BY_PRICE"));
  EXPECT_THAT(CompleteStatement(tables, "ALTER INDEX BY_PRICE ON S.ORDERS ", ""),
              ElementsAre("ACTIVE", "DISABLE", "REBUILD", "UNUSABLE", "USABLE"));
  EXPECT_THAT(CompleteStatement(tables, "CHECK INDEX BY_PRICE ON S.ORDERS ", ""),
              ElementsAre("REPAIR"));
  EXPECT_THAT(CompleteStatement(tables, "CHECK INDEX BY_PRICE ON S.ORDERS REPAIR ", ""), IsEmpty());
  EXPECT_THAT(CompleteStatement(tables, "DROP INDEX BY_PRICE ON S.ORDERS ", ""), IsEmpty());
}

// In a hint: hints, and in the parentheses of INDEX a table by the name that the query has for it,
// then indexes.
TEST(CompletionTest, Hints) {
  TableColumns tables = kTables;
  tables["S.BY_PRICE"] = {"0:PRICE", ":ID"};
  EXPECT_THAT(CompleteStatement(tables, "SELECT /*+ ", "NO_I"), ElementsAre("NO_INDEX"));
  EXPECT_THAT(
      CompleteStatement(tables, "SELECT /*+ NO_CACHE ", "use_"),
      ElementsAre("use_data_over_index_table", "use_index_over_data_table", "use_sort_merge_join"));
  EXPECT_THAT(CompleteStatement(tables, "SELECT /*+ INDEX(", ""),
              ElementsAre("PEOPLE", "S.ORDERS"));
  EXPECT_THAT(CompleteStatement(tables, "SELECT /*+ index(", "", ") */ * FROM S.ORDERS O"),
              ElementsAre("O"));
  EXPECT_THAT(CompleteStatement(tables, "SELECT /*+ INDEX(O ", "B"), ElementsAre("BY_PRICE"));
  EXPECT_THAT(CompleteStatement(tables, "SELECT /*+ INDEX(O BY_PRICE) ", "SK"),
              ElementsAre("SKIP_SCAN"));
  EXPECT_THAT(CompleteStatement(tables, "SELECT /*+ OTHER(", ""), IsEmpty());
  // Behind the hint it is a statement again; a comment is no hint.
  EXPECT_THAT(CompleteStatement(tables, "SELECT /*+ NO_INDEX */ * FROM ", "P"),
              ElementsAre("PEOPLE"));
  EXPECT_THAT(CompleteStatement(tables, "SELECT /* NO */ * FROM ", "P"), ElementsAre("PEOPLE"));
}

// What has to be quoted comes quoted, whether the quote was typed or not.
TEST(CompletionTest, QuotedNames) {
  const TableColumns tables = {{"low", {"heat", "ORDER"}}, {"LOUD", {"K"}}};
  EXPECT_THAT(CompleteStatement(tables, "SELECT * FROM ", "lo"), ElementsAre("\"low\"", "loud"));
  EXPECT_THAT(CompleteStatement(tables, "SELECT * FROM ", "\"low"), ElementsAre("\"low\""));
  EXPECT_THAT(CompleteStatement(tables, "SELECT * FROM ", "\"LOU"), ElementsAre("\"LOUD\""));
  EXPECT_THAT(CompleteStatement(tables, "SELECT * FROM \"low\" x WHERE ", "x."),
              ElementsAre("x.\"ORDER\"", "x.\"heat\""));
}

TEST(CompletionTest, TablesBehindThePlace) {
  EXPECT_THAT(CompleteStatement(kTables, "SELECT ", "x.", " FROM PEOPLE x"),
              ElementsAre("x.ID", "x.NAME"));
  EXPECT_THAT(CompleteStatement(kTables, "SELECT ", "PR", " FROM PEOPLE"), ElementsAre("PRIMARY"));
}

// SYSTEM's tables are offered, but their columns only where a statement names them.
TEST(CompletionTest, SystemTables) {
  const TableColumns tables = {{"SYSTEM.CATALOG", {"TABLE_NAME"}}};
  EXPECT_THAT(CompleteStatement(tables, "SELECT * FROM ", "SYSTEM."),
              ElementsAre("SYSTEM.CATALOG"));
  EXPECT_THAT(CompleteStatement(tables, "SELECT ", "TABLE_"), IsEmpty());
  EXPECT_THAT(CompleteStatement(tables, "SELECT ", "TABLE_", " FROM SYSTEM.CATALOG"),
              ElementsAre("TABLE_NAME"));
}

// The catalog has a view's own columns, and a link to what it was made over.
TEST(CompletionTest, ViewsHaveTheColumnsBelow) {
  CatalogColumns catalog;
  catalog.Add("S", "VIEW2", "OWN2", "0", 0);
  catalog.Add("S", "VIEW2", "", "VIEW1", 3);  // its parent
  catalog.Add("S", "VIEW2", "", "S.BASE", 2);
  catalog.Add("S", "VIEW2", "GONE", "0", 5);  // was dropped from it
  catalog.Add("", "VIEW1", "", "", 0);
  catalog.Add("", "VIEW1", "OWN1", "0", 0);
  catalog.Add("", "VIEW1", "", "S:BASE", 2);  // as with namespaces
  catalog.Add("S", "BASE", "", "", 0);
  catalog.Add("S", "BASE", "ID", "", 0);
  catalog.Add("S", "BASE", "GONE", "0", 0);
  catalog.Add("S", "BASE", "", "BY_ID", 1);
  catalog.Add("S", "BY_ID", ":ID", "", 0);
  catalog.Add("S", "BY_ID", "", "S.BASE", 2);
  catalog.Add("", "CIRCLE", "", "CIRCLE", 2);
  catalog.Add("", "A", "", "B", 3);
  catalog.Add("", "B", "", "A", 3);
  const TableColumns tables = std::move(catalog).Take();
  EXPECT_THAT(tables.at("S.BASE"), ElementsAre("ID", "GONE"));
  EXPECT_THAT(tables.at("VIEW1"), ElementsAre("OWN1", "ID", "GONE"));
  EXPECT_THAT(tables.at("S.VIEW2"), ElementsAre("OWN2", "OWN1", "ID"));
  EXPECT_THAT(tables.at("S.BY_ID"), ElementsAre(":ID"));
  EXPECT_THAT(tables.at("CIRCLE"), IsEmpty());
  EXPECT_THAT(tables.at("A"), IsEmpty());
}

TEST(CompletionTest, FollowsTheCaseOfTheWord) {
  EXPECT_THAT(CompleteStatement(kTables, "SELECT * FROM ", "peo"), ElementsAre("people"));
  EXPECT_THAT(WordsWithPrefix({"b", "a", "b"}, ""), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace bennu::sql::parse
