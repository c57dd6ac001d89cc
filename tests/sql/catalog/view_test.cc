#include "src/sql/catalog/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/parse/literal.h"
#include "src/sql/parse/parser.h"
#include "src/sql/types/sql_errors.h"
#include "tests/support/memory_store.h"

namespace bennu::sql::catalog {
namespace {

using ::testing::ElementsAre;

class ViewTest : public ::testing::Test {
 protected:
  ViewTest() : catalog_(Catalog::Open(&store_).value()) {
    context_.evaluate = [](const parse::Expr& expr) -> Result<Value> {
      if (expr.kind != parse::ExprKind::kLiteral) return MakeSqlError(504, "");
      return parse::LiteralValue(expr);
    };
    catalog_->set_constant_evaluator(context_.evaluate);
    Ok("CREATE TABLE B (T CHAR(2) NOT NULL, ID INTEGER NOT NULL, F.A VARCHAR, N INTEGER, "
       "D DATE, CONSTRAINT PK PRIMARY KEY (T, ID))");
  }

  Status Run(std::string_view sql) {
    ASSIGN_OR_RETURN(parse::Statement statement, parse::ParseStatement(sql));
    if (const auto* create = std::get_if<parse::CreateTable>(&statement.node)) {
      return catalog_->CreateTable(*create, context_);
    }
    if (const auto* view = std::get_if<parse::CreateView>(&statement.node)) {
      return catalog_->CreateView(*view, context_);
    }
    if (const auto* alter = std::get_if<parse::AlterTable>(&statement.node)) {
      return catalog_->AlterTable(*alter, context_);
    }
    std::vector<std::shared_ptr<const TableMeta>> left;
    return catalog_->DropTable(std::get<parse::Drop>(statement.node), context_, &left);
  }
  void Ok(std::string_view sql) {
    const Status status = Run(sql);
    ASSERT_TRUE(status.ok()) << sql << ": " << status.ToString();
  }
  TableMeta TableOf(std::string_view name, const std::string& tenant = "") {
    const auto table = catalog_->GetTable("", name, -1, kLatestTimestamp, tenant);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? **table : TableMeta();
  }
  std::string StatementOf(std::string_view condition) {
    Ok("CREATE VIEW V AS SELECT * FROM B WHERE " + std::string(condition));
    const std::string statement = TableOf("V").view_statement;
    Ok("DROP VIEW V");
    return statement;
  }
  std::vector<std::string> RowsOf(std::string_view system_table) {
    const auto table = *store_.OpenTable(SystemTable(system_table)->physical);
    std::vector<std::string> rows;
    EXPECT_TRUE(ForEachRow(table.get(), Scan(), [&](const CatalogRow& row) {
                  std::string key(row.key);
                  std::replace(key.begin(), key.end(), '\0', '.');
                  rows.push_back(key);
                  return Status::Ok();
                }).ok());
    return rows;
  }

  // The views over the table stay in the catalog, for a task.
  void DropAsPhoenixDoes(const std::string& name) {
    ASSERT_TRUE(store_.admin()->DropTable(TableOf(name).physical).ok());
    const auto table = *store_.OpenTable(SystemTable(kCatalogName)->physical);
    Scan scan;
    scan.range = RowsOfTable(TableKey{"", "", name});
    MutationBatch batch;
    ASSERT_TRUE(ForEachRow(table.get(), scan, [&](const CatalogRow& row) {
                  int64_t newest = 0;
                  for (size_t i = 0; i < row.cell_count; ++i) {
                    newest = std::max(newest, row.cells[i].timestamp());
                  }
                  batch.StartRow(row.key);
                  batch.DeleteFamily(kCatalogFamily, newest);
                  return Status::Ok();
                }).ok());
    ASSERT_TRUE(table->Write(&batch).ok());
    // Each definition so far has had a millisecond, and a new catalog begins with that of the
    // clock.
    Env::Default()->SleepMicros(50'000);
    catalog_ = Catalog::Open(&store_).value();
    catalog_->set_constant_evaluator(context_.evaluate);
  }

  testing::MemoryStore store_;
  std::unique_ptr<Catalog> catalog_;
  DdlContext context_;
};

// As Phoenix prints its trees (toSQL of its parse nodes).
TEST_F(ViewTest, StatementText) {
  const std::string from = "SELECT * FROM \"B\" WHERE ";
  EXPECT_EQ(StatementOf("t = 'x' and n = 7"), from + "(T = 'x' AND N = 7)");
  EXPECT_EQ(StatementOf("15 < n"), from + "N > 15");
  EXPECT_EQ(StatementOf("((n) = 3)"), from + "N = 3");
  EXPECT_EQ(StatementOf("n BETWEEN 1 AND 5"), from + "(N >= 1 AND N <= 5)");
  EXPECT_EQ(StatementOf("a IN ('x', 'it''s')"), from + "F.A IN('x','it''s')");
  EXPECT_EQ(StatementOf("n IS NOT NULL"), from + "N IS NOT NULL ");
  EXPECT_EQ(StatementOf("UPPER(f.a) LIKE 'X%'"), from + " UPPER(F.A) LIKE 'X%'");
  EXPECT_EQ(StatementOf("n = -5"), from + "N = (5 * -1)");
  EXPECT_EQ(StatementOf("d > DATE '2020-01-02'"), from + "D > DATE '2020-01-02 00:00:00.000'");
}

TEST_F(ViewTest, WhatIsUpdatable) {
  const auto type_of = [&](std::string_view condition) {
    Ok("CREATE VIEW V AS SELECT * FROM B WHERE " + std::string(condition));
    const ViewType type = TableOf("V").view_type;
    Ok("DROP VIEW V");
    return type;
  };
  EXPECT_EQ(type_of("T = 'x'"), ViewType::kUpdatable);
  EXPECT_EQ(type_of("T = 'x' AND A = 'y' AND N IS NULL"), ViewType::kUpdatable);
  EXPECT_EQ(type_of("T IN ('x')"), ViewType::kUpdatable);
  EXPECT_EQ(type_of("(T, ID) = ('x', 1)"), ViewType::kUpdatable);
  EXPECT_EQ(type_of("T > 'x'"), ViewType::kReadOnly);
  EXPECT_EQ(type_of("T = 'x' OR N = 1"), ViewType::kReadOnly);
  EXPECT_EQ(type_of("N = ID"), ViewType::kReadOnly);
  Ok("ALTER TABLE B ADD E INTEGER DEFAULT 4");
  EXPECT_EQ(type_of("E = 4"), ViewType::kReadOnly);
}

TEST_F(ViewTest, ConstantsAreKeptAsStored) {
  Ok("CREATE VIEW V AS SELECT * FROM B WHERE T = 'x' AND N = 7");
  const TableMeta view = TableOf("V");
  EXPECT_EQ(view.columns[0].view_constant, "x ");
  EXPECT_EQ(HexEncode(view.columns[3].view_constant), "80000007");
  EXPECT_EQ(view.row_key_matcher, "x ");
  EXPECT_TRUE(view.columns[3].view_referenced);
  EXPECT_FALSE(view.columns[2].view_referenced);
}

// Qualifiers come from the table below, which must tell others that it has changed.
TEST_F(ViewTest, QualifiersOfNewColumns) {
  const TableMeta before = TableOf("B");
  Ok("CREATE VIEW V (X INTEGER) AS SELECT * FROM B WHERE T = 'x'");
  Ok("CREATE VIEW W (Y INTEGER) AS SELECT * FROM V WHERE X = 1");
  const TableMeta after = TableOf("B");
  EXPECT_EQ(after.counters.at("0"), before.counters.at("0") + 2);
  EXPECT_EQ(after.sequence_number, before.sequence_number + 2);
  const TableMeta view = TableOf("W");
  EXPECT_EQ(view.columns.size(), 7u);
  EXPECT_EQ(view.columns[6].encoded_qualifier, before.counters.at("0") + 1);
  EXPECT_EQ(view.view_condition, "(T = 'x' AND X = 1)");
  EXPECT_THAT(RowsOf("CHILD_LINK"), ElementsAre("..B..V", "..V..W"));
}

TEST_F(ViewTest, WhatIsBelowStays) {
  Ok("CREATE VIEW V (X INTEGER) AS SELECT * FROM B WHERE T = 'x'");
  Ok("CREATE VIEW W AS SELECT * FROM V WHERE X = 1");
  EXPECT_TRUE(IsSqlError(Run("DROP TABLE B"), 1010));
  EXPECT_TRUE(IsSqlError(Run("DROP VIEW V"), 1010));
  EXPECT_TRUE(IsSqlError(Run("ALTER VIEW V DROP COLUMN X"), 1010));
  EXPECT_TRUE(IsSqlError(Run("ALTER TABLE B DROP COLUMN T"), 506));
  EXPECT_TRUE(IsSqlError(Run("ALTER TABLE B ADD X VARCHAR"), 1010));
  EXPECT_TRUE(IsSqlError(Run("ALTER TABLE W ADD Z VARCHAR"), 1012));
  Ok("ALTER VIEW W DROP COLUMN N");
  EXPECT_EQ(TableOf("W").IndexOf("0", "N"), -1);
  EXPECT_EQ(TableOf("W").base_column_count, kDivergedColumns);
  Ok("ALTER TABLE B ADD Z VARCHAR");
  EXPECT_GE(TableOf("V").IndexOf("0", "Z"), 0);
  EXPECT_EQ(TableOf("W").IndexOf("0", "Z"), -1);
}

// The views over a table or view go with it: nothing of them stays, and there is nothing left to
// do.
TEST_F(ViewTest, CascadeLeavesNothing) {
  const std::vector<std::string> before = RowsOf("CATALOG");
  Ok("CREATE VIEW V (X INTEGER) AS SELECT * FROM B WHERE T = 'x'");
  Ok("CREATE VIEW V2 AS SELECT * FROM B WHERE T = 'y'");
  Ok("CREATE VIEW W (Y INTEGER) AS SELECT * FROM V WHERE N = 1");
  Ok("CREATE VIEW WW AS SELECT * FROM W WHERE Y = 2");
  Ok("DROP VIEW W CASCADE");
  EXPECT_TRUE(IsSqlError(catalog_->GetTable("", "WW").status(), 1012));
  EXPECT_THAT(RowsOf("CHILD_LINK"), ElementsAre("..B..V", "..B..V2"));
  Ok("CREATE VIEW WW AS SELECT * FROM V WHERE X = 2");
  Ok("DROP TABLE B CASCADE");
  for (const char* name : {"B", "V", "V2", "WW"}) {
    EXPECT_TRUE(IsSqlError(catalog_->GetTable("", name).status(), 1012)) << name;
  }
  EXPECT_TRUE(RowsOf("CHILD_LINK").empty());
  EXPECT_TRUE(RowsOf("TASK").empty());
  for (const std::string& row : RowsOf("CATALOG")) {
    EXPECT_THAT(before, ::testing::Contains(row));
  }
}

// Views that lost what they were made over, as Phoenix leaves them, do not come back with a new
// table of its name.
TEST_F(ViewTest, OrphansAreSwept) {
  Ok("CREATE VIEW V AS SELECT * FROM B WHERE T = 'x'");
  Ok("CREATE VIEW W AS SELECT * FROM V WHERE N = 1");
  DropAsPhoenixDoes("B");
  EXPECT_TRUE(IsSqlError(catalog_->GetTable("", "W").status(), 1012));
  EXPECT_EQ(RowsOf("CHILD_LINK").size(), 2u);
  Ok("CREATE TABLE B (T CHAR(2) NOT NULL PRIMARY KEY, N INTEGER)");
  EXPECT_TRUE(IsSqlError(catalog_->GetTable("", "V").status(), 1012));
  EXPECT_TRUE(IsSqlError(catalog_->GetTable("", "W").status(), 1012));
  EXPECT_TRUE(RowsOf("CHILD_LINK").empty());
  Ok("DROP TABLE B");
}

TEST_F(ViewTest, Refusals) {
  const auto code = [&](std::string_view sql, int expected) {
    const Status status = Run(sql);
    EXPECT_TRUE(IsSqlError(status, expected)) << sql << ": " << status.ToString();
  };
  code("CREATE VIEW V AS SELECT * FROM B WHERE 1 = 1", 1045);
  code("CREATE VIEW V AS SELECT * FROM B WHERE NOPE = 1", 504);
  code("CREATE VIEW V AS SELECT * FROM NOPE", 1012);
  code("CREATE VIEW V AS SELECT * FROM SYSTEM.CATALOG", 1141);
  code("CREATE VIEW V (N VARCHAR) AS SELECT * FROM B", 514);
  code("CREATE VIEW V (X VARCHAR NOT NULL) AS SELECT * FROM B", 1007);
  code("CREATE VIEW V (X DATE PRIMARY KEY ROW_TIMESTAMP) AS SELECT * FROM B", 531);
  code("CREATE VIEW V AS SELECT * FROM B DEFAULT_COLUMN_FAMILY='Q'", 1069);
  code("CREATE VIEW V AS SELECT * FROM B TTL=100", 10961);
  code("CREATE VIEW B AS SELECT * FROM B", 1013);
  code("CREATE VIEW NOT_THERE (K VARCHAR PRIMARY KEY)", 1012);
  Ok("CREATE TABLE S (K VARCHAR NOT NULL PRIMARY KEY, N INTEGER)");
  code("CREATE VIEW V (X VARCHAR PRIMARY KEY) AS SELECT * FROM S", 1036);
  code("DROP VIEW S", 1012);
}

// A view of HBase's own table has its columns by name and is read only.
TEST_F(ViewTest, OverAnHBaseTable) {
  TableDescriptor descriptor;
  descriptor.name.qualifier = "plain";
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  ASSERT_TRUE(store_.admin()->CreateTable(descriptor, {}).ok());
  EXPECT_TRUE(IsSqlError(Run("CREATE VIEW \"plain\" (\"f\".\"q\" VARCHAR)"), 509));
  EXPECT_TRUE(
      IsSqlError(Run("CREATE VIEW \"plain\" (K VARCHAR PRIMARY KEY, \"g\".\"q\" VARCHAR)"), 505));
  Ok("CREATE VIEW \"plain\" (K VARCHAR PRIMARY KEY, \"f\".\"q\" VARCHAR)");
  const TableMeta view = TableOf("plain");
  EXPECT_EQ(view.view_type, ViewType::kMapped);
  EXPECT_EQ(view.columns[1].qualifier, "q");
  Ok("DROP VIEW \"plain\"");
  EXPECT_TRUE(*store_.admin()->TableExists(descriptor.name));
}

TEST_F(ViewTest, Tenants) {
  Ok("CREATE TABLE M (TID CHAR(4) NOT NULL, ID INTEGER NOT NULL, V VARCHAR CONSTRAINT PK PRIMARY "
     "KEY (TID, ID)) MULTI_TENANT=true");
  Ok("CREATE TABLE I (TID INTEGER NOT NULL, ID INTEGER NOT NULL CONSTRAINT PK PRIMARY KEY (TID, "
     "ID)) MULTI_TENANT=true");
  const TableMeta seen = TableOf("M", "t1");
  EXPECT_TRUE(seen.columns[0].hidden);
  EXPECT_EQ(seen.columns[0].view_constant, "t1  ");
  EXPECT_TRUE(seen.is_restricted());
  EXPECT_FALSE(TableOf("M").is_restricted());
  EXPECT_FALSE(TableOf("B", "t1").is_restricted());
  EXPECT_TRUE(IsSqlError(catalog_->GetTable("", "I", -1, kLatestTimestamp, "t1").status(), 1041));
  EXPECT_EQ(HexEncode(TableOf("I", "7").columns[0].view_constant), "80000007");

  context_.tenant = "t1";
  EXPECT_TRUE(IsSqlError(Run("CREATE TABLE N (K INTEGER PRIMARY KEY)"), 1030));
  Ok("CREATE VIEW W AS SELECT * FROM M WHERE ID = 5");
  EXPECT_EQ(TableOf("W", "t1").tenant, "t1");
  EXPECT_TRUE(IsSqlError(catalog_->GetTable("", "W").status(), 1012));
  EXPECT_TRUE(IsSqlError(catalog_->GetTable("", "W", -1, kLatestTimestamp, "t2").status(), 1012));
  EXPECT_TRUE(IsSqlError(Run("DROP TABLE M"), 1012));
  EXPECT_THAT(RowsOf("CHILD_LINK"), ElementsAre("..M.t1.W"));
  context_.tenant.clear();
  EXPECT_TRUE(IsSqlError(Run("DROP TABLE M"), 1010));
}

}  // namespace
}  // namespace bennu::sql::catalog
