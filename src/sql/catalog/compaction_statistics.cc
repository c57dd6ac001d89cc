#include "src/sql/catalog/compaction_statistics.h"

#include <optional>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/stats_rows.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/value.h"

namespace bennu::sql::catalog {
namespace {

bool IsOfSystem(const TableName& name) {
  return name.name_space == "hbase" || name.name_space == kSystemSchema ||
         name.ToString().starts_with(std::string(kSystemSchema) + ".");
}

Result<std::shared_ptr<Table>> OpenCatalog(Connection* connection) {
  auto mapped = connection->OpenTable(SystemTable(kCatalogName, true)->physical);
  if (mapped.ok() || mapped.status().code() != StatusCode::kNotFound) return mapped;
  return connection->OpenTable(SystemTable(kCatalogName)->physical);
}

// The table's GUIDE_POSTS_WIDTH, or the store's; none when SYSTEM.CATALOG has no such table.
Result<std::optional<int64_t>> WidthOf(Connection* connection, const TableName& physical,
                                       const StatisticsOptions& options) {
  const auto catalog = OpenCatalog(connection);
  if (catalog.status().code() == StatusCode::kNotFound) return std::optional<int64_t>();
  RETURN_IF_ERROR(catalog.status());
  const TableKey table = ParsePhysicalName(physical.ToString());
  Get get;
  get.row = EncodeCatalogKey({"", table.schema, table.name, "", ""});
  ASSIGN_OR_RETURN(const Row header, (*catalog)->GetRow(get));
  const Cell* const type = header.Find(kCatalogFamily, "TABLE_TYPE");
  const char user_table = static_cast<char>(TableType::kTable);
  if (type == nullptr || ByteView(type->value, type->value_length) != ByteView(&user_table, 1)) {
    return std::optional<int64_t>();
  }
  const Cell* const width = header.Find(kCatalogFamily, "GUIDE_POSTS_WIDTH");
  if (width == nullptr) return std::optional<int64_t>(DefaultGuidePostWidth(options));
  ASSIGN_OR_RETURN(const Value value,
                   Decode({width->value, width->value_length}, {TypeId::kBigint}, SortOrder::kAsc));
  return std::optional<int64_t>(value.is_null() ? DefaultGuidePostWidth(options) : value.int64());
}

}  // namespace

Result<std::unique_ptr<CompactionStatistics>> CompactionStatistics::Begin(
    Connection* connection, const StatisticsOptions& options, const RegionInfo& region,
    const std::string& family) {
  std::unique_ptr<CompactionStatistics> none;
  // Keys of local indexes say nothing of where the table may be cut.
  if (!options.collect || IsOfSystem(region.table) || IsLocalFamily(family)) return none;
  ASSIGN_OR_RETURN(const std::optional<int64_t> width, WidthOf(connection, region.table, options));
  if (!width.has_value()) return none;
  return std::unique_ptr<CompactionStatistics>(
      new CompactionStatistics(connection, region, family, *width));
}

Status CompactionStatistics::Write() const {
  const auto stats = OpenStats(connection_);
  if (stats.status().code() == StatusCode::kNotFound) return Status::Ok();
  RETURN_IF_ERROR(stats.status());
  StatsUpdate update(stats->get(), region_.table, connection_->NowMillis());
  RETURN_IF_ERROR(update.Remove(family_, region_.start_key, region_.end_key));
  if (collector_.posts().empty()) {
    RETURN_IF_ERROR(update.PutSmall(family_, width_));
  } else {
    RETURN_IF_ERROR(update.RemoveSmall(family_));
    RETURN_IF_ERROR(update.Put(family_, collector_.posts()));
  }
  return update.Write();
}

}  // namespace bennu::sql::catalog
