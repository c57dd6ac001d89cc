// How UPSERT and DELETE get at their rows, and where the change stands in the tree.
#include "src/sql/plan/write_planner.h"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>

#include "src/sql/bind/select_binder.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/parse/parser.h"
#include "src/sql/plan/planner.h"
#include "tests/support/memory_store.h"

namespace bennu::sql::plan {
namespace {

class WritePlannerTest : public ::testing::Test {
 protected:
  WritePlannerTest() : catalog_(catalog::Catalog::Open(&store_).value()) {
    context_.catalog = catalog_.get();
    const parse::Statement create =
        parse::ParseStatement("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR)").value();
    EXPECT_TRUE(
        catalog_->CreateTable(std::get<parse::CreateTable>(create.node), catalog::DdlContext{})
            .ok());
  }

  const parse::Delete& ParseDelete(std::string_view sql) {
    statement_ = parse::ParseStatement(sql).value();
    return std::get<parse::Delete>(statement_.node);
  }
  WriteWay WayOfDelete(std::string_view sql) {
    return PlanDelete(bind::BindDelete(ParseDelete(sql), context_).value()).way;
  }
  WriteWay WayOfUpsert(std::string_view sql) {
    statement_ = parse::ParseStatement(sql).value();
    const auto& upsert = std::get<parse::Upsert>(statement_.node);
    return PlanUpsert(bind::BindUpsert(upsert, context_, statement_.bind_count).value()).way;
  }
  // The tree of a SELECT whose rows 'write' is about.
  std::shared_ptr<const Plan> PlanFor(const parse::Select& select, const WriteSpec* write) {
    bind::Parameters parameters;
    std::vector<bind::Subquery> subqueries;
    bind::BindContext context = context_;
    context.subqueries = &subqueries;
    auto bound = bind::BindQuery(select, context, &parameters).value();
    return MakePlan(std::move(bound), std::move(subqueries), {&store_, 0}, write).value();
  }

  testing::MemoryStore store_;
  std::unique_ptr<catalog::Catalog> catalog_;
  bind::BindContext context_;
  parse::Statement statement_;
};

// Which nodes stand at the top, from the outermost on.
class TopOfTree : public DefaultVisitor {
 public:
  explicit TopOfTree(const Plan& plan) { EXPECT_TRUE(plan.root->Accept(this).ok()); }

  Status Visit(const WriteNode& node) override {
    write = &node;
    return node.child->Accept(this);
  }
  Status Visit(const PointLookupNode& /*node*/) override {
    is_point_lookup = true;
    return Status::Ok();
  }

  const WriteNode* write = nullptr;
  bool is_point_lookup = false;
};

// Nothing is read where the statement itself says which rows are meant.
TEST_F(WritePlannerTest, WhatNamesItsRowsReadsNone) {
  EXPECT_EQ(WayOfUpsert("UPSERT INTO T VALUES (1, 'x')"), WriteWay::kValues);
  EXPECT_EQ(WayOfUpsert("UPSERT INTO T VALUES (?, ?)"), WriteWay::kValues);
  EXPECT_EQ(WayOfDelete("DELETE FROM T WHERE K = ?"), WriteWay::kNamedKeys);
  EXPECT_EQ(WayOfDelete("DELETE FROM T WHERE K IN (1, 2, 3)"), WriteWay::kNamedKeys);
  for (const WriteWay way : {WriteWay::kValues, WriteWay::kNamedKeys}) {
    EXPECT_FALSE(ReadsRows(way));
  }
}

TEST_F(WritePlannerTest, OtherRowsComeFromAQuery) {
  EXPECT_EQ(WayOfUpsert("UPSERT INTO T SELECT K + 1, V FROM T"), WriteWay::kQueryRows);
  EXPECT_EQ(WayOfDelete("DELETE FROM T"), WriteWay::kFoundKeys);
  EXPECT_EQ(WayOfDelete("DELETE FROM T WHERE K > 1"), WriteWay::kFoundKeys);
  EXPECT_EQ(WayOfDelete("DELETE FROM T WHERE K = 1 AND V = 'x'"), WriteWay::kFoundKeys);
  for (const WriteWay way : {WriteWay::kQueryRows, WriteWay::kFoundKeys, WriteWay::kFirstKeys}) {
    EXPECT_TRUE(ReadsRows(way));
  }
}

// LIMIT is decided with the rows at hand, even of named keys, of which some may not be there.
TEST_F(WritePlannerTest, FirstRowsAreFoundInOrder) {
  EXPECT_EQ(WayOfDelete("DELETE FROM T LIMIT 5"), WriteWay::kFirstKeys);
  EXPECT_EQ(WayOfDelete("DELETE FROM T WHERE K > 1 ORDER BY V"), WriteWay::kFirstKeys);
  EXPECT_EQ(WayOfDelete("DELETE FROM T WHERE K IN (1, 2) LIMIT 1"), WriteWay::kFirstKeys);
}

// Constants that turn out to be no keys: the same statement planned without them reads.
TEST_F(WritePlannerTest, WithoutPointsItReads) {
  bind::BoundDelete bound =
      bind::BindDelete(ParseDelete("DELETE FROM T WHERE K = ?"), context_).value();
  ASSERT_TRUE(bound.points.has_value());
  bound.points.reset();
  EXPECT_EQ(PlanDelete(std::move(bound)).way, WriteWay::kFoundKeys);
}

// The change is the top of the tree, and what is below it may still be a short read.
TEST_F(WritePlannerTest, ChangeStandsAboveItsQuery) {
  const parse::Delete& statement = ParseDelete("DELETE FROM T WHERE V = 'x'");
  const WriteSpec spec = PlanDelete(bind::BindDelete(statement, context_).value());
  const auto keys = PlanFor(bind::SelectKeys(statement), &spec);
  const TopOfTree found(*keys);
  ASSERT_NE(found.write, nullptr);
  EXPECT_EQ(found.write->spec.way, WriteWay::kFoundKeys);
  EXPECT_EQ(found.write->spec.table->name, "T");
  EXPECT_FALSE(found.is_point_lookup);

  const parse::Statement select = parse::ParseStatement("SELECT V FROM T WHERE K = ?").value();
  const auto& query = std::get<parse::Select>(select.node);
  const auto copied = PlanFor(query, &spec);
  EXPECT_NE(TopOfTree(*copied).write, nullptr);
  EXPECT_TRUE(TopOfTree(*copied).is_point_lookup);
  const auto read = PlanFor(query, nullptr);
  EXPECT_EQ(TopOfTree(*read).write, nullptr);
}

}  // namespace
}  // namespace bennu::sql::plan
