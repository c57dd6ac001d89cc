// Opens a directory as a store: the engine's only entrance.
#ifndef BENNU_SRC_ENGINE_OPEN_H_
#define BENNU_SRC_ENGINE_OPEN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/api/write_observer.h"
#include "src/base/env.h"
#include "src/engine/served_table.h"
#include "src/engine/store/compaction_observer.h"
#include "src/engine/work_log.h"

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

inline constexpr std::string_view kServedAt = "served at ";

// A Connection over a directory of this machine.
class Engine : public Connection, public api::ObservedStore {
 public:
  // Flushes (as the options say), writes the logs' ends and lets go of the directory. The
  // destructor does the same and logs the error. Tables, scanners and snapshots must be gone, or
  // must not be used any more. Idempotent.
  virtual Status Close() = 0;
  virtual EngineStatus GetStatus() = 0;
  virtual Env* env() = 0;  // that the store's files are in; lives as long as this
  virtual Result<std::string> ReadClusterId() = 0;     // of hbase.id
  virtual const std::string& server_name() const = 0;  // "host,port,startcode"

  // OpenTable, for a server.
  virtual Result<std::shared_ptr<ServedTable>> OpenServedTable(const TableName& name) = 0;

  // ---- what operators ask for
  // Goes on in a new file of the log.
  virtual Status RollLog() = 0;
  // Deletes old logs and archived files whose time is over, which happens by itself otherwise.
  virtual Status CleanUp() = 0;
  // Ends compactions that are at work, and begins none any more, nor flushes; before Close, when
  // others still wait for some.
  virtual void StopBackground() = 0;
  // Others that find the directory held are told this beside the process id, in one line; of
  // servers kServedAt and the address.
  virtual void SetHolderNote(const std::string& note) = 0;
  // HBase's compaction_switch, until the store is closed. Off: compactions that are at work end
  // without a result, and none begins, whether it is asked for or not. Returns what it was before.
  virtual bool SwitchCompactions(bool on) = 0;
  virtual bool compactions_on() const = 0;
  // Runs the task behind the background work that waits already, on its threads, unless that is
  // stopped by then.
  virtual void RunInBackground(std::function<void()> task) = 0;
  // Who observes writes of which tables (src/api/write_observer.h), from now on; null: nobody, as
  // at the opening. Returns as ObserverChanged does. The source must outlive the engine, or be
  // taken away first.
  virtual Status SetWriteObservers(api::WriteObserverSource* source) = 0;
  // Writes are numbered over all tables.
  struct WriteNumbers {
    uint64_t newest = 0;   // of the table; it may be one that nobody sees yet. 0: there is none
    uint64_t visible = 0;  // what has a number up to this is seen by reads that begin now
  };
  virtual WriteNumbers NumbersOfWrites(const TableName& table) = 0;
  // Drops the cached blocks of the region's files, and says how many. NotFound.
  virtual Result<size_t> DropCachedBlocks(const std::string& encoded_region) = 0;
};

// Opens the HBase root directory 'path'; a missing or empty one becomes a new store. kMemoryStore
// is a new store in memory at each call, no two of which have anything to do with each other; it
// takes memory for its files and its log besides what the options say.
// Held: another process has it (the message names its pid). FailedPrecondition: the directory
// holds something else (nothing was created in it). NotSupported: another hbase.version.
// Corruption: a damaged file, named with the offset and what to do. NotFound: missing, and it may
// not be created. InvalidArgument: a store in memory that may not be created or written.
Result<std::unique_ptr<Connection>> OpenStore(const std::string& path,
                                              const EngineOptions& options = {});
// The same with the engine's own face.
Result<std::unique_ptr<Engine>> OpenEngine(const std::string& path,
                                           const EngineOptions& options = {});

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_OPEN_H_
