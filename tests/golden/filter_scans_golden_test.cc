// Scans and Gets with filters, as HBase 2.5 answered them (filters/*.jsonl): over tables loaded
// as recorded, and over the same rows in memory, in many files, in one, behind a snapshot, cut into
// other regions, and asked of a server.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/filter.h"
#include "bennu/table.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/engine/open.h"
#include "tests/golden/filter_cases.h"
#include "tests/golden/golden_tsv.h"
#include "tests/support/served_store.h"

namespace bennu::golden {
namespace {

using nlohmann::json;

enum class Layout {
  kAsRecorded,
  kMemory,       // nothing flushed
  kManyFiles,    // a flush every few cells
  kCompacted,    // one file, nothing hidden left in it
  kSnapshot,     // as recorded, and much written since the moment that is read, and still
  kMoreRegions,  // cut at other rows
  kDateTiered,   // many files, merged and cut by time
  kStriped,      // likewise, by rows
  kServed        // as recorded, behind a server
};

std::map<std::string, std::string> ConfigurationOf(Layout layout) {
  switch (layout) {
    case Layout::kDateTiered:
      return {{"hbase.hstore.engine.class", "DateTieredStoreEngine"},
              {"hbase.hstore.compaction.date.tiered.incoming.window.min", "2"},
              {"hbase.hstore.compaction.date.tiered.base.window.millis", "1000"}};
    case Layout::kStriped:
      return {{"hbase.hstore.engine.class", "StripeStoreEngine"},
              {"hbase.store.stripe.initialStripeCount", "3"},
              {"hbase.store.stripe.compaction.minFiles", "3"},
              {"hbase.store.stripe.sizeToSplit", "5000"}};
    default: return {};
  }
}

bool HasManyFiles(Layout layout) {
  return layout == Layout::kManyFiles || layout == Layout::kDateTiered ||
         layout == Layout::kStriped;
}

constexpr size_t kCellsPerFile = 25;

// What a table's file says, line by line.
struct RecordedTable {
  std::vector<Bytes> families;
  std::string versions;
  std::vector<Bytes> splits;
  std::vector<std::vector<std::string>> lines;  // a line of one field is a flush
};

RecordedTable ReadTable(const std::string& name) {
  RecordedTable table;
  for (const std::string& line :
       Split(ReadWhole(Directory() / "filters" / (name + ".cells.tsv")), '\n')) {
    const auto fields = Split(line, '\t');
    if (fields[0] == "#schema") {
      for (size_t i = 1; i < fields.size(); ++i) {
        const size_t equals = fields[i].find('=');
        const std::string key = fields[i].substr(0, equals);
        const std::string value = fields[i].substr(equals + 1);
        if (key == "versions") table.versions = value;
        if (key == "families") table.families = Split(value, ',');
        if (key == "splits" && !value.empty()) {
          for (const auto& split : Split(value, ',')) table.splits.push_back(FromHex(split));
        }
      }
    } else if (fields[0] == "#flush") {
      table.lines.push_back({"flush"});
    } else if (fields.size() == 6 && fields[0][0] != '#') {
      table.lines.push_back(fields);
    }
  }
  EXPECT_FALSE(table.lines.empty()) << name;
  return table;
}

CellType TypeOf(const std::string& name) {
  static const std::map<std::string, CellType> kTypes = {
      {"Put", CellType::kPut},
      {"Delete", CellType::kDelete},
      {"DeleteColumn", CellType::kDeleteColumn},
      {"DeleteFamily", CellType::kDeleteFamily},
      {"DeleteFamilyVersion", CellType::kDeleteFamilyVersion}};
  const auto it = kTypes.find(name);
  EXPECT_NE(it, kTypes.end()) << name;
  return it == kTypes.end() ? CellType::kPut : it->second;
}

std::string NameOf(CellType type) {
  switch (type) {
    case CellType::kPut: return "Put";
    case CellType::kDelete: return "Delete";
    case CellType::kDeleteColumn: return "DeleteColumn";
    case CellType::kDeleteFamily: return "DeleteFamily";
    case CellType::kDeleteFamilyVersion: return "DeleteFamilyVersion";
    default: return "?";
  }
}

TimeRange RangeOf(const json& range) { return {range[0], range[1]}; }

// The code that stands for the exception that HBase threw.
StatusCode CodeFor(const std::string& error) {
  const auto has = [&](const char* text) { return error.find(text) != std::string::npos; };
  if (has("Reverse scan with loading CFs on demand")) return StatusCode::kNotSupported;
  // No such family; a batch with whole rows; columns of a raw scan; too short for a comparator.
  return StatusCode::kInvalidArgument;
}

class FilterScans {
 public:
  explicit FilterScans(Layout layout) : layout_(layout) {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_filters_" + std::to_string(Env::Default()->RandomU64()));
    engine::EngineOptions options;
    options.wal_sync = engine::WalSync::kOs;
    options.background_compaction = false;
    options.configuration = ConfigurationOf(layout);
    if (layout == Layout::kServed) {
      served_ = std::make_unique<bennu::testing::ServedStore>(options);
      store_ = served_->connection();
      return;
    }
    auto engine = engine::OpenEngine(path_, options);
    EXPECT_TRUE(engine.ok()) << engine.status().ToString();
    engine_ = std::move(engine).value();
    store_ = engine_.get();
  }
  ~FilterScans() {
    stop_ = true;
    for (std::thread& writer : writers_) writer.join();
    tables_.clear();
    snapshots_.clear();
    served_.reset();
    engine_.reset();
    std::filesystem::remove_all(path_);
  }

  void Run(const json& test_case);

 private:
  Table* TableOf(const std::string& name);
  void Load(const std::string& name, const RecordedTable& recorded);
  void Disturb(Table* table, const RecordedTable& recorded);
  void Flush(const std::string& name) {
    const Status status = store_->admin()->Flush(*TableName::Parse(name));
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  bool Applies(const json& test_case) const;
  Status RunScan(const json& test_case, const Scan& scan, json* results);
  Status RunGet(const json& test_case, Get get, json* results);
  Scan ScanOf(const json& test_case) const;
  std::shared_ptr<const Snapshot> SnapshotOf(const json& test_case) const {
    const auto it = snapshots_.find(test_case["table"]);
    return it == snapshots_.end() ? nullptr : it->second;
  }

  const Layout layout_;
  std::string path_;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> writers_;
  std::vector<std::unique_ptr<RecordedTable>> recorded_;  // the writers read them
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<bennu::testing::ServedStore> served_;
  Connection* store_ = nullptr;  // of either
  std::map<std::string, std::shared_ptr<Table>> tables_;
  std::map<std::string, std::shared_ptr<const Snapshot>> snapshots_;  // of tables disturbed
};

Table* FilterScans::TableOf(const std::string& name) {
  auto& table = tables_[name];
  if (table == nullptr) {
    recorded_.push_back(std::make_unique<RecordedTable>(ReadTable(name)));
    Load(name, *recorded_.back());
  }
  return table.get();
}

void FilterScans::Load(const std::string& name, const RecordedTable& recorded) {
  TableDescriptor descriptor;
  descriptor.name = *TableName::Parse(name);
  for (const Bytes& family : recorded.families) {
    descriptor.families.emplace_back();
    descriptor.families.back().name = family;
    descriptor.families.back().attributes["VERSIONS"] = recorded.versions;
  }
  std::vector<Bytes> splits = recorded.splits;
  if (layout_ == Layout::kMoreRegions) splits = {"b", "f", "r01", "r02", "u003", "x"};
  Status status = store_->admin()->CreateTable(descriptor, splits);
  ASSERT_TRUE(status.ok()) << status.ToString();
  auto opened = store_->OpenTable(descriptor.name);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  tables_[name] = *opened;

  MutationBatch batch;
  const auto write = [&] {
    status = tables_[name]->Write(&batch);
    EXPECT_TRUE(status.ok()) << status.ToString();
    batch.Clear();
  };
  size_t cells = 0;
  for (const auto& line : recorded.lines) {
    if (line[0] == "flush") {
      write();
      if (layout_ != Layout::kMemory) Flush(name);
      continue;
    }
    batch.StartRow(FromHex(line[0]));
    batch.AddCell(line[1], FromHex(line[2]), std::stoll(line[3]), TypeOf(line[4]),
                  FromHex(line[5]));
    if (HasManyFiles(layout_) && ++cells % kCellsPerFile == 0) {
      write();
      Flush(name);
    }
  }
  write();
  const bool is_cut = layout_ == Layout::kDateTiered || layout_ == Layout::kStriped;
  if (layout_ == Layout::kCompacted || is_cut) {
    status = store_->admin()->Compact(descriptor.name, /*major=*/!is_cut);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  if (layout_ == Layout::kSnapshot) Disturb(tables_[name].get(), recorded);
}

// What is written behind the snapshot's back: new rows between the old ones, newer cells and
// deletes in these, partly flushed.
void FilterScans::Disturb(Table* table, const RecordedTable& recorded) {
  snapshots_[table->name().ToString()] = store_->TakeSnapshot();
  MutationBatch batch;
  for (size_t i = 0; i < recorded.lines.size(); ++i) {
    if (recorded.lines[i][0] == "flush") continue;
    const Bytes row = FromHex(recorded.lines[i][0]);
    batch.StartRow(row);
    batch.Put(recorded.lines[i][1], FromHex(recorded.lines[i][2]), "later", 10'000);
    batch.StartRow(row + "!");
    batch.Put(recorded.lines[i][1], "q1", "val-later", 200);
    if (i % 3 == 0) {
      batch.StartRow(row);
      batch.DeleteFamily(recorded.lines[i][1], 20'000);
    }
    if (i == recorded.lines.size() / 2) {
      ASSERT_TRUE(table->Write(&batch).ok());
      batch.Clear();
      Flush(table->name().ToString());
    }
  }
  ASSERT_TRUE(table->Write(&batch).ok());
  writers_.emplace_back([this, table, &lines = recorded.lines] {
    for (size_t i = 0; !stop_; ++i) {
      const auto& line = lines[i % lines.size()];
      if (line[0] == "flush") continue;
      MutationBatch more;
      more.StartRow(FromHex(line[0]));
      more.Put(line[1], FromHex(line[2]), "now", static_cast<int64_t>(30'000 + i));
      more.StartRow(FromHex(line[0]) + "\"");
      more.Put(line[1], "q1", "val-now", 200);
      EXPECT_TRUE(table->Write(&more).ok());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}

bool FilterScans::Applies(const json& test_case) const {
  const std::string op = test_case["op"];
  const json& asked = test_case[op];
  // What raw scans show depends on what flushes and compactions have dropped.
  if (asked.value("raw", false) && layout_ != Layout::kAsRecorded && layout_ != Layout::kServed) {
    return false;
  }
  // Filters that count, or end the region, begin anew with each.
  if (layout_ == Layout::kMoreRegions && test_case.contains("filter_pb")) {
    for (const char* name : {"PageFilter", "WhileMatchFilter", "ColumnCountGetFilter"}) {
      if (test_case["filter_pb"].get<std::string>().find(HexEncode(name)) != std::string::npos) {
        return false;
      }
    }
  }
  return true;
}

template <typename Asked>
void ReadCommon(const json& asked, Asked* into) {
  into->max_versions = asked.value("maxVersions", 1);
  if (asked.contains("timeRange")) into->time_range = RangeOf(asked["timeRange"]);
  if (asked.contains("familyTimeRange")) {
    for (const auto& [family, range] : asked["familyTimeRange"].items()) {
      into->family_time_ranges[family] = RangeOf(range);
    }
  }
  if (asked.contains("columns")) {
    for (const auto& [family, qualifiers] : asked["columns"].items()) {
      auto& set = into->columns[family];
      if (qualifiers.is_null()) continue;
      for (const auto& qualifier : qualifiers)
        set.insert(FromHex(qualifier.template get<std::string>()));
    }
  }
  into->max_results_per_family = asked.value("maxResultsPerFamily", -1);
  into->row_offset_per_family = asked.value("rowOffsetPerFamily", 0);
}

std::shared_ptr<const Filter> FilterOf(const json& test_case) {
  if (!test_case.contains("filter_pb")) return nullptr;
  auto filter = DecodeFilter(FromHex(test_case["filter_pb"].get<std::string>()));
  EXPECT_TRUE(filter.ok()) << filter.status().ToString();
  if (!filter.ok()) return nullptr;
  return std::shared_ptr<const Filter>(std::move(filter).value());
}

Scan FilterScans::ScanOf(const json& test_case) const {
  const json& asked = test_case["scan"];
  Scan scan;
  ReadCommon(asked, &scan);
  scan.range.start = FromHex(asked.value("start", ""));
  scan.range.start_inclusive = asked.value("startInclusive", true);
  scan.range.stop = FromHex(asked.value("stop", ""));
  scan.range.stop_inclusive = asked.value("stopInclusive", false);
  scan.reversed = asked.value("reversed", false);
  scan.raw = asked.value("raw", false);
  scan.batch = asked.value("batch", -1);
  scan.row_limit = asked.value("limit", -1);
  scan.filter = FilterOf(test_case);
  scan.snapshot = SnapshotOf(test_case);
  return scan;
}

json ToJson(const Cell* cells, size_t count) {
  json result = {{"row", HexEncode(cells[0].row())}, {"cells", json::array()}};
  for (size_t i = 0; i < count; ++i) {
    const Cell& cell = cells[i];
    result["cells"].push_back({Bytes(cell.family()), HexEncode(cell.qualifier()), cell.timestamp(),
                               NameOf(cell.type()), HexEncode(cell.value_view())});
  }
  return result;
}

Status FilterScans::RunScan(const json& test_case, const Scan& scan, json* results) {
  *results = json::array();
  ASSIGN_OR_RETURN(const auto scanner, TableOf(test_case["table"])->OpenScanner(scan));
  const int step = test_case["scan"].value("caching", 7);
  CellBatch batch;
  for (;;) {
    RETURN_IF_ERROR(scanner->Next(static_cast<size_t>(step), &batch));
    if (batch.row_count() == 0) return Status::Ok();
    for (size_t i = 0; i < batch.row_count(); ++i) {
      const uint32_t begin = batch.row_starts[i];
      json result = ToJson(&batch.cells[begin], batch.row_end(i) - begin);
      if (batch.row_goes_on(i)) result["more"] = true;
      results->push_back(std::move(result));
    }
  }
}

Status FilterScans::RunGet(const json& test_case, Get get, json* results) {
  *results = json::array();
  return TableOf(test_case["table"])->GetCells(get, [&](const Cell* cells, size_t count) {
    if (count > 0) results->push_back(ToJson(cells, count));
  });
}

void FilterScans::Run(const json& test_case) {
  if (!Applies(test_case)) return;
  TableOf(test_case["table"]);  // before the snapshot is asked for
  json results;
  Status status;
  if (test_case["op"] == "get") {
    Get get;
    ReadCommon(test_case["get"], &get);
    get.row = FromHex(test_case["get"]["row"].get<std::string>());
    get.filter = FilterOf(test_case);
    get.snapshot = SnapshotOf(test_case);
    status = RunGet(test_case, get, &results);
  } else {
    Scan scan = ScanOf(test_case);
    status = RunScan(test_case, scan, &results);
    if (test_case.value("hang", false)) {
      // HBase never answers. Here it must be what the scan gives forwards.
      json forwards;
      scan.reversed = false;
      EXPECT_TRUE(RunScan(test_case, scan, &forwards).ok());
      std::reverse(forwards.begin(), forwards.end());
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(forwards, results);
      return;
    }
  }
  if (test_case.contains("error") && !test_case["error"].is_null()) {
    // All of these are one exception to a client.
    const StatusCode code =
        served_ != nullptr ? StatusCode::kInvalidArgument : CodeFor(test_case["error"]);
    EXPECT_EQ(StatusCodeName(code), StatusCodeName(status.code()))
        << status.ToString() << "\nHBase: " << test_case["error"];
    return;
  }
  EXPECT_TRUE(status.ok()) << status.ToString();
  // A Get of nothing is one empty result, or none.
  json expected = json::array();
  for (const json& result : test_case["results"]) {
    if (!result["cells"].empty()) expected.push_back(result);
  }
  // HBase takes "goes on" back from the last result when the same answer has the scan's end.
  // Our client asks for more rows at a time, and so its last answer has the end more often.
  if (!expected.empty() && expected.size() == results.size()) {
    if (!expected.back().contains("more")) results.back().erase("more");
    if (served_ != nullptr && !results.back().contains("more")) expected.back().erase("more");
  }
  if (expected == results) return;
  ADD_FAILURE() << test_case["kind"] << " " << test_case["table"] << " "
                << test_case[test_case["op"].get<std::string>()] << "\n"
                << test_case.value("shell", "") << "\nHBase: " << expected.dump().substr(0, 3000)
                << "\nhere:  " << results.dump().substr(0, 3000);
}

class FilterScansGoldenTest : public ::testing::TestWithParam<Layout> {};

TEST_P(FilterScansGoldenTest, Cases) {
  FilterScans scans(GetParam());
  for (const json& test_case : ReadJsonLines("filters/cases.jsonl")) {
    SCOPED_TRACE(test_case["id"].get<std::string>());
    scans.Run(test_case);
  }
}

// Batches, limits and offsets of a family and limits of rows all together, with a filter, mostly
// backwards (tests/peers/FilterParts.java records them).
TEST_P(FilterScansGoldenTest, Parts) {
  FilterScans scans(GetParam());
  for (const json& test_case : ReadJsonLines("filters/parts.jsonl")) {
    SCOPED_TRACE(test_case["id"].get<std::string>());
    // Of rows in batches the Java client counts some twice; peers.answers has the server count
    // alike.
    const json& asked = test_case["scan"];
    if (asked.contains("batch") && asked.contains("limit")) continue;
    scans.Run(test_case);
  }
}

std::string LayoutName(const ::testing::TestParamInfo<Layout>& info) {
  switch (info.param) {
    case Layout::kAsRecorded: return "AsRecorded";
    case Layout::kMemory: return "Memory";
    case Layout::kManyFiles: return "ManyFiles";
    case Layout::kCompacted: return "Compacted";
    case Layout::kSnapshot: return "Snapshot";
    case Layout::kMoreRegions: return "MoreRegions";
    case Layout::kDateTiered: return "DateTiered";
    case Layout::kStriped: return "Striped";
    case Layout::kServed: return "Served";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(Layouts, FilterScansGoldenTest,
                         ::testing::Values(Layout::kAsRecorded, Layout::kMemory, Layout::kManyFiles,
                                           Layout::kCompacted, Layout::kSnapshot,
                                           Layout::kMoreRegions, Layout::kDateTiered,
                                           Layout::kStriped, Layout::kServed),
                         LayoutName);

}  // namespace
}  // namespace bennu::golden
