// RegionChanges: splits a region in two, or merges neighbours into one (docs/regions.md).
//
//   flush -> build the children's directories below the root's .tmp, with references to the
//   parents' files -> freeze the parents (writers wait) -> flush what came meanwhile, and refer to
//   that -> move the directories into the table -> open the children -> one write to hbase:meta,
//   which decides -> the table's list of regions is replaced, writers go on
//
// Rows that lie in the region of the rows that they are about (api::RegionRows) get other keys, so
// that files of their families are not referred to, but written anew where references are made.
//
// A change that fails or dies before it is decided leaves the parents as they were; afterwards
// nothing is left to do but what compactions and the janitor do anyway. Thread-safe.
#ifndef BENNU_SRC_ENGINE_CORE_REGION_CHANGES_H_
#define BENNU_SRC_ENGINE_CORE_REGION_CHANGES_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bennu/status.h"
#include "src/api/write_observer.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/store/file_reference.h"

namespace bennu::engine {

class RegionChanges {
 public:
  explicit RegionChanges(EngineCore* core) : core_(core) {}  // must outlive this

  // 'row': the first of the upper region; without it the table's policy finds one.
  // InvalidArgument: not inside the region. FailedPrecondition: the policy forbids it, the region
  // is too small to have a middle, or it was replaced meanwhile.
  Status Split(const std::shared_ptr<TableEntry>& table, const std::shared_ptr<Region>& region,
               const std::optional<Bytes>& row);
  // Neighbours in the order of their keys, two or more.
  Status Merge(const std::shared_ptr<TableEntry>& table, const RegionList& regions);
  // After a flush or compaction: splits the region if its table's policy says so.
  void SplitIfBig(const std::shared_ptr<Region>& region);

 private:
  struct Child {
    RegionInfo info;
    FileReference::Half half;
  };
  // What is undone when the change is not decided.
  class Undo;

  // What one change knows of the families whose rows get other keys.
  struct Moves {
    // Asked for after 'files' were there, so that they know all rows in these.
    std::map<std::string, std::unique_ptr<api::RegionRows>> families;
    std::set<std::string> files;  // names
    std::set<std::string> done;   // paths, of files that were written for a child
  };

  // Null: it is a family like most.
  Result<std::unique_ptr<api::RegionRows>> RegionRowsOf(const TableName& table,
                                                        const std::string& family) const;
  // Of the files that are there now.
  Status FindMoves(const RegionList& parents, const std::vector<Child>& children,
                   Moves* moves) const;
  Status MoveFiles(const Region& parent, const StoreSet::Entry& store, const Child& child,
                   const std::string& directory, Moves* moves, bool* any);
  Status CheckUnchanged(const TableEntry& table, const RegionList& parents) const;
  Result<Bytes> FindBorder(const Region& region, const SplitPolicy& policy) const;
  // Rids the region of references and leaves little in its memstores.
  Status Prepare(const std::shared_ptr<Region>& region);
  uint64_t NewRegionId(const RegionList& parents);
  Status Replace(const std::shared_ptr<TableEntry>& table, const RegionList& parents,
                 const std::vector<Child>& children);
  Status MakeDirectory(const Child& child, const RegionList& parents);
  Status MakeReferences(const Child& child, const RegionList& parents, bool merge, Moves* moves);
  Status ReferTo(const Region& parent, const StoreSet::Entry& store, const Child& child, bool merge,
                 const std::string& directory, bool* any);
  Status Publish(const std::shared_ptr<TableEntry>& table, const std::vector<Child>& children,
                 Undo* undo);
  Status Decide(const RegionList& parents, const std::vector<Child>& children);

  EngineCore* const core_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_REGION_CHANGES_H_
