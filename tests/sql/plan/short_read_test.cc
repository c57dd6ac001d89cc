// Which queries are short reads, of tables and of indexes whose rows are looked up in their tables.
#include "src/sql/plan/short_read.h"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "src/sql/bind/select_binder.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/parse/parser.h"
#include "src/sql/plan/index_chooser.h"
#include "src/sql/plan/planner.h"
#include "src/sql/session/index_statements.h"
#include "tests/support/memory_store.h"

namespace bennu::sql::plan {
namespace {

// What stands at the top of a tree; nothing: no short read.
class TopNode : public DefaultVisitor {
 public:
  Status Visit(const PointLookupNode& node) override {
    point = &node;
    return Status::Ok();
  }
  Status Visit(const KeyRangeNode& node) override {
    range = &node;
    return Status::Ok();
  }

  const PointLookupNode* point = nullptr;
  const KeyRangeNode* range = nullptr;
};

class ShortReadTest : public ::testing::Test {
 protected:
  ShortReadTest() : catalog_(catalog::Catalog::Open(&store_).value()) {
    session::SetIndexBinding(&ddl_);
    const parse::Statement create =
        parse::ParseStatement(
            "CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, N BIGINT, V VARCHAR, W VARCHAR)")
            .value();
    EXPECT_TRUE(catalog_->CreateTable(std::get<parse::CreateTable>(create.node), ddl_).ok());
    Index("CREATE UNCOVERED INDEX T_N ON T (N, V)");
    Index("CREATE INDEX T_V ON T (V)");
  }

  void Index(std::string_view sql) {
    const parse::Statement statement = parse::ParseStatement(sql).value();
    const auto made =
        catalog_->CreateIndex(std::get<parse::CreateIndex>(statement.node), ddl_).value();
    EXPECT_TRUE(catalog_->SetIndexState(*made, catalog::IndexState::kActive, ddl_).ok());
  }

  // The tree stays until the next call.
  TopNode Top(std::string_view sql) {
    const parse::Statement statement = parse::ParseStatement(sql).value();
    IndexChooser chooser(catalog_.get(), nullptr);
    bind::Parameters parameters;
    std::vector<bind::Subquery> subqueries;
    bind::BindContext context;
    context.catalog = catalog_.get();
    context.chooser = &chooser;
    context.subqueries = &subqueries;
    auto bound =
        bind::BindQuery(std::get<parse::Select>(statement.node), context, &parameters).value();
    plan_ = MakePlan(std::move(bound), std::move(subqueries), {&store_, 0}, nullptr).value();
    TopNode top;
    EXPECT_TRUE(plan_->root->Accept(&top).ok());
    return top;
  }

  testing::MemoryStore store_;
  std::unique_ptr<catalog::Catalog> catalog_;
  catalog::DdlContext ddl_;
  std::shared_ptr<const Plan> plan_;
};

TEST_F(ShortReadTest, OfTheTable) {
  ASSERT_NE(Top("SELECT W FROM T WHERE K = ?").point, nullptr);
  ASSERT_NE(Top("SELECT W FROM T WHERE K > ? LIMIT 5").range, nullptr);
  EXPECT_FALSE(Top("SELECT W FROM T WHERE K > ?").range->scan->merges());
  EXPECT_EQ(Top("SELECT COUNT(*) FROM T WHERE K > ?").range, nullptr);
}

TEST_F(ShortReadTest, OfAnIndexThatHasAllColumns) {
  const KeyRangeNode* const range = Top("SELECT K FROM T WHERE V = ?").range;
  ASSERT_NE(range, nullptr);
  EXPECT_EQ(range->scan->table->name, "T_V");
  EXPECT_FALSE(range->scan->merges());
}

TEST_F(ShortReadTest, OfIndexesThatLeadToTheTable) {
  for (const std::string_view sql :
       {"SELECT W FROM T WHERE N = ?", "SELECT W, K FROM T WHERE N = ? AND V > 'a' AND V <= ?",
        "SELECT K FROM T WHERE N = ? ORDER BY V LIMIT ?",
        "SELECT /*+ INDEX(T T_V) */ W FROM T WHERE V = ?"}) {
    const KeyRangeNode* const range = Top(sql).range;
    ASSERT_NE(range, nullptr) << sql;
    EXPECT_TRUE(range->scan->merges()) << sql;
    EXPECT_EQ(range->filter, nullptr) << sql;
    EXPECT_EQ(range->index_filter, nullptr) << sql;
  }
}

// What needs only the index is checked before rows are looked up.
TEST_F(ShortReadTest, ConditionsBeforeAndBehindTheLookUp) {
  const KeyRangeNode* const range =
      Top("SELECT W FROM T WHERE N = ? AND LENGTH(V) > 2 AND W < ?").range;
  ASSERT_NE(range, nullptr);
  ASSERT_NE(range->index_filter, nullptr);
  EXPECT_EQ(ToText(*range->index_filter), "LENGTH(\"V\") > 2");
  ASSERT_NE(range->filter, nullptr);
  EXPECT_EQ(ToText(*range->filter), "W < ?");
}

TEST_F(ShortReadTest, MoreThanThatIsNone) {
  for (const std::string_view sql :
       {"SELECT W FROM T WHERE N = ? LIMIT 3 OFFSET 1", "SELECT MAX(W) FROM T WHERE N = ?",
        "SELECT W FROM T WHERE N = ? ORDER BY W", "SELECT W FROM T WHERE N IN (1, 2)",
        "SELECT DISTINCT W FROM T WHERE N = ?", "SELECT W FROM T WHERE N > ?"}) {
    const TopNode top = Top(sql);
    EXPECT_EQ(top.range, nullptr) << sql;
    EXPECT_EQ(top.point, nullptr) << sql;
  }
}

}  // namespace
}  // namespace bennu::sql::plan
