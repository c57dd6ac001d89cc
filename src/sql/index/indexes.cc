#include "src/sql/index/indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/api/store_tools.h"
#include "src/api/table_changes.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/index_columns.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/catalog/view_indexes.h"
#include "src/sql/index/family_ttls.h"
#include "src/sql/index/index_build.h"
#include "src/sql/index/index_filler.h"
#include "src/sql/index/index_observer.h"
#include "src/sql/index/local_index_rows.h"
#include "src/sql/index/table_indexes.h"
#include "src/sql/plan/index_definition.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::index {
namespace {

// Rows that are read and encoded at a time while an index is built.
constexpr size_t kRowsPerStep = 1024;

bool IsOfSystem(const catalog::TableKey& key) { return key.schema == catalog::kSystemSchema; }
// Known without the catalog, which may be one that cannot be read.
bool IsOfSystem(const TableName& table) {
  const std::string schema(catalog::kSystemSchema);
  return table.name_space == schema || table.qualifier.starts_with(schema + ".");
}

bool ReadsFamily(const catalog::TableMeta& index, const catalog::TableMeta& owner,
                 const std::string& family) {
  if (owner.empty_family == family) return true;
  const bool is_covered = std::any_of(
      index.columns.begin(), index.columns.end(), [&](const catalog::ColumnMeta& column) {
        return !column.is_key() && column.name.starts_with(family + ":");
      });
  return is_covered || std::any_of(owner.columns.begin(), owner.columns.end(),
                                   [&](const catalog::ColumnMeta& column) {
                                     return !column.is_key() && column.family == family &&
                                            catalog::IsIndexMadeOf(index, owner, column);
                                   });
}

// The HBase tables that hold rows of the indexes alone.
std::vector<TableName> TablesOf(const std::vector<OwnedIndex>& indexes) {
  std::set<TableName> names;
  for (const auto& [owner, index] : indexes) {
    if (!index->is_local_index()) names.insert(index->physical);
  }
  return {names.begin(), names.end()};
}

// SYSTEM.CATALOG is disabled, and with it all of SQL.
bool IsOutOfUse(const Status& status) { return status.code() == StatusCode::kFailedPrecondition; }

// Those of its table in which the rows of a local index lie.
void AddFamilies(const catalog::TableMeta& index, std::set<std::string>* families) {
  families->insert(index.empty_family);
  for (const catalog::ColumnMeta& column : index.columns) {
    if (!column.is_key()) families->insert(column.family);
  }
}

// Whether the table's own families show newest versions for another time, or others as such.
bool ShowsOtherCells(const TableDescriptor& before, const TableDescriptor& after) {
  return std::any_of(after.families.begin(), after.families.end(),
                     [&](const ColumnFamilyDescriptor& family) {
                       const ColumnFamilyDescriptor* const old = before.FindFamily(family.name);
                       if (old == nullptr || catalog::IsLocalFamily(family.name)) return false;
                       return TtlMillisOf(*old) != TtlMillisOf(family) ||
                              old->new_version_behavior() != family.new_version_behavior();
                     });
}

// Of the family that lives longest: when the table's rows expire.
catalog::Attributes LifetimeOf(const TableDescriptor& table) {
  const ColumnFamilyDescriptor* longest = nullptr;
  for (const ColumnFamilyDescriptor& family : table.families) {
    if (catalog::IsLocalFamily(family.name)) continue;
    const bool is_longer = longest == nullptr || TtlMillisOf(family) > TtlMillisOf(*longest);
    if (is_longer) longest = &family;
  }
  if (longest == nullptr) return {};
  return {{"TTL", std::to_string(longest->ttl_seconds())},
          {"MIN_VERSIONS", std::to_string(longest->min_versions())}};
}

bool HoldsRowsOf(const catalog::TableMeta& index, const std::string& family) {
  if (!index.is_local_index()) return false;
  std::set<std::string> families;
  AddFamilies(index, &families);
  return families.contains(family);
}

}  // namespace

Result<catalog::Catalog*> Indexes::OpenCatalog() {
  MutexLock lock(&mu_);
  if (catalog_ == nullptr) {
    ASSIGN_OR_RETURN(catalog_, OpenIndexCatalog(connection_, features_));
  }
  return catalog_.get();
}

Result<std::shared_ptr<api::WriteObserver>> Indexes::ObserverOf(const TableName& table) {
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  // Before the catalog is read: an index that is not paused any more then may be one that has gone.
  std::multiset<catalog::TableKey> paused;
  {
    MutexLock lock(&mu_);
    paused = paused_;
  }
  catalog->Invalidate();
  ASSIGN_OR_RETURN(TableIndexes indexes, FindTableIndexes(catalog, table));
  std::erase_if(indexes.kept_up,
                [&](const auto& definition) { return paused.contains(definition->index->key()); });
  if (indexes.kept_up.empty()) return std::shared_ptr<api::WriteObserver>();
  ASSIGN_OR_RETURN(const auto storage, connection_->OpenTable(table));
  const TableDescriptor descriptor = storage->descriptor();
  RETURN_IF_ERROR(CheckFamiliesOf(descriptor, indexes));
  auto observer = std::make_shared<IndexObserver>(std::move(indexes.kept_up));
  if (TtlsOf(descriptor).any()) observer->set_expires();
  MutexLock lock(&mu_);
  const auto [begin, end] = notes_.equal_range(table);
  for (auto notes = begin; notes != end; ++notes) observer->NoteRowsIn(notes->second);
  return std::shared_ptr<api::WriteObserver>(std::move(observer));
}

// Somebody who knows nothing of SQL may have made the table anew without the families of its local
// indexes. Its writes are refused by the index's name then, not by a family that nobody wrote to.
Status Indexes::CheckFamiliesOf(const TableDescriptor& descriptor, const TableIndexes& indexes) {
  for (const auto& definition : indexes.kept_up) {
    if (!definition->index->is_local_index()) continue;
    std::set<std::string> families;
    AddFamilies(*definition->index, &families);
    for (const std::string& family : families) {
      if (descriptor.FindFamily(family) != nullptr) continue;
      return FailedPrecondition(fmt::format(
          "table {} has lost family {}, in which the rows of the local index {} lie; run DROP "
          "INDEX {} ON {}, and make it anew",
          descriptor.name.ToString(), family, definition->index->FullName(),
          definition->index->name, definition->table->FullName()));
    }
  }
  return Status::Ok();
}

Result<std::unique_ptr<api::RegionRows>> Indexes::RegionRowsOf(const TableName& table,
                                                               const std::string& family) {
  std::unique_ptr<api::RegionRows> rows;
  if (!catalog::IsLocalFamily(family)) return rows;
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  const auto key = catalog->KeyOfPhysical(table);
  if (!key.ok() || IsOfSystem(*key)) return rows;
  catalog->Invalidate();
  const auto meta = catalog->GetTable(key->schema, key->name);
  if (!meta.ok()) {
    if (meta.status().code() == StatusCode::kSql) return rows;
    return meta.status();
  }
  ASSIGN_OR_RETURN(auto of_indexes, LocalIndexRows::Of(catalog, *meta));
  // Without an index the family may be one that somebody made for rows of another kind.
  if (!of_indexes->empty()) rows = std::move(of_indexes);
  return rows;
}

Result<std::vector<TableName>> Indexes::TablesDerivedFrom(const TableName& table) {
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  catalog->Invalidate();
  ASSIGN_OR_RETURN(const auto indexes, FindIndexesOver(catalog, table));
  {
    MutexLock lock(&mu_);
    const auto [begin, end] = notes_.equal_range(table);
    for (auto notes = begin; notes != end; ++notes) notes->second->AddAll();
  }
  return TablesOf(indexes);
}

void Indexes::set_builder(IndexBuilder* builder) {
  MutexLock lock(&builder_mu_);
  builder_ = builder;
}

Status Indexes::SetStates(const TableName& table,
                          const std::vector<std::shared_ptr<const catalog::TableMeta>>& indexes,
                          catalog::IndexState state) {
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  catalog::DdlContext context;
  context.features = features_;
  Status status;
  for (const auto& index : indexes) {
    if (status.ok()) status = catalog->SetIndexState(*index, state, context).status();
  }
  const Status changed = Changed(table);
  MutexLock lock(&builder_mu_);
  if (builder_ != nullptr) builder_->StatesChanged();
  return status.ok() ? changed : status;
}

bool Indexes::IsBeingBuilt(const catalog::TableMeta& index) {
  MutexLock lock(&builder_mu_);
  return builder_ != nullptr && builder_->IsBuilding(index.key());
}

Result<api::WriteObserverSource::Replacement> Indexes::RowsAreReplaced(const TableName& table) {
  if (IsOfSystem(table)) return Replacement();
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  catalog->Invalidate();
  const auto found = FindIndexesOver(catalog, table);
  if (IsOutOfUse(found.status())) return Replacement();
  RETURN_IF_ERROR(found.status());
  std::set<std::string> families;
  std::vector<std::shared_ptr<const catalog::TableMeta>> kept_up;
  std::vector<std::shared_ptr<const catalog::TableMeta>> again;
  for (const auto& [owner, index] : *found) {
    if (index->is_local_index()) AddFamilies(*index, &families);
    if (!index->is_kept_up()) continue;
    // It would call complete what it has built of the rows that go.
    if (IsBeingBuilt(*index)) {
      return FailedPrecondition("index " + index->FullName() + " of table " + table.ToString() +
                                " is being built; wait until it is, or cancel it, and try again");
    }
    kept_up.push_back(index);
    const bool is_used =
        index->is_usable_index() || index->index_state == catalog::IndexState::kBuilding;
    if (is_used) again.push_back(index);
  }
  Replacement replacement;
  replacement.derived = TablesOf(*found);
  replacement.derived_families.assign(families.begin(), families.end());
  if (kept_up.empty()) return replacement;
  replacement.derive_anew = [this, table, again] {
    for (const auto& index : again) {
      LogInfo(
          "index {} is built anew, since table {} shows other rows now; a program that holds "
          "the store for some seconds to answer SQL does it, or ALTER INDEX … REBUILD",
          index->FullName(), table.ToString());
    }
    return SetStates(table, again, catalog::IndexState::kBuilding);
  };
  const Status set = SetStates(table, kept_up, catalog::IndexState::kDisabled);
  if (set.ok()) return replacement;
  static_cast<void>(replacement.derive_anew());  // as the table was, they were right
  return set;
}

Result<api::WriteObserverSource::Replacement> Indexes::FamiliesAreAltered(
    const TableDescriptor& before, const TableDescriptor& after) {
  if (!ShowsOtherCells(before, after)) return Replacement();
  ASSIGN_OR_RETURN(Replacement replacement, RowsAreReplaced(after.name));
  if (replacement.derive_anew == nullptr) return Replacement();
  Replacement altered;
  altered.derive_anew = [this, replacement = std::move(replacement), table = after.name]() {
    RETURN_IF_ERROR(LetDerivedExpire(table, replacement));
    return replacement.derive_anew();
  };
  return altered;
}

Status Indexes::LetDerivedExpire(const TableName& table, const Replacement& derived) {
  ASSIGN_OR_RETURN(const auto storage, connection_->OpenTable(table));
  const catalog::Attributes lifetime = LifetimeOf(storage->descriptor());
  const auto give = [&](TableDescriptor given, bool is_table) -> Status {
    const TableDescriptor now = given;
    catalog::SetAttributesOfIndex(lifetime, is_table, &given);
    return given == now ? Status::Ok() : connection_->admin()->AlterTable(given);
  };
  RETURN_IF_ERROR(give(storage->descriptor(), /*is_table=*/true));
  for (const TableName& name : derived.derived) {
    ASSIGN_OR_RETURN(const auto index, connection_->OpenTable(name));
    RETURN_IF_ERROR(give(index->descriptor(), /*is_table=*/false));
  }
  return Status::Ok();
}

Status Indexes::DerivedRowsGo(const TableName& table) {
  if (IsOfSystem(table)) return Status::Ok();
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  catalog->Invalidate();
  const auto found = FindIndexesIn(catalog, table);
  if (IsOutOfUse(found.status())) return Status::Ok();
  RETURN_IF_ERROR(found.status());
  for (const auto& [owner, index] : *found) {
    if (!index->is_kept_up()) continue;
    LogWarning("index {} of {} is disabled, since somebody drops or replaces its table {}",
               index->FullName(), owner->FullName(), table.ToString());
    RETURN_IF_ERROR(SetStates(owner->physical, {index}, catalog::IndexState::kDisabled));
  }
  return Status::Ok();
}

Status Indexes::CheckFamilyIsFree(const TableName& table, const std::string& family) {
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  catalog->Invalidate();
  ASSIGN_OR_RETURN(const auto indexes, FindIndexesOver(catalog, table));
  for (const auto& [owner, index] : indexes) {
    std::string why;
    if (HoldsRowsOf(*index, family)) {
      why = "the rows of the local index " + index->FullName() + " lie in it";
    } else if (ReadsFamily(*index, *owner, family)) {
      why = "the index " + index->FullName() + " is made of it";
    } else {
      continue;
    }
    return FailedPrecondition(
        fmt::format("family {} of table {} cannot be removed: {}; run DROP INDEX {} ON {} first",
                    family, table.ToString(), why, index->name, owner->FullName()));
  }
  return Status::Ok();
}

class Indexes::Notes {
 public:
  Notes(Indexes* indexes, const TableName& table)
      : indexes_(indexes), written_(std::make_shared<WrittenRows>()) {
    MutexLock lock(&indexes_->mu_);
    place_ = indexes_->notes_.emplace(table, written_);
  }
  // Observers that have them keep them, until there are others.
  ~Notes() {
    MutexLock lock(&indexes_->mu_);
    indexes_->notes_.erase(place_);
  }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;

  const WrittenRows& written() const { return *written_; }

 private:
  Indexes* const indexes_;
  const std::shared_ptr<WrittenRows> written_;
  std::multimap<TableName, std::shared_ptr<WrittenRows>>::iterator place_;
};

// Whether the snapshot shows neither cells nor markers where the index's rows go. 'storage' is the
// table that holds these rows. 'regions' are those it had before the snapshot was taken.
Result<bool> Indexes::IsNew(const catalog::TableMeta& index, const std::vector<RegionInfo>& regions,
                            const std::shared_ptr<const Snapshot>& snapshot, Table* storage) {
  Scan scan;
  scan.raw = true;
  scan.snapshot = snapshot;
  std::vector<RowRange> ranges;
  if (index.is_local_index()) {
    for (const RegionInfo& region : regions) ranges.push_back(catalog::LocalRows(index, region));
    for (const ColumnFamilyDescriptor& family : storage->descriptor().families) {
      if (catalog::IsLocalFamily(family.name)) scan.columns[family.name] = {};
    }
  } else {
    ranges = catalog::RowsOfIndex(index);
  }
  for (const RowRange& range : ranges) {
    scan.range = range;
    ASSIGN_OR_RETURN(const auto scanner, storage->OpenScanner(scan));
    CellBatch found;
    RETURN_IF_ERROR(scanner->Next(1, &found));
    if (found.row_count() > 0) return false;
  }
  // Rows of a local index have other keys in the regions that take a region's place.
  return !index.is_local_index() || storage->regions() == regions;
}

class Indexes::Paused : public IndexKeeper::Pause {
 public:
  Paused(Indexes* indexes, TableName table, const catalog::TableKey& index)
      : indexes_(indexes), table_(std::move(table)) {
    MutexLock lock(&indexes_->mu_);
    place_ = indexes_->paused_.insert(index);
  }
  ~Paused() override {
    {
      MutexLock lock(&indexes_->mu_);
      indexes_->paused_.erase(place_);
    }
    const Status changed = indexes_->Changed(table_);
    // The log is lost, and nobody writes any more.
    if (!changed.ok()) LogWarning("indexes of {}: {}", table_.ToString(), changed.ToString());
  }
  Paused(const Paused&) = delete;
  Paused& operator=(const Paused&) = delete;

 private:
  Indexes* const indexes_;
  const TableName table_;
  std::multiset<catalog::TableKey>::iterator place_;
};

Result<std::unique_ptr<IndexKeeper::Pause>> Indexes::PauseKeeping(const TableName& table,
                                                                  const catalog::TableKey& index) {
  auto paused = std::make_unique<Paused>(this, table, index);
  RETURN_IF_ERROR(Changed(table));
  return std::unique_ptr<Pause>(std::move(paused));
}

Status Indexes::Empty(const catalog::TableMeta& index, const Progress& progress) {
  ASSIGN_OR_RETURN(const auto storage, connection_->OpenTable(index.physical));
  const std::vector<RegionInfo> regions = storage->regions();
  ASSIGN_OR_RETURN(const bool is_new,
                   IsNew(index, regions, connection_->TakeSnapshot(), storage.get()));
  if (is_new) return Status::Ok();
  api::TableChanges* const changes = StoreTools::Changes(connection_);
  if (!index.shares_its_table() && changes != nullptr) return changes->EmptyTable(index.physical);
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  return catalog->EraseIndexRows(index, [&] { return progress(0); });
}

Result<int64_t> Indexes::BuildAnew(const std::shared_ptr<const catalog::TableMeta>& table,
                                   const std::shared_ptr<const catalog::TableMeta>& index,
                                   const Progress& progress) {
  {
    ASSIGN_OR_RETURN(const auto paused, PauseKeeping(table->physical, index->key()));
    RETURN_IF_ERROR(Empty(*index, progress));
  }
  return Build(table, index, progress);
}

Result<int64_t> Indexes::Build(const std::shared_ptr<const catalog::TableMeta>& table,
                               const std::shared_ptr<const catalog::TableMeta>& index,
                               const Progress& progress) {
  ASSIGN_OR_RETURN(const auto definition, plan::DefineIndex(table, index));
  const Notes notes(this, table->physical);
  RETURN_IF_ERROR(Changed(table->physical));
  ASSIGN_OR_RETURN(const auto storage, connection_->OpenTable(index->physical));
  const std::vector<RegionInfo> regions = storage->regions();
  const std::shared_ptr<const Snapshot> snapshot = connection_->TakeSnapshot();
  IndexObserver observer({definition}, /*builds=*/true);
  ASSIGN_OR_RETURN(const auto data, connection_->OpenTable(table->physical));
  FillTarget target{store_, definition, &notes.written(), &observer, TtlsOf(data->descriptor())};
  ASSIGN_OR_RETURN(target.is_new, IsNew(*index, regions, snapshot, storage.get()));
  return ForEachRowToIndex(
      connection_, *definition, observer.columns(), snapshot, kRowsPerStep,
      [&] { return std::make_unique<IndexFiller>(target); }, progress);
}

}  // namespace bennu::sql::index
