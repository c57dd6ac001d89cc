// The same random operations on every implementation must leave the same cells: the model's word
// against that of the engine, which flushes, compacts and reopens in between.
//
// Timestamps grow with the operations, so that what a compaction drops is invisible for ever in
// both, and no answer depends on when it ran. BENNU_RANDOM_SEED repeats a run.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "tests/contract/store_factory.h"

namespace bennu::testing {
namespace {

class RandomTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // The same in every run, unless another one is asked for ("any": a new one).
    if (const char* text = std::getenv("BENNU_RANDOM_SEED")) {
      seed_ = std::string_view(text) == "any" ? Env::Default()->RandomU64() % 1000000
                                              : std::strtoull(text, nullptr, 10);
    }
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed_));
    random_.seed(seed_);
    for (const StoreFactory& factory : AllStores()) {
      names_.push_back(factory.name);
      stores_.push_back(factory.make());
    }
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(3);
    descriptor.families[0].name = "f";
    descriptor.families[0].attributes["VERSIONS"] = "1000";
    // What is surplus goes when it is rewritten, so that only what hides all that is older may be
    // asked for there: else each store would be right in its own way.
    descriptor.families[2].name = "h";
    descriptor.families[1].name = "g";
    descriptor.families[1].attributes["VERSIONS"] = "1000";
    descriptor.families[1].attributes["DATA_BLOCK_ENCODING"] = "FAST_DIFF";
    descriptor.families[0].attributes["BLOOMFILTER"] = "ROWCOL";
    descriptor.families[1].attributes["BLOOMFILTER"] = "ROWPREFIX_FIXED_LENGTH";
    descriptor.families[1].attributes["RowPrefixBloomFilter.prefix_length"] = "2";
    for (auto& store : stores_) {
      ASSERT_TRUE(store->connection()->admin()->CreateTable(descriptor, {"r3", "r6"}).ok());
    }
  }

  uint64_t Below(uint64_t bound) { return random_() % bound; }
  Bytes RandomRow() { return "r" + std::to_string(Below(10)) + std::to_string(Below(4)); }

  Bytes RandomQualifier() {
    const uint64_t number = Below(4);
    return number == 3 ? Bytes() : "q" + std::to_string(number);
  }

  MutationBatch RandomBatch() {
    MutationBatch batch;
    const uint64_t rows = 1 + Below(6);
    for (uint64_t i = 0; i < rows; ++i) {
      batch.StartRow(RandomRow());
      const uint64_t cells = 1 + Below(4);
      for (uint64_t c = 0; c < cells; ++c) AddRandomCell(&batch);
    }
    return batch;
  }

  void AddRandomCell(MutationBatch* batch) {
    const Bytes qualifier = RandomQualifier();
    const int64_t time = ++time_;
    if (Below(3) == 0) {
      switch (Below(8)) {
        case 0: batch->DeleteColumn("h", qualifier, time); break;
        case 1: batch->DeleteFamily("h", time - static_cast<int64_t>(Below(200))); break;
        default: batch->Put("h", qualifier, "v" + std::to_string(time), time);
      }
      return;
    }
    const Bytes family = Below(2) == 0 ? "f" : "g";
    switch (Below(12)) {
      case 0: batch->DeleteColumn(family, qualifier, time); break;
      case 1: batch->DeleteFamily(family, time); break;
      case 2:
        batch->DeleteVersion(family, qualifier, time - static_cast<int64_t>(Below(200)));
        break;
      case 3: batch->DeleteFamilyVersion(family, time - static_cast<int64_t>(Below(200))); break;
      default: batch->Put(family, qualifier, "v" + std::to_string(time), time);
    }
  }

  Scan RandomScan() {
    Scan scan;
    if (Below(3) == 0) scan.max_versions = 1 + static_cast<int32_t>(Below(5));
    if (Below(2) == 0) {
      scan.range.start = RandomRow();
      scan.range.start_inclusive = Below(2) == 0;
    }
    if (Below(2) == 0) {
      scan.range.stop = RandomRow();
      scan.range.stop_inclusive = Below(2) == 0;
    }
    scan.reversed = Below(3) == 0;
    const bool both = !scan.range.start.empty() && !scan.range.stop.empty();
    if (both && (scan.range.start > scan.range.stop) != scan.reversed) {
      std::swap(scan.range.start, scan.range.stop);
    }
    if (Below(3) == 0) scan.columns[Bytes(1, "fgh"[Below(3)])];
    if (Below(4) == 0) scan.columns["f"].insert(RandomQualifier());
    if (Below(4) == 0) {
      scan.time_range.min = static_cast<int64_t>(Below(static_cast<uint64_t>(time_) + 1));
    }
    if (Below(4) == 0) scan.row_limit = static_cast<int64_t>(Below(9));
    return scan;
  }

  static std::string Run(Connection* connection, const Scan& scan, size_t step) {
    std::string text;
    auto table = connection->OpenTable({"default", "t"});
    auto scanner = (*table)->OpenScanner(scan);
    if (!scanner.ok()) return scanner.status().ToString();
    CellBatch batch;
    for (;;) {
      const Status status = (*scanner)->Next(step, &batch);
      if (!status.ok()) return status.ToString();
      if (batch.row_count() == 0) return text;
      for (const Cell& cell : batch.cells) {
        text += Bytes(cell.row()) + "/" + Bytes(cell.family()) + ":" + Bytes(cell.qualifier()) +
                "@" + std::to_string(cell.timestamp()) + "=" + Bytes(cell.value_view()) + "\n";
      }
    }
  }

  void Compare() {
    const Scan scan = RandomScan();
    const size_t step = 1 + Below(7);
    const std::string expected = Run(stores_[0]->connection(), scan, step);
    for (size_t i = 1; i < stores_.size(); ++i) {
      ASSERT_EQ(Run(stores_[i]->connection(), scan, step), expected)
          << names_[i] << " against " << names_[0] << ", seed " << seed_ << ", rows '"
          << scan.range.start << "' to '" << scan.range.stop << "' reversed " << scan.reversed
          << " versions " << scan.max_versions << " from time " << scan.time_range.min;
    }
  }

  void Disturb() {
    const uint64_t what = Below(10);
    for (size_t i = 1; i < stores_.size(); ++i) {
      Admin* const admin = stores_[i]->connection()->admin();
      if (what < 5) {
        ASSERT_TRUE(admin->Flush({"default", "t"}).ok());
      } else if (what < 8) {
        ASSERT_TRUE(admin->Compact({"default", "t"}, what == 5).ok());
      } else {
        stores_[i]->Reopen();
      }
    }
  }

  uint64_t seed_ = 1;
  std::mt19937_64 random_;
  int64_t time_ = 1000;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<StoreUnderTest>> stores_;
};

TEST_F(RandomTest, EveryStoreHasTheSameCells) {
  for (int i = 0; i < 600; ++i) {
    const MutationBatch batch = RandomBatch();
    for (auto& store : stores_) {
      MutationBatch copy = batch;
      auto table = store->connection()->OpenTable({"default", "t"});
      const Status status = (*table)->Write(&copy);
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
    ASSERT_NO_FATAL_FAILURE(Compare());
    if (Below(15) == 0) {
      ASSERT_NO_FATAL_FAILURE(Disturb());
    }
  }
}

}  // namespace
}  // namespace bennu::testing
