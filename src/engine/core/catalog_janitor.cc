#include "src/engine/core/catalog_janitor.h"

#include <algorithm>
#include <utility>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/directory/archive.h"
#include "src/engine/store/file_reference.h"

namespace bennu::engine {

namespace {

bool Holds(const std::vector<RegionInfo>& regions, const std::string& encoded_name) {
  return std::any_of(regions.begin(), regions.end(),
                     [&](const auto& info) { return info.EncodedName() == encoded_name; });
}

const TableName& TableOf(const ReplacedRegions& replaced) { return replaced.parents.front().table; }

bool SameChange(const ReplacedRegions& left, const ReplacedRegions& right) {
  return left.merge == right.merge && left.parents == right.parents;
}

}  // namespace

void CatalogJanitor::Add(ReplacedRegions replaced) {
  if (replaced.parents.empty()) return;
  MutexLock lock(&mu_);
  pending_.push_back(std::move(replaced));
}

bool CatalogJanitor::idle() const {
  MutexLock lock(&mu_);
  return pending_.empty() && dropped_.empty();
}

void CatalogJanitor::AddDropped(const TableName& table) {
  MutexLock lock(&mu_);
  dropped_.insert(table);
}

// By name: a new table of that name may be there by now, whose creation has seen to it.
Status CatalogJanitor::CleanDropped() {
  std::set<TableName> dropped;
  {
    MutexLock lock(&mu_);
    dropped = dropped_;
  }
  for (const TableName& table : dropped) {
    if (!core_->FindTable(table).ok()) {
      RETURN_IF_ERROR(core_->RemoveLeftover(table).status().Annotate("cleaning up dropped table " +
                                                                     table.ToString()));
    }
    MutexLock lock(&mu_);
    dropped_.erase(table);
  }
  return Status::Ok();
}

bool CatalogJanitor::Knows(const std::string& encoded_name) const {
  MutexLock lock(&mu_);
  return std::any_of(pending_.begin(), pending_.end(),
                     [&](const auto& replaced) { return Holds(replaced.parents, encoded_name); });
}

std::vector<ReplacedRegions> CatalogJanitor::Pending() const {
  MutexLock lock(&mu_);
  return pending_;
}

std::vector<ReplacedRegions> CatalogJanitor::PendingOf(const TableName& table) const {
  auto pending = Pending();
  std::erase_if(pending, [&](const auto& replaced) { return TableOf(replaced) != table; });
  return pending;
}

bool CatalogJanitor::IsNotedIn(const std::string& encoded_name) const {
  MutexLock lock(&mu_);
  return std::any_of(pending_.begin(), pending_.end(), [&](const auto& replaced) {
    return replaced.merge && Holds(replaced.children, encoded_name);
  });
}

void CatalogJanitor::DeleteRows(const TableName& table, MutationBatch* batch) const {
  for (const ReplacedRegions& replaced : Pending()) {
    if (replaced.merge || TableOf(replaced) != table) continue;
    DeleteRegionRow(batch, replaced.parents.front());
  }
}

void CatalogJanitor::Forget(const TableName& table) {
  MutexLock lock(&mu_);
  std::erase_if(pending_, [&](const auto& replaced) { return TableOf(replaced) == table; });
}

Status CatalogJanitor::Run() {
  if (idle()) return Status::Ok();
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  RETURN_IF_ERROR(CleanDropped());
  for (const ReplacedRegions& replaced : Pending()) {
    // A parent that is itself the child of an earlier change waits for that one: its row may hold
    // what the earlier one still needs.
    const auto pending = Pending();
    const bool is_child = std::any_of(pending.begin(), pending.end(), [&](const auto& other) {
      return std::any_of(replaced.parents.begin(), replaced.parents.end(), [&](const auto& parent) {
        return Holds(other.children, parent.EncodedName());
      });
    });
    if (is_child) continue;
    ASSIGN_OR_RETURN(const bool referred, StillReferred(replaced));
    if (!referred) RETURN_IF_ERROR(Clean(replaced));
  }
  return Status::Ok();
}

// The directories are asked, not the open stores: they count after a crash.
Result<bool> CatalogJanitor::StillReferred(const ReplacedRegions& replaced) const {
  Env* const env = core_->env;
  for (const RegionInfo& child : replaced.children) {
    const std::string directory = core_->layout.RegionDirectory(child.table, child.EncodedName());
    ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
    if (!exists) continue;
    ASSIGN_OR_RETURN(const auto families, env->ListDirectory(directory));
    for (const std::string& family : families) {
      if (family.starts_with('.')) continue;
      const std::string store = JoinPath(directory, family);
      ASSIGN_OR_RETURN(const bool is_directory, env->IsDirectory(store));
      if (!is_directory) continue;
      ASSIGN_OR_RETURN(const auto names, env->ListDirectory(store));
      for (const std::string& name : names) {
        const auto reference = ParseReferenceName(name);
        if (reference.has_value() && Holds(replaced.parents, reference->parent)) return true;
      }
    }
  }
  return false;
}

Status CatalogJanitor::Clean(const ReplacedRegions& replaced) {
  for (const RegionInfo& parent : replaced.parents) {
    const std::string encoded = parent.EncodedName();
    RETURN_IF_ERROR(ArchiveRegion(core_->env, core_->layout, parent.table, encoded)
                        .Annotate("cleaning up region " + encoded));
  }
  BENNU_FAILPOINT("janitor.before_meta");
  MutationBatch rows;
  if (replaced.merge) {
    DeleteMergeParents(&rows, replaced.children.front(), replaced.parents.size());
  } else {
    DeleteRegionRow(&rows, replaced.parents.front());
  }
  RETURN_IF_ERROR(core_->WriteCatalog(MetaTableName(), &rows));
  BENNU_FAILPOINT("janitor.after_meta");
  MutexLock lock(&mu_);
  std::erase_if(pending_, [&](const auto& other) { return SameChange(other, replaced); });
  return Status::Ok();
}

}  // namespace bennu::engine
