// Region: the rows of a table between two keys; a Store for each family.
//
// A region is made of parts over one small state (region_state.h): the writer, the flusher and the
// compactor work, each with its own interface. What stands here is the life of the whole: it opens
// when it is first needed, is altered with its table, gives way to others in a split or merge, and
// is closed. Reading: region_scanner.h. Thread-safe.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_H_
#define BENNU_SRC_ENGINE_REGION_REGION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/engine/region/bulk_load_journal.h"
#include "src/engine/region/region_compactor.h"
#include "src/engine/region/region_flusher.h"
#include "src/engine/region/region_opener.h"
#include "src/engine/region/region_state.h"
#include "src/engine/region/region_writer.h"

namespace bennu::engine {

class RegionScanner;

class Region : public std::enable_shared_from_this<Region> {
 public:
  // Touches no file: the stores are opened by the first who needs them (EnsureOpen). 'services'
  // must outlive the region.
  static std::shared_ptr<Region> Make(const RegionServices* services, const RegionPaths& paths,
                                      const RegionInfo& info,
                                      std::shared_ptr<const TableDescriptor> descriptor,
                                      bool read_only);

  const RegionInfo& info() const { return state_.info; }
  const std::string& encoded_name() const { return state_.encoded_name; }
  const std::string& directory() const { return state_.paths.directory; }
  bool is_meta() const { return state_.is_meta; }
  bool IsOfSystem() const { return state_.IsOfSystem(); }

  // ---- opening

  // From now on the region does not open, with this error; before it has been opened. What its
  // files hold stays as it is.
  void Refuse(const Status& why) { opener_.Refuse(why); }
  // Opens every store and, when there is a log, registers with it. Cheap once it is done. After an
  // error it may be tried again. NotFound: the table was dropped meanwhile. Corruption: the region
  // has lost its directory.
  Status EnsureOpen() { return opener_.EnsureOpen(); }
  bool opened() const { return state_.opened.load(std::memory_order_acquire); }
  // Without a store while the region is not open.
  std::shared_ptr<const StoreSet> stores() const { return state_.stores(); }
  Result<std::shared_ptr<const StoreSet>> OpenedStores() { return opener_.OpenedStores(); }
  // Registers with the log and writes the REGION_OPEN marker, unsynced. For regions that were open
  // before the log was.
  Status StartLogging() { return opener_.StartLogging(); }

  // Opens the region if it is not open yet; else as RegionScanner::Open.
  Result<std::unique_ptr<RegionScanner>> OpenScanner(const Scan* scan, RowNavigator* navigator,
                                                     uint64_t read_point, int64_t now_millis);

  // ---- the parts; they live as long as the region

  RegionWriter* writer() { return &writer_; }
  RegionFlusher* flusher() { return &flusher_; }
  RegionCompactor* compactor() { return &compactor_; }
  const RegionCompactor* compactor() const { return &compactor_; }

  // Takes the files into the stores, all at once: for readers, and whatever happens to the process.
  // They must hold cells of this region's rows and of their families only, and lie on the store's
  // file system, where they are moved from; each is given its 'name'. Writers of the region wait
  // meanwhile. To be called under the lock that keeps the region from being replaced. After an
  // error nothing was loaded and the files are where they were; or the store takes no more writes,
  // and opening it again completes the load.
  Status BulkLoad(std::vector<BulkLoadFile> files);

  // ---- its life

  // Gives the region the options of the table as it is described now, and stores for new families.
  // What the families that are gone have left is up to the caller.
  Status SetDescriptor(const TableDescriptor& descriptor);
  // Further writes and flushes are refused; returns when none is under way. Idempotent.
  void Close();
  // The same with a REGION_CLOSE marker. An error is the marker's: the region is closed all the
  // same.
  Status CloseAndMark() { return Close(true); }

  // A split or merge: Settle, Freeze, a flush, then Thaw or MoveAway.
  // Stops the compaction under way and lets no further one in: no file goes any more.
  void Settle();
  // Lets no write in. Reads go on.
  void Freeze() { state_.SetPhase(RegionPhase::kFrozen); }
  void Thaw();  // the change was given up: all goes on here
  // The rows are other regions' from now on.
  void MoveAway() { state_.SetPhase(RegionPhase::kMoved); }

  // What Admin::ListRegions tells of it. While the region is not open: what it was told to recall.
  RegionStatus Describe() const;
  // Of a region that was closed with its table, for as long as it stays so.
  void Recall(RegionStatus status);

  // What the memstores hold, about; see MemstoreAccount.
  uint64_t accounted_bytes() const { return state_.memstores.bytes(); }
  bool is_due_for_flush() const {
    return state_.accepts_writes() && state_.memstores.is_due_for_flush();
  }

  // For the background: whether a task of this region is queued or runs already, so that no second
  // thread waits for the one that does the work. Compactions are counted, since one that was asked
  // for while another ran may have new files to look at.
  std::atomic<bool> flush_asked{false};
  std::atomic<uint32_t> compactions_asked{0};
  std::atomic<bool> in_memory_compaction_queued{false};

 private:
  friend class ObservedWrite;  // writes several regions as one
  Region(const RegionServices* services, const RegionPaths& paths, const RegionInfo& info,
         std::shared_ptr<const TableDescriptor> descriptor, bool read_only);
  Status Close(bool mark);

  RegionState state_;
  RegionOpener opener_;
  RegionWriter writer_;
  RegionFlusher flusher_;
  RegionCompactor compactor_;
  mutable Mutex recalled_mu_;
  std::optional<RegionStatus> recalled_ GUARDED_BY(recalled_mu_);
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_H_
