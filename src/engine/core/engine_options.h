// How a store is opened, and what its background work does.
#ifndef BENNU_SRC_ENGINE_CORE_ENGINE_OPTIONS_H_
#define BENNU_SRC_ENGINE_CORE_ENGINE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/env.h"
#include "src/engine/core/work_log.h"
#include "src/engine/store/compaction_observer.h"

namespace bennu::engine {

// What a write with Durability::kUseDefault waits for.
enum class WalSync : uint8_t {
  kFsync,  // fdatasync of the log: survives the machine
  kOs,     // write(2) to the operating system: survives the process, as HBase does it
};

// In place of a directory: a store in memory, which is there as long as what has opened it.
inline constexpr std::string_view kMemoryStore = ":memory:";

struct EngineOptions {
  // null: Env::Default(); must outlive the connection. A store in memory has its files in an Env of
  // its own, and what is outside of it from this one.
  Env* env = nullptr;
  bool read_only = false;  // reads what is on disk, also beside a holder; creates nothing
  bool create_if_missing = true;

  uint64_t block_cache_bytes = 256ull << 20;
  // A region is flushed when its memstores hold so much (a table's MEMSTORE_FLUSHSIZE wins).
  uint64_t memstore_flush_bytes = 128ull << 20;
  // All memstores together. Past it regions are flushed, the largest first; past one and a half
  // times it writers wait, for 'write_stall_millis_max' at most, then get ResourceExhausted.
  uint64_t memstore_total_bytes = 512ull << 20;
  int64_t write_stall_millis_max = 60'000;

  WalSync wal_sync = WalSync::kFsync;
  uint64_t wal_roll_bytes = 128ull << 20;
  uint32_t wal_files_max = 32;     // past it the regions that hold the oldest one are flushed
  uint32_t old_wal_files_max = 4;  // kept in oldWALs; the oldest beyond are deleted
  int64_t old_wal_keep_millis = 600'000;  // and those older than this, as in HBase
  int64_t archive_keep_millis = 300'000;  // store files that compactions replaced

  // A store of more regions opens them when they are first used.
  size_t eager_regions_max = 100;

  // "host:port" where this process serves HBase's clients. hbase:meta then names it for every
  // region of enabled tables, from the opening on. Empty: regions stay with whom they were last.
  std::string server_address;
  // Whether clients of other processes write its tables (Capabilities::shared).
  bool shared = false;

  size_t query_threads = 0;        // 0: one per hardware thread
  size_t maintenance_threads = 2;  // so many for flushes, and as many for compaction and the rest
  bool flush_on_close = true;      // so that the next opening has no log to replay
  bool background_compaction = true;
  bool compactions_on = true;  // see Engine::SwitchCompactions
  // A region is split by its table's policy (split_policy.h). A table's MAX_FILESIZE wins.
  bool background_split = true;
  uint64_t region_max_bytes = 10ull << 30;

  // HBase's properties by their names, for all tables, as its site file would have them; a table's
  // and a family's own win. docs/compaction.md lists those that are read.
  std::map<std::string, std::string> configuration;

  std::shared_ptr<CompactionObserver> compaction_observer;  // null: nobody looks
};

// What the background does; for status pages and tests. A copy, as of the call.
struct EngineStatus {
  bool read_only = false;
  std::string read_only_reason;       // empty while writes are accepted
  std::string last_background_error;  // of a flush or compaction that is being retried
  uint64_t flushes = 0;
  uint64_t compactions = 0;
  uint64_t background_failures = 0;
  uint64_t flushes_waiting = 0;      // for a thread; compactions in memory among them
  uint64_t compactions_waiting = 0;  // the same, with splits and cleaning
  std::vector<WorkItem> running;     // flushes and compactions
  std::vector<WorkItem> ended;       // the last ones, the newest first
  uint64_t memstore_bytes = 0;
  uint64_t wal_files = 0;
  uint64_t read_point = 0;
  uint64_t replayed_edits = 0;  // by this opening
  uint64_t open_regions = 0;    // the others are opened by their first use
  uint64_t regions = 0;
  uint64_t block_cache_bytes = 0;
  uint64_t block_cache_capacity_bytes = 0;
  uint64_t block_cache_hits = 0;  // since the opening, as the next two
  uint64_t block_cache_misses = 0;
  uint64_t block_cache_evictions = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_ENGINE_OPTIONS_H_
