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
#include "src/api/table_changes.h"
#include "src/api/write_observer.h"
#include "src/base/env.h"
#include "src/engine/core/engine_options.h"
#include "src/engine/served_table.h"

namespace bennu::engine {

inline constexpr std::string_view kServedAt = "served at ";

// A Connection over a directory of this machine.
class Engine : public Connection, public api::ObservedStore, public api::TableChanges {
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
