#include "src/sql/index/cluster_indexes.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "src/api/known_tables.h"
#include "src/base/env.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/view_indexes.h"
#include "src/sql/exec/index_encoder.h"
#include "src/sql/index/index_build.h"
#include "src/sql/index/index_maintainer.h"
#include "src/sql/index/index_mender.h"
#include "src/sql/index/phoenix_local_build.h"
#include "src/sql/index/row_after.h"
#include "src/sql/index/row_reads.h"
#include "src/sql/index/table_indexes.h"
#include "src/sql/plan/index_definition.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::index {
namespace {

using catalog::IndexState;
using catalog::TableMeta;

constexpr size_t kRowsAtOnce = 1000;
// Who makes an index waits for as long as others may know nothing of it.
constexpr int64_t kCacheFrequencyMaxMillis = 10'000;

// The server's side of Phoenix's indexes, by any of its names.
bool RunsPhoenixsIndexer(const TableDescriptor& descriptor) {
  constexpr std::string_view kClasses[] = {"org.apache.phoenix.hbase.index.IndexRegionObserver",
                                           "org.apache.phoenix.hbase.index.Indexer",
                                           "org.apache.phoenix.index.PhoenixTransactionalIndexer"};
  return std::any_of(
      descriptor.attributes.begin(), descriptor.attributes.end(), [&](const auto& attribute) {
        return attribute.first.starts_with("coprocessor$") &&
               std::any_of(std::begin(kClasses), std::end(kClasses), [&](std::string_view name) {
                 return attribute.second.find(name) != Bytes::npos;
               });
      });
}

// One that was dropped and made again is another one.
bool IsSame(const TableMeta& a, const TableMeta& b) {
  return a.key() == b.key() && a.columns.front().timestamp == b.columns.front().timestamp;
}

Status MadeElsewhere(const TableMeta& table) {
  return MakeUncodedSqlError("table " + table.FullName() +
                             " is one of a bennu serve, which keeps its indexes itself: make, "
                             "rebuild and drop them where the directory is");
}

}  // namespace

Result<catalog::Catalog*> ClusterIndexes::OpenCatalog() {
  MutexLock lock(&mu_);
  if (catalog_ == nullptr) {
    ASSIGN_OR_RETURN(catalog_, OpenIndexCatalog(connection_, features_));
  }
  return catalog_.get();
}

Result<ClusterIndexes::Keeper> ClusterIndexes::KeeperOf(const TableName& table) {
  ASSIGN_OR_RETURN(const bool servers, servers_keep_.Get());
  if (servers) return Keeper::kServers;
  // As it is now, or not at all.
  ASSIGN_OR_RETURN(const auto data, connection_->OpenTable(table));
  return RunsPhoenixsIndexer(data->descriptor()) ? Keeper::kPhoenix : Keeper::kClients;
}

bool ClusterIndexes::IsRecent(uint64_t nanos, std::chrono::milliseconds age) {
  return std::chrono::nanoseconds(Env::Default()->MonotonicNanos() - nanos) <= age;
}

ClusterIndexes::KnownPtr ClusterIndexes::Remembered(const TableName& table) {
  MutexLock lock(&mu_);
  const auto found = known_.find(table);
  return found == known_.end() ? nullptr : found->second;
}

Result<ClusterIndexes::KnownPtr> ClusterIndexes::Know(const TableName& table) {
  KnownPtr known = Remembered(table);
  if (known != nullptr && IsRecent(known->looked_nanos, options_.trust)) return known;
  return Look(table);
}

Result<ClusterIndexes::KnownPtr> ClusterIndexes::Look(const TableName& table) {
  auto known = std::make_shared<Known>();
  known->looked_nanos = known->keeper_nanos = Env::Default()->MonotonicNanos();
  const KnownPtr before = Remembered(table);
  if (before != nullptr && before->keeper == Keeper::kPhoenix &&
      IsRecent(before->keeper_nanos, options_.trust_classes)) {
    known->keeper = before->keeper;
    known->keeper_nanos = before->keeper_nanos;
  } else {
    ASSIGN_OR_RETURN(known->keeper, KeeperOf(table));
  }
  if (known->keeper != Keeper::kServers) {
    ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
    catalog->BeginStatement();
    ASSIGN_OR_RETURN(TableIndexes found, FindTableIndexes(catalog, table));
    known->table = std::move(found.table);
    known->definitions = std::move(found.kept_up);
    RETURN_IF_ERROR(Divide(known.get()));
  }
  MutexLock lock(&mu_);
  known_[table] = known;
  return KnownPtr(known);
}

void ClusterIndexes::Forget(const TableName& table) {
  MutexLock lock(&mu_);
  known_.erase(table);
}

Status ClusterIndexes::Divide(Known* known) {
  std::vector<std::shared_ptr<const plan::IndexDefinition>> described;
  for (const auto& definition : known->definitions) {
    const bool by_client = known->keeper == Keeper::kClients ||
                           (known->table->immutable_rows && !definition->index->is_local_index());
    if (!by_client) {
      described.push_back(definition);
      continue;
    }
    known->phased.definitions.push_back(definition);
    std::shared_ptr<Table>& index = known->phased.tables[definition->index->physical];
    if (index != nullptr) continue;
    ASSIGN_OR_RETURN(index, api::OpenKnownTable(connection_, definition->index->physical));
  }
  if (!described.empty()) {
    ASSIGN_OR_RETURN(const int32_t version, phoenix_version_.Get());
    auto description = DescribeIndexes(*known->table, described, version);
    known->refusal = description.status();
    if (description.ok()) known->description = std::move(description).value();
    known->included = IncludedColumns(described);
  }
  if (known->refusal.ok()) known->refusal = RefusalOf(*known);
  return Status::Ok();
}

Status ClusterIndexes::RefusalOf(const Known& known) {
  if (known.phased.definitions.empty()) return Status::Ok();
  const TableMeta& table = *known.table;
  for (const auto& definition : known.phased.definitions) {
    if (!definition->index->is_local_index()) continue;
    return MakeUncodedSqlError("table " + table.FullName() + " has the local index " +
                               definition->index->FullName() +
                               ", whose rows have to stay in one region with those of the table, "
                               "also when that is split: only a server can keep it in step");
  }
  if (table.row_timestamp_column >= 0) {
    return MakeUncodedSqlError("table " + table.FullName() +
                               " has indexes and a ROW_TIMESTAMP column: all writes of a row have "
                               "the same time, by which clients of a cluster could not tell them "
                               "apart");
  }
  return Status::Ok();
}

Status ClusterIndexes::CheckWrites(const TableMeta& table) {
  ASSIGN_OR_RETURN(const KnownPtr known, Know(table.physical));
  return known->refusal;
}

Status ClusterIndexes::CheckWork(const TableMeta& table, const IndexWork& work) {
  ASSIGN_OR_RETURN(const Keeper keeper, KeeperOf(table.physical));
  if (keeper == Keeper::kServers) return MadeElsewhere(table);
  if (work.kind == IndexWork::Kind::kChange) return Status::Ok();
  const auto refused = [](const std::string& why) { return MakeUncodedSqlError(why); };
  if (work.is_local && keeper == Keeper::kClients) {
    return refused(
        "a local index needs servers that keep it in step, which this cluster does not have; make "
        "a global one");
  }
  // CREATE INDEX ... ASYNC leaves the building to a later REBUILD.
  if (work.in_background && (work.kind == IndexWork::Kind::kRebuild || work.shares_table)) {
    return refused(
        "no process of this cluster builds indexes in the background; leave out ASYNC, and the "
        "statement itself builds the index");
  }
  // Of a table whose rows change, the catalog refuses it (1088).
  if (table.row_timestamp_column >= 0 && table.immutable_rows) {
    return refused("table " + table.FullName() +
                   " has a ROW_TIMESTAMP column, with which clients of a cluster cannot keep an "
                   "index in step");
  }
  if (table.update_cache_frequency_ms > kCacheFrequencyMaxMillis) {
    return refused("table " + table.FullName() +
                   " has an UPDATE_CACHE_FREQUENCY of more than 10 seconds, for which writers may "
                   "not know of the index; set a smaller one, wait for as long as the old one "
                   "says, and try again");
  }
  return Status::Ok();
}

Status ClusterIndexes::Write(Table* table, MutationBatch* batch) {
  ASSIGN_OR_RETURN(const KnownPtr known, Know(table->name()));
  // In phases so few at a time that what is known of the indexes does not become old.
  const size_t at_once =
      known->phased.definitions.empty() ? std::max<size_t>(batch->row_count(), 1) : kRowsAtOnce;
  for (size_t begin = 0; begin < batch->row_count(); begin += at_once) {
    const Rows rows{*batch, begin, std::min(begin + at_once, batch->row_count())};
    RETURN_IF_ERROR(WithIndexes(
        table, rows, [&](const Known& now) { return WriteRows(table, now, rows, batch); }));
  }
  return Status::Ok();
}

Status ClusterIndexes::WriteRows(Table* table, const Known& known, const Rows& rows,
                                 MutationBatch* batch) {
  const bool whole = rows.end - rows.begin == batch->row_count();
  if (!whole && known.table == nullptr) {
    return NotFound("table " + table->name().ToString() + " was dropped while rows were written");
  }
  if (!known.phased.definitions.empty() || !whole) {
    return Phased(table, known)->Run(rows.batch, rows.begin, rows.end);
  }
  MutationBatch described;
  return table->Write(Described(known, batch, &described));
}

std::unique_ptr<PhasedWrite> ClusterIndexes::Phased(Table* table, const Known& known) const {
  return std::make_unique<PhasedWrite>(
      connection_, table, *known.table, known.phased, known.description,
      [this, &known] { return IsRecent(known.looked_nanos, options_.wait / 2); });
}

MutationBatch* ClusterIndexes::Described(const Known& known, MutationBatch* batch,
                                         MutationBatch* described) {
  if (known.description.empty()) return batch;
  *described = WithDescription(*batch, known.description, known.included);
  return described;
}

Result<bool> ClusterIndexes::WriteIf(Table* table, const Table::Condition& condition,
                                     MutationBatch* batch) {
  bool written = false;
  RETURN_IF_ERROR(
      WithIndexes(table, {*batch, 0, batch->row_count()}, [&](const Known& known) -> Status {
        if (!known.phased.definitions.empty()) {
          ASSIGN_OR_RETURN(written, Phased(table, known)->RunIf(condition, *batch));
        } else {
          MutationBatch described;
          ASSIGN_OR_RETURN(written,
                           table->CheckAndWrite(condition, Described(known, batch, &described)));
        }
        return Status::Ok();
      }));
  return written;
}

Result<bool> ClusterIndexes::Touch(Table* table, const TableMeta& meta, const Bytes& row) {
  MutationBatch batch;
  batch.StartRow(row);
  batch.Put(meta.empty_family, meta.empty_qualifier, meta.empty_value);
  Table::Condition there;
  there.row = row;
  there.family = meta.empty_family;
  there.qualifier = meta.empty_qualifier;
  there.op = CompareOperator::kNotEqual;
  bool touched = false;
  RETURN_IF_ERROR(WithIndexes(table, {batch, 0, 1}, [&](const Known& known) -> Status {
    if (!known.phased.definitions.empty()) {
      ASSIGN_OR_RETURN(touched, Phased(table, known)->Touch(batch));
    } else {
      MutationBatch described;
      ASSIGN_OR_RETURN(touched, table->CheckAndWrite(there, Described(known, &batch, &described)));
    }
    return Status::Ok();
  }));
  return touched;
}

Status ClusterIndexes::WithIndexes(Table* table, const Rows& rows,
                                   const std::function<Status(const Known&)>& write) {
  for (bool again = false;; again = true) {
    ASSIGN_OR_RETURN(const KnownPtr known, Know(table->name()));
    RETURN_IF_ERROR(known->refusal);
    const Status status = write(*known);
    if (status.ok()) {
      // In time for who makes an index to read what was written.
      if (known->keeper == Keeper::kServers ||
          IsRecent(known->looked_nanos, options_.wait * 3 / 4)) {
        return status;
      }
      return AddMissed(table, *known, rows);
    }
    // An index that was dropped meanwhile.
    if (status.code() != StatusCode::kNotFound || again) return status;
    Forget(table->name());
  }
}

bool ClusterIndexes::HasKnown(const Known& known, const TableMeta& index) const {
  const auto same = std::find_if(known.definitions.begin(), known.definitions.end(),
                                 [&](const auto& other) { return IsSame(*other->index, index); });
  if (same == known.definitions.end()) return false;
  const TableMeta& before = *(*same)->index;
  // With each state it gets a new time. What is mended in place is kept up all the while.
  if (before.timestamp == index.timestamp || MendsInPlace(index)) return true;
  // Who empties an index waits, and waits again before it is filled.
  return before.index_state == IndexState::kBuilding && index.index_state == IndexState::kActive &&
         IsRecent(known.looked_nanos, options_.wait * 2);
}

Status ClusterIndexes::AddMissed(Table* table, const Known& known, const Rows& rows) {
  ASSIGN_OR_RETURN(const KnownPtr now, Look(table->name()));
  std::vector<Bytes> keys;
  std::vector<Row> found;
  for (const auto& definition : now->definitions) {
    const TableMeta& index = *definition->index;
    if (HasKnown(known, index)) continue;
    RETURN_IF_ERROR(now->refusal);
    if (index.is_local_index()) {
      LogWarning(
          "table {}: local index {} was made while rows were written that took too long to be "
          "written; it may lack them until it is made again",
          now->table->FullName(), index.FullName());
      continue;
    }
    ASSIGN_OR_RETURN(const auto of_index, connection_->OpenTable(index.physical));
    LogWarning(
        "table {}: index {} was made or rebuilt while rows were written that took too long to be "
        "written; its rows are held against the table's until it is rebuilt",
        now->table->FullName(), index.FullName());
    RETURN_IF_ERROR(MarkAll(index, of_index.get()));
    if (keys.empty()) {
      std::set<Bytes> once;
      for (size_t i = rows.begin; i < rows.end; ++i) {
        once.emplace(rows.batch.row_key(rows.batch.rows()[i]));
      }
      keys.assign(once.begin(), once.end());
      RETURN_IF_ERROR(ReadRowsByKey(table, keys, {}, &found));
    }
    std::vector<std::vector<Cell>> newest;
    for (const Row& row : found) newest.push_back(NewestCells(row.cells));
    std::vector<exec::TableRow> of_table;
    for (size_t i = 0; i < keys.size(); ++i) of_table.push_back({keys[i], newest[i]});
    exec::IndexEncoder encoder(definition, /*builds=*/true);
    RETURN_IF_ERROR(IndexRows(&encoder, of_table, of_index.get()));
  }
  return Status::Ok();
}

// What rows were before they were written is not known, and so not which rows of the index are of
// that past. The mark gets the time that it has, so that it is a word about what is there now.
Status ClusterIndexes::MarkAll(const TableMeta& index, Table* of_index) {
  for (const RowRange& range : catalog::RowsOfIndex(index)) {
    Scan scan;
    scan.range = range;
    scan.columns[index.empty_family] = {index.empty_qualifier};
    ASSIGN_OR_RETURN(const auto scanner, of_index->OpenScanner(scan));
    CellBatch found;
    for (;;) {
      RETURN_IF_ERROR(scanner->Next(kRowsAtOnce, &found));
      if (found.row_count() == 0) break;
      MutationBatch marks;
      for (const Cell& cell : found.cells) {
        exec::IndexEncoder::AppendMark(index, cell.row(), cell.timestamp(), &marks);
      }
      RETURN_IF_ERROR(of_index->Write(&marks));
    }
  }
  return Status::Ok();
}

// With the times of the table's rows: later than what the index may have of the row's past, and
// earlier than all that writers who know of the index will write there.
Status ClusterIndexes::IndexRows(exec::IndexEncoder* encoder, std::span<const exec::TableRow> rows,
                                 Table* index) {
  std::vector<exec::IndexEntry> entries;
  RETURN_IF_ERROR(encoder->Encode(rows, &entries));
  MutationBatch batch;
  for (size_t i = 0; i < rows.size(); ++i) {
    encoder->AppendChange(exec::IndexEntry(), entries[i], LatestTime(rows[i].cells), &batch);
  }
  return batch.empty() ? Status::Ok() : index->Write(&batch);
}

Status ClusterIndexes::Changed(const TableName& table) {
  RETURN_IF_ERROR(StateChanged(table));
  const auto known = Look(table);
  if (known.status().code() == StatusCode::kNotFound) return Status::Ok();  // it is gone
  RETURN_IF_ERROR(known.status());
  if ((*known)->keeper == Keeper::kServers || (*known)->table == nullptr) return Status::Ok();
  const int64_t cached_ms =
      std::min((*known)->table->update_cache_frequency_ms, kCacheFrequencyMaxMillis);
  const std::chrono::microseconds wait = options_.wait + std::chrono::milliseconds(cached_ms);
  Env::Default()->SleepMicros(static_cast<uint64_t>(wait.count()));
  return Status::Ok();
}

Status ClusterIndexes::StateChanged(const TableName& table) {
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  catalog->Invalidate();
  Forget(table);
  return Status::Ok();
}

// Writes rows of the index as they come.
class ClusterIndexes::Filler : public RowSink {
 public:
  // 'index' must outlive this.
  Filler(std::shared_ptr<const plan::IndexDefinition> definition, Table* index)
      : encoder_(std::move(definition), /*builds=*/true), index_(index) {}

  Status Add(const CellBatch& found) override {
    rows_.clear();
    for (size_t i = 0; i < found.row_count(); ++i) {
      const uint32_t begin = found.row_starts[i];
      rows_.push_back(
          {found.cells[begin].row(), std::span(&found.cells[begin], found.row_end(i) - begin)});
    }
    return IndexRows(&encoder_, rows_, index_);
  }
  Status Finish() override { return Status::Ok(); }

 private:
  exec::IndexEncoder encoder_;
  Table* const index_;
  std::vector<exec::TableRow> rows_;
};

Result<int64_t> ClusterIndexes::Build(const std::shared_ptr<const TableMeta>& table,
                                      const std::shared_ptr<const TableMeta>& index,
                                      const Progress& progress) {
  // An index that could not be kept in step is not made.
  ASSIGN_OR_RETURN(const KnownPtr known, Know(table->physical));
  RETURN_IF_ERROR(known->refusal);
  if (known->keeper == Keeper::kPhoenix && options_.wait_for_phoenix > options_.wait) {
    const std::chrono::microseconds more = options_.wait_for_phoenix - options_.wait;
    Env::Default()->SleepMicros(static_cast<uint64_t>(more.count()));
  }
  ASSIGN_OR_RETURN(const auto definition, plan::DefineIndex(table, index));
  if (index->is_local_index()) {
    ASSIGN_OR_RETURN(const int32_t version, phoenix_version_.Get());
    return BuildLocalIndexByServers(connection_, open_scanner_, version, definition, progress);
  }
  ASSIGN_OR_RETURN(const auto storage, connection_->OpenTable(index->physical));
  std::map<Bytes, std::set<Bytes>> columns;
  plan::AddReadColumns(*definition, &columns);
  return ForEachRowToIndex(
      connection_, *definition, columns, /*snapshot=*/nullptr, kRowsAtOnce,
      [&] { return std::make_unique<Filler>(definition, storage.get()); }, progress);
}

Result<int64_t> ClusterIndexes::Mend(const std::shared_ptr<const TableMeta>& table,
                                     const std::shared_ptr<const TableMeta>& index,
                                     const Progress& progress) {
  ASSIGN_OR_RETURN(const auto definition, plan::DefineIndex(table, index));
  // It is mended all the same where it cannot be filled, and row by row.
  if (!index->is_local_index() || CanServersBuild(*definition)) {
    RETURN_IF_ERROR(Build(table, index, progress).status());
  }
  ASSIGN_OR_RETURN(const KnownPtr known, Know(table->physical));
  if (known->table == nullptr) return NotFound("table " + table->FullName() + " was dropped");
  ASSIGN_OR_RETURN(const auto data, api::OpenKnownTable(connection_, table->physical));
  const auto& by_clients = known->phased.definitions;
  IndexMender::Options options;
  options.clients_time = std::any_of(by_clients.begin(), by_clients.end(), [&](const auto& other) {
    return IsSame(*other->index, *index);
  });
  const auto touch = [&](const Bytes& row) { return Touch(data.get(), *known->table, row); };
  return IndexMender(connection_, data, known->table, definition, touch, options).Run(progress);
}

}  // namespace bennu::sql::index
