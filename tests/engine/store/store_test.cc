#include "src/engine/store/store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <random>

#include "src/base/env.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/row_reader.h"
#include "src/hfile/block_cache.h"
#include "tests/support/memory_rows.h"

namespace bennu::engine {
namespace {

using testing::MemoryCell;
using testing::MemoryCells;

constexpr int32_t kAllVersions = std::numeric_limits<int32_t>::max();
constexpr uint64_t kNewest = std::numeric_limits<uint64_t>::max();

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "/bennu_store_" + std::to_string(Env::Default()->RandomU64());
    family_.name = "f";
    family_.attributes = {{"VERSIONS", "1000"},
                          {"BLOCKSIZE", "512"},
                          {"BLOOMFILTER", bloom_},
                          {"RowPrefixBloomFilter.prefix_length", "2"}};
    Reopen();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(root_);
  }

  StoreOptions Options() {
    StoreOptions options;
    options.env = Env::Default();
    options.block_cache = &cache_;
    options.store_directory = root_ + "/store";
    options.temp_directory = root_ + "/tmp";
    options.archive_directory = root_ + "/archive";
    return options;
  }

  void Reopen() {
    store_.reset();
    auto store = Store::Open(Options(), family_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
  }

  void Add(ByteView row, ByteView qualifier, int64_t timestamp, CellType type, ByteView value) {
    Bytes key;
    cell::AppendFlatKey(&key, row, "f", qualifier, timestamp, type);
    Cell cell;
    cell.key = key.data();
    cell.key_length = static_cast<uint32_t>(key.size());
    cell.value = value.data();
    cell.value_length = static_cast<uint32_t>(value.size());
    MemStore::InsertHint hint;
    store_->Add(cell, ++sequence_, &hint);
    model_.insert(MemoryCell{Bytes(row), "f", Bytes(qualifier), timestamp, type, sequence_,
                             Bytes(value), ""});
  }
  void Put(ByteView row, ByteView qualifier, int64_t timestamp, ByteView value) {
    Add(row, qualifier, timestamp, CellType::kPut, value);
  }

  void Flush(uint64_t smallest_read_point = kNewest) {
    if (!store_->PrepareFlush(++sequence_)) return;
    auto file = store_->WriteFlush(smallest_read_point, 0);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    const Status committed = store_->CommitFlush(*file);
    ASSERT_TRUE(committed.ok()) << committed.ToString();
  }
  void Compact(CompactionRequest request, uint64_t smallest_read_point = kNewest) {
    if (request.inputs.empty()) return;
    auto file = store_->WriteCompaction(request, smallest_read_point, 0, nullptr);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    const Status committed = store_->CommitCompaction(request, *file);
    ASSERT_TRUE(committed.ok()) << committed.ToString();
  }

  static std::string Text(const Cell& cell) {
    return std::string(cell.row()) + "/" + std::string(cell.qualifier()) + "@" +
           std::to_string(cell.timestamp()) + " " + cell::TypeName(cell.type()) + "=" +
           std::string(cell.value_view());
  }

  std::vector<std::string> Read(const Scan& scan, uint64_t read_point = kNewest,
                                size_t rows_per_batch = 7, Scanner::Metrics* metrics = nullptr) {
    std::vector<std::string> lines;
    auto scanner = store_->OpenScanner(scan, read_point, 0);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    bool done = false;
    while (scanner.ok() && !done) {
      CellBatch batch;
      (*scanner)->Unpin();
      const Status status = (*scanner)->NextRows(rows_per_batch, &batch, &done);
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_LE(batch.row_count(), rows_per_batch);
      for (const Cell& cell : batch.cells) lines.push_back(Text(cell));
    }
    if (metrics != nullptr) (*scanner)->AddMetrics(metrics);
    return lines;
  }

  // The same of a single row, by a point read.
  std::vector<std::string> ReadRow(const Scan& scan, uint64_t read_point = kNewest) {
    Get get;
    get.row = scan.range.start;
    get.time_range = scan.time_range;
    get.columns = scan.columns;
    get.max_versions = scan.max_versions;
    std::vector<std::string> lines;
    RowReader::Lease reader;
    reader->Ask(get);
    const Status status = reader->Read(*store_, read_point, 0);
    EXPECT_TRUE(status.ok()) << status.ToString();
    for (const Cell& cell : reader->cells()) lines.push_back(Text(cell));
    return lines;
  }

  // The same question asked of the model, which knows every cell ever written.
  std::vector<std::string> Expect(const Scan& scan, uint64_t read_point = kNewest) {
    TableDescriptor descriptor;
    descriptor.families = {family_};
    std::map<Bytes, std::vector<const MemoryCell*>> rows;
    for (const MemoryCell& cell : model_) {
      if (cell.sequence > read_point) continue;
      const Bytes& low = scan.reversed ? scan.range.stop : scan.range.start;
      const Bytes& high = scan.reversed ? scan.range.start : scan.range.stop;
      const bool low_in = scan.reversed ? scan.range.stop_inclusive : scan.range.start_inclusive;
      const bool high_in = scan.reversed ? scan.range.start_inclusive : scan.range.stop_inclusive;
      if (!low.empty() && (cell.row < low || (cell.row == low && !low_in))) continue;
      if (!high.empty() && (cell.row > high || (cell.row == high && !high_in))) continue;
      rows[cell.row].push_back(&cell);
    }
    testing::VisibilityRequest request;
    request.time_range = scan.time_range;
    request.columns = scan.columns;
    request.max_versions = scan.max_versions;
    request.raw = scan.raw;
    std::vector<std::vector<std::string>> by_row;
    for (const auto& [row, cells] : rows) {
      by_row.emplace_back();
      for (const MemoryCell* cell : testing::VisibleCells(descriptor, cells, request)) {
        by_row.back().push_back(cell->row + "/" + cell->qualifier + "@" +
                                std::to_string(cell->timestamp) + " " + cell::TypeName(cell->type) +
                                "=" + cell->value);
      }
    }
    if (scan.reversed) std::reverse(by_row.begin(), by_row.end());
    std::vector<std::string> lines;
    for (const auto& row : by_row) lines.insert(lines.end(), row.begin(), row.end());
    return lines;
  }

  void WriteRandomly(std::mt19937* random, size_t count) {
    static const CellType kTypes[] = {CellType::kPut,          CellType::kPut,
                                      CellType::kPut,          CellType::kPut,
                                      CellType::kPut,          CellType::kPut,
                                      CellType::kDelete,       CellType::kDeleteColumn,
                                      CellType::kDeleteFamily, CellType::kDeleteFamilyVersion};
    for (size_t i = 0; i < count; ++i) {
      const std::string row = "r" + std::to_string((*random)() % 60);
      const CellType type = kTypes[(*random)() % std::size(kTypes)];
      const bool whole_family =
          type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion;
      const std::string qualifier = whole_family ? "" : std::string(1, "abcd"[(*random)() % 4]);
      Add(row, qualifier, 1 + static_cast<int64_t>((*random)() % 12), type,
          IsDelete(type) ? "" : "v" + std::to_string(sequence_ + 1));
    }
  }

  Scan RandomScan(std::mt19937* random) {
    Scan scan;
    scan.max_versions = (*random)() % 2 == 0 ? 1 : 1 + static_cast<int32_t>((*random)() % 4);
    scan.reversed = (*random)() % 4 == 0;
    const auto bound = [&] {
      return (*random)() % 3 == 0 ? Bytes() : "r" + std::to_string((*random)() % 60);
    };
    scan.range = {bound(), (*random)() % 2 == 0, bound(), (*random)() % 2 == 0};
    if ((*random)() % 4 == 0) scan.range = {scan.range.start, true, scan.range.start, true};
    if ((*random)() % 3 == 0) {
      scan.time_range.min = static_cast<int64_t>((*random)() % 8);
      scan.time_range.max = scan.time_range.min + 1 + static_cast<int64_t>((*random)() % 8);
    }
    if ((*random)() % 2 == 0) {
      for (const char* qualifier : {"a", "b", "c", "d", "zz"}) {
        if ((*random)() % 2 == 0) scan.columns["f"].insert(qualifier);
      }
      if (scan.columns["f"].empty()) scan.columns.clear();
    }
    return scan;
  }

  Scan RandomRow(std::mt19937* random) {
    Scan scan = RandomScan(random);
    const Bytes row = "r" + std::to_string((*random)() % 60);
    scan.range = {row, true, row, true};
    return scan;
  }

  // The newest version of one column, as counters and conditions want it.
  Scan RandomColumn(std::mt19937* random) {
    Scan scan;
    const Bytes row = "r" + std::to_string((*random)() % 60);
    scan.range = {row, true, row, true};
    const size_t column = (*random)() % 5;
    scan.columns["f"] = {column == 4 ? Bytes() : Bytes(1, "abcd"[column])};
    return scan;
  }

  std::string root_;
  std::string bloom_ = "ROW";
  ColumnFamilyDescriptor family_;
  hfile::BlockCache cache_{1 << 20};
  std::unique_ptr<Store> store_;
  uint64_t sequence_ = 0;
  MemoryCells model_;
};

// Every scan gives what the plain model gives, wherever the cells are: in the memstore, in many
// files, after minor compactions, after reopening, and at older read points while nothing they
// need was dropped.
TEST_F(StoreTest, AnswersAsTheModelThroughFlushesAndCompactions) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    static const char* const kBlooms[] = {"ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"};
    bloom_ = kBlooms[seed % 3];
    TearDown();
    model_.clear();
    SetUp();
    std::mt19937 random(seed);
    std::vector<uint64_t> read_points;
    for (int round = 0; round < 8; ++round) {
      WriteRandomly(&random, 120);
      read_points.push_back(sequence_);
      // The oldest reader of all keeps everything it may need.
      if (random() % 2 == 0) Flush(read_points.front());
      // Markers stay, even when all files are merged: writes with older timestamps follow.
      CompactionRequest minor = store_->SelectCompaction(false);
      minor.all_files = false;
      if (random() % 3 == 0) Compact(minor, read_points.front());
      for (int i = 0; i < 12; ++i) {
        const Scan scan = RandomScan(&random);
        ASSERT_EQ(Read(scan), Expect(scan));
        const uint64_t read_point = read_points[random() % read_points.size()];
        ASSERT_EQ(Read(scan, read_point), Expect(scan, read_point));
        const Scan row = RandomRow(&random);
        ASSERT_EQ(ReadRow(row), Expect(row));
        ASSERT_EQ(ReadRow(row, read_point), Expect(row, read_point));
        const Scan newest = RandomColumn(&random);
        ASSERT_EQ(ReadRow(newest), Expect(newest));
        ASSERT_EQ(ReadRow(newest, read_point), Expect(newest, read_point));
      }
    }
    Flush(read_points.front());
    Compact(store_->SelectCompaction(true));
    for (int i = 0; i < 20; ++i) {
      const Scan scan = RandomScan(&random);
      ASSERT_EQ(Read(scan), Expect(scan));
      const Scan row = RandomRow(&random);
      ASSERT_EQ(ReadRow(row), Expect(row));
    }
    Reopen();
    const Scan all = RandomScan(&random);
    ASSERT_EQ(Read(all), Expect(all));
    EXPECT_EQ(store_->file_names().size(), 1u);
  }
}

// A counter that is much incremented: many versions in the memstore, of which one is wanted.
TEST_F(StoreTest, ReadsTheNewestOfManyVersions) {
  Scan row;
  row.range = {"r", true, "r", true};
  row.columns["f"] = {"c"};
  const auto expect_alike = [&] {
    for (const uint64_t read_point : {kNewest, sequence_ / 2, sequence_ - 1}) {
      EXPECT_EQ(ReadRow(row, read_point), Expect(row, read_point));
    }
  };
  for (int64_t i = 1; i <= 400; ++i) {
    Put("r", "a", i, "other");
    Put("r", "c", i, std::to_string(i));
    Put("r", "d", i, "other");
    if (i == 200) Flush();
  }
  expect_alike();
  EXPECT_EQ(ReadRow(row).size(), 1u);
  Add("r", "c", 400, CellType::kDelete, "");  // 399 counts again
  expect_alike();
  Flush();
  Put("r", "c", 350, "late");
  Put("r", "c", 400, "again");
  expect_alike();
  Add("r", "", 500, CellType::kDeleteFamily, "");
  expect_alike();
  EXPECT_TRUE(ReadRow(row).empty());

  // A marker in a file hides the newest in the memstore, and not the one behind it.
  row.range = {"s", true, "s", true};
  Add("s", "c", 2, CellType::kDelete, "");
  Flush();
  Put("s", "c", 1, "behind");
  Put("s", "c", 2, "hidden");
  expect_alike();
  EXPECT_EQ(ReadRow(row).size(), 1u);
}

// A point read of a row that is not at hand: of many cells in the memstore, in several blocks, or
// in both.
TEST_F(StoreTest, ReadsALongRowByKey) {
  Scan row;
  row.range = {"r", true, "r", true};
  row.max_versions = 3;
  const auto add = [this](int64_t timestamp) {
    Put("q", "a", timestamp, "v");
    for (int i = 0; i < 300; ++i) Put("r", "c" + std::to_string(100 + i), timestamp, "v");
    Put("s", "a", timestamp, "v");
  };
  add(1);
  EXPECT_EQ(ReadRow(row), Expect(row));
  Flush();
  EXPECT_EQ(ReadRow(row), Expect(row));
  add(2);
  EXPECT_EQ(ReadRow(row), Expect(row));
  row.columns["f"] = {"c100", "c250", "c399", "c400"};
  EXPECT_EQ(ReadRow(row), Expect(row));
  EXPECT_EQ(ReadRow(row).size(), 6u);
}

// A raw scan sees delete markers and what they hide, until a major compaction drops both.
TEST_F(StoreTest, RawScanSeesMarkersUntilMajorCompaction) {
  Put("r", "a", 5, "old");
  Add("r", "a", 5, CellType::kDeleteColumn, "");
  Scan raw;
  raw.raw = true;
  raw.max_versions = kAllVersions;
  EXPECT_EQ(Read(raw), (std::vector<std::string>{"r/a@5 DeleteColumn=", "r/a@5 Put=old"}));
  EXPECT_TRUE(Read(Scan()).empty());
  Flush();
  EXPECT_EQ(Read(raw), (std::vector<std::string>{"r/a@5 DeleteColumn="}));
  Compact(store_->SelectCompaction(true));
  EXPECT_TRUE(Read(raw).empty());
}

TEST_F(StoreTest, KeepsDeletedCellsWhenAsked) {
  family_.attributes["KEEP_DELETED_CELLS"] = "TRUE";
  Reopen();
  Put("r", "a", 5, "old");
  Add("r", "a", 7, CellType::kDeleteColumn, "");
  Flush();
  Compact(store_->SelectCompaction(true));
  EXPECT_TRUE(Read(Scan()).empty());
  Scan back_then;
  back_then.time_range = {0, 6};
  EXPECT_EQ(Read(back_then), std::vector<std::string>{"r/a@5 Put=old"});
}

// Markers newer than a range hide what is in it, unless the reader looks back in time.
TEST_F(StoreTest, MarkersBeyondALookBackHideNothing) {
  Put("r", "a", 5, "old");
  Add("r", "a", 7, CellType::kDeleteColumn, "");
  Scan scan;
  scan.time_range = {0, 6};
  EXPECT_TRUE(Read(scan).empty());
  scan.time_range.markers_max = 7;
  EXPECT_EQ(Read(scan), std::vector<std::string>{"r/a@5 Put=old"});
  scan.time_range.markers_max = 8;
  EXPECT_TRUE(Read(scan).empty());
}

TEST_F(StoreTest, ExpiresByTtlAndKeepsMinVersions) {
  family_.attributes["TTL"] = "1";
  Reopen();
  Put("r", "a", 500, "gone");
  Put("r", "a", 2500, "here");
  const auto read_at = [&](int64_t now) {
    std::vector<std::string> lines;
    Scan scan;
    scan.max_versions = 10;
    auto scanner = store_->OpenScanner(scan, kNewest, now);
    EXPECT_TRUE(scanner.ok());
    CellBatch batch;
    bool done = false;
    EXPECT_TRUE((*scanner)->NextRows(10, &batch, &done).ok());
    for (const Cell& cell : batch.cells) lines.push_back(Text(cell));
    return lines;
  };
  EXPECT_EQ(read_at(3000), std::vector<std::string>{"r/a@2500 Put=here"});
  EXPECT_TRUE(read_at(9000).empty());
  family_.attributes["MIN_VERSIONS"] = "1";
  store_->SetFamily(family_);
  EXPECT_EQ(read_at(9000), std::vector<std::string>{"r/a@2500 Put=here"});
}

// Answers of HBase 2.5.10 (ExplicitColumnTracker): a read that names the column shows the first
// expired version beyond MIN_VERSIONS, too.
TEST_F(StoreTest, NamedColumnsShowOneMoreExpiredVersion) {
  family_.attributes = {{"TTL", "1"}, {"MIN_VERSIONS", "1"}, {"VERSIONS", "5"}};
  Reopen();
  for (const int64_t timestamp : {100, 200, 2500, 2600}) Put("r", "a", timestamp, "v");
  const auto versions = [&](const std::set<Bytes>& columns, int64_t now) {
    Scan scan;
    scan.max_versions = 10;
    scan.columns["f"] = columns;
    auto scanner = store_->OpenScanner(scan, kNewest, now);
    EXPECT_TRUE(scanner.ok());
    CellBatch batch;
    bool done = false;
    EXPECT_TRUE((*scanner)->NextRows(10, &batch, &done).ok());
    std::vector<int64_t> timestamps;
    for (const Cell& cell : batch.cells) timestamps.push_back(cell.timestamp());
    return timestamps;
  };
  EXPECT_EQ(versions({}, 3000), (std::vector<int64_t>{2600, 2500}));
  EXPECT_EQ(versions({"a"}, 3000), (std::vector<int64_t>{2600, 2500, 200}));
  EXPECT_EQ(versions({"a", "b"}, 3000), (std::vector<int64_t>{2600, 2500, 200}));
  EXPECT_EQ(versions({"a"}, 9000), (std::vector<int64_t>{2600}));
}

// Files whose cells are all outside the time range are not opened; a file with a newer delete
// marker is, because the marker may hide what is inside the range.
TEST_F(StoreTest, SkipsFilesByTimeUnlessTheyHoldNewerMarkers) {
  for (int file = 0; file < 4; ++file) {
    Put("r" + std::to_string(file), "a", 100 * (file + 1), "v");
    Flush();
  }
  Scan scan;
  scan.time_range = {150, 250};
  Scanner::Metrics metrics;
  EXPECT_EQ(Read(scan, kNewest, 7, &metrics), std::vector<std::string>{"r1/a@200 Put=v"});
  EXPECT_EQ(metrics.files_opened, 1u);
  EXPECT_EQ(metrics.files_skipped_by_time, 3u);

  Add("r1", "", 500, CellType::kDeleteFamily, "");
  Flush();
  EXPECT_TRUE(Read(scan).empty());
}

TEST_F(StoreTest, SkipsFilesByBloomAndByKey) {
  for (int i = 0; i < 200; ++i) Put("k" + std::to_string(1000 + 2 * i), "a", 1, "v");
  Flush();
  const auto metrics_of = [&](const Bytes& row) {
    Scan scan;
    scan.range = {row, true, row, true};
    Scanner::Metrics metrics;
    EXPECT_TRUE(Read(scan, kNewest, 7, &metrics).empty());
    return metrics;
  };
  EXPECT_EQ(metrics_of("a").files_skipped_by_key, 1u);
  uint64_t by_bloom = 0;
  for (int i = 0; i < 100; ++i) {
    by_bloom += metrics_of("k" + std::to_string(1001 + 2 * i)).files_skipped_by_bloom;
  }
  EXPECT_GE(by_bloom, 90u);  // one in a hundred may pass
}

// A get of columns leaves out files with none of them, unless a marker of the whole row is there.
TEST_F(StoreTest, SkipsFilesByRowColBloom) {
  bloom_ = "ROWCOL";
  TearDown();
  SetUp();
  const auto row_of = [](int i) { return "k" + std::to_string(1000 + i); };
  for (int i = 0; i < 200; ++i) Put(row_of(i), i % 2 == 0 ? "even" : "odd", 1, "v");
  Flush();
  const auto skipped = [&](int i, std::set<Bytes> qualifiers) {
    Scan scan;
    scan.range = {row_of(i), true, row_of(i), true};
    scan.columns["f"] = std::move(qualifiers);
    Scanner::Metrics metrics;
    EXPECT_EQ(Read(scan, kNewest, 7, &metrics), Expect(scan));
    return metrics.files_skipped_by_bloom;
  };
  uint64_t by_bloom = 0;
  for (int i = 0; i < 100; ++i) {
    by_bloom += skipped(2 * i, {"odd", "other"});
    EXPECT_EQ(skipped(i, {"even", "odd", "other"}), 0u);
    EXPECT_EQ(skipped(i, {}), 0u);
  }
  EXPECT_GE(by_bloom, 90u);  // one in a hundred may pass, for each column
  for (int i = 0; i < 200; i += 4) Add(row_of(i), "", 5, CellType::kDeleteFamily, "");
  for (int i = 2; i < 200; i += 4) Add(row_of(i), "even", 5, CellType::kDeleteColumn, "");
  Flush();
  for (int i = 0; i < 200; i += 2) EXPECT_EQ(skipped(i, {"even"}), 0u);
}

TEST_F(StoreTest, SkipsFilesByPrefixBloom) {
  bloom_ = "ROWPREFIX_FIXED_LENGTH";
  TearDown();
  SetUp();
  for (int i = 0; i < 50; ++i)
    Put(std::string(1, static_cast<char>('0' + i)) + "0row", "a", 1, "v");
  Put("\xFF"
      "0row",
      "a", 1, "v");
  Flush();
  const auto skipped = [&](const RowRange& range, bool reversed = false) {
    Scan scan;
    scan.range = range;
    scan.reversed = reversed;
    Scanner::Metrics metrics;
    EXPECT_EQ(Read(scan, kNewest, 7, &metrics), Expect(scan));
    return metrics.files_skipped_by_bloom;
  };
  uint64_t bounds = 0, by_prefix = 0, backwards = 0, gets = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string first(1, static_cast<char>('0' + i));
    bounds += skipped({first + "1a", true, first + "1z", false});
    by_prefix += skipped({first + "1", true, first + "2", false});
    backwards += skipped({first + "1z", true, first + "1a", true}, true);
    gets += skipped({first + "1a", true, first + "1a", true});
    EXPECT_EQ(skipped({first + "0", true, first + "1", false}), 0u);
    EXPECT_EQ(skipped({first + "0a", false, first + "0z", false}), 0u);
    EXPECT_EQ(skipped({first + "1", true, first + "2", true}), 0u);  // another prefix as well
    EXPECT_EQ(skipped({first, true, first + "1", false}), 0u);
  }
  for (const uint64_t count : {bounds, by_prefix, backwards, gets}) EXPECT_GE(count, 45u);
  EXPECT_EQ(skipped({"\xFF"
                     "0",
                     true, "", false}),
            0u);
}

// A process that dies between putting a compaction's result in place and archiving its inputs must
// not bring hidden cells back.
TEST_F(StoreTest, LeavesReplacedFilesOutAfterACrash) {
  Put("r", "a", 5, "hidden");
  Flush();
  Add("r", "a", 9, CellType::kDeleteColumn, "");
  Flush();
  Put("s", "a", 1, "kept");
  Flush();
  const std::vector<std::string> inputs = store_->file_names();
  ASSERT_EQ(inputs.size(), 3u);
  Compact(store_->SelectCompaction(true));
  // As if only the file with the marker had been archived: the one with the hidden cell is back.
  for (const std::string& name : inputs) {
    std::filesystem::copy(root_ + "/archive/" + name, root_ + "/store/" + name);
    Reopen();
    EXPECT_EQ(Read(Scan()), std::vector<std::string>{"s/a@1 Put=kept"});
    EXPECT_EQ(store_->file_names().size(), 1u);
  }
}

// A scanner goes on over what it saw at its start while the store changes under it.
TEST_F(StoreTest, ScannersSurviveFlushAndCompaction) {
  for (int i = 0; i < 100; ++i) Put("r" + std::to_string(1000 + i), "a", 1, "v");
  Flush();
  for (int i = 0; i < 100; ++i) Put("r" + std::to_string(2000 + i), "a", 1, "v");
  auto scanner = store_->OpenScanner(Scan(), sequence_, 0);
  ASSERT_TRUE(scanner.ok());
  size_t rows = 0;
  bool done = false;
  while (!done) {
    CellBatch batch;
    (*scanner)->Unpin();
    ASSERT_TRUE((*scanner)->NextRows(10, &batch, &done).ok());
    rows += batch.row_count();
    Flush();
    Compact(store_->SelectCompaction(true));
    Put("r1050x", "a", 1, "later");
  }
  EXPECT_EQ(rows, 200u);
}

// A flush that failed loses nothing: the cells stay readable and are part of the next flush.
TEST_F(StoreTest, KeepsCellsOfAFailedFlush) {
  Put("r", "a", 1, "v");
  ASSERT_TRUE(store_->PrepareFlush(++sequence_));
  ASSERT_TRUE(store_->WriteFlush(kNewest, 0).ok());  // and never committed
  EXPECT_EQ(Read(Scan()), std::vector<std::string>{"r/a@1 Put=v"});
  Put("s", "a", 1, "w");
  Flush();
  EXPECT_EQ(Read(Scan()), (std::vector<std::string>{"r/a@1 Put=v", "s/a@1 Put=w"}));
  EXPECT_EQ(store_->memstore_bytes(), 0u);
  EXPECT_EQ(store_->file_names().size(), 1u);
}

TEST_F(StoreTest, SeeksRowByRow) {
  for (int i = 0; i < 300; ++i) {
    Put("r" + std::to_string(1000 + i), "a", 1, "v");
    if (i == 150) Flush();
  }
  auto scanner = store_->OpenScanner(Scan(), kNewest, 0);
  ASSERT_TRUE(scanner.ok());
  for (const char* row : {"r1003", "r1100", "r1150", "r1151", "r1298"}) {
    ASSERT_TRUE((*scanner)->SeekToRow(row).ok());
    auto at = (*scanner)->PeekRow();
    ASSERT_TRUE(at.ok());
    EXPECT_EQ(*at, row);
    std::vector<Cell> cells;
    ASSERT_TRUE((*scanner)->AppendRow(&cells).ok());
    EXPECT_EQ(cells.size(), 1u);
  }
  ASSERT_TRUE((*scanner)->SkipRow().ok());
  auto at = (*scanner)->PeekRow();
  ASSERT_TRUE(at.ok());
  EXPECT_TRUE(at->empty());
}

TEST_F(StoreTest, RefusesADamagedFileByName) {
  Put("r", "a", 1, "v");
  Flush();
  const std::string path = root_ + "/store/" + store_->file_names().front();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  auto store = Store::Open(Options(), family_);
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.status().code(), StatusCode::kCorruption);
  EXPECT_NE(store.status().message().find(path), std::string::npos) << store.status().message();
}

}  // namespace
}  // namespace bennu::engine
