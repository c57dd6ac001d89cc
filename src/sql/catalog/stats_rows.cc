#include "src/sql/catalog/stats_rows.h"

#include <algorithm>
#include <utility>

#include "src/api/known_tables.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/value.h"

namespace bennu::sql::catalog {
namespace {

constexpr std::string_view kWidth = "GUIDE_POSTS_WIDTH";
constexpr std::string_view kRows = "GUIDE_POSTS_ROW_COUNT";
constexpr std::string_view kUpdated = "LAST_STATS_UPDATE_TIME";

// 'key': of a guide post.
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

// All of a family.
RowRange RowsOfFamily(const TableName& physical, const std::string& family) {
  RowRange range;
  range.start = StatsRow(physical, family);
  range.stop = range.start + '\1';
  return range;
}

const Bytes& EmptyQualifier() { return SystemTable("STATS")->empty_qualifier; }

Result<Bytes> Encoded(const Value& value) {
  Bytes bytes;
  RETURN_IF_ERROR(Encode(value, value.type(), SortOrder::kAsc, &bytes));
  return bytes;
}

Result<int64_t> NumberIn(const Cell& cell) {
  ASSIGN_OR_RETURN(const Value value,
                   Decode({cell.value, cell.value_length}, {TypeId::kBigint}, SortOrder::kAsc));
  return value.is_null() ? 0 : value.int64();
}

}  // namespace

Result<std::shared_ptr<Table>> OpenStats(Connection* connection) {
  return api::OpenFirstKnownTable(connection, SystemTable("STATS", true)->physical,
                                  SystemTable("STATS")->physical);
}

Status StatsUpdate::Remove(const std::string& family, ByteView start, ByteView end) {
  Scan scan;
  scan.range = RowsOfFamily(physical_, family);
  if (!start.empty()) scan.range.start = StatsRow(physical_, family, start);
  if (!end.empty()) scan.range.stop = StatsRow(physical_, family, end);
  return ForEachRow(stats_, scan, [&](const CatalogRow& row) {
    for (size_t i = 0; i < row.cell_count; ++i) {
      now_ = std::max(now_, row.cells[i].timestamp() + 1);  // later than what goes
    }
    batch_.StartRow(row.key);
    batch_.DeleteFamily(kCatalogFamily, now_ - 1);
    return Status::Ok();
  });
}

Status StatsUpdate::Put(const Bytes& row, const GuidePost& post) {
  ASSIGN_OR_RETURN(const Bytes width, Encoded(Value::Int({TypeId::kBigint}, post.bytes)));
  ASSIGN_OR_RETURN(const Bytes rows, Encoded(Value::Int({TypeId::kBigint}, post.rows)));
  batch_.StartRow(row);
  batch_.Put(kCatalogFamily, kWidth, width, now_);
  batch_.Put(kCatalogFamily, kRows, rows, now_);
  batch_.Put(kCatalogFamily, EmptyQualifier(), "", now_);
  return Status::Ok();
}

Status StatsUpdate::Put(const std::string& family, const GuidePosts& posts) {
  for (const GuidePost& post : posts) {
    RETURN_IF_ERROR(Put(StatsRow(physical_, family, post.key), post));
  }
  return Status::Ok();
}

Status StatsUpdate::PutSmall(const std::string& family, int64_t width) {
  return Put(StatsRow(physical_, family), {{}, width, 0, 0});
}

Status StatsUpdate::RemoveSmall(const std::string& family) {
  batch_.StartRow(StatsRow(physical_, family));
  batch_.DeleteFamily(kCatalogFamily, now_);
  return Status::Ok();
}

Status StatsUpdate::Write() {
  ASSIGN_OR_RETURN(const Bytes updated, Encoded(Value::Int({TypeId::kDate}, now_)));
  batch_.StartRow(physical_.ToString());
  batch_.Put(kCatalogFamily, kUpdated, updated, now_);
  // Phoenix leaves this cell out; with it the row is one to every statement.
  batch_.Put(kCatalogFamily, EmptyQualifier(), "", now_);
  return stats_->Write(&batch_);
}

Result<GuidePosts> ReadStats(Table* stats, const TableName& physical, const std::string& family) {
  GuidePosts posts;
  Scan scan;
  scan.range = RowsOfFamily(physical, family);
  const size_t prefix = scan.range.start.size() + 1;
  RETURN_IF_ERROR(ForEachRow(stats, scan, [&](const CatalogRow& row) -> Status {
    GuidePost post;
    if (row.key.size() > prefix) post.key = row.key.substr(prefix);
    bool complete = false;
    for (size_t i = 0; i < row.cell_count; ++i) {
      const Cell& cell = row.cells[i];
      if (cell.qualifier() == kWidth) {
        ASSIGN_OR_RETURN(post.bytes, NumberIn(cell));
        post.millis = cell.timestamp();
        complete = true;
      } else if (cell.qualifier() == kRows) {
        ASSIGN_OR_RETURN(post.rows, NumberIn(cell));
      }
    }
    if (complete) posts.push_back(std::move(post));
    return Status::Ok();
  }));
  return posts;
}

}  // namespace bennu::sql::catalog
