// TableScanner: a scan over the regions of a table, one after another.
//
// The call that opens a region's scanner brings its first rows. While the caller works on one
// answer the next call is under way already, of the same region or of the next one: so one answer
// is being handed out and at most one more is held or on its way, of
// hbase.client.scanner.max.result.size each. Scans with a small row limit ask for no more than they
// were asked for, and those that a navigator steers do not know what they will want; neither reads
// ahead. A scanner that ends early does not wait: whoever takes the answer that was under way
// closes the server's scanner.
//
// After a region moved, split or was merged, a lease ran out or a server was lost, the scan goes on
// behind the last row or cell that came (RowAssembler).
//
// With Consistency::kTimeline an opening that has not been answered after
// ClientOptions::primary_patience_scan, or failed, is put to the region's secondary replicas, too.
// Who answers first goes on with the region. A later call that takes as long, or fails, ends that:
// the region is opened anew behind the last row. So rows of one region may be of several moments.
// Source: hbase-rpc spec section 5.5; ClientScanner, AsyncScanSingleRegionRpcRetryingCaller and
// ScannerCallableWithReplicas of HBase.
#ifndef BENNU_SRC_CLIENT_TABLE_SCANNER_H_
#define BENNU_SRC_CLIENT_TABLE_SCANNER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bennu/scan.h"
#include "src/client/cluster.h"
#include "src/client/pending_call.h"
#include "src/client/result_reader.h"
#include "src/client/row_assembler.h"

namespace bennu::client {

// Each region is read as of the moment its scan begins. One thread at a time.
class TableScanner final : public Scanner {
 public:
  // 'attributes': for classes at the servers, by name.
  TableScanner(Cluster* cluster, const TableName& table, const Scan& scan,
               std::map<std::string, Bytes> attributes = {});
  ~TableScanner() override;

  // Before Open: nothing is read but this region, in which the range lies. Open and Next return
  // NotFound once there is no region of this name any more.
  void StayIn(Bytes region_name) { only_in_ = std::move(region_name); }

  // Opens the scan of the first region, so that what cannot be asked is told at once.
  Status Open();
  Status Next(size_t row_limit, CellBatch* batch) override;
  Metrics metrics() const override { return metrics_; }

 private:
  // One answer and what reads it: the cells point into both.
  struct Chunk {
    explicit Chunk(Answer received) : answer(std::move(received)), reader(answer) {}
    Answer answer;
    ResultReader reader;
  };

  // Who was asked for the answer that is under way.
  struct Asked {
    const RegionReplica* replica;  // of region_; null: its primary
    std::shared_ptr<Channel> channel;
    std::optional<uint64_t> scanner_id;  // that was open there before
  };

  // Gets more into rows_, or sets ended_.
  Status Fetch();
  // One answer, without or with rows.
  CallOutcome FetchOnce(Operation* operation);
  // Finds the region in which the scan goes on, if it is in none.
  CallOutcome FindRegion(Operation* operation);
  // Starts the next call of the region, or of a scanner that is not open yet. Not OK: it cannot be
  // asked.
  Status StartCall(std::chrono::milliseconds timeout);
  // Puts what StartCall asks for to a replica; null: the primary.
  Status Ask(const RegionReplica* replica, std::chrono::milliseconds timeout);
  Status WriteOpening(const RegionReplica* replica, pb::ScanRequest* request) const;
  // The replica that is asked first.
  Result<const RegionReplica*> FirstAsked() const;
  // Whether another replica may answer what is under way.
  bool MayAskOthers() const;
  // Waits for the answer; asks others where it is late.
  CallOutcome WaitForAnswer(const Operation& operation);
  // Starts the next call if the scan reads ahead and knows where.
  void ReadAhead();
  // The rows that are still wanted and are not there yet.
  int64_t RowsToAsk() const;
  bool CountsRows() const;
  CallOutcome Take(Answer answer);
  // The call failed: on behind the last row, if it is for that.
  void Recover(CallOutcome* outcome);
  // The scanner is lost: sets where another one begins. False: nothing is left.
  bool GoOn();
  void MoveToNextRegion();
  static RacedCall::Use CloseUnlessEnded(const std::vector<Asked>& asked,
                                         std::chrono::milliseconds timeout);
  // Gives up the server's scanner, if there is any, and what is under way. Does not wait.
  void LeaveRegion();
  void CountMetrics(const pb::ScanResponse& response);
  // Moves the next row of rows_ to *batch if the navigator wants it.
  void HandOut(CellBatch* batch);
  // Moves all of rows_ to *batch, if the caller takes so many.
  bool HandOutAll(size_t row_limit, CellBatch* batch);

  Cluster* const cluster_;
  const TableName table_;
  Scan scan_;  // its range is what is left
  const std::map<std::string, Bytes> attributes_;
  int64_t rows_left_;
  std::unique_ptr<RowNavigator> navigator_;
  const bool reads_ahead_;
  Bytes only_in_;  // see StayIn; empty: all regions are read

  // ---- the region that is being read
  LocationPtr region_;                      // null: to be found
  const RegionReplica* replica_ = nullptr;  // that is read; null: its primary
  std::shared_ptr<Channel> channel_;
  std::optional<uint64_t> scanner_id_;  // open at the server
  uint64_t next_call_ = 0;
  Bytes read_point_region_;  // in which read_point_ is a moment
  uint64_t read_point_ = 0;
  std::unique_ptr<RacedCall> under_way_;  // of this region
  std::vector<Asked> asked_;              // its contenders

  // ---- what came and was not handed out
  CellBatch rows_;
  size_t next_row_ = 0;
  RowAssembler assembler_;
  std::vector<std::unique_ptr<Chunk>> chunks_;  // that rows_ and the last batch point into
  bool ended_ = false;
  Metrics metrics_;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_TABLE_SCANNER_H_
