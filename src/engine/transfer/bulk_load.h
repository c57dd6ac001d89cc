// BulkLoad: takes a folder of HFiles into a table (docs/bulk-load.md).
//
//   list -> check every file (in parallel) -> cut those that cross a border of today's regions ->
//   per region: copy what may not be moved below the root's .tmp -> under the lock that keeps
//   regions from being replaced: move the copies below the region's .tmp, Region::BulkLoad
//
// A region that was split or merged meanwhile is no error: its files are dealt out again. One load
// on one thread; any number of loads at once.
#ifndef BENNU_SRC_ENGINE_TRANSFER_BULK_LOAD_H_
#define BENNU_SRC_ENGINE_TRANSFER_BULK_LOAD_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bennu/bulk_load.h"
#include "bennu/status.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/transfer/load_files.h"

namespace bennu::engine {

class BulkLoad {
 public:
  BulkLoad(EngineCore* core, std::shared_ptr<TableEntry> table, const BulkLoadOptions& options);
  ~BulkLoad();  // removes what was left below the root's .tmp
  BulkLoad(const BulkLoad&) = delete;
  BulkLoad& operator=(const BulkLoad&) = delete;

  Result<BulkLoadResult> Run(const std::string& folder);

 private:
  using Groups = std::map<size_t, std::vector<LoadFile>>;  // by index in the list of regions

  Status CheckSources(const std::vector<LoadFile>& files) const;
  Status CheckFamilies(const std::vector<LoadFile>& files) const;
  Status DealOut(const RegionList& regions, std::vector<LoadFile> files, Groups* groups);
  Status LoadGroup(const std::shared_ptr<Region>& region, std::vector<LoadFile>* files);
  Status Stage(std::vector<LoadFile>* files);
  bool MayMoveFrom(const std::string& directory);
  Status LoadLocked(const std::shared_ptr<Region>& region, std::vector<LoadFile>* files)
      REQUIRES(core_->ddl_mu);
  Status MoveInto(const std::shared_ptr<Region>& region, const std::string& staging,
                  std::vector<LoadFile>* files);
  void Report() const;

  EngineCore* const core_;  // must outlive this
  const std::shared_ptr<TableEntry> table_;
  const BulkLoadOptions options_;
  const std::string staging_;            // below the root's .tmp
  std::map<std::string, bool> movable_;  // directories of the folder
  BulkLoadProgress progress_;
  BulkLoadResult result_;
};

// Below the root of a store: where servers put what their clients have loaded.
inline constexpr char kClientStaging[] = "staging";

// InvalidArgument: 'path' leads into the store at 'root', but for its kClientStaging: loaded from
// there, files would be taken out of the store.
Status CheckNoFileOfStore(const std::string& root, const std::string& path);

// Reads and checks all files, with 'core's threads. 'done' is called after each, one at a time.
Status CheckLoadFiles(EngineCore* core, std::vector<LoadFile>* files,
                      const std::function<void()>& done);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_TRANSFER_BULK_LOAD_H_
