// Reading the logs that earlier processes left, when a store is opened.
//
//   Find    lists the logs, oldest first, and opens them
//   Scan    first pass: all entries are looked at, so that damage is found before any change;
//           those of hbase:meta go into its memstores; the greatest id and time are noted
//   Replay  second pass: the other regions
//   Retire  moves the logs to oldWALs, once their edits are in files
//
// Who only reads does so beside a process that may write, flush, compact, and roll and archive
// logs. What is in the regions' files is then of as many moments as there are files. The second
// pass brings all regions to one moment. It begins when all files are open, and reads every log
// that was there at some moment since Find, archived or not (LogList). They reach to a moment that
// is later than each file. A group of entries is applied whole or not at all. What the second pass
// cannot make good is told as Aborted, and then the store has to be read anew: a change of
// hbase:meta since the first pass (tables, splits), files that were bulk loaded since, and what a
// process changes that begins to hold the store.
//
// HBase, when it splits the logs of a dead server, leaves their edits region by region below
// recovered.edits, in files of the same format, and the greatest id of a region as "<id>.seqid".
//
// Of a group of entries (wal/wal_group.h) that is not whole, as a crash may leave it at the end of
// a log, nothing is applied, in both passes. Files below recovered.edits are of one region each, so
// that entries stand for themselves there.
//
// One thread at a time.
#ifndef BENNU_SRC_ENGINE_CORE_RECOVERY_H_
#define BENNU_SRC_ENGINE_CORE_RECOVERY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/core/log_list.h"
#include "src/engine/directory/root_layout.h"
#include "src/engine/region/region.h"
#include "src/wal/wal_reader.h"

namespace bennu::engine {

class LogRecovery {
 public:
  // 'read_only': a holder may write and move the logs meanwhile; nothing is changed.
  LogRecovery(Env* env, const RootLayout& layout, bool read_only)
      : env_(env), layout_(layout), read_only_(read_only), list_(env, layout, read_only) {}

  // Before any region is opened.
  Status Find();
  Status Scan(Region* meta);
  // 'find' returns null for regions that are gone. 'memory_is_short' is asked now and then; if so,
  // what was replayed is flushed. Aborted (read-only): see above; the message says what happened.
  Status Replay(const std::function<Region*(std::string_view encoded)>& find,
                const std::function<bool()>& memory_is_short);
  // To be called before the region is opened, where another process may hold the store.
  Status NoteRecoveredEdits(const Region& region);
  // What HBase left for this region below recovered.edits. Aborted: some of it went since it was
  // noted, into files that the region does not have open.
  Status ReplayRecoveredEdits(Region* region);
  // Writes what was replayed into meta or the others to files.
  Status FlushReplayed();
  Status Retire();

  uint64_t max_sequence_id() const { return max_sequence_id_; }
  int64_t max_write_time() const { return max_write_time_; }
  uint64_t replayed_edits() const { return replayed_edits_; }

 private:
  struct File {
    std::string path;
    std::unique_ptr<wal::WalReader> readers[2];  // one for each pass
  };
  Result<File> OpenLog(const LogList::Log& log, bool first_pass, bool second_pass) const;
  Status FindAgain();
  void CountChange(int pass, const wal::WalEntry& entry);
  Result<std::vector<std::string>> RecoveredEdits(const Region& region) const;
  Status ForEachEntry(int pass, const std::function<Status(const wal::WalEntry&)>& body);
  Status Apply(const wal::WalEntry& entry, Region* region);

  Env* const env_;
  const RootLayout layout_;
  const bool read_only_;
  LogList list_;
  std::vector<File> files_;
  std::string meta_region_;                                      // encoded name
  uint64_t changes_[2] = {0, 0};                                 // see CountChange, in each pass
  std::map<std::string, std::vector<std::string>> noted_edits_;  // by region, where there are any
  std::vector<std::string> recovered_edits_;                     // replayed, to be removed
  std::map<Region*, uint64_t> replayed_;  // regions that got edits, and the last id of each
  uint64_t max_sequence_id_ = 0;
  int64_t max_write_time_ = 0;
  uint64_t replayed_edits_ = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_RECOVERY_H_
