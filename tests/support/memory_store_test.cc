#include "tests/support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bennu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MemoryStoreTest : public ::testing::Test {
 protected:
  MemoryStoreTest() : store_([this] { return now_ms_; }) {
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(2);
    descriptor.families[0].name = "f";
    descriptor.families[0].attributes["VERSIONS"] = "3";
    descriptor.families[1].name = "g";
    EXPECT_TRUE(store_.CreateTable(descriptor, {"m"}).ok());
    table_ = *store_.OpenTable(descriptor.name);
  }

  void Write(const std::function<void(MutationBatch*)>& fill) {
    MutationBatch batch;
    fill(&batch);
    const Status status = table_->Write(&batch);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void Put(ByteView row, ByteView qualifier, ByteView value, int64_t timestamp) {
    Write([&](MutationBatch* batch) {
      batch->StartRow(row);
      batch->Put("f", qualifier, value, timestamp);
    });
  }
  // "row/qualifier@timestamp=value" of each cell.
  std::vector<std::string> Read(const Scan& scan = {}) {
    std::vector<std::string> found;
    auto scanner = table_->OpenScanner(scan);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    CellBatch batch;
    for (;;) {
      EXPECT_TRUE((*scanner)->Next(2, &batch).ok());
      if (batch.row_count() == 0) return found;
      for (const Cell& cell : batch.cells) {
        std::string text(cell.row());
        text.append("/").append(cell.qualifier()).append("@");
        text += std::to_string(cell.timestamp());
        text += IsDelete(cell.type()) ? "!" : "=" + std::string(cell.value_view());
        found.push_back(text);
      }
    }
  }
  Scan AllVersions() {
    Scan scan;
    scan.max_versions = 10;
    return scan;
  }

  int64_t now_ms_ = 1000;
  MemoryStore store_;
  std::shared_ptr<Table> table_;
};

// Newest first, no more than the family keeps; a time range looks at the versions inside it.
TEST_F(MemoryStoreTest, Versions) {
  for (int64_t ts = 1; ts <= 4; ++ts) Put("r", "q", std::to_string(ts), ts);
  EXPECT_THAT(Read(), ElementsAre("r/q@4=4"));
  EXPECT_THAT(Read(AllVersions()), ElementsAre("r/q@4=4", "r/q@3=3", "r/q@2=2"));
  Scan past;
  past.time_range.max = 3;
  EXPECT_THAT(Read(past), ElementsAre("r/q@2=2"));
}

// The later put wins within a timestamp and is one version only.
TEST_F(MemoryStoreTest, SameTimestamp) {
  Put("r", "q", "old", 5);
  Put("r", "q", "new", 5);
  EXPECT_THAT(Read(AllVersions()), ElementsAre("r/q@5=new"));
}

// What each marker hides, also of what is put later, also from time ranges that end before it.
TEST_F(MemoryStoreTest, Deletes) {
  for (int64_t ts = 1; ts <= 3; ++ts) {
    Put("column", "q", "v", ts);
    Put("family", "q", "v", ts);
    Put("version", "q", "v", ts);
    Put("newest", "q", "v", ts);
    Put("familyversion", "q", "v", ts);
  }
  Write([](MutationBatch* batch) {
    batch->StartRow("column");
    batch->DeleteColumn("f", "q", 2);
    batch->StartRow("family");
    batch->DeleteFamily("f", 3);
    batch->StartRow("version");
    batch->DeleteVersion("f", "q", 2);
    batch->StartRow("newest");
    batch->DeleteVersion("f", "q");
    batch->StartRow("familyversion");
    batch->DeleteFamilyVersion("f", 3);
  });
  Put("family", "q", "late", 3);
  EXPECT_THAT(Read(AllVersions()),
              ElementsAre("column/q@3=v", "familyversion/q@2=v", "familyversion/q@1=v",
                          "newest/q@2=v", "newest/q@1=v", "version/q@3=v", "version/q@1=v"));
  Scan past = AllVersions();
  past.time_range.max = 3;
  past.range.start = "family";
  past.range.stop = "family";
  past.range.stop_inclusive = true;
  EXPECT_THAT(Read(past), IsEmpty());
  past.raw = true;
  EXPECT_THAT(Read(past), ElementsAre("family/q@2=v", "family/q@1=v"));
}

// Rows from a snapshot stay as they were, also over a compaction; without one it drops what is
// hidden.
TEST_F(MemoryStoreTest, SnapshotAndCompaction) {
  Put("r", "q", "old", 1);
  Scan scan;
  scan.snapshot = store_.TakeSnapshot();
  Put("r", "q", "new", 2);
  EXPECT_THAT(Read(scan), ElementsAre("r/q@1=old"));
  Write([](MutationBatch* batch) {
    batch->StartRow("r");
    batch->DeleteFamily("f", 1);
  });
  ASSERT_TRUE(store_.Compact(table_->name(), true).ok());
  EXPECT_THAT(Read(scan), ElementsAre("r/q@1=old"));
  scan.snapshot.reset();
  ASSERT_TRUE(store_.Compact(table_->name(), true).ok());
  Scan raw = AllVersions();
  raw.raw = true;
  EXPECT_THAT(Read(raw), ElementsAre("r/q@2=new"));
  Put("r", "q", "again", 1);
  EXPECT_THAT(Read(AllVersions()), ElementsAre("r/q@2=new", "r/q@1=again"));
}

TEST_F(MemoryStoreTest, RangesAndLimits) {
  for (const char* row : {"a", "b", "c", "d"}) Put(row, "q", "v", 1);
  Scan scan;
  scan.range = {"b", false, "d", true};
  EXPECT_THAT(Read(scan), ElementsAre("c/q@1=v", "d/q@1=v"));
  scan.range = {"c", true, "a", false};
  scan.reversed = true;
  EXPECT_THAT(Read(scan), ElementsAre("c/q@1=v", "b/q@1=v"));
  scan.row_limit = 1;
  EXPECT_THAT(Read(scan), ElementsAre("c/q@1=v"));
}

// A navigator is asked once per row and jumped for.
class EveryThird : public RowNavigator {
 public:
  Decision Navigate(ByteView row, Bytes* seek_row) override {
    if (row == "z") return Decision::kDone;
    if ((row[0] - 'a') % 3 == 0) return Decision::kInclude;
    *seek_row = Bytes(1, static_cast<char>(row[0] + 3 - (row[0] - 'a') % 3));
    return Decision::kSeek;
  }
  std::unique_ptr<RowNavigator> Clone() const override { return std::make_unique<EveryThird>(); }
};

TEST_F(MemoryStoreTest, Navigator) {
  for (const char* row : {"a", "b", "c", "d", "e", "g", "z"}) Put(row, "q", "v", 1);
  Scan scan;
  scan.navigator = std::make_shared<EveryThird>();
  EXPECT_THAT(Read(scan), ElementsAre("a/q@1=v", "d/q@1=v", "g/q@1=v"));
}

TEST_F(MemoryStoreTest, ConditionsAndCounters) {
  Table::Condition absent{"r", "f", "q", true, CompareOperator::kEqual, ""};
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "q", "b");
  EXPECT_TRUE(*table_->CheckAndWrite(absent, &batch));
  EXPECT_FALSE(*table_->CheckAndWrite(absent, &batch));
  Table::Condition less{"r", "f", "q", false, CompareOperator::kLess, "a"};  // a < current b
  EXPECT_TRUE(*table_->CheckAndWrite(less, &batch));
  EXPECT_EQ(*table_->Increment("r", "f", "n", 5), 5);
  EXPECT_EQ(*table_->Increment("r", "f", "n", -7), -2);
  EXPECT_EQ(table_->Increment("r", "f", "q", 1).status().code(), StatusCode::kInvalidArgument);
}

// Time stamps are given by the store; families that are not there are refused as a whole.
TEST_F(MemoryStoreTest, WritesAndMisuse) {
  Put("r", "q", "v", kLatestTimestamp);
  EXPECT_THAT(Read(), ElementsAre("r/q@1000=v"));
  MutationBatch batch;
  batch.StartRow("s");
  batch.Put("f", "q", "v");
  batch.StartRow("s");
  batch.Put("nope", "q", "v");
  EXPECT_EQ(table_->Write(&batch).code(), StatusCode::kInvalidArgument);
  batch.Clear();
  batch.StartRow("");  // no row at all
  batch.Put("f", "q", "v");
  EXPECT_EQ(table_->Write(&batch).code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Read(), ElementsAre("r/q@1000=v"));
  EXPECT_EQ(table_->regions().size(), 2u);
  EXPECT_EQ((*table_->SplitRange({}, 8)).size(), 2u);
  ASSERT_TRUE(store_.DropTable(table_->name()).ok());
  EXPECT_EQ(table_->OpenScanner({}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(store_.OpenTable(table_->name()).status().code(), StatusCode::kNotFound);
}

TEST_F(MemoryStoreTest, RefusalsSayWhatToUseInstead) {
  for (const Status& refused :
       {store_.TruncateTable(table_->name(), false), store_.ListRegions(table_->name()).status(),
        store_.Backup("elsewhere"), store_.DeleteSnapshot("s")}) {
    EXPECT_EQ(refused.code(), StatusCode::kNotSupported);
    EXPECT_THAT(refused.message(), ::testing::HasSubstr("use a store in a directory"));
  }
}

TEST_F(MemoryStoreTest, TimeToLive) {
  TableDescriptor descriptor = table_->descriptor();
  descriptor.families[0].attributes["TTL"] = "2";
  ASSERT_TRUE(store_.AlterTable(descriptor).ok());
  now_ms_ = 10'000;
  Put("r", "old", "v", 7'999);
  Put("r", "young", "v", 8'000);
  EXPECT_THAT(Read(), ElementsAre("r/young@8000=v"));
}

}  // namespace
}  // namespace bennu::testing
