// One store over a directory of its own: cells go in, files come, compactions are chosen and run.
#ifndef BENNU_TESTS_ENGINE_STORE_COMPACTION_FIXTURE_H_
#define BENNU_TESTS_ENGINE_STORE_COMPACTION_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include "src/base/env.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/store.h"
#include "src/engine/store/stripes.h"

namespace bennu::engine {

inline constexpr uint64_t kNewest = std::numeric_limits<uint64_t>::max();
inline constexpr int64_t kHour = 3'600'000;

class CompactionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "/bennu_compact_" + std::to_string(Env::Default()->RandomU64());
    family_.name = "f";
    family_.attributes = {{"VERSIONS", "100"}, {"BLOCKSIZE", "1024"}};
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(root_);
  }

  // Opens the store, again if it is open.
  void Open() {
    store_.reset();
    StoreOptions options;
    options.env = env_;
    options.block_cache = cache_.get();
    options.store_directory = root_ + "/store";
    options.temp_directory = root_ + "/tmp";
    options.archive_directory = root_ + "/archive";
    auto store = Store::Open(options, family_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
  }

  void Add(ByteView row, int64_t timestamp, CellType type = CellType::kPut, size_t size = 8) {
    const Bytes value(size, static_cast<char>('a' + sequence_ % 26));
    AddCell(row, "q", timestamp, value, type);
  }
  void AddCell(ByteView row, ByteView qualifier, int64_t timestamp, ByteView value,
               CellType type = CellType::kPut, ByteView tags = ByteView()) {
    Bytes key;
    cell::AppendFlatKey(&key, row, "f", qualifier, timestamp, type);
    Cell cell;
    cell.key = key.data();
    cell.key_length = static_cast<uint32_t>(key.size());
    cell.value = value.data();
    cell.value_length = static_cast<uint32_t>(value.size());
    cell.tags = tags.data();
    cell.tags_length = static_cast<uint32_t>(tags.size());
    MemStore::InsertHint hint;
    store_->Add(cell, ++sequence_, &hint);
  }
  void AddRows(char first, char last, int64_t timestamp, size_t size = 8) {
    for (char c = first; c <= last; ++c) Add(Bytes(1, c), timestamp, CellType::kPut, size);
  }

  // 'smallest_read_point': of all readers, who may still need what others do not.
  void Flush(uint64_t smallest_read_point = kNewest) {
    ASSERT_TRUE(store_->PrepareFlush(++sequence_));
    auto files = store_->WriteFlush(smallest_read_point, now_);
    ASSERT_TRUE(files.ok()) << files.status().ToString();
    ASSERT_TRUE(store_->CommitFlush(*files).ok());
  }
  void Run(const CompactionRequest& request) {
    ASSERT_FALSE(request.inputs.empty());
    auto files = store_->WriteCompaction(request, kNewest, now_, nullptr);
    ASSERT_TRUE(files.ok()) << files.status().ToString();
    ASSERT_TRUE(store_->CommitCompaction(request, *files).ok());
  }
  size_t file_count() const { return store_->file_names().size(); }

  std::string Rows(Scanner::Metrics* metrics = nullptr, const Scan& scan = {}) {
    auto scanner = store_->OpenScanner(scan, kNewest, now_);
    EXPECT_TRUE(scanner.ok());
    std::string rows;
    bool done = false;
    while (scanner.ok() && !done) {
      CellBatch batch;
      EXPECT_TRUE((*scanner)->NextRows(100, &batch, &done).ok());
      for (size_t i = 0; i < batch.row_count(); ++i) {
        rows += Bytes(batch.cells[batch.row_starts[i]].row());
      }
    }
    if (metrics != nullptr) (*scanner)->AddMetrics(metrics);
    return rows;
  }
  std::string StripeBorders() {
    std::string text;
    for (const auto& stripe : Stripes::Of(store_->view()->files).stripes) {
      text += "[" + stripe.start + "," + stripe.end + ")" + std::to_string(stripe.files.size());
    }
    return text;
  }

  void Striped() {
    family_.attributes["hbase.hstore.engine.class"] =
        "org.apache.hadoop.hbase.regionserver.StripeStoreEngine";
  }
  void DateTiered() {
    family_.attributes["hbase.hstore.engine.class"] =
        "org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine";
  }

  std::string root_;
  Env* env_ = Env::Default();
  std::unique_ptr<hfile::BlockCache> cache_ = std::make_unique<hfile::BlockCache>(1 << 20);
  ColumnFamilyDescriptor family_;
  std::unique_ptr<Store> store_;
  uint64_t sequence_ = 0;
  int64_t now_ = Env::Default()->NowMillis();
};

}  // namespace bennu::engine

#endif  // BENNU_TESTS_ENGINE_STORE_COMPACTION_FIXTURE_H_
