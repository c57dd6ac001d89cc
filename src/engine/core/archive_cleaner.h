// ArchiveCleaner: deletes archived store files that nobody needs any more.
//
// A file goes when all of this holds:
//   - it was moved there 'keep_millis' ago or earlier (by the file system's time of change, so that
//     programs that run for a moment only count together);
//   - no snapshot names it;
//   - no link points to it: it has no back reference (store/file_link.h) whose link is still there.
// Back references without a link go too, as do empty directories and snapshots whose time is over.
// When a snapshot cannot be read, nothing is deleted.
// Source: HBase's HFileCleaner with TimeToLiveHFileCleaner, HFileLinkCleaner, SnapshotHFileCleaner.
//
// Whoever makes links or snapshots, or copies files, takes a Hold first: while one is held nothing
// is deleted. Thread-safe.
#ifndef BENNU_SRC_ENGINE_CORE_ARCHIVE_CLEANER_H_
#define BENNU_SRC_ENGINE_CORE_ARCHIVE_CLEANER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/base/env.h"
#include "src/base/mutex.h"
#include "src/engine/directory/root_layout.h"
#include "src/engine/directory/snapshot_files.h"

namespace bennu::engine {

class ArchiveCleaner {
 public:
  ArchiveCleaner(Env* env, const RootLayout& layout, int64_t keep_millis)
      : env_(env), layout_(layout), snapshots_(env, layout), keep_millis_(keep_millis) {}

  // Waits for a cleaning that is under way, then keeps the next ones from beginning.
  class Hold {
   public:
    explicit Hold(ArchiveCleaner* cleaner);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    ArchiveCleaner* const cleaner_;
  };

  // Cleans, unless someone holds the archive.
  Status Run();

  // Files in the archive that a snapshot or a link needs now, as paths below archive/data.
  Result<std::vector<std::string>> NeededFiles() const;
  // All back references, likewise.
  Result<std::vector<std::string>> BackReferences() const;

 private:
  struct StoreDirectory {
    std::string path;  // "<ns>/<table>/<region>/<family>"
    FileLink origin;   // of its files, without a name
    std::string family;
    std::vector<std::string> names;
  };
  Status ForEachStore(const std::function<Status(const StoreDirectory&)>& visit) const;
  std::string Place(const std::string& path) const {
    return JoinPath(JoinPath(layout_.Archive(), "data"), path);
  }
  Status CleanAll();
  Status CleanStore(const StoreDirectory& store);
  Status RemoveEmptyDirectories();
  Result<bool> IsLinked(const StoreDirectory& store, const std::string& file) const;
  Status RemoveStaleBackReferences(const StoreDirectory& store, const std::string& file);
  Result<bool> LinkExists(const BackReference& from, const FileLink& to,
                          const std::string& family) const;
  Result<bool> IsOld(const std::string& path);
  Result<bool> IsInSnapshot(const std::string& file);

  Env* const env_;
  const RootLayout layout_;
  const SnapshotFiles snapshots_;
  const int64_t keep_millis_;

  Mutex mu_;
  CondVar changed_;
  int holds_ GUARDED_BY(mu_) = 0;
  bool running_ GUARDED_BY(mu_) = false;

  // Of the run under way.
  std::optional<std::set<std::string>> in_snapshots_;
  // Where the file system does not tell the times: when each file was first seen.
  std::map<std::string, int64_t> first_seen_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_ARCHIVE_CLEANER_H_
