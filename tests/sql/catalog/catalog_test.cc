#include "src/sql/catalog/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class CatalogTest : public ::testing::Test {
 protected:
  CatalogTest() : catalog_(Catalog::Open(&store_).value()) {
    context_.evaluate = [](const parse::Expr& expr) { return parse::LiteralValue(expr); };
  }

  Status Run(std::string_view sql) {
    ASSIGN_OR_RETURN(const parse::Statement statement, parse::ParseStatement(sql));
    if (const auto* create = std::get_if<parse::CreateTable>(&statement.node)) {
      return catalog_->CreateTable(*create, context_);
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
  TableMeta TableOf(std::string_view schema, std::string_view name) {
    const auto table = catalog_->GetTable(schema, name);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? **table : TableMeta();
  }
  // "row key with '.' for zero bytes/qualifier=value in hex" of the rows of one table.
  std::vector<std::string> RowsOf(std::string_view schema, std::string_view name) {
    const auto table = *store_.OpenTable(SystemTable("CATALOG")->physical);
    Scan scan;
    scan.range = RowsOfTable({"", std::string(schema), std::string(name)});
    const auto scanner = table->OpenScanner(scan).value();
    CellBatch batch;
    EXPECT_TRUE(scanner->Next(1000, &batch).ok());
    std::vector<std::string> found;
    for (const Cell& cell : batch.cells) {
      std::string row(cell.row());
      std::replace(row.begin(), row.end(), '\0', '.');
      found.push_back(row + "/" + std::string(cell.qualifier()) + "=" +
                      HexEncode(cell.value_view()));
    }
    return found;
  }

  testing::MemoryStore store_;
  std::unique_ptr<Catalog> catalog_;
  DdlContext context_;
};

// Looking at a store writes nothing to it.
TEST_F(CatalogTest, ReadingAnEmptyStore) {
  EXPECT_TRUE(IsSqlError(catalog_->GetTable("", "T").status(), 1012));
  EXPECT_TRUE(catalog_->ListTables()->empty());
  EXPECT_TRUE(store_.ListTables()->empty());
}

// The SYSTEM tables appear with the first definition, described at the version's timestamp.
TEST_F(CatalogTest, SystemTables) {
  Ok("CREATE TABLE T (K INTEGER PRIMARY KEY)");
  std::vector<std::string> names;
  const auto tables = store_.ListTables();
  for (const TableName& name : *tables) names.push_back(name.qualifier);
  EXPECT_THAT(names,
              ElementsAre("SYSTEM.CATALOG", "SYSTEM.CHILD_LINK", "SYSTEM.FUNCTION", "SYSTEM.LOG",
                          "SYSTEM.MUTEX", "SYSTEM.SEQUENCE", "SYSTEM.STATS", "SYSTEM.TASK", "T"));
  const auto catalog = *store_.OpenTable(TableName{"default", "SYSTEM.CATALOG"});
  Get get;
  get.row = std::string("\0SYSTEM\0CATALOG", 15);
  const auto row = catalog->GetRow(get);
  ASSERT_TRUE(row.ok());
  const Cell* type = row->Find("0", "TABLE_TYPE");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->value_view(), "s");
  EXPECT_EQ(type->timestamp(), 44);
  EXPECT_EQ(SystemTable("CATALOG")->columns[5].name, "TABLE_SEQ_NUM");
  EXPECT_EQ(SystemTable("CATALOG")->columns.size(), 78u);
  EXPECT_EQ((*catalog_->GetTable("SYSTEM", "SEQUENCE"))->key_columns.size(), 3u);
  // As Phoenix's QueryConstants say.
  const auto policy = [&](const std::string& name) {
    const auto table = *store_.OpenTable(TableName{"default", "SYSTEM." + name});
    return table->descriptor().attributes["SPLIT_POLICY"];
  };
  EXPECT_EQ(policy("CATALOG"), "org.apache.phoenix.schema.MetaDataSplitPolicy");
  EXPECT_EQ(policy("STATS"), "org.apache.phoenix.schema.SystemStatsSplitPolicy");
  EXPECT_EQ(policy("FUNCTION"), "org.apache.phoenix.schema.SystemFunctionSplitPolicy");
  EXPECT_EQ(policy("TASK"), "org.apache.phoenix.schema.SystemTaskSplitPolicy");
  EXPECT_EQ(policy("SEQUENCE"), "");
}

// Rows and cells of phoenix-storage.md section 3.1.
TEST_F(CatalogTest, RowsOfATable) {
  Ok("CREATE TABLE S.T (K VARCHAR NOT NULL, N INTEGER NOT NULL, F.V DECIMAL(9,4), "
     "CONSTRAINT PK PRIMARY KEY (K, N DESC))");
  const auto rows = RowsOf("S", "T");
  EXPECT_THAT(rows, Contains(".S.T/TABLE_TYPE=75"));
  EXPECT_THAT(rows, Contains(".S.T/TABLE_SEQ_NUM=8000000000000000"));
  EXPECT_THAT(rows, Contains(".S.T/COLUMN_COUNT=80000003"));
  EXPECT_THAT(rows, Contains(".S.T/BASE_COLUMN_COUNT=7fffffff"));
  EXPECT_THAT(rows, Contains(".S.T/ENCODING_SCHEME=82"));
  EXPECT_THAT(rows, Contains(".S.T/IMMUTABLE_STORAGE_SCHEME=81"));
  EXPECT_THAT(rows, Contains(".S.T/ROW_KEY_ORDER_OPTIMIZABLE=01"));
  EXPECT_THAT(rows, Contains(".S.T/IS_NAMESPACE_MAPPED=00"));
  EXPECT_THAT(rows, Contains(".S.T/_0=78"));
  EXPECT_THAT(rows, Contains(".S.T.K/KEY_SEQ=8001"));
  EXPECT_THAT(rows, Contains(".S.T.N/SORT_ORDER=80000001"));
  EXPECT_THAT(rows, Contains(".S.T.V.F/COLUMN_QUALIFIER=800b"));
  EXPECT_THAT(rows, Contains(".S.T.V.F/COLUMN_SIZE=80000009"));
  EXPECT_THAT(rows, Contains(".S.T..0/QUALIFIER_COUNTER=8000000c"));
  EXPECT_THAT(rows, Not(Contains(HasSubstr("SALT_BUCKETS"))));
}

// Another catalog over the same store, as after a restart, reads what this one wrote.
TEST_F(CatalogTest, ReadsBack) {
  Ok("CREATE TABLE T (A VARCHAR(7) NOT NULL, B CHAR(3) NOT NULL, C DECIMAL(9,4) NOT NULL, "
     "D VARBINARY_ENCODED, E BIGINT DEFAULT 5, F.G VARCHAR(3) ARRAY, F.H DECIMAL(4,1) ARRAY[9], "
     "\"j\" BINARY(6), CONSTRAINT MY_PK PRIMARY KEY (A DESC, B, C DESC, D)) IMMUTABLE_ROWS=true, "
     "SALT_BUCKETS=2, DEFAULT_COLUMN_FAMILY='D', UPDATE_CACHE_FREQUENCY=900, STORE_NULLS=true, "
     "TTL=1000");
  catalog_ = Catalog::Open(&store_).value();
  const TableMeta table = TableOf("", "T");
  EXPECT_EQ(table.pk_name, "MY_PK");
  EXPECT_EQ(table.salt_buckets, 2);
  EXPECT_EQ(table.default_family, "D");
  EXPECT_EQ(table.update_cache_frequency_ms, 900);
  EXPECT_EQ(table.ttl, "1000");
  EXPECT_TRUE(table.immutable_rows);
  EXPECT_TRUE(table.store_nulls);
  EXPECT_TRUE(table.single_cell());
  EXPECT_EQ(table.counters, (QualifierCounters{{"D", 13}, {"F", 13}}));
  EXPECT_EQ(table.key_columns.size(), 4u);
  EXPECT_EQ(table.key_schema.salt_buckets(), 2);
  ASSERT_EQ(table.columns.size(), 8u);
  EXPECT_EQ(table.columns[0].sort_order, SortOrder::kDesc);
  EXPECT_EQ(table.columns[0].type.max_length, 7);
  EXPECT_TRUE(table.columns[3].nullable);
  EXPECT_EQ(table.columns[4].default_text, "5");
  EXPECT_EQ(table.columns[6].array_size, 9);
  EXPECT_EQ(table.columns[6].type.scale, 1);
  EXPECT_EQ(table.columns[7].name, "j");
  EXPECT_EQ(HexEncode(table.columns[7].qualifier), "800c");
  EXPECT_EQ(TableMeta::ArrayElementIndex(table.columns[7]), 2);
}

// A CREATE right after a DROP, in the same millisecond or not, is not hidden by its markers; the
// data is gone.
TEST_F(CatalogTest, DropAndCreateAgain) {
  for (int round = 0; round < 20; ++round) {
    Ok("CREATE TABLE T (K VARCHAR PRIMARY KEY, V" + std::to_string(round) + " VARCHAR)");
    EXPECT_EQ(TableOf("", "T").columns[1].name, "V" + std::to_string(round));
    EXPECT_TRUE(IsSqlError(Run("CREATE TABLE T (K VARCHAR PRIMARY KEY)"), 1013));
    Ok("DROP TABLE T");
    EXPECT_TRUE(IsSqlError(catalog_->GetTable("", "T").status(), 1012));
    EXPECT_FALSE(*store_.TableExists(TableName{"default", "T"}));
  }
  EXPECT_TRUE(IsSqlError(Run("DROP TABLE T"), 1012));
  Ok("DROP TABLE IF EXISTS T");
  EXPECT_TRUE(IsSqlError(Run("DROP TABLE SYSTEM.CATALOG"), 1010));
}

// Names that begin alike are different tables.
TEST_F(CatalogTest, NamesThatBeginAlike) {
  Ok("CREATE TABLE A (K VARCHAR PRIMARY KEY)");
  Ok("CREATE TABLE AB (K VARCHAR PRIMARY KEY)");
  Ok("CREATE TABLE A.B (K VARCHAR PRIMARY KEY)");
  Ok("DROP TABLE A");
  EXPECT_EQ(TableOf("", "AB").name, "AB");
  EXPECT_EQ(TableOf("A", "B").physical.qualifier, "A.B");
  const auto listings = catalog_->ListTables();
  ASSERT_TRUE(listings.ok());
  EXPECT_EQ(listings->front().name, "AB");
  EXPECT_THAT(*catalog_->ListSchemas(), ElementsAre("", "A", "SYSTEM"));
}

// A definition is seen by everybody who asks after it, and old ones stay valid for those who hold
// them.
TEST_F(CatalogTest, Alter) {
  Ok("CREATE TABLE T (K VARCHAR PRIMARY KEY, A INTEGER, X.B INTEGER)");
  const auto before = *catalog_->GetTable("", "T");
  const uint64_t version = catalog_->version();
  Ok("ALTER TABLE T ADD C VARCHAR, Y.D DATE VERSIONS=3");
  EXPECT_GT(catalog_->version(), version);
  EXPECT_EQ(before->columns.size(), 3u);
  TableMeta table = TableOf("", "T");
  EXPECT_EQ(table.sequence_number, 1);
  EXPECT_EQ(HexEncode(table.columns[4].qualifier), "800e");
  const auto storage = *store_.OpenTable(table.physical);
  EXPECT_EQ(storage->descriptor().FindFamily("Y")->max_versions(), 3);
  EXPECT_EQ(storage->descriptor().FindFamily("X")->max_versions(), 1);

  Ok("ALTER TABLE T DROP COLUMN A");
  table = TableOf("", "T");
  EXPECT_EQ(table.sequence_number, 2);
  EXPECT_EQ(table.empty_family, "X");
  EXPECT_EQ(table.columns[1].ordinal, 2);
  Ok("ALTER TABLE T ADD A VARCHAR");
  EXPECT_EQ(HexEncode(TableOf("", "T").columns.back().qualifier), "800f");

  Ok("ALTER TABLE T ADD K2 VARCHAR PRIMARY KEY");
  EXPECT_EQ(TableOf("", "T").key_columns.size(), 2u);
  EXPECT_TRUE(IsSqlError(Run("ALTER TABLE T ADD K3 INTEGER NOT NULL PRIMARY KEY"), 1006));
  EXPECT_TRUE(IsSqlError(Run("ALTER TABLE T DROP COLUMN K"), 506));
  EXPECT_TRUE(IsSqlError(Run("ALTER TABLE T ADD C VARCHAR"), 514));
  EXPECT_TRUE(IsSqlError(Run("ALTER TABLE NOPE ADD C VARCHAR"), 1012));
  Ok("ALTER TABLE T SET TTL=77, STORE_NULLS=true");
  EXPECT_EQ(TableOf("", "T").ttl, "77");
  EXPECT_TRUE(TableOf("", "T").store_nulls);
  EXPECT_EQ(storage->descriptor().FindFamily("Y")->ttl_seconds(), 77);
  Ok("ALTER TABLE T SET TTL=NONE");
  EXPECT_EQ(TableOf("", "T").ttl, "");
}

// The data of a dropped column goes, that of the others stays.
TEST_F(CatalogTest, DropColumnErasesItsData) {
  Ok("CREATE TABLE T (K VARCHAR PRIMARY KEY, A INTEGER, B INTEGER) COLUMN_ENCODED_BYTES=0");
  const auto storage = *store_.OpenTable(TableName{"default", "T"});
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("0", "A", "1");
  batch.Put("0", "B", "2");
  ASSERT_TRUE(storage->Write(&batch).ok());
  Ok("ALTER TABLE T DROP COLUMN A");
  Get get;
  get.row = "r";
  const auto row = storage->GetRow(get);
  EXPECT_EQ(row->Find("0", "A"), nullptr);
  EXPECT_NE(row->Find("0", "B"), nullptr);
}

// What was there at a time: a connection with CurrentSCN sees no later table.
TEST_F(CatalogTest, AsOf) {
  context_.timestamp = 1000;
  Ok("CREATE TABLE T (K VARCHAR PRIMARY KEY)");
  EXPECT_TRUE(IsSqlError(catalog_->GetTable("", "T", -1, 1000).status(), 1012));
  EXPECT_TRUE(catalog_->GetTable("", "T", -1, 1001).ok());
  EXPECT_TRUE(catalog_->GetTable("", "T").ok());
}

// Coprocessors are written for Java's sake, in its order.
TEST_F(CatalogTest, Descriptor) {
  Ok("CREATE TABLE T (K VARCHAR PRIMARY KEY) MAX_FILESIZE=3000000");
  const auto attributes = (*store_.OpenTable(TableName{"default", "T"}))->descriptor().attributes;
  EXPECT_EQ(attributes.at("coprocessor$1"),
            "|org.apache.phoenix.coprocessor.ScanRegionObserver|805306366|");
  EXPECT_THAT(attributes.at("coprocessor$5"), HasSubstr("IndexRegionObserver|805306366|index."));
  EXPECT_EQ(attributes.at("MAX_FILESIZE"), "3000000");
}

// Catalog cells that nobody knows, and rows of features to come, do not stop a table from opening.
TEST_F(CatalogTest, UnknownCells) {
  Ok("CREATE TABLE T (K VARCHAR PRIMARY KEY, V VARCHAR)");
  const auto catalog_table = *store_.OpenTable(TableName{"default", "SYSTEM.CATALOG"});
  MutationBatch batch;
  batch.StartRow(EncodeCatalogKey({"", "", "T", "", ""}));
  batch.Put("0", "FROM_THE_FUTURE", "?");
  batch.StartRow(EncodeCatalogKey({"", "", "T", "", "I1"}));
  batch.Put("0", "LINK_TYPE", "\x01");
  batch.StartRow(EncodeCatalogKey({"", "", "T", "V", "X"}));
  batch.Put("0", "LINK_TYPE", "\x05");
  ASSERT_TRUE(catalog_table->Write(&batch).ok());
  catalog_->Invalidate();
  const TableMeta table = TableOf("", "T");
  EXPECT_EQ(table.columns.size(), 2u);
  EXPECT_THAT(table.indexes, ElementsAre("I1"));
}

// Damaged cells are told with their place, not taken for something.
TEST_F(CatalogTest, DamagedCells) {
  Ok("CREATE TABLE T (K VARCHAR PRIMARY KEY, V VARCHAR)");
  const auto catalog_table = *store_.OpenTable(TableName{"default", "SYSTEM.CATALOG"});
  MutationBatch batch;
  batch.StartRow(EncodeCatalogKey({"", "", "T", "V", "0"}));
  batch.Put("0", "DATA_TYPE", "xyz");
  ASSERT_TRUE(catalog_table->Write(&batch).ok());
  catalog_->Invalidate();
  const Status status = catalog_->GetTable("", "T").status();
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("DATA_TYPE"));
}

// Explicit qualifiers: taken as they are, or refused.
TEST_F(CatalogTest, GivenQualifiers) {
  Ok("CREATE TABLE T (K INTEGER PRIMARY KEY, A VARCHAR ENCODED_QUALIFIER 20, B VARCHAR "
     "ENCODED_QUALIFIER 15) COLUMN_QUALIFIER_COUNTER ('0'=30)");
  EXPECT_EQ(TableOf("", "T").counters.at("0"), 30);
  EXPECT_TRUE(IsSqlError(
      Run("CREATE TABLE U (K INTEGER PRIMARY KEY, A VARCHAR ENCODED_QUALIFIER 5)"), 1148));
  EXPECT_TRUE(IsSqlError(Run("CREATE TABLE U (K INTEGER PRIMARY KEY, A VARCHAR ENCODED_QUALIFIER "
                             "15, B VARCHAR ENCODED_QUALIFIER 15)"),
                         1149));
  EXPECT_TRUE(IsSqlError(
      Run("CREATE TABLE U (K INTEGER PRIMARY KEY, A VARCHAR ENCODED_QUALIFIER 15, B VARCHAR)"),
      1150));
}

// One byte holds the qualifiers 11 to 255.
TEST_F(CatalogTest, TooManyColumns) {
  std::string columns;
  for (int i = 11; i <= 255; ++i) columns += ", C" + std::to_string(i) + " VARCHAR";
  Ok("CREATE TABLE T (K INTEGER PRIMARY KEY" + columns + ") COLUMN_ENCODED_BYTES=1");
  EXPECT_TRUE(IsSqlError(Run("ALTER TABLE T ADD MORE VARCHAR"), 1136));
}

}  // namespace
}  // namespace bennu::sql::catalog
