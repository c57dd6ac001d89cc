// CatalogJanitor: removes what a split or merge left behind, once no child refers to its parents'
// files any more: the parents' directories go to the archive, then their traces in hbase:meta. Also
// the directories of dropped tables that could not be archived at once.
// Every step may be repeated, so a death between them does no harm. Thread-safe.
// Source: HBase's CatalogJanitor, GCRegionProcedure and GCMultipleMergedRegionsProcedure.
#ifndef BENNU_SRC_ENGINE_CORE_CATALOG_JANITOR_H_
#define BENNU_SRC_ENGINE_CORE_CATALOG_JANITOR_H_

#include <set>
#include <string>
#include <vector>

#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/directory/meta_rows.h"

namespace bennu::engine {

class CatalogJanitor {
 public:
  explicit CatalogJanitor(EngineCore* core) : core_(core) {}  // must outlive this

  void Add(ReplacedRegions replaced);
  bool idle() const;
  // Whether the region was replaced and is still there.
  bool Knows(const std::string& encoded_name) const;
  // What is to be cleaned of this table; its parents' directories are still there.
  std::vector<ReplacedRegions> PendingOf(const TableName& table) const;
  // Whether the region's row says what it came from. A merge, which deletes the row, must wait.
  bool IsNotedIn(const std::string& encoded_name) const;
  // Cleans what can be cleaned.
  Status Run();
  // For the drop of a table (under its lock): deletes the rows of its parents that were split, and
  // forgets it once that is written.
  void DeleteRows(const TableName& table, MutationBatch* batch) const;
  // A table that was dropped and whose directory could not be archived: tried again.
  void AddDropped(const TableName& table);
  void Forget(const TableName& table);

 private:
  std::vector<ReplacedRegions> Pending() const;
  Result<bool> StillReferred(const ReplacedRegions& replaced) const;
  Status Clean(const ReplacedRegions& replaced);
  Status CleanDropped() REQUIRES(core_->ddl_mu);

  EngineCore* const core_;
  mutable Mutex mu_;
  std::vector<ReplacedRegions> pending_ GUARDED_BY(mu_);
  std::set<TableName> dropped_ GUARDED_BY(mu_);
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_CATALOG_JANITOR_H_
