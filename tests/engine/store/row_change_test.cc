// The quick way from "before" to "after" gives what the rules of every reader give.
#include "src/engine/store/row_change.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bennu/mutation.h"
#include "src/base/env.h"
#include "src/hfile/block_cache.h"

namespace bennu::engine {
namespace {

constexpr int64_t kNow = 1'700'000'000'000;

std::vector<std::string> Texts(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) {
    texts.push_back(std::string(cell.family()) + ":" + std::string(cell.qualifier()) + "@" +
                    std::to_string(cell.timestamp()) + "=" + std::string(cell.value_view()));
  }
  return texts;
}

class RowChangeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "/bennu_change_" + std::to_string(Env::Default()->RandomU64());
    for (const char* name : {"f", "g"}) {
      ColumnFamilyDescriptor family;
      family.name = name;
      if (family.name == "g") family.attributes = {{"VERSIONS", "3"}, {"TTL", "1000"}};
      StoreOptions options;
      options.env = Env::Default();
      options.block_cache = &cache_;
      options.store_directory = root_ + "/store/" + name;
      options.temp_directory = root_ + "/tmp/" + name;
      options.archive_directory = root_ + "/archive/" + name;
      auto store = Store::Open(options, family);
      ASSERT_TRUE(store.ok()) << store.status().ToString();
      stores_.push_back(std::move(*store));
      kept_.push_back(stores_.back()->StartReading().family);
      families_.push_back(kept_.back().get());
    }
  }
  void TearDown() override {
    stores_.clear();
    std::filesystem::remove_all(root_);
  }

  // The cells of a batch of one row.
  static std::vector<WrittenCell> CellsOf(const MutationBatch& batch) {
    std::vector<WrittenCell> cells;
    Cell cell;
    for (size_t offset = 0; offset < batch.buffer().size();) {
      offset = CellAt(batch.buffer(), offset, &cell);
      cells.push_back({cell, cell.family() == "g" ? 1u : 0u});
    }
    return cells;
  }
  void Write(std::span<const WrittenCell> cells) {
    ++sequence_;
    // The last of equal cells counts, and the first insert wins.
    for (auto written = cells.rbegin(); written != cells.rend(); ++written) {
      MemStore::InsertHint hint;
      stores_[written->store]->Add(written->cell, sequence_, &hint);
    }
  }
  void Flush() {
    for (const auto& store : stores_) {
      if (!store->PrepareFlush(++sequence_)) continue;
      auto file = store->WriteFlush(sequence_, kNow);
      ASSERT_TRUE(file.ok() && store->CommitFlush(*file).ok());
    }
  }
  std::vector<std::string> Read(const Get& get,
                                std::span<const std::shared_ptr<MemStore>> overlays) {
    std::vector<Cell> cells;
    pins_.clear();
    const Status status = ReadNewestRow(stores_, get, kNow, overlays, &cells, &pins_);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return Texts(cells);
  }

  hfile::BlockCache cache_{1 << 20};
  std::string root_;
  std::vector<std::shared_ptr<Store>> stores_;
  std::vector<std::shared_ptr<const FamilyRules>> kept_;
  std::vector<const FamilyRules*> families_;
  std::vector<std::shared_ptr<const void>> pins_;
  uint64_t sequence_ = 0;
};

class RandomCells {
 public:
  explicit RandomCells(uint32_t seed) : random_(seed) {}
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }

  // 'newest': with one timestamp, mostly such cells as the quick way takes.
  void Fill(bool newest, int64_t timestamp, MutationBatch* batch) {
    batch->StartRow("row");
    for (uint32_t i = 1 + Below(6); i > 0; --i) {
      const Bytes family = Below(2) == 0 ? "f" : "g";
      const Bytes qualifier(Below(3), 'q');
      const int64_t at = newest ? timestamp : timestamp + Below(8);
      switch (Below(newest ? 6 : 8)) {
        case 0: batch->DeleteColumn(family, qualifier, at); break;
        case 1: batch->DeleteFamily(family, at); break;
        case 6: batch->DeleteVersion(family, qualifier, at); break;
        case 7: batch->DeleteFamilyVersion(family, at); break;
        default: batch->Put(family, qualifier, std::to_string(Below(100)), at);
      }
    }
  }

 private:
  std::mt19937 random_;
};

TEST_F(RowChangeTest, TheQuickWayIsRight) {
  uint32_t quick = 0;
  RandomCells random(1);
  for (uint32_t i = 0; i < 2500; ++i) {
    const int64_t time = kNow - 9000 + 5 * int64_t{i};
    MutationBatch batch;
    random.Fill(random.Below(3) != 0, time, &batch);
    const std::vector<WrittenCell> cells = CellsOf(batch);
    Get get;
    get.row = "row";
    if (random.Below(3) == 0) get.columns["f"] = {"", "q"};
    if (random.Below(3) == 0) get.columns["g"];

    const auto overlays = MakeOverlays(cells, stores_.size());
    const std::vector<std::string> after = Read(get, overlays);
    bool is_newest = MayAddNewest(cells, families_, time);
    for (const auto& store : stores_) {
      const auto newest = store->NewestTimestamp("row", cells.front().cell.timestamp());
      ASSERT_TRUE(newest.ok());
      is_newest = is_newest && !newest->has_value();
    }
    if (is_newest) {
      ++quick;
      std::vector<Cell> before;
      std::vector<std::shared_ptr<const void>> pins;
      ASSERT_TRUE(ReadNewestRow(stores_, get, kNow, {}, &before, &pins).ok());
      std::vector<Cell> added;
      AddNewest(before, cells, get, &added);
      ASSERT_EQ(after, Texts(added)) << i;
    }
    // And both say what the row is once it is written.
    Write(cells);
    ASSERT_EQ(after, Read(get, {})) << i;
    if (random.Below(100) == 0) Flush();
  }
  EXPECT_GT(quick, 500u);
}

// Cells that have rules of their own go the other way.
TEST_F(RowChangeTest, WhatTheQuickWayLeaves) {
  const auto may = [&](const std::function<void(MutationBatch*)>& fill) {
    MutationBatch batch;
    batch.StartRow("row");
    fill(&batch);
    return MayAddNewest(CellsOf(batch), families_, kNow);
  };
  EXPECT_TRUE(may([](MutationBatch* batch) {
    batch->Put("f", "q", "v", kNow);
    batch->Put("g", "q", "v", kNow);
    batch->DeleteFamily("g", kNow);
  }));
  EXPECT_TRUE(may([](MutationBatch* batch) { batch->Put("f", "q", "v", kNow - 1); }));
  EXPECT_FALSE(may([](MutationBatch* batch) { batch->Put("g", "q", "v", kNow - 1); }));
  EXPECT_FALSE(may([](MutationBatch* batch) {
    batch->Put("f", "q", "v", kNow);
    batch->Put("f", "r", "v", kNow + 1);
  }));
  EXPECT_FALSE(may([](MutationBatch* batch) { batch->DeleteVersion("f", "q", kNow); }));
  EXPECT_FALSE(may([](MutationBatch* batch) { batch->DeleteFamilyVersion("f", kNow); }));
  EXPECT_FALSE(may([](MutationBatch* batch) {
    batch->SetTtlMillis(1000);
    batch->Put("f", "q", "v", kNow);
  }));
  ColumnFamilyDescriptor by_writes;
  by_writes.name = "f";
  by_writes.attributes = {{"NEW_VERSION_BEHAVIOR", "true"}};
  const FamilyRules rules(by_writes);
  families_[0] = &rules;
  EXPECT_FALSE(may([](MutationBatch* batch) { batch->Put("f", "q", "v", kNow); }));
}

TEST_F(RowChangeTest, NewestTimestamps) {
  const auto newest = [&](int64_t at_least) {
    return stores_[0]->NewestTimestamp("row", at_least).value().value_or(-1);
  };
  EXPECT_EQ(-1, newest(0));
  MutationBatch batch;
  batch.StartRow("row");
  batch.Put("f", "q", "v", 10);
  batch.DeleteColumn("f", "r", 20);
  Write(CellsOf(batch));
  EXPECT_EQ(20, newest(0));
  EXPECT_EQ(20, newest(20));
  EXPECT_EQ(-1, newest(21));
  ASSERT_NO_FATAL_FAILURE(Flush());
  EXPECT_EQ(20, newest(15));
  EXPECT_EQ(-1, newest(21));
  EXPECT_FALSE(stores_[0]->NewestTimestamp("other", 0).value().has_value());
}

}  // namespace
}  // namespace bennu::engine
