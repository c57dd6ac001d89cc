// Scans that clients have open on regions, each kept by a lease.
// Source: hbase-rpc spec section 5.5; HBase's RSRpcServices.scan.
#ifndef BENNU_SRC_SERVER_HBASE_SCANNERS_H_
#define BENNU_SRC_SERVER_HBASE_SCANNERS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bennu/scan.h"
#include "proto/client.pb.h"
#include "src/base/mutex.h"
#include "src/rpc/results.h"
#include "src/server/hbase/call.h"
#include "src/server/hbase/regions.h"
#include "src/server/hbase/scan_deadline.h"

namespace bennu::server::hbase {

// The moment that a scan reads at, by the number that clients know it by: HBase's read point.
struct ReadMoment {
  uint64_t number = 0;
  std::shared_ptr<const Snapshot> snapshot;  // null: one of long ago
};

// One scan of one region. One thread at a time.
class RegionScan {
 public:
  // The scanner is new.
  RegionScan(ServedRegionPtr region, ReadMoment moment,
             std::unique_ptr<engine::PausableScanner> scanner, uint64_t result_bytes_max);

  uint64_t read_point() const { return moment_.number; }
  const ServedRegionPtr& region() const { return region_; }
  // Whether heartbeats are to tell where the scan is.
  void SetCursor(bool wanted) { wants_cursor_ = wanted; }
  bool wants_cursor() const { return wants_cursor_; }

  struct Limits {
    uint32_t rows = 0;        // of this call
    uint32_t whole_rows = 0;  // that this call gives before the scan is over; 0: any number
    bool heartbeats = false;  // the call may end without a row once its time is over
    bool metrics = false;
    bool cursor = false;  // a heartbeat tells the row that the scan has come to
    std::chrono::nanoseconds deadline;
    // Asked before cells are added; false: there is no memory for them now. May be empty.
    std::function<bool(const Cell* cells, size_t count)> reserve;
  };
  // Adds rows to the response until a limit is reached, and says in it what is to come.
  Status Fill(const Limits& limits, const rpc::ResultWriter& writer, pb::ScanResponse* response);

 private:
  // Makes rows_ hold a row that was not handed out; false at the end of the region.
  // *paused: the time was over before one was found.
  Status FetchMore(size_t row_limit, bool* any, bool* paused);
  bool filter_done() const { return scanner_->filter_done(); }

  const ServedRegionPtr region_;  // its table outlives the scanner
  const ReadMoment moment_;
  ScanDeadline deadline_;
  const std::unique_ptr<engine::PausableScanner> scanner_;
  const uint64_t result_bytes_max_;
  CellBatch rows_;
  size_t next_row_ = 0;  // of rows_
  Bytes open_row_;  // the last part sent is of it and said that it goes on; if rows are limited
  Scanner::Metrics told_;
  bool wants_cursor_ = false;
  Bytes last_row_;  // that was handed out, when the client wants cursors
};

// Thread-safe.
class Scanners {
 public:
  explicit Scanners(std::chrono::milliseconds lease) : lease_(lease) {}

  std::chrono::milliseconds lease() const { return lease_.load(std::memory_order_relaxed); }
  // For scans that are used from now on.
  void SetLease(std::chrono::milliseconds lease) { lease_.store(lease, std::memory_order_relaxed); }
  // Gives the snapshot a number, by which it can be had while somebody keeps it.
  ReadMoment Remember(std::shared_ptr<const Snapshot> snapshot);
  ReadMoment Recall(uint64_t number);
  // 'owner': the user whose connection opened it, who alone may use it.
  uint64_t Add(std::unique_ptr<RegionScan> scan, std::string owner);

  // A scan in use by one call.
  class Use {
   public:
    Use() = default;
    Use(Use&&) = default;
    RegionScan* operator->() const { return scan_.get(); }
    explicit operator bool() const { return scan_ != nullptr; }

   private:
    friend class Scanners;
    std::unique_ptr<RegionScan> scan_;
    uint64_t id_ = 0;
    bool counted_ = false;  // the call had a sequence number
  };
  // Takes the scan out for one call with sequence number 'sequence' (unset: not checked). An empty
  // *use without an error: the scan was closed by the server, and the client need not know.
  // UnknownScannerException, OutOfOrderScannerNextException; AccessDeniedException: 'user' is not
  // its owner. The last changes nothing for the owner.
  CallError Take(uint64_t id, std::string_view user, std::optional<uint64_t> sequence, Use* use);
  // Null: there is no such scan, or a call has it.
  ServedRegionPtr RegionOf(uint64_t id) const;
  // Puts it back for the next call.
  void Return(Use use);
  // The same, for that call once more: it gave nothing.
  void ReturnUnanswered(Use use);
  // It is over; its id stays known for a while.
  void Finish(Use use);

  // Closes those whose clients have gone; to be called every now and then.
  void ExpireLeases();
  // How many are open. One that is over is still known for a while, and is not.
  size_t size() const;

 private:
  struct Entry {
    std::unique_ptr<RegionScan> scan;  // null while in use, and when 'over'
    std::string owner;
    bool over = false;
    uint64_t next_sequence = 0;
    std::chrono::nanoseconds expires;
  };

  std::atomic<std::chrono::milliseconds> lease_;
  mutable Mutex mu_;
  std::unordered_map<uint64_t, Entry> entries_ GUARDED_BY(mu_);
  size_t over_count_ GUARDED_BY(mu_) = 0;  // of entries_
  uint64_t last_moment_ GUARDED_BY(mu_) = 0;
  std::unordered_map<uint64_t, std::weak_ptr<const Snapshot>> moments_ GUARDED_BY(mu_);
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_SCANNERS_H_
