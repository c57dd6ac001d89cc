#include "src/sql/catalog/view_indexes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "bennu/admin.h"
#include "src/api/known_tables.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/removal.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/catalog/view.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/value.h"

namespace bennu::sql::catalog {
namespace {

constexpr std::string_view kCurrentValue = "CURRENT_VALUE";

void PutBigint(std::string_view column, int64_t number, int64_t timestamp, MutationBatch* batch) {
  Bytes encoded;
  // Every number is a BIGINT.
  static_cast<void>(Encode(Value::Bigint(number), {TypeId::kBigint}, SortOrder::kAsc, &encoded));
  batch->Put(kCatalogFamily, column, encoded, timestamp);
}

}  // namespace

std::vector<RowRange> RowsOfIndex(const TableMeta& index) {
  if (!index.is_view_index()) return {RowRange()};
  return RowsBeginningWith(IndexIdBytes(index), index.salt_buckets);
}

std::vector<RowRange> RowsBeginningWith(const Bytes& prefix, int32_t salt_buckets) {
  std::vector<RowRange> ranges;
  for (int32_t bucket = 0; bucket < std::max(salt_buckets, 1); ++bucket) {
    RowRange range;
    if (salt_buckets > 0) range.start.push_back(static_cast<char>(bucket));
    range.start += prefix;
    range.stop = BehindPrefix(range.start);
    ranges.push_back(std::move(range));
  }
  return ranges;
}

TableKey ViewIndexSequence(const TableKey& base) { return {"", base.schema, base.name + "_ID_"}; }

// Numbers are never given out twice, so that rows which a crash left of a dropped index are no
// other's.
Status Catalog::NumberIndex(const TableKey& base, int64_t timestamp, TableMeta* index) {
  const TableKey key = ViewIndexSequence(base);
  const Bytes row = EncodeCatalogKey({key.tenant, key.schema, key.name, {}, {}});
  ASSIGN_OR_RETURN(const auto sequences, connection_->OpenTable(System("SEQUENCE")->physical));
  Get get;
  get.row = row;
  ASSIGN_OR_RETURN(const Row found, sequences->GetRow(get));
  int64_t next = std::numeric_limits<int16_t>::min();
  MutationBatch batch;
  batch.StartRow(row);
  int64_t time = timestamp;
  for (const Cell& cell : found.cells) {
    if (cell.qualifier() != kCurrentValue) continue;
    ASSIGN_OR_RETURN(const Value value,
                     Decode(cell.value_view(), {TypeId::kBigint}, SortOrder::kAsc));
    next = value.int64();
    // All changes of a sequence have the time at which it was made, as Phoenix's have.
    time = cell.timestamp();
  }
  if (found.empty()) {
    batch.Put(kCatalogFamily, "_0", "", time);
    PutBigint("START_WITH", next, time, &batch);
    PutBigint("INCREMENT_BY", 1, time, &batch);
    PutBigint("CACHE_SIZE", 1, time, &batch);
    PutBigint("MIN_VALUE", std::numeric_limits<int64_t>::min(), time, &batch);
    PutBigint("MAX_VALUE", std::numeric_limits<int64_t>::max(), time, &batch);
    batch.Put(kCatalogFamily, "CYCLE_FLAG", Bytes(1, '\0'), time);
    batch.Put(kCatalogFamily, "LIMIT_REACHED_FLAG", Bytes(1, '\0'), time);
  }
  if (next > std::numeric_limits<int16_t>::max()) {
    return MakeSqlError(1047, "tableName=" + index->FullName());
  }
  PutBigint(kCurrentValue, next + 1, time, &batch);
  RETURN_IF_ERROR(sequences->Write(&batch));
  // A Phoenix that gives out BIGINTs begins with the least of these.
  const bool is_short = next >= std::numeric_limits<int16_t>::min();
  index->view_index_id = next;
  index->view_index_id_type = is_short ? TypeId::kSmallint : TypeId::kBigint;
  if (!index->is_view_index()) return Status::Ok();
  index->columns.front().type = {index->view_index_id_type};
  index->Finish();
  return Status::Ok();
}

Status Catalog::ForgetViewIndexes(const TableMeta& base, bool had_local_indexes, int64_t timestamp,
                                  Removal* removal) {
  const TableName shared = ViewIndexTableName(base.physical);
  ASSIGN_OR_RETURN(const bool exists, connection_->admin()->TableExists(shared));
  if (exists) removal->DropTable(shared);
  if (!exists && !had_local_indexes) return Status::Ok();
  const TableKey key = ViewIndexSequence(base.key());
  MutationBatch* const batch = removal->RowsOf(System("SEQUENCE")->physical);
  batch->StartRow(EncodeCatalogKey({key.tenant, key.schema, key.name, {}, {}}));
  batch->DeleteFamily(kCatalogFamily, timestamp);
  return Status::Ok();
}

Result<std::vector<Catalog::ReadableIndex>> Catalog::IndexesFor(const TablePtr& table) {
  std::vector<ReadableIndex> readable;
  TablePtr owner = table;
  for (;;) {
    ASSIGN_OR_RETURN(const std::vector<TablePtr> indexes, IndexesOf(*owner));
    for (const TablePtr& index : indexes) readable.push_back({index, owner});
    if (!owner->shares_index_table() || owner->parent.name.empty()) return readable;
    ASSIGN_OR_RETURN(TablePtr parent, FindTable(owner->parent, kLatestTimestamp));
    if (parent == nullptr) return readable;
    owner = std::move(parent);
  }
}

Result<std::vector<std::shared_ptr<const TableMeta>>> Catalog::IndexedViews(
    const TableMeta& table) {
  std::vector<TablePtr> indexed;
  const auto storage = api::OpenKnownTable(connection_, table.physical);
  bool may_have = storage.ok() && HasLocalFamilies((*storage)->descriptor());
  if (!may_have) {
    ASSIGN_OR_RETURN(may_have,
                     connection_->admin()->TableExists(ViewIndexTableName(table.physical)));
  }
  if (!may_have) return indexed;
  ASSIGN_OR_RETURN(const std::vector<TablePtr> views,
                   DescendantViews(table.key(), kLatestTimestamp));
  for (const TablePtr& view : views) {
    if (view->indexes.empty()) continue;
    if (view->tenant.empty()) {
      indexed.push_back(view);
    } else {
      ASSIGN_OR_RETURN(TablePtr seen, SeenByTenant(view, view->tenant, kLatestTimestamp));
      indexed.push_back(std::move(seen));
    }
  }
  return indexed;
}

Result<bool> Catalog::HasIndexes(const TableMeta& table) {
  if (!table.indexes.empty()) return true;
  TablePtr base;
  if (table.shares_index_table()) {
    ASSIGN_OR_RETURN(base, FindTable(table.base, kLatestTimestamp));
    if (base != nullptr && !base->indexes.empty()) return true;
  }
  ASSIGN_OR_RETURN(const auto views, IndexedViews(base != nullptr ? *base : table));
  return !views.empty();
}

Status Catalog::EraseIndexRows(const TableMeta& index, const std::function<Status()>& check) {
  const auto physical = connection_->OpenTable(index.physical);
  if (!physical.ok()) {
    const bool is_gone = physical.status().code() == StatusCode::kNotFound;
    return is_gone ? Status::Ok() : physical.status();
  }
  return ChangeRows(
      index, Scan(),
      [](const CellBatch& found, uint32_t begin, uint32_t end, MutationBatch* batch) {
        std::map<Bytes, int64_t> newest;  // by family
        for (uint32_t i = begin; i < end; ++i) {
          int64_t& time = newest[Bytes(found.cells[i].family())];
          time = std::max(time, found.cells[i].timestamp());
        }
        for (const auto& [family, time] : newest) batch->DeleteFamily(family, time);
      },
      check);
}

Result<std::vector<TableKey>> Catalog::IndexesBeingBuilt() {
  std::vector<TableKey> keys;
  const auto catalog = OpenCatalogTable();
  if (!catalog.ok()) {
    if (catalog.status().code() == StatusCode::kNotFound) return keys;
    return catalog.status();
  }
  Scan scan;
  scan.columns[Bytes(kCatalogFamily)] = {"INDEX_STATE"};
  RETURN_IF_ERROR(ForEachRow(catalog->get(), scan, [&](const CatalogRow& row) {
    const CatalogKey key = ParseCatalogKey(row.key);
    const bool is_header = key.column.empty() && key.family.empty();
    if (is_header && row.cells[0].value_view() == "b") {
      keys.push_back({std::string(key.tenant), std::string(key.schema), std::string(key.table)});
    }
    return Status::Ok();
  }));
  return keys;
}

}  // namespace bennu::sql::catalog
