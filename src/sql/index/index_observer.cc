#include "src/sql/index/index_observer.h"

#include <utility>

#include "bennu/cell.h"
#include "src/base/status_macros.h"

namespace bennu::sql::index {

IndexObserver::IndexObserver(std::vector<std::shared_ptr<const plan::IndexDefinition>> indexes,
                             bool builds)
    : indexes_(std::move(indexes)), builds_(builds) {
  for (const auto& index : indexes_) {
    plan::AddReadColumns(*index, &columns_);
    for (const auto& column : index->columns) {
      if (!column.family.empty()) key_columns_[column.family].insert(column.qualifier);
    }
  }
}

bool IndexObserver::DependsOn(ByteView family, ByteView qualifier) const {
  const auto found = key_columns_.find(Bytes(family));
  return found != key_columns_.end() && found->second.contains(Bytes(qualifier));
}

std::unique_ptr<IndexObserver::Workspace> IndexObserver::Take() {
  {
    MutexLock lock(&mu_);
    if (!idle_.empty()) {
      auto workspace = std::move(idle_.back());
      idle_.pop_back();
      return workspace;
    }
  }
  auto workspace = std::make_unique<Workspace>();
  for (const auto& index : indexes_) {
    auto encoder = std::make_unique<exec::IndexEncoder>(index, builds_);
    if (expires_) encoder->set_expires();
    workspace->encoders.push_back(std::move(encoder));
  }
  return workspace;
}

void IndexObserver::GiveBack(std::unique_ptr<Workspace> workspace) {
  MutexLock lock(&mu_);
  idle_.push_back(std::move(workspace));
}

Status IndexObserver::AppendChanges(std::span<const api::RowChange* const> changes, ByteView prefix,
                                    exec::IndexEncoder* encoder, Workspace* workspace,
                                    MutationBatch* batch) {
  std::vector<exec::TableRow>& rows = workspace->rows;
  rows.clear();
  for (const api::RowChange* change : changes) rows.push_back({change->row, change->before});
  RETURN_IF_ERROR(encoder->Encode(rows, &workspace->before, exec::RowState::kStored));
  rows.clear();
  for (const api::RowChange* change : changes) rows.push_back({change->row, change->after});
  RETURN_IF_ERROR(encoder->Encode(rows, &workspace->after));
  for (size_t i = 0; i < changes.size(); ++i) {
    const exec::IndexEntry& before = workspace->before[i];
    const exec::IndexEntry& after = workspace->after[i];
    if (after.present && !before.present) RETURN_IF_ERROR(encoder->CheckKey(changes[i]->row));
    encoder->AppendChange(before, after, kLatestTimestamp, batch, prefix);
  }
  return Status::Ok();
}

Status IndexObserver::Observe(const RegionInfo& region, std::span<const api::RowChange> changes,
                              api::DerivedWrites* derived) {
  for (const auto& written : notes_) {
    for (const api::RowChange& change : changes) written->Add(change.row);
  }
  std::unique_ptr<Workspace> workspace = Take();
  std::vector<const api::RowChange*>& whole = workspace->whole;
  std::vector<const api::RowChange*>& expiring = workspace->in_parts;
  whole.clear();
  expiring.clear();
  for (const api::RowChange& change : changes) {
    (ExpiringRows::IsFor(change) ? expiring : whole).push_back(&change);
  }
  for (const auto& encoder : workspace->encoders) {
    const catalog::TableMeta& index = *encoder->definition().index;
    const Bytes prefix = index.is_local_index() ? catalog::LocalPrefix(index, region) : Bytes();
    MutationBatch* const batch = derived->Of(index.physical);
    RETURN_IF_ERROR(AppendChanges(whole, prefix, encoder.get(), workspace.get(), batch));
    for (const api::RowChange* change : expiring) {
      RETURN_IF_ERROR(workspace->expiring.AppendChange(*change, encoder.get(), prefix, batch));
    }
  }
  GiveBack(std::move(workspace));
  return Status::Ok();
}

}  // namespace bennu::sql::index
