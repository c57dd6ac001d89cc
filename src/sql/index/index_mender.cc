#include "src/sql/index/index_mender.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bennu/mutation.h"
#include "src/api/known_tables.h"
#include "src/api/store_tools.h"
#include "src/base/parallel_work.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/exec/index_encoder.h"
#include "src/sql/exec/table_key_maker.h"
#include "src/sql/index/row_after.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::index {
namespace {

// How many differences a round has listed, and mends. The next round's check lists the rest.
constexpr size_t kMendedPerRound = 100'000;

}  // namespace

Result<int64_t> IndexMender::Run(const IndexKeeper::Progress& progress) {
  const catalog::TableMeta& index = *definition_->index;
  ASSIGN_OR_RETURN(index_, api::OpenKnownTable(connection_, index.physical));
  ASSIGN_OR_RETURN(access_,
                   bind::AccessOf(definition_->table, definition_->index, definition_->table));
  int64_t least = std::numeric_limits<int64_t>::max();
  // What is being written is mended without need, and does no harm. Later it could be all there is.
  bool looks_again = false;
  for (int in_vain = 0;;) {
    ASSIGN_OR_RETURN(const IndexCheck check,
                     CheckIndex(connection_, definition_->table, definition_->index,
                                kMendedPerRound, progress, looks_again));
    looks_again = true;
    if (check.differences == 0) return check.table_rows;
    in_vain = check.differences < least ? 0 : in_vain + 1;
    if (in_vain > options_.in_vain_max) {
      return MakeUncodedSqlError(
          "index " + index.FullName() + " still differs from its table in " +
              std::to_string(check.differences) + " rows after all of them were written anew",
          -1, "CHECK INDEX lists them; a client whose clock is fast may have written them");
    }
    least = std::min(least, check.differences);
    RETURN_IF_ERROR(
        ParallelForAll(StoreTools::QueryPool(connection_), check.first.size(), [&](size_t i) {
          const Status mended = Mend(check.first[i]);
          return mended.ok() ? progress(1) : mended;
        }));
  }
}

Status IndexMender::Mend(const IndexDifference& difference) {
  if (difference.kind == IndexDifference::Kind::kOrphan) return RemoveOrphan(difference.index_row);
  ASSIGN_OR_RETURN(const bool touched, touch_(difference.table_row));
  return touched ? RemoveOlder(difference.index_row) : Status::Ok();
}

Status IndexMender::RemoveUpTo(const Stored& stored, int64_t latest) {
  MutationBatch batch;
  exec::IndexEncoder(definition_, /*builds=*/true).AppendRemoval(stored.key, latest, &batch);
  return index_->Write(&batch);
}

// A row is always written whole.
Status IndexMender::RemoveOlder(const Bytes& index_row) {
  const catalog::TableMeta& index = *definition_->index;
  ASSIGN_OR_RETURN(const std::vector<Stored> all, Find(index_row));
  for (const Stored& stored : all) {
    const Cell* const mark = stored.row.Find(index.empty_family, index.empty_qualifier);
    if (mark == nullptr) continue;
    if (!exec::IsVerifiedMark(index, mark->value_view())) continue;
    const bool any =
        std::any_of(stored.row.cells.begin(), stored.row.cells.end(),
                    [&](const Cell& cell) { return cell.timestamp() < mark->timestamp(); });
    if (any) RETURN_IF_ERROR(RemoveUpTo(stored, mark->timestamp() - 1));
  }
  return Status::Ok();
}

Result<bool> IndexMender::Fence(const Bytes& row, int64_t latest) {
  ASSIGN_OR_RETURN(const bool touched, touch_(row));
  if (touched) return true;
  Get get;
  get.row = row;
  get.columns = catalog::FamiliesOfTable(table_->descriptor());
  ASSIGN_OR_RETURN(const Row found, table_->GetRow(get));
  if (!found.empty()) return false;
  Table::Condition absent;
  absent.row = row;
  absent.family = base_->empty_family;
  absent.qualifier = base_->empty_qualifier;
  absent.expect_absent = true;
  const int64_t time =
      options_.clients_time ? std::max(connection_->NowMillis(), latest + 1) : kLatestTimestamp;
  MutationBatch batch;
  batch.StartRow(row);
  // By family, so that rows of local indexes with this key stay.
  for (const ColumnFamilyDescriptor& family : table_->descriptor().families) {
    if (!catalog::IsLocalFamily(family.name)) batch.DeleteFamily(family.name, time);
  }
  return table_->CheckAndWrite(absent, &batch);
}

Status IndexMender::RemoveOrphan(const Bytes& index_row) {
  ASSIGN_OR_RETURN(const std::vector<Stored> all, Find(index_row));
  for (const Stored& stored : all) {
    const int64_t latest = LatestTime(stored.row.cells);
    // Those of local indexes are written with the table's row, and nobody is between the two.
    if (!definition_->index->is_local_index()) {
      ASSIGN_OR_RETURN(const bool is_left, FenceRowOf(index_row, latest));
      if (!is_left) continue;
    }
    RETURN_IF_ERROR(RemoveUpTo(stored, latest));
  }
  return Status::Ok();
}

Result<bool> IndexMender::FenceRowOf(const Bytes& index_row, int64_t latest) {
  Bytes row;
  exec::TableKeyMaker keys(&access_->index->key_schema, &access_->table->key_schema,
                           &access_->table_key);
  // What leads to no row is nobody's.
  if (access_->table_key.empty() || !keys.Make(index_row, &row).ok()) return true;
  ASSIGN_OR_RETURN(const bool fenced, Fence(row, latest));
  if (!fenced) return false;  // the next check says more
  ASSIGN_OR_RETURN(const bool asks, Asks(row, index_row));
  return !asks;
}

Result<bool> IndexMender::Asks(const Bytes& row, const Bytes& index_row) {
  Get get;
  get.row = row;
  plan::AddReadColumns(*definition_, &get.columns);
  ASSIGN_OR_RETURN(const Row found, table_->GetRow(get));
  const exec::TableRow of_table{row, found.cells};
  std::vector<exec::IndexEntry> entries;
  RETURN_IF_ERROR(
      exec::IndexEncoder(definition_, /*builds=*/true).Encode(std::span(&of_table, 1), &entries));
  return entries[0].present && entries[0].key == index_row;
}

// Which region has a row of a local index does not follow from its key.
Result<std::vector<IndexMender::Stored>> IndexMender::Find(const Bytes& index_row) {
  const catalog::TableMeta& index = *definition_->index;
  std::vector<Stored> all;
  const auto add = [&](Get get) -> Status {
    ASSIGN_OR_RETURN(Row row, index_->GetRow(get));
    if (!row.empty()) all.push_back({std::move(get.row), std::move(row)});
    return Status::Ok();
  };
  Get get;
  get.row = index_row;
  if (!index.is_local_index()) {
    RETURN_IF_ERROR(add(std::move(get)));
    return all;
  }
  get.columns[index.empty_family];
  for (const std::string& family : index.families) get.columns[family];
  for (const RegionInfo& region : table_->regions()) {
    get.row = catalog::LocalPrefix(index, region) + index_row;
    if (region.Contains(get.row)) RETURN_IF_ERROR(add(get));
  }
  return all;
}

}  // namespace bennu::sql::index
