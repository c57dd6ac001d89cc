// Namespaces with properties; tables emptied in one step; flush and compaction of one region or
// family.
#include <map>

#include "bennu/admin.h"
#include "src/base/failpoint.h"
#include "src/engine/core/engine_core.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class TableUpkeepTest : public EngineFixture {
 protected:
  void TearDown() override {
    EXPECT_TRUE(ArmFailpoints("").ok());
    EngineFixture::TearDown();
  }
  static EngineOptions Options() {
    EngineOptions options;
    options.background_compaction = false;
    options.background_split = false;
    options.wal_sync = WalSync::kOs;
    return options;
  }
  Admin* admin() { return engine_->admin(); }

  // Families f and g, regions up to m and from there, a row in each.
  std::shared_ptr<Table> MakeTable() {
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    for (const char* family : {"f", "g"}) descriptor.families.emplace_back().name = family;
    descriptor.attributes["k"] = "v";
    EXPECT_TRUE(admin()->CreateTable(descriptor, {"m"}).ok());
    auto table = OpenTable();
    PutRow(table.get(), "a");
    PutRow(table.get(), "z");
    return table;
  }
  static void PutRow(Table* table, const std::string& row) {
    MutationBatch batch;
    batch.StartRow(row);
    batch.Put("f", "q", "v");
    batch.Put("g", "q", "v");
    const Status status = table->Write(&batch);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  // Names of the store's files below each "REGION/FAMILY", of those that have some.
  std::map<std::string, std::vector<std::string>> Files(const Table& table) {
    std::map<std::string, std::vector<std::string>> files;
    for (const RegionInfo& region : table.regions()) {
      for (const char* family : {"f", "g"}) {
        const std::string directory =
            root_ + "/data/default/t/" + region.EncodedName() + "/" + family;
        if (!std::filesystem::exists(directory)) continue;
        for (const auto& entry : std::filesystem::directory_iterator(directory)) {
          const std::string name = entry.path().filename();
          if (name.starts_with('.')) continue;
          files[(region.start_key.empty() ? "low/" : "high/") + std::string(family)].push_back(
              name);
        }
      }
    }
    return files;
  }
  std::map<std::string, size_t> FileCounts(const Table& table) {
    std::map<std::string, size_t> counts;
    for (const auto& [place, names] : Files(table)) counts[place] = names.size();
    return counts;
  }
};

TEST_F(TableUpkeepTest, NamespacesKeepProperties) {
  Open(Options());
  ASSERT_TRUE(admin()->CreateNamespaceWith({"n", {{"k", "v"}, {"empty", ""}}}).ok());
  ASSERT_TRUE(admin()->CreateNamespace("plain").ok());
  EXPECT_EQ(admin()->CreateNamespaceWith({"n", {}}).code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(admin()->AlterNamespace({"default", {{"a", "b"}}}).ok());
  Open(Options());
  EXPECT_THAT(admin()->DescribeNamespace("n")->properties,
              ElementsAre(Pair("empty", ""), Pair("k", "v")));
  EXPECT_THAT(admin()->DescribeNamespace("plain")->properties, IsEmpty());
  EXPECT_THAT(admin()->DescribeNamespace("default")->properties, ElementsAre(Pair("a", "b")));
  EXPECT_EQ(admin()->DescribeNamespace("nope").status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(admin()->AlterNamespace({"n", {{"z", "1"}}}).ok());
  EXPECT_EQ(admin()->AlterNamespace({"nope", {}}).code(), StatusCode::kNotFound);
  Open(Options());
  EXPECT_THAT(admin()->DescribeNamespace("n")->properties, ElementsAre(Pair("z", "1")));
}

// HBase's answers: what is no positive number is refused though nothing is bounded by it.
TEST_F(TableUpkeepTest, QuotasOfNamespacesAreNumbers) {
  Open(Options());
  int made = 0;
  for (const char* key : {"hbase.namespace.quota.maxtables", "hbase.namespace.quota.maxregions"}) {
    for (const char* bad : {"0", "-1", "abc", " 3", "99999999999999999999"}) {
      EXPECT_EQ(admin()->CreateNamespaceWith({"n", {{key, bad}}}).code(),
                StatusCode::kInvalidArgument)
          << key << " " << bad;
      EXPECT_EQ(admin()->AlterNamespace({"default", {{key, bad}}}).code(),
                StatusCode::kInvalidArgument)
          << key << " " << bad;
    }
    for (const char* good : {"1", "+5", ""}) {
      const std::string name = "n" + std::to_string(++made);
      EXPECT_TRUE(admin()->CreateNamespaceWith({name, {{key, good}}}).ok()) << key << " " << good;
      EXPECT_THAT(admin()->DescribeNamespace(name)->properties, ElementsAre(Pair(key, good)));
    }
  }
  TableDescriptor descriptor;
  descriptor.families.emplace_back().name = "f";
  for (const char* table : {"a", "b"}) {  // n1 may have one
    descriptor.name = {"n1", table};
    EXPECT_TRUE(admin()->CreateTable(descriptor, {}).ok());
  }
}

TEST_F(TableUpkeepTest, TruncatedTablesAreEmptyAndEnabled) {
  for (const bool preserve : {false, true}) {
    Open(Options());
    auto table = MakeTable();
    ASSERT_TRUE(admin()->Flush(table->name()).ok());
    PutRow(table.get(), "b");
    const TableDescriptor descriptor = table->descriptor();
    const auto before = table->regions();
    EXPECT_EQ(admin()->TruncateTable(table->name(), preserve).code(),
              StatusCode::kFailedPrecondition);
    EXPECT_THAT(Rows(table.get()), ElementsAre("a", "b", "z"));
    ASSERT_TRUE(admin()->DisableTable(table->name()).ok());
    const Status status = admin()->TruncateTable(table->name(), preserve);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(*admin()->IsTableEnabled(table->name()));
    EXPECT_THAT(Rows(table.get()), IsEmpty());
    EXPECT_EQ(table->descriptor(), descriptor);
    ASSERT_EQ(table->regions().size(), preserve ? 2 : 1);
    for (const RegionInfo& region : table->regions()) {
      for (const RegionInfo& old : before) EXPECT_NE(region.EncodedName(), old.EncodedName());
    }
    EXPECT_EQ(table->regions()[0].end_key, preserve ? "m" : "");
    PutRow(table.get(), "n");
    Open(Options());
    table = OpenTable();
    EXPECT_THAT(Rows(table.get()), ElementsAre("n"));
    EXPECT_FALSE(std::filesystem::exists(root_ + "/data/default/t/" + before[0].EncodedName()));
    ASSERT_TRUE(admin()->DropTable(table->name()).ok());
  }
  EXPECT_EQ(admin()->TruncateTable({"default", "t"}, true).code(), StatusCode::kNotFound);
  EXPECT_EQ(admin()->TruncateTable({"hbase", "meta"}, true).code(), StatusCode::kInvalidArgument);
}

// HBase's tools and servers keep tables in the system's namespace; only the catalog is the store's.
TEST_F(TableUpkeepTest, TablesBesideTheCatalogComeAndGo) {
  TableDescriptor descriptor;
  descriptor.name = {"hbase", "canary"};
  descriptor.families.emplace_back().name = "f";
  Open(Options());
  ASSERT_TRUE(admin()->CreateTable(descriptor, {}).ok());
  EXPECT_THAT(*admin()->ListTables(), testing::Not(testing::Contains(descriptor.name)));
  Open(Options());
  ASSERT_TRUE(*admin()->TableExists(descriptor.name));
  ASSERT_TRUE(admin()->DisableTable(descriptor.name).ok());
  EXPECT_TRUE(admin()->DropTable(descriptor.name).ok());
  for (const char* name : {"meta", "namespace"}) {
    descriptor.name.qualifier = name;
    EXPECT_EQ(admin()->CreateTable(descriptor, {}).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(admin()->DropTable(descriptor.name).code(), StatusCode::kInvalidArgument);
  }
}

// A step that fails before the decision leaves the table as it was; the next try works.
TEST_F(TableUpkeepTest, TruncationThatFailsChangesNothing) {
  for (const char* point : {"admin.truncate.between_regions", "admin.truncate.before_meta"}) {
    SCOPED_TRACE(point);
    Open(Options());
    auto table = MakeTable();
    const auto before = table->regions();
    ASSERT_TRUE(admin()->DisableTable(table->name()).ok());
    ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
    const Status status = admin()->TruncateTable(table->name(), true);
    EXPECT_THAT(status.message(), HasSubstr("truncating table t"));
    ASSERT_TRUE(ArmFailpoints("").ok());
    EXPECT_FALSE(*admin()->IsTableEnabled(table->name()));
    Open(Options());
    EXPECT_FALSE(*admin()->IsTableEnabled({"default", "t"}));
    ASSERT_TRUE(admin()->EnableTable({"default", "t"}).ok());
    table = OpenTable();
    EXPECT_EQ(table->regions(), before);
    EXPECT_THAT(Rows(table.get()), ElementsAre("a", "z"));
    ASSERT_TRUE(admin()->DisableTable(table->name()).ok());
    ASSERT_TRUE(admin()->TruncateTable(table->name(), true).ok());
    EXPECT_THAT(Rows(table.get()), IsEmpty());
    ASSERT_TRUE(admin()->DropTable(table->name()).ok());
  }
}

TEST_F(TableUpkeepTest, FlushesOneRegionAndOneFamily) {
  Open(Options());
  auto table = MakeTable();
  const std::string low = table->regions()[0].EncodedName();
  EXPECT_EQ(admin()->FlushRegion(low, "x").code(), StatusCode::kNotFound);
  EXPECT_EQ(admin()->FlushRegion("nope", "").code(), StatusCode::kNotFound);
  EXPECT_EQ(admin()->FlushFamily(table->name(), "x").code(), StatusCode::kNotFound);
  ASSERT_TRUE(admin()->FlushRegion(low, "f").ok());
  EXPECT_THAT(FileCounts(*table), ElementsAre(Pair("low/f", 1)));
  ASSERT_TRUE(admin()->FlushRegion(low, "").ok());
  EXPECT_THAT(FileCounts(*table), ElementsAre(Pair("low/f", 1), Pair("low/g", 1)));
  ASSERT_TRUE(admin()->FlushFamily(table->name(), "g").ok());
  EXPECT_THAT(FileCounts(*table),
              ElementsAre(Pair("high/g", 1), Pair("low/f", 1), Pair("low/g", 1)));
  EXPECT_THAT(Rows(table.get()), ElementsAre("a", "z"));
}

// What a flush of one family leaves in memory is still in the log.
TEST_F(TableUpkeepTest, LogsOutliveTheFlushOfOneFamily) {
  EngineOptions options = Options();
  options.wal_roll_bytes = 4 << 10;
  options.old_wal_files_max = 0;
  Open(options);
  auto table = MakeTable();
  for (int i = 0; i < 200; ++i) PutRow(table.get(), "a" + std::to_string(i));
  ASSERT_TRUE(admin()->FlushFamily(table->name(), "f").ok());
  for (int i = 200; i < 400; ++i) PutRow(table.get(), "a" + std::to_string(i));
  ASSERT_TRUE(admin()->FlushFamily(table->name(), "f").ok());
  // As it would be found after a death: a copy of the directory.
  std::filesystem::copy(root_, base_ + "/copy", std::filesystem::copy_options::recursive);
  root_ = base_ + "/copy";
  Open(options);
  table = OpenTable();
  auto scanner = table->OpenScanner({});
  ASSERT_TRUE(scanner.ok());
  CellBatch batch;
  size_t rows = 0;
  size_t cells = 0;
  do {
    ASSERT_TRUE((*scanner)->Next(1000, &batch).ok());
    rows += batch.row_count();
    cells += batch.cells.size();
  } while (batch.row_count() > 0);
  EXPECT_EQ(rows, 402);
  EXPECT_EQ(cells, 804);
}

TEST_F(TableUpkeepTest, CompactsOneRegionAndOneFamily) {
  Open(Options());
  auto table = MakeTable();
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  PutRow(table.get(), "a");
  PutRow(table.get(), "z");
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  const std::string low = table->regions()[0].EncodedName();
  EXPECT_EQ(admin()->CompactRegion(low, "x", true).code(), StatusCode::kNotFound);
  EXPECT_EQ(admin()->CompactFamily(table->name(), "x", true).code(), StatusCode::kNotFound);
  ASSERT_TRUE(admin()->CompactRegion(low, "g", true).ok());
  EXPECT_THAT(FileCounts(*table), ElementsAre(Pair("high/f", 2), Pair("high/g", 2),
                                              Pair("low/f", 2), Pair("low/g", 1)));
  ASSERT_TRUE(admin()->CompactFamily(table->name(), "f", true).ok());
  EXPECT_THAT(FileCounts(*table), ElementsAre(Pair("high/f", 1), Pair("high/g", 2),
                                              Pair("low/f", 1), Pair("low/g", 1)));
  EXPECT_THAT(Rows(table.get()), ElementsAre("a", "z"));
}

}  // namespace
}  // namespace bennu::engine
