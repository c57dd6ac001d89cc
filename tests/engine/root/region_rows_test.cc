// Rows that lie in the region of the rows that they are about, whatever their own keys: they are
// written in one unit with these, and go with them when regions are split and merged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/api/write_observer.h"
#include "src/base/failpoint.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;

const TableName kTable{"default", "t"};

// Of the row K with the value V of f:q there is a row "START!V|K" in family i, where START is the
// region's start key.
Bytes RowAbout(const RegionInfo& region, ByteView value, ByteView row) {
  return region.start_key + "!" + Bytes(value) + "|" + Bytes(row);
}

class RowsOfFamily : public api::RegionRows {
 public:
  Result<bool> Move(ByteView row, const RegionInfo& from, const RegionInfo& to,
                    Bytes* moved) override {
    // The deletion of a whole row leaves a marker in each family.
    if (!row.starts_with(from.start_key + "!")) return false;
    const ByteView rest = row.substr(from.start_key.size());
    if (!to.Contains(rest.substr(rest.find('|') + 1))) return false;
    *moved = to.start_key + Bytes(rest);
    return true;
  }
  Status CheckRegion(const RegionInfo& region) override {
    return region.start_key == "bad" ? FailedPrecondition("a bad border") : Status::Ok();
  }
};

class Observer : public api::WriteObserver {
 public:
  const std::map<Bytes, std::set<Bytes>>& columns() const override { return columns_; }
  Status Observe(const RegionInfo& region, std::span<const api::RowChange> changes,
                 api::DerivedWrites* derived) override {
    MutationBatch* const batch = derived->Of(kTable);
    for (const api::RowChange& change : changes) {
      for (const Cell& cell : change.before) {
        batch->StartRow(RowAbout(region, cell.value_view(), change.row));
        batch->DeleteFamily("i");
      }
      for (const Cell& cell : change.after) {
        batch->StartRow(elsewhere ? Bytes("zzz") : RowAbout(region, cell.value_view(), change.row));
        batch->Put("i", "", "");
      }
    }
    return Status::Ok();
  }

  bool elsewhere = false;

 private:
  const std::map<Bytes, std::set<Bytes>> columns_ = {{"f", {"q"}}};
};

class Source : public api::WriteObserverSource {
 public:
  Result<std::shared_ptr<api::WriteObserver>> ObserverOf(const TableName& table) override {
    return std::shared_ptr<api::WriteObserver>(table == kTable ? observer : nullptr);
  }
  Result<std::unique_ptr<api::RegionRows>> RegionRowsOf(const TableName& table,
                                                        const std::string& family) override {
    std::unique_ptr<api::RegionRows> rows;
    if (table == kTable && family == "i") rows = std::make_unique<RowsOfFamily>();
    return rows;
  }

  std::shared_ptr<Observer> observer = std::make_shared<Observer>();
};

class RegionRowsTest : public EngineFixture {
 protected:
  void SetUp() override {
    EngineFixture::SetUp();
    Open();
    ASSERT_TRUE(engine_->SetWriteObservers(&source_).ok());
    TableDescriptor descriptor;
    descriptor.name = kTable;
    descriptor.families.resize(2);
    descriptor.families[0].name = "f";
    descriptor.families[1].name = "i";
    ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
    table_ = EngineFixture::OpenTable();
  }
  void TearDown() override {
    EXPECT_TRUE(engine_->SetWriteObservers(nullptr).ok());
    table_.reset();
    EngineFixture::TearDown();
  }

  std::vector<std::string> RowsOf(const Bytes& family,
                                  std::shared_ptr<const Snapshot> snapshot = nullptr) {
    Scan scan;
    scan.columns[family];
    scan.snapshot = std::move(snapshot);
    std::vector<std::string> rows;
    auto scanner = table_->OpenScanner(scan);
    EXPECT_TRUE(scanner.ok());
    CellBatch batch;
    do {
      EXPECT_TRUE((*scanner)->Next(100, &batch).ok());
      for (const uint32_t start : batch.row_starts) rows.emplace_back(batch.cells[start].row());
    } while (batch.row_count() > 0);
    return rows;
  }
  Status Merge() {
    static_cast<void>(engine_->admin()->Compact(kTable, true));
    std::vector<std::string> names;
    for (const RegionInfo& region : table_->regions()) names.push_back(region.EncodedName());
    return engine_->admin()->MergeRegions(names);
  }

  Source source_;
  std::shared_ptr<Table> table_;
};

TEST_F(RegionRowsTest, GoWithTheRowsThatTheyAreAbout) {
  ASSERT_TRUE(Put(table_.get(), "a", "3").ok());
  ASSERT_TRUE(Put(table_.get(), "m", "1").ok());
  ASSERT_TRUE(engine_->admin()->Flush(kTable).ok());
  ASSERT_TRUE(Put(table_.get(), "x", "2").ok());
  EXPECT_THAT(RowsOf("i"), ElementsAre("!1|m", "!2|x", "!3|a"));
  const auto before = engine_->TakeSnapshot();
  ASSERT_TRUE(Put(table_.get(), "x", "0").ok());
  EXPECT_THAT(RowsOf("i"), ElementsAre("!0|x", "!1|m", "!3|a"));
  ASSERT_TRUE(engine_->admin()->SplitTable(kTable, "k").ok());
  EXPECT_THAT(RowsOf("i"), ElementsAre("!3|a", "k!0|x", "k!1|m"));
  // Also as it was.
  EXPECT_THAT(RowsOf("i", before), ElementsAre("!3|a", "k!1|m", "k!2|x"));
  ASSERT_TRUE(Put(table_.get(), "m", "4").ok());
  ASSERT_TRUE(table_->DeleteRow("a").ok());
  EXPECT_THAT(RowsOf("i"), ElementsAre("k!0|x", "k!4|m"));
  const Status merged = Merge();
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  EXPECT_THAT(RowsOf("i"), ElementsAre("!0|x", "!4|m"));
  EXPECT_THAT(RowsOf("f"), ElementsAre("m", "x"));
  ASSERT_TRUE(engine_->admin()->Compact(kTable, true).ok());
  EXPECT_THAT(RowsOf("i"), ElementsAre("!0|x", "!4|m"));
}

TEST_F(RegionRowsTest, AFailureLeavesThemWhereTheyWere) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(Put(table_.get(), "r" + std::to_string(i), std::to_string(i % 7)).ok());
  }
  const std::vector<std::string> rows = RowsOf("i");
  for (const char* point : {"region.change.between_moved_files", "region.change.before_meta"}) {
    ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
    EXPECT_FALSE(engine_->admin()->SplitTable(kTable, "r5").ok()) << point;
    ASSERT_TRUE(ArmFailpoints("").ok());
    EXPECT_EQ(RowsOf("i"), rows) << point;
  }
  EXPECT_FALSE(engine_->admin()->SplitTable(kTable, "bad").ok());
  EXPECT_EQ(table_->regions().size(), 1u);
}

// A row that is added to the observed table must be of the same region.
TEST_F(RegionRowsTest, OfAnotherRegionAreRefused) {
  ASSERT_TRUE(engine_->admin()->SplitTable(kTable, "k").ok());
  source_.observer->elsewhere = true;
  EXPECT_TRUE(Put(table_.get(), "m", "1").ok());
  EXPECT_EQ(Put(table_.get(), "a", "1").code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(RowsOf("f"), ElementsAre("m"));
}

}  // namespace
}  // namespace bennu::engine
