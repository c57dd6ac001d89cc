// The log that the engine writes to: many threads append, one at a time writes and syncs for all.
//
// Life of a write (design decision 5):
//   Append        under a short lock: takes the next sequence id, copies the entry into the active
//                 buffer, returns a ticket. No file is touched.
//   WhenSynced    hands in a waiter for that ticket and a level; returns at once.
//   a round       swaps the buffers (appends go on into the other one), writes, calls fdatasync if
//   a
//                 waiter asked for it, runs the waiters, rolls the file if it is full. So one
//                 fdatasync serves all that were appended while the one before it ran.
// Rounds follow one another. The sync thread does them, or a thread that would only wait for its
// own entry otherwise (Lead): a lone writer then pays no change of threads, and many writers share
// the rounds of the sync thread.
//
// Invariants:
//   - Entries stand in the file in the order of their sequence ids; ids are shared by all regions.
//   - A waiter gets OK only after what it asked for happened to its entry and all entries before.
//   - A failed fdatasync poisons the log: every waiter that is not done and every later call gets
//     the error; nothing more is written. The store must be reopened, which recovers.
//   - After a failed write the file is cut where the last whole round ended, and what was to be
//     written goes to a new file: nobody notices. When that cannot be written either (a full
//     disk), the log gives up what it holds (GiveUpHandler): waiters and appends get the error, and
//     appends go on getting it until a new file can be written, which is tried all the time. No
//     file has an entry that was given up; if a file cannot be cut the log is poisoned.
//   - Waiters of one group and level run in the order in which they were handed in. Across groups
//     and with waiters that were done at once there is no order: publishing in order is the
//     caller's task.
// Bounds: the active buffer holds at most buffer_size_max bytes (plus one entry); Append waits
// beyond that. Entries that nobody waits for are written within async_flush_ms.
// Thread-safe. Waiters run on the sync thread, on a thread that leads a round, or on the caller's
// if the ticket is done already: they must be short and must not call Lead, Roll, Close or
// WaitSynced.
#ifndef BENNU_SRC_WAL_WAL_H_
#define BENNU_SRC_WAL_WAL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/wal/given_up.h"
#include "src/wal/wal_entry.h"

namespace bennu::wal {

// What must have happened to an entry before its waiter runs.
enum class SyncLevel : uint8_t {
  kNone,       // nothing: written within async_flush_ms
  kWrite,      // handed to the operating system: outlives the process
  kFdatasync,  // on the device: outlives the machine
};

// Number of an appended entry, 1, 2, … in log order. Tickets belong to one Wal object.
using Ticket = uint64_t;

// What to run once an entry is safe. Owned by the caller, who keeps it until OnSynced has begun;
// OnSynced may delete it.
class SyncWaiter {
 public:
  virtual ~SyncWaiter() = default;
  virtual void OnSynced(const Status& status) = 0;

  // Whoever hands it in calls Lead at once afterwards, so the sync thread need not be woken for it.
  bool attended = false;

 private:
  friend class WalImpl;
  SyncWaiter* next_ = nullptr;
  Ticket ticket_ = 0;
  SyncLevel level_ = SyncLevel::kNone;
};

// A region as the log knows it; made by RegisterRegion, lives as long as the Wal.
class WalRegion;

struct WalOptions {
  Env* env = nullptr;       // must outlive the Wal
  std::string wal_root;     // the directory that holds WALs/ and oldWALs/; created if missing
  std::string server_name;  // "host,port,startcode"; names the sub-directory and the files
  uint64_t first_sequence_id = 1;  // of the first entry; above all that recovery saw
  uint64_t roll_size_bytes = 64ull << 20;
  uint64_t buffer_size_max_bytes = 32ull << 20;
  uint32_t async_flush_ms = 100;
  uint32_t retry_ms = 200;           // between attempts to write again
  GiveUpHandler* give_up = nullptr;  // must outlive the Wal; null: what cannot be written poisons
};

struct AppendRequest {
  WalRegion* region = nullptr;
  // The cells: one or more pieces of a MutationBatch's buffer, timestamps already set. Copied.
  std::span<const ByteView> cells;
  uint32_t cell_count = 0;
  uint64_t write_time_ms = 0;
  uint64_t nonce_group = 0;
  uint64_t nonce = 0;
  std::span<const FamilyScope> scopes;  // families with a replication scope; usually none
  // Aborted if entries were given up since Wal::generation() was this: what the cells were made of
  // may be gone.
  std::optional<uint64_t> generation;
  // Called with the new id while the log is locked, so that calls come in the order of the ids: the
  // place to queue the write for publishing. Must be very short; may be null.
  void (*on_sequence_id)(void* context, uint64_t sequence_id) = nullptr;
  void* context = nullptr;
};

class Wal {
 public:
  // Makes <wal_root>/WALs/<server_name>/ and the first file in it, and starts the sync thread.
  static Result<std::unique_ptr<Wal>> Open(const WalOptions& options);
  // Closes, if Close was not called.
  virtual ~Wal() = default;

  // Returns the same object for the same region each time.
  virtual WalRegion* RegisterRegion(ByteView encoded_region, ByteView table) = 0;

  // Appends one entry: all of it is replayed or nothing. Sets *sequence_id (also of the cells).
  // Errors: the log is poisoned or closed; then nothing was appended and no id was taken. May wait
  // for the sync thread while the buffer is full: hold no lock that a waiter's OnSynced takes.
  virtual Result<Ticket> Append(const AppendRequest& request, uint64_t* sequence_id) = 0;

  // Appends entries that are all replayed or none is (wal/wal_group.h); at least one. Their ids
  // follow each other, the last one is *last_sequence_id. 'on_sequence_id' of the last request
  // alone is called, so that all are published at one moment, and 'generation' of the first one
  // alone is looked at. The ticket is that of the last entry. All else as for Append.
  virtual Result<Ticket> AppendGroup(std::span<const AppendRequest> requests,
                                     uint64_t* last_sequence_id) = 0;

  // Takes an id without an entry (SKIP_WAL writes, the point of a flush). 'on_sequence_id' as in
  // AppendRequest.
  virtual uint64_t TakeSequenceId(void (*on_sequence_id)(void*, uint64_t) = nullptr,
                                  void* context = nullptr) = 0;
  // The same, or Aborted: see AppendRequest::generation.
  virtual Result<uint64_t> TakeSequenceIdIn(uint64_t generation,
                                            void (*on_sequence_id)(void*, uint64_t),
                                            void* context) = 0;
  // How often entries were given up.
  virtual uint64_t generation() const = 0;
  // Ids up to and including this one are not given out any more: files that come from elsewhere
  // hold them.
  virtual void SkipSequenceIds(uint64_t last) = 0;
  // The last id taken, first_sequence_id - 1 before the first.
  virtual uint64_t last_sequence_id() const = 0;
  // The last ticket given out, 0 before the first.
  virtual Ticket last_ticket() const = 0;

  // Runs waiter->OnSynced once the entry of 'ticket' and all before are as safe as 'level' says, or
  // with the error if that cannot be any more; on this thread if it is so already.
  virtual void WhenSynced(Ticket ticket, SyncLevel level, SyncWaiter* waiter) = 0;
  // The same with a function; allocates.
  void WhenSynced(Ticket ticket, SyncLevel level, std::function<void(const Status&)> done);
  // Does the next round on this thread, unless one is under way or nobody waits. To be called
  // before waiting for an entry, with no lock held that a waiter's OnSynced takes.
  virtual void Lead() = 0;
  // The same for a thread that must not wait for the disk: a round that has to sync or roll the
  // file is left to the sync thread.
  virtual void LeadUnsynced() = 0;
  // Waits for it. Not from a waiter.
  Status WaitSynced(Ticket ticket, SyncLevel level);
  // Makes all that was appended so far durable.
  Status SyncAll();

  // Opens a new file, then closes the present one; returns when done. Happens by itself when the
  // file has grown to roll_size_bytes. An error that leaves the old file in use is returned, and
  // the log goes on with it.
  virtual Status Roll() = 0;

  // Tells that all entries of the region up to and including this id are in store files. Returns
  // the closed files (paths) that no region needs any more; hand them to ArchiveFile.
  virtual std::vector<std::string> RegionFlushed(ByteView encoded_region,
                                                 uint64_t flushed_sequence_id) = 0;
  // Closed files that no region needs any more.
  virtual std::vector<std::string> UnneededFiles() const = 0;
  // Moves a file returned above to oldWALs/ and forgets it.
  virtual Status ArchiveFile(const std::string& path) = 0;
  // Encoded names of the regions that keep the oldest closed file from being archived; to be
  // flushed when there are too many files. Empty when there is no closed file.
  virtual std::vector<std::string> RegionsHoldingOldestFile() const = 0;

  struct FileInfo {
    std::string path;
    uint64_t size_bytes = 0;
    bool open = false;  // the one being written
  };
  // Oldest first; the last one is being written.
  virtual std::vector<FileInfo> files() const = 0;

  struct Metrics {
    uint64_t entries = 0;
    uint64_t bytes = 0;
    uint64_t writes = 0;
    uint64_t syncs = 0;
    uint64_t rolls = 0;
  };
  virtual Metrics metrics() const = 0;

  // OK, or why the log is poisoned.
  virtual Status status() const = 0;
  // OK, or why nothing can be appended until a new file can be written.
  virtual Status suspended() const = 0;

  // Makes everything durable, writes the trailer and stops the thread. Later calls fail.
  virtual Status Close() = 0;
};

// "host%2Cport%2Cstartcode": the server name as file names hold it (Java's URLEncoder).
std::string EncodeServerName(ByteView server_name);
// <wal_root>/WALs/<server_name>, <wal_root>/oldWALs
std::string WalDirectory(const std::string& wal_root, const std::string& server_name);
std::string OldWalDirectory(const std::string& wal_root);

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_WAL_H_
