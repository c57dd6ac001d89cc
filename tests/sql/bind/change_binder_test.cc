// What is known of an UPSERT and a DELETE before anything is planned or run.
#include "src/sql/bind/change_binder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "src/sql/catalog/catalog.h"
#include "src/sql/parse/parser.h"
#include "src/sql/types/sql_errors.h"
#include "tests/support/memory_store.h"

namespace bennu::sql::bind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = BoundValue::Kind;

class ChangeBinderTest : public ::testing::Test {
 protected:
  ChangeBinderTest() : catalog_(catalog::Catalog::Open(&store_).value()) {
    context_.catalog = catalog_.get();
    Create("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, A VARCHAR(3), F.B BIGINT, C DATE)");
  }

  void Create(std::string_view sql) {
    const parse::Statement statement = parse::ParseStatement(sql).value();
    const Status status =
        catalog_->CreateTable(std::get<parse::CreateTable>(statement.node), catalog::DdlContext{});
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  // Keeps the tree, to which the result refers.
  Result<BoundUpsert> Upsert(std::string_view sql) {
    statement_ = parse::ParseStatement(sql).value();
    return BindUpsert(std::get<parse::Upsert>(statement_.node), context_, statement_.bind_count);
  }
  Result<BoundDelete> Delete(std::string_view sql) {
    statement_ = parse::ParseStatement(sql).value();
    return BindDelete(std::get<parse::Delete>(statement_.node), context_);
  }
  static std::vector<std::string> Columns(const BoundTarget& target) {
    std::vector<std::string> names;
    for (size_t i = 0; i < target.columns.size(); ++i) names.push_back(target.ColumnOf(i).name);
    return names;
  }
  // "code@position" of the error.
  std::string ErrorOf(const Status& status) {
    if (status.sql_error() == nullptr) return status.ToString();
    return std::to_string(status.sql_error()->code) + "@" +
           std::to_string(status.sql_error()->position);
  }

  testing::MemoryStore store_;
  std::unique_ptr<catalog::Catalog> catalog_;
  BindContext context_;
  parse::Statement statement_;
};

// All columns in the table's order, or those that are named, dynamic ones included.
TEST_F(ChangeBinderTest, Targets) {
  auto bound = Upsert("UPSERT INTO T VALUES (1)");
  EXPECT_THAT(Columns(bound->target), ElementsAre("K", "A", "B", "C"));
  EXPECT_FALSE(bound->target.named);
  EXPECT_EQ(bound->value_count, 1u);
  bound = Upsert("UPSERT INTO T (F.B, K, NEW VARCHAR) VALUES (1, 2, 'x')");
  EXPECT_THAT(Columns(bound->target), ElementsAre("B", "K", "NEW"));
  EXPECT_TRUE(bound->target.named);
  bound = Upsert("UPSERT INTO T (K) SELECT K FROM T");
  EXPECT_THAT(Columns(bound->target), ElementsAre("K"));
  EXPECT_NE(bound->select, nullptr);
  EXPECT_THAT(bound->values, IsEmpty());
}

// Constants are encoded at once, parameters know their columns, all else waits for the run; a row
// with a sequence ends a group, so that the next row gets a value of its own.
TEST_F(ChangeBinderTest, Values) {
  const auto bound = Upsert(
      "UPSERT INTO T (K, A, B) VALUES (?, 'a', 1 + ?), (NEXT VALUE FOR S, ?, 5), (7, NULL, 2 * 3)");
  ASSERT_TRUE(bound.ok()) << bound.status().ToString();
  std::vector<Kind> kinds;
  for (const BoundValue& value : bound->values) kinds.push_back(value.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::kParameter, Kind::kConstant, Kind::kComputed,
                                 Kind::kComputed, Kind::kParameter, Kind::kConstant,
                                 Kind::kConstant, Kind::kConstant, Kind::kComputed));
  EXPECT_THAT(bound->parameter_values, ElementsAre(0, -1, 1));
  EXPECT_THAT(bound->constants, ElementsAre("a", std::string("\x80\0\0\0\0\0\0\5", 8),
                                            std::string("\x80\0\0\7", 4), ""));
  ASSERT_EQ(bound->computed.size(), 2u);
  ASSERT_EQ(bound->computed[0].size(), 2u);
  EXPECT_FALSE(bound->computed[0][0].beside_sequence);
  EXPECT_TRUE(bound->computed[0][1].beside_sequence);
  EXPECT_EQ(parse::ToText(*bound->computed[1][0].expr), "(2 * 3)");
  EXPECT_EQ(bound->computed[1][0].value, 2u);
  EXPECT_EQ(bound->values.back().index, 2u);
}

TEST_F(ChangeBinderTest, OnDuplicateKey) {
  const auto bound =
      Upsert("UPSERT INTO T (K) VALUES (1) ON DUPLICATE KEY UPDATE F.B = B + 1, A = 'x'");
  ASSERT_TRUE(bound.ok()) << bound.status().ToString();
  EXPECT_EQ(bound->on_duplicate, parse::OnDuplicateKey::kUpdate);
  ASSERT_EQ(bound->assignments.size(), 2u);
  EXPECT_EQ(bound->target.table->columns[bound->assignments[0].column].name, "B");
  EXPECT_EQ(parse::ToText(*bound->assignments[1].value), "'x'");
}

// The first error of the text, at its place.
TEST_F(ChangeBinderTest, Errors) {
  const auto error = [&](std::string_view sql) { return ErrorOf(Upsert(sql).status()); };
  EXPECT_EQ(error("UPSERT INTO NOPE VALUES (1)"), "1012@12");
  EXPECT_EQ(error("UPSERT INTO T (K, NOPE) VALUES (1, 2)"), "504@18");
  EXPECT_EQ(error("UPSERT INTO T (K, A) VALUES (1)"), "1020@29");
  EXPECT_EQ(error("UPSERT INTO T (K, A) VALUES (1, 'long'), (A, 1)"), "206@32");
  EXPECT_EQ(error("UPSERT INTO T (K, A) VALUES (A, 'long')"), "204@29");
  EXPECT_EQ(error("UPSERT INTO T (K, C) VALUES (1, 2)"), "203@32");
  EXPECT_EQ(error("UPSERT INTO T (K, A, A) SELECT K, A, A FROM T"), "514@12");
  EXPECT_EQ(error("UPSERT INTO T (K) VALUES (1) ON DUPLICATE KEY UPDATE K = 2"), "1218@53");
  EXPECT_EQ(error("UPSERT INTO T (K) VALUES (1) ON DUPLICATE KEY UPDATE A = '', A = 'b'"),
            "1221@61");
  EXPECT_EQ(ErrorOf(Delete("DELETE FROM NOPE").status()), "1012@12");
  context_.as_of = 1;
  EXPECT_EQ(error("UPSERT INTO T (K) VALUES (1)"), "1012@12");
}

// Whole keys are known from the text, also when their values are parameters.
TEST_F(ChangeBinderTest, Deletes) {
  EXPECT_TRUE(Delete("DELETE FROM T WHERE K IN (1, ?)")->points.has_value());
  EXPECT_FALSE(Delete("DELETE FROM T WHERE K > 1")->points.has_value());
  EXPECT_FALSE(Delete("DELETE FROM T WHERE K = 1 AND A = 'a'")->points.has_value());
  EXPECT_FALSE(Delete("DELETE FROM T WHERE K IN (1, 2) LIMIT 1")->points.has_value());
  EXPECT_FALSE(Delete("DELETE FROM T")->points.has_value());
}

}  // namespace
}  // namespace bennu::sql::bind
