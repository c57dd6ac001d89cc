#include "src/engine/memstore/memstore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <thread>

#include "src/cell/comparator.h"
#include "src/cell/flat_key.h"

namespace bennu::engine {
namespace {

constexpr uint64_t kNewest = std::numeric_limits<uint64_t>::max();

struct OwnedCell {
  Bytes key;
  Bytes value;
  uint64_t sequence_id;
  Cell view() const {
    Cell cell;
    cell.key = key.data();
    cell.key_length = static_cast<uint32_t>(key.size());
    cell.value = value.data();
    cell.value_length = static_cast<uint32_t>(value.size());
    return cell;
  }
};

OwnedCell MakeCell(ByteView row, ByteView qualifier, int64_t timestamp, uint64_t sequence_id) {
  OwnedCell cell;
  cell::AppendFlatKey(&cell.key, row, "f", qualifier, timestamp, CellType::kPut);
  cell.value = "v" + std::to_string(sequence_id);
  cell.sequence_id = sequence_id;
  return cell;
}

std::vector<OwnedCell> RandomCells(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<OwnedCell> cells;
  for (size_t i = 0; i < count; ++i) {
    // Short alphabets with zero bytes make prefixes and ties of the first eight bytes common.
    Bytes row;
    for (uint32_t length = 1 + random() % 12; length > 0; --length) {
      row.push_back("\0ab\xff"[random() % 4]);
    }
    cells.push_back(MakeCell(row, random() % 2 == 0 ? "q" : "qq", random() % 5, i + 1));
  }
  return cells;
}

bool InOrder(const OwnedCell& left, const OwnedCell& right) {
  const int order = cell::CompareFlatKeys(left.key, right.key);
  return order != 0 ? order < 0 : left.sequence_id > right.sequence_id;
}

// The memstore has these cells, and gives them in order.
void ExpectCells(const MemStore& memstore, std::vector<OwnedCell> cells, bool meta_order = false) {
  std::sort(cells.begin(), cells.end(), [&](const OwnedCell& left, const OwnedCell& right) {
    if (!meta_order) return InOrder(left, right);
    const int order = cell::CompareMetaFlatKeys(left.key, right.key);
    return order != 0 ? order < 0 : left.sequence_id > right.sequence_id;
  });
  MemStore::Iterator it(&memstore);
  it.SeekToFirst();
  for (const OwnedCell& expected : cells) {
    ASSERT_TRUE(it.Valid());
    ASSERT_EQ(it.cell().flat_key(), ByteView(expected.key));
    ASSERT_EQ(it.cell().value_view(), ByteView(expected.value));
    ASSERT_EQ(it.cell().sequence_id, expected.sequence_id);
    it.Next();
  }
  EXPECT_FALSE(it.Valid());
}

enum class HintUse { kFresh, kOfOneRun, kKeptOverRuns };

// Whatever the order of insertion and the state of the hint, iteration is in HBase's order.
TEST(MemStoreTest, IteratesInComparatorOrder) {
  for (const HintUse use : {HintUse::kFresh, HintUse::kOfOneRun, HintUse::kKeptOverRuns}) {
    std::vector<OwnedCell> cells = RandomCells(3000, 7);
    // Half of them in order, as keys that grow.
    std::sort(cells.begin() + 1000, cells.begin() + 2500, InOrder);
    MemStore memstore;
    MemStore::InsertHint kept;
    for (const OwnedCell& cell : cells) {
      MemStore::InsertHint fresh;
      kept.is_kept = use == HintUse::kKeptOverRuns;
      memstore.Add(cell.view(), cell.sequence_id, use == HintUse::kFresh ? &fresh : &kept);
    }
    ExpectCells(memstore, cells);
  }
}

// Rows of many columns whose further cells go in behind the first ones: rows come in any order,
// rows that are there already come again with other columns or later ids, and other hints put cells
// between.
TEST(MemStoreTest, FurtherCellsOfARowGoBehindTheFirst) {
  for (const bool meta_order : {false, true}) {
    std::mt19937 random(17);
    MemStore memstore(meta_order);
    MemStore::InsertHint mine;
    MemStore::InsertHint others;
    std::vector<OwnedCell> cells;
    uint64_t sequence_id = 0;
    const auto add = [&](ByteView row, int column, bool follows, MemStore::InsertHint* hint) {
      cells.push_back(MakeCell(row, "q" + std::to_string(100 + column),
                               static_cast<int64_t>(random() % 3), sequence_id));
      follows ? memstore.AddNext(cells.back().view(), sequence_id, hint)
              : memstore.Add(cells.back().view(), sequence_id, hint);
    };
    for (int round = 0; round < 1500; ++round) {
      ++sequence_id;
      mine.is_kept = round % 2 == 0;
      const Bytes row = "same prefix " + std::to_string(random() % 400);
      bool follows = false;
      for (int column = 0; column < 12; ++column) {
        if (random() % 3 == 0) continue;
        add(row, column, follows, &mine);
        follows = true;
        if (random() % 8 != 0) continue;
        ++sequence_id;
        add("same prefix " + std::to_string(random() % 400), column, false, &others);
        ++sequence_id;
        add(row, column, false, &others);
      }
    }
    ExpectCells(memstore, cells, meta_order);
    MemStore::Iterator it(&memstore);
    for (const OwnedCell& expected : cells) {
      it.Seek(expected.key, expected.sequence_id);
      ASSERT_TRUE(it.Valid());
      ASSERT_EQ(it.cell().flat_key(), ByteView(expected.key));
      ASSERT_EQ(it.cell().sequence_id, expected.sequence_id);
    }
  }
}

// The same of several threads whose rows lie among each other.
TEST(MemStoreTest, FurtherCellsOfRowsBySeveralThreads) {
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kRows = 3000;
  constexpr uint64_t kColumns = 8;
  MemStore memstore;
  std::vector<std::thread> writers;
  for (uint64_t thread = 0; thread < kThreads; ++thread) {
    writers.emplace_back([&memstore, thread] {
      MemStore::InsertHint hint;
      for (uint64_t i = 0; i < kRows; ++i) {
        hint.is_kept = i > 0;
        const Bytes row = "row" + std::to_string(10'000 + i) + std::to_string(thread);
        for (uint64_t column = 0; column < kColumns; ++column) {
          const OwnedCell cell = MakeCell(row, "q" + std::to_string(column), 1, i + 1);
          column == 0 ? memstore.Add(cell.view(), i + 1, &hint)
                      : memstore.AddNext(cell.view(), i + 1, &hint);
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  Bytes last;
  uint64_t count = 0;
  MemStore::Iterator it(&memstore);
  for (it.SeekToFirst(); it.Valid(); it.Next(), ++count) {
    if (!last.empty()) {
      ASSERT_LT(cell::CompareFlatKeys(last, it.cell().flat_key()), 0);
    }
    last.assign(it.cell().flat_key());
  }
  EXPECT_EQ(count, kThreads * kRows * kColumns);
}

// Runs of ascending cells among many others, as an index's rows come: each run's places are looked
// up before its cells are added, in whatever state the hint is.
void AddRunsWithPrefetch(MemStore* memstore, std::span<OwnedCell> cells, size_t run_length) {
  MemStore::InsertHint hint;
  for (size_t begin = 0; begin < cells.size(); begin += run_length) {
    const auto run = cells.subspan(begin, std::min(run_length, cells.size() - begin));
    std::sort(run.begin(), run.end(), InOrder);
    hint.is_kept = true;
    for (size_t i = 0; i < run.size(); ++i) {
      if (i % MemStore::kPrefetchMax == 1) {
        std::vector<ByteView> keys;
        for (size_t k = i; k < std::min(i + MemStore::kPrefetchMax, run.size()); ++k) {
          keys.push_back(run[k].key);
        }
        memstore->Prefetch(keys, hint);
      }
      memstore->Add(run[i].view(), run[i].sequence_id, &hint);
    }
  }
}

TEST(MemStoreTest, PrefetchingChangesNothing) {
  for (const size_t run_length : {1, 2, 17, 40, 1000}) {
    std::vector<OwnedCell> cells = RandomCells(5000, 11);
    MemStore memstore;
    AddRunsWithPrefetch(&memstore, cells, run_length);
    ExpectCells(memstore, cells);
  }
}

TEST(MemStoreTest, PrefetchingBesideOtherWriters) {
  std::vector<OwnedCell> cells = RandomCells(40000, 12);
  MemStore memstore;
  std::vector<std::thread> writers;
  for (size_t writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      AddRunsWithPrefetch(&memstore, std::span(cells).subspan(writer * 10000, 10000), 100);
    });
  }
  for (std::thread& writer : writers) writer.join();
  ExpectCells(memstore, cells);
}

// Only runs that jump over many cells are worth a look ahead.
TEST(MemStoreTest, TellsRunsThatAreFarApart) {
  MemStore memstore;
  MemStore::InsertHint hint;
  EXPECT_FALSE(MemStore::IsFarApart(hint));
  char row[16];
  int far_apart = 0;
  for (int i = 0; i < 20000; ++i) {
    std::snprintf(row, sizeof(row), "%08d", i);
    memstore.Add(MakeCell(row, "q", 1, 1).view(), 1, &hint);
    far_apart += MemStore::IsFarApart(hint) ? 1 : 0;
  }
  // The hint begins anew with each tower that is higher than all before.
  EXPECT_LE(far_apart, SkipList::kMaxHeight);
  MemStore::InsertHint jumping;
  for (int i = 0; i < 20000; i += 2000) {
    std::snprintf(row, sizeof(row), "%08dx", i);
    memstore.Add(MakeCell(row, "q", 1, 2).view(), 2, &jumping);
    EXPECT_TRUE(MemStore::IsFarApart(jumping)) << i;
  }
  jumping.is_kept = true;  // where the next run begins is not known
  EXPECT_FALSE(MemStore::IsFarApart(jumping));
}

TEST(MemStoreTest, SeeksToAndBefore) {
  std::vector<OwnedCell> cells = RandomCells(500, 11);
  MemStore memstore;
  MemStore::InsertHint hint;
  for (const OwnedCell& cell : cells) memstore.Add(cell.view(), cell.sequence_id, &hint);
  std::sort(cells.begin(), cells.end(), InOrder);
  for (const OwnedCell& probe : RandomCells(500, 13)) {
    const auto not_before = [&](const OwnedCell& cell) {
      return cell::CompareFlatKeys(cell.key, probe.key) >= 0;
    };
    const auto first = std::find_if(cells.begin(), cells.end(), not_before);
    MemStore::Iterator it(&memstore);
    it.Seek(probe.key, kNewest);
    ASSERT_EQ(it.Valid(), first != cells.end());
    if (it.Valid()) {
      EXPECT_EQ(it.cell().sequence_id, first->sequence_id);
    }
    it.SeekBefore(probe.key, kNewest);
    ASSERT_EQ(it.Valid(), first != cells.begin());
    if (it.Valid()) {
      EXPECT_EQ(it.cell().sequence_id, std::prev(first)->sequence_id);
    }
  }
}

// Replaying a log twice must not double its cells.
TEST(MemStoreTest, IgnoresExactRepeats) {
  MemStore memstore;
  const OwnedCell cell = MakeCell("row", "q", 5, 9);
  MemStore::InsertHint hint;
  memstore.Add(cell.view(), 9, &hint);
  memstore.Add(cell.view(), 9, &hint);
  memstore.Add(cell.view(), 10, &hint);  // the same key under another id is another version
  size_t count = 0;
  MemStore::Iterator it(&memstore);
  for (it.SeekToFirst(); it.Valid(); it.Next()) ++count;
  EXPECT_EQ(count, 2u);
}

TEST(MemStoreTest, KeepsEveryCellOfConcurrentWritersAndOrderForReaders) {
  constexpr size_t kThreads = 4;
  constexpr size_t kPerThread = 20000;
  MemStore memstore;
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop.load()) {
      MemStore::Iterator it(&memstore);
      Bytes last;
      for (it.SeekToFirst(); it.Valid(); it.Next()) {
        if (!last.empty()) {
          ASSERT_LE(cell::CompareFlatKeys(last, it.cell().flat_key()), 0);
        }
        last.assign(it.cell().flat_key());
      }
    }
  });
  std::vector<std::thread> writers;
  for (size_t thread = 0; thread < kThreads; ++thread) {
    writers.emplace_back([&, thread] {
      MemStore::InsertHint hint;
      for (size_t i = 0; i < kPerThread; ++i) {
        hint.is_kept = thread % 2 == 0;  // of an earlier run, each time
        // The later half in about the order of the rows.
        const size_t number = i < kPerThread / 2 ? (i * 7919) % kPerThread : 100'000 + i;
        const OwnedCell cell = MakeCell("row" + std::to_string(number), "q",
                                        static_cast<int64_t>(thread), thread * kPerThread + i + 1);
        memstore.Add(cell.view(), cell.sequence_id, &hint);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  stop = true;
  reader.join();
  std::set<uint64_t> seen;
  MemStore::Iterator it(&memstore);
  for (it.SeekToFirst(); it.Valid(); it.Next()) seen.insert(it.cell().sequence_id);
  EXPECT_EQ(seen.size(), kThreads * kPerThread);
  EXPECT_EQ(memstore.min_timestamp(), 0);
  EXPECT_EQ(memstore.max_timestamp(), static_cast<int64_t>(kThreads) - 1);
}

// Flat, the same cells stand in the same order, and each is found from either side.
TEST(MemStoreTest, FlatIsTheSame) {
  for (const bool meta_order : {false, true}) {
    MemStore whole(meta_order);
    std::vector<std::shared_ptr<MemStore>> parts;
    MemStore::InsertHint hint;
    for (uint64_t i = 0; i < 900; ++i) {
      if (i % 300 == 0) parts.push_back(std::make_shared<MemStore>(meta_order));
      const OwnedCell cell = MakeCell("t,row" + std::to_string(i * 7919 % 250) + ",1", "q",
                                      static_cast<int64_t>(i % 3), i + 1);
      MemStore::InsertHint fresh;
      whole.Add(cell.view(), i + 1, &hint);
      parts.back()->Add(cell.view(), i + 1, &fresh);
      hint = MemStore::InsertHint();
    }
    const auto first = MemStore::Flatten({parts.data(), 2}, meta_order);
    const std::vector<std::shared_ptr<MemStore>> both = {parts[2], first};
    const auto flat = MemStore::Flatten(both, meta_order);
    EXPECT_TRUE(flat->is_flat());
    EXPECT_EQ(flat->max_sequence_id(), 900u);
    EXPECT_EQ(flat->max_timestamp(), 2);
    MemStore::Iterator left(&whole);
    MemStore::Iterator right(flat.get());
    MemStore::Iterator found(flat.get());
    const Cell* before = nullptr;
    Cell last;
    left.SeekToFirst();
    right.SeekToFirst();
    for (; left.Valid(); left.Next(), right.Next()) {
      ASSERT_TRUE(right.Valid());
      EXPECT_EQ(left.cell().flat_key(), right.cell().flat_key());
      EXPECT_EQ(left.cell().sequence_id, right.cell().sequence_id);
      found.Seek(left.cell().flat_key(), left.cell().sequence_id);
      ASSERT_TRUE(found.Valid());
      EXPECT_EQ(found.cell().sequence_id, left.cell().sequence_id);
      found.SeekBefore(left.cell().flat_key(), left.cell().sequence_id);
      ASSERT_EQ(found.Valid(), before != nullptr);
      if (before != nullptr) {
        EXPECT_EQ(found.cell().sequence_id, before->sequence_id);
      }
      last = left.cell();
      before = &last;
    }
    EXPECT_FALSE(right.Valid());
  }
}

TEST(MemStoreTest, SplitRowsAreSortedInsideAndEven) {
  MemStore memstore;
  MemStore::InsertHint hint;
  for (int i = 0; i < 10000; ++i) {
    char row[16];
    std::snprintf(row, sizeof(row), "r%05d", i);
    memstore.Add(MakeCell(row, "q", 1, i + 1).view(), i + 1, &hint);
  }
  const std::vector<Bytes> rows = memstore.SplitRows(4, "r02000", "r08000");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_GT(rows.front(), "r02000");
  EXPECT_LT(rows.back(), "r08000");
  EXPECT_NEAR(std::stoi(rows[1].substr(1)), 5000, 1000);
}

// No iterator that is made afterwards shows what was given up, whichever way it goes.
TEST(MemStoreTest, GivenUpCells) {
  GivenUpIds given_up;
  MemStore memstore(false, &given_up);
  MemStore::InsertHint hint;
  for (uint64_t row = 0; row < 9; ++row) {
    const OwnedCell cell = MakeCell("r" + std::to_string(row), "q", 5, 10 + row);
    memstore.Add(cell.view(), cell.sequence_id, &hint);
  }
  const auto rows = [](const MemStore& in) {
    std::string found;
    MemStore::Iterator it(&in);
    for (it.SeekToFirst(); it.Valid(); it.Next()) found += it.cell().row().back();
    return found;
  };
  EXPECT_EQ(rows(memstore), "012345678");
  given_up.Add(11, 13);
  given_up.Add(13, 14);  // the same failure goes on
  EXPECT_EQ(rows(memstore), "015678");
  given_up.Add(17, 30);
  given_up.Add(40, 40);  // nothing
  EXPECT_EQ(rows(memstore), "01567");

  const std::shared_ptr<MemStore> parts[] = {std::shared_ptr<MemStore>(&memstore, [](auto*) {})};
  const auto flat = MemStore::Flatten(parts, false, &given_up);
  EXPECT_EQ(rows(*flat), "01567");
  given_up.Add(45, 50);
  for (const MemStore* each :
       {static_cast<const MemStore*>(&memstore), static_cast<const MemStore*>(flat.get())}) {
    MemStore::Iterator it(each);
    it.Seek(MakeCell("r2", "q", 5, 0).key, kNewest);
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.cell().row(), "r5");
    it.SeekBefore(MakeCell("r5", "q", 5, 0).key, kNewest);
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.cell().row(), "r1");
    it.SeekBefore(MakeCell("r9", "q", 5, 0).key, kNewest);
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.cell().row(), "r7");
    it.Seek(MakeCell("r8", "q", 5, 0).key, kNewest);
    EXPECT_FALSE(it.Valid());
  }
}

}  // namespace
}  // namespace bennu::engine
