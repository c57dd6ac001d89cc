// How Wal is made; private to this folder. wal.cc has the callers' side, wal_sync.cc the sync
// thread's, wal_give_up.cc what follows a failed write.
#ifndef BENNU_SRC_WAL_WAL_IMPL_H_
#define BENNU_SRC_WAL_WAL_IMPL_H_

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "src/base/mutex.h"
#include "src/wal/wal.h"
#include "src/wal/wal_writer.h"

namespace bennu::wal {

class WalRegion {
 public:
  WalRegion(ByteView encoded_region, ByteView table)
      : encoded(encoded_region), fields(EncodeRegionFields(encoded_region, table)) {}

  const Bytes encoded;
  const Bytes fields;  // of the WAL key, encoded
  // The rest is guarded by the log's mutex.
  uint64_t flushed_sequence_id = 0;
  uint64_t buffer_number = 0;  // of the last buffer that got an entry of this region …
  size_t buffer_place = 0;     // … and where in its 'regions' the region stands
};

namespace internal {

struct RegionHighest {
  WalRegion* region;
  uint64_t sequence_id;
};

// Entries on their way to the file.
struct Buffer {
  Bytes bytes;
  std::vector<RegionHighest> regions;  // each once
  Ticket last_ticket = 0;
  uint64_t last_sequence_id = 0;  // of its entries

  void Clear() {
    bytes.clear();
    regions.clear();
  }
};

struct LogFile {
  std::string path;
  uint64_t size_bytes = 0;
  bool has_entries = false;
  std::map<WalRegion*, uint64_t> highest;  // sequence id per region

  // Whether a region has entries here that are in no store file.
  bool Needed() const {
    return std::any_of(highest.begin(), highest.end(), [](const auto& entry) {
      return entry.second > entry.first->flushed_sequence_id;
    });
  }
};

// Of entries that were given up: (after, last].
struct GivenUpTickets {
  Ticket after = 0;
  Ticket last = 0;
  Status cause;
};

}  // namespace internal

class WalImpl final : public Wal {
 public:
  explicit WalImpl(const WalOptions& options)
      : options_(options),
        directory_(WalDirectory(options.wal_root, options.server_name)),
        old_directory_(OldWalDirectory(options.wal_root)),
        last_sequence_id_(options.first_sequence_id - 1) {}
  ~WalImpl() override;

  Status Start();

  WalRegion* RegisterRegion(ByteView encoded_region, ByteView table) override;
  Result<Ticket> Append(const AppendRequest& request, uint64_t* sequence_id) override;
  Result<Ticket> AppendGroup(std::span<const AppendRequest> requests,
                             uint64_t* last_sequence_id) override;
  uint64_t TakeSequenceId(void (*on_sequence_id)(void*, uint64_t), void* context) override;
  Result<uint64_t> TakeSequenceIdIn(uint64_t generation, void (*on_sequence_id)(void*, uint64_t),
                                    void* context) override;
  uint64_t generation() const override { return generation_.load(std::memory_order_acquire); }
  void SkipSequenceIds(uint64_t last) override;
  uint64_t last_sequence_id() const override {
    return last_sequence_id_.load(std::memory_order_acquire);
  }
  Ticket last_ticket() const override;
  void WhenSynced(Ticket ticket, SyncLevel level, SyncWaiter* waiter) override;
  void Lead() override;
  void LeadUnsynced() override;
  Status Roll() override;
  std::vector<std::string> RegionFlushed(ByteView encoded_region,
                                         uint64_t flushed_sequence_id) override;
  std::vector<std::string> UnneededFiles() const override;
  Status ArchiveFile(const std::string& path) override;
  std::vector<std::string> RegionsHoldingOldestFile() const override;
  std::vector<FileInfo> files() const override;
  Metrics metrics() const override;
  Status status() const override;
  Status suspended() const override;
  Status Close() override;

 private:
  // First in, first out, linked through SyncWaiter::next_.
  struct WaiterList {
    SyncWaiter* first = nullptr;
    SyncWaiter* last = nullptr;
    void Push(SyncWaiter* waiter) {
      waiter->next_ = nullptr;
      (first == nullptr ? first : last->next_) = waiter;
      last = waiter;
    }
    bool empty() const { return first == nullptr; }
  };
  static void RunAll(WaiterList list, const Status& status);

  Status CheckUsable() const REQUIRES(mu_);
  bool IsDone(Ticket ticket, SyncLevel level) const REQUIRES(mu_);
  Status WhyGivenUp(Ticket ticket) const REQUIRES(mu_);
  Status CheckGeneration(std::optional<uint64_t> generation) const REQUIRES(mu_);
  // Waits until an entry may be appended.
  Status WaitForSpace(std::optional<uint64_t> generation) REQUIRES(mu_);
  // Gives the entry the next id, also in *parts.
  void AddEntry(const AppendRequest& request, bool tells_id, EntryParts* parts) REQUIRES(mu_);
  void WakeIfAsleep() REQUIRES(mu_);
  uint64_t NextSequenceId(void (*on_sequence_id)(void*, uint64_t), void* context) REQUIRES(mu_);
  bool HasWork() const REQUIRES(mu_);
  std::vector<std::string> UnneededFilesLocked() const REQUIRES(mu_);

  // ---- on the sync thread
  void Run();
  bool WaitForWork();

  // ---- by whoever has set in_round_
  void Round();
  void EndRound();
  Status WriteBuffer();
  void NoteWritten(internal::Buffer* buffer) REQUIRES(mu_);
  Status SyncFile();
  void RollIfAsked(bool asked, uint64_t rolls_asked);
  Result<std::unique_ptr<WalFileWriter>> CreateFile();
  Status SwitchFile();
  void Adopt(std::unique_ptr<WalFileWriter> next);
  void Poison(const Status& cause);
  // After a failed write.
  Status WriteElsewhere(uint64_t good_size, const Status& cause);
  Status CutFile(uint64_t good_size);
  Result<std::unique_ptr<WalFileWriter>> CreateFileWith(ByteView entries, bool sync);
  void AdoptAfterCut(std::unique_ptr<WalFileWriter> next);
  void GiveUp(const Status& cause);
  void AnswerByTicket(WaiterList list, const Status& cause);
  void TellGivenUp();
  void Keep(const internal::Buffer& buffer, uint64_t up_to) REQUIRES(mu_);
  void Resume();
  void AnswerLateWaiters();
  Status Finish();

  const WalOptions options_;
  const std::string directory_;
  const std::string old_directory_;

  mutable Mutex mu_;
  CondVar work_;   // the sync thread waits here, also for the end of another's round
  CondVar space_;  // appenders wait here while the buffer is full
  CondVar rolled_;
  internal::Buffer active_ GUARDED_BY(mu_);
  uint64_t active_number_ GUARDED_BY(mu_) = 1;
  Ticket last_ticket_ GUARDED_BY(mu_) = 0;
  Ticket written_ticket_ GUARDED_BY(mu_) = 0;
  Ticket synced_ticket_ GUARDED_BY(mu_) = 0;
  WaiterList waiters_ GUARDED_BY(mu_);
  bool sync_wanted_ GUARDED_BY(mu_) = false;  // by one of waiters_
  Status status_ GUARDED_BY(mu_);
  Status suspended_ GUARDED_BY(mu_);
  uint64_t written_sequence_id_ GUARDED_BY(mu_) = 0;
  std::vector<internal::GivenUpTickets> given_up_ GUARDED_BY(mu_);  // ascending
  bool closing_ GUARDED_BY(mu_) = false;
  bool stopped_ GUARDED_BY(mu_) = false;  // the file is closed; nobody serves waiters any more
  bool in_round_ GUARDED_BY(mu_) = false;
  bool asleep_ GUARDED_BY(mu_) = false;  // the thread waits without a limit: appends must wake it
  uint64_t rolls_asked_ GUARDED_BY(mu_) = 0;
  uint64_t rolls_done_ GUARDED_BY(mu_) = 0;
  Status roll_status_ GUARDED_BY(mu_);
  std::unordered_map<Bytes, std::unique_ptr<WalRegion>> regions_ GUARDED_BY(mu_);
  std::deque<internal::LogFile> files_ GUARDED_BY(mu_);  // the last one is being written
  Metrics metrics_ GUARDED_BY(mu_);
  // Written under mu_ only; read anywhere. Stale is harmless: ids only grow.
  std::atomic<uint64_t> last_sequence_id_;
  // Likewise. Whoever reads a value sees what was given up before it.
  std::atomic<uint64_t> generation_{0};

  // ---- of whoever has set in_round_ (and of Start and Close, when there are no rounds)
  std::unique_ptr<WalFileWriter> writer_;
  internal::Buffer writing_;
  internal::Buffer kept_;  // while suspended: entries that were answered without being written
  bool is_cut_ = false;    // writer_'s file ends before its writer's place; nothing goes there
  uint64_t roll_at_bytes_ = 0;
  int64_t last_file_ms_ = 0;
  std::thread thread_;
};

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_WAL_IMPL_H_
