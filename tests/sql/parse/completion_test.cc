// What is offered at a place of a statement that is being written.
#include "src/sql/parse/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(CompletionTest, FollowsTheCaseOfTheWord) {
  EXPECT_THAT(CompleteStatement(kTables, "SELECT * FROM ", "peo"), ElementsAre("people"));
  EXPECT_THAT(WordsWithPrefix({"b", "a", "b"}, ""), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace bennu::sql::parse
