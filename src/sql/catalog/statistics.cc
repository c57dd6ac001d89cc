#include "src/sql/catalog/statistics.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "bennu/descriptor.h"
#include "bennu/mutation.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/value.h"

namespace bennu::sql::catalog {
namespace {

constexpr int64_t kDefaultWidth = int64_t{300} << 20;
constexpr int64_t kDefaultRegionSize = int64_t{10} << 30;
constexpr int64_t kMinUpdateMillis = 450'000;
constexpr size_t kRowsPerBatch = 1000;
constexpr std::string_view kWidth = "GUIDE_POSTS_WIDTH";
constexpr std::string_view kRows = "GUIDE_POSTS_ROW_COUNT";
constexpr std::string_view kUpdated = "LAST_STATS_UPDATE_TIME";

// Rows of SYSTEM.STATS: table, 00, family, and for a guide post 00 and its key.
Bytes StatsRow(const TableName& physical, const std::string& family, ByteView key = {}) {
  Bytes row = physical.ToString();
  row.push_back('\0');
  row += family;
  if (!key.empty()) {
    row.push_back('\0');
    row.append(key);
  }
  return row;
}

Result<Bytes> Encoded(const Value& value) {
  Bytes bytes;
  RETURN_IF_ERROR(Encode(value, value.type(), SortOrder::kAsc, &bytes));
  return bytes;
}

Result<int64_t> NumberIn(const Cell& cell, TypeId type) {
  ASSIGN_OR_RETURN(const Value value,
                   Decode({cell.value, cell.value_length}, {type}, SortOrder::kAsc));
  return value.is_null() ? 0 : value.int64();
}

// Bytes of the cell as HBase's KeyValue has them.
int64_t KeyValueSize(const Cell& cell) {
  constexpr int64_t kLengths = 4 + 4 + 2 + 1;
  constexpr int64_t kTimestampAndType = 8 + 1;
  return kLengths + kTimestampAndType +
         static_cast<int64_t>(cell.row().size() + cell.family().size() + cell.qualifier().size() +
                              cell.value_length);
}

// One family of the region that is being read.
class Collector {
 public:
  explicit Collector(int64_t width) : width_(width) {}

  void AddRow() { ++rows_; }
  void AddCell(const Cell& cell) {
    bytes_ += KeyValueSize(cell);
    if (bytes_ < width_ || (!posts_.empty() && posts_.back().key == cell.row())) return;
    posts_.push_back({Bytes(cell.row()), bytes_, rows_, 0});
    bytes_ = 0;
    rows_ = 0;
  }
  // The next region begins.
  void Cut() {
    bytes_ = 0;
    rows_ = 0;
  }
  const GuidePosts& posts() const { return posts_; }

 private:
  const int64_t width_;
  int64_t bytes_ = 0;
  int64_t rows_ = 0;
  GuidePosts posts_;
};

class StatisticsUpdate {
 public:
  StatisticsUpdate(Connection* connection, const TableMeta& table, int64_t width)
      : connection_(connection), table_(table), width_(width) {}

  Status Run(Table* stats, Table* data) {
    const TableDescriptor descriptor = data->descriptor();
    for (const auto& family : descriptor.families) {
      families_.emplace(family.name, Collector(width_));
    }
    if (width_ > 0) RETURN_IF_ERROR(Collect(data));
    return Write(stats);
  }

 private:
  Status Collect(Table* data) {
    const std::vector<RegionInfo> regions = data->regions();
    for (const RegionInfo& region : regions) {
      for (auto& [name, family] : families_) family.Cut();
      Scan scan;
      scan.range.start = region.start_key;
      scan.range.stop = region.end_key;
      ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, data->OpenScanner(scan));
      RETURN_IF_ERROR(Drain(scanner.get()));
    }
    return Status::Ok();
  }

  Status Drain(Scanner* scanner) {
    CellBatch batch;
    for (;;) {
      RETURN_IF_ERROR(scanner->Next(kRowsPerBatch, &batch));
      if (batch.row_count() == 0) return Status::Ok();
      for (size_t row = 0; row < batch.row_count(); ++row) {
        Collector* family = nullptr;
        std::string_view name;
        for (size_t i = batch.row_starts[row]; i < batch.row_end(row); ++i) {
          const Cell& cell = batch.cells[i];
          if (family == nullptr || cell.family() != name) {
            name = cell.family();
            family = &families_.at(std::string(name));
            family->AddRow();
          }
          family->AddCell(cell);
        }
      }
    }
  }

  // What was known before goes with the same batch in which the new rows come.
  Status Write(Table* stats) {
    const int64_t now = connection_->NowMillis();
    MutationBatch batch;
    for (const auto& [name, family] : families_) {
      Scan scan;
      scan.range.start = StatsRow(table_.physical, name);
      scan.range.stop = scan.range.start + '\1';
      RETURN_IF_ERROR(ForEachRow(stats, scan, [&](const CatalogRow& row) {
        batch.StartRow(row.key);
        batch.DeleteFamily(kCatalogFamily, now - 1);
        return Status::Ok();
      }));
      if (width_ <= 0) continue;
      for (const GuidePost& post : family.posts()) {
        RETURN_IF_ERROR(Put(StatsRow(table_.physical, name, post.key), post, now, &batch));
      }
      if (!family.posts().empty()) continue;
      RETURN_IF_ERROR(Put(StatsRow(table_.physical, name), {{}, width_, 0, 0}, now, &batch));
    }
    ASSIGN_OR_RETURN(const Bytes updated, Encoded(Value::Int({TypeId::kDate}, now)));
    batch.StartRow(table_.physical.ToString());
    batch.Put(kCatalogFamily, kUpdated, updated, now);
    // Phoenix leaves this cell out; with it the row is one to every statement.
    batch.Put(kCatalogFamily, SystemTable("STATS")->empty_qualifier, "", now);
    return stats->Write(&batch);
  }

  static Status Put(const Bytes& row, const GuidePost& post, int64_t now, MutationBatch* batch) {
    ASSIGN_OR_RETURN(const Bytes width, Encoded(Value::Int({TypeId::kBigint}, post.bytes)));
    ASSIGN_OR_RETURN(const Bytes rows, Encoded(Value::Int({TypeId::kBigint}, post.rows)));
    batch->StartRow(row);
    batch->Put(kCatalogFamily, kWidth, width, now);
    batch->Put(kCatalogFamily, kRows, rows, now);
    batch->Put(kCatalogFamily, SystemTable("STATS")->empty_qualifier, "", now);
    return Status::Ok();
  }

  Connection* const connection_;
  const TableMeta& table_;
  const int64_t width_;
  std::map<std::string, Collector> families_;
};

int64_t WidthOf(const TableMeta& table, const GuidePostWidth& width) {
  if (width.per_region.value_or(0) > 0) return kDefaultRegionSize / *width.per_region;
  if (width.bytes.has_value()) return *width.bytes;
  const auto given = table.other_properties.find("GUIDE_POSTS_WIDTH");
  if (given == table.other_properties.end()) return kDefaultWidth;
  const std::string& text = given->second;
  int64_t bytes = kDefaultWidth;
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return bytes;
}

// SYSTEM:STATS, or where schemas are no namespaces SYSTEM.STATS.
Result<std::shared_ptr<Table>> OpenStatistics(Connection* connection) {
  auto mapped = connection->OpenTable(SystemTable("STATS", true)->physical);
  if (mapped.ok() || mapped.status().code() != StatusCode::kNotFound) return mapped;
  return connection->OpenTable(SystemTable("STATS")->physical);
}

Result<bool> UpdatedLately(Connection* connection, Table* stats, const TableName& physical) {
  Get get;
  get.row = physical.ToString();
  ASSIGN_OR_RETURN(const Row row, stats->GetRow(get));
  const Cell* const updated = row.Find(kCatalogFamily, kUpdated);
  if (updated == nullptr) return false;
  ASSIGN_OR_RETURN(const int64_t last, NumberIn(*updated, TypeId::kDate));
  return connection->NowMillis() - last < kMinUpdateMillis;
}

}  // namespace

Status UpdateStatistics(Connection* connection, const TableMeta& table,
                        const GuidePostWidth& width) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Table> stats, OpenStatistics(connection));
  ASSIGN_OR_RETURN(const bool lately, UpdatedLately(connection, stats.get(), table.physical));
  if (lately) return Status::Ok();
  ASSIGN_OR_RETURN(const std::shared_ptr<Table> data, connection->OpenTable(table.physical));
  return StatisticsUpdate(connection, table, WidthOf(table, width)).Run(stats.get(), data.get());
}

Result<GuidePosts> ReadGuidePosts(Connection* connection, const TableName& physical,
                                  const std::string& family) {
  GuidePosts posts;
  const auto stats = OpenStatistics(connection);
  if (!stats.ok()) {
    if (stats.status().code() == StatusCode::kNotFound) return posts;
    return stats.status();
  }
  Scan scan;
  scan.range.start = StatsRow(physical, family);
  scan.range.stop = scan.range.start + '\1';
  const size_t prefix = scan.range.start.size() + 1;
  RETURN_IF_ERROR(ForEachRow(stats->get(), scan, [&](const CatalogRow& row) -> Status {
    GuidePost post;
    if (row.key.size() > prefix) post.key = row.key.substr(prefix);
    bool complete = false;
    for (size_t i = 0; i < row.cell_count; ++i) {
      const Cell& cell = row.cells[i];
      if (cell.qualifier() == kWidth) {
        ASSIGN_OR_RETURN(post.bytes, NumberIn(cell, TypeId::kBigint));
        post.millis = cell.timestamp();
        complete = true;
      } else if (cell.qualifier() == kRows) {
        ASSIGN_OR_RETURN(post.rows, NumberIn(cell, TypeId::kBigint));
      }
    }
    if (complete) posts.push_back(std::move(post));
    return Status::Ok();
  }));
  // Regions without guide posts do not count where others have some.
  if (posts.size() > 1 && posts.front().key.empty()) posts.erase(posts.begin());
  return posts;
}

Result<std::shared_ptr<const GuidePosts>> LazyGuidePosts::Get() {
  MutexLock lock(&mu_);
  if (posts_ == nullptr) {
    ASSIGN_OR_RETURN(GuidePosts posts, ReadGuidePosts(connection_, physical_, family_));
    posts_ = std::make_shared<const GuidePosts>(std::move(posts));
  }
  return posts_;
}

}  // namespace bennu::sql::catalog
