// TableScanner: a scan over the regions of a table, one after another.
// Source: hbase-rpc spec section 5.5; ClientScanner and the ScanResultCaches of HBase.
#ifndef BENNU_SRC_CLIENT_TABLE_SCANNER_H_
#define BENNU_SRC_CLIENT_TABLE_SCANNER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bennu/scan.h"
#include "src/client/cluster.h"
#include "src/client/result_reader.h"

namespace bennu::client {

// Each region is read as of the moment its scan begins. After a region moved or a server was lost
// the scan goes on behind the last row that it handed out.
class TableScanner final : public Scanner {
 public:
  TableScanner(Cluster* cluster, const TableName& table, const Scan& scan);
  ~TableScanner() override;

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

  // Gets more into rows_, or sets ended_.
  Status Fetch(size_t row_limit);
  CallOutcome FetchOnce(size_t row_limit);
  CallOutcome OpenRegion(size_t row_limit);
  // Tells the server how many rows are wanted in all, so that it looks at none behind them.
  void LimitRows(pb::ScanRequest* request) const;
  CallOutcome Take(Answer answer, pb::ScanResponse* response);
  // Adds a part of a row as it came.
  void AddPart(const Cell* cells, size_t count, bool goes_on);
  void FinishRow();
  void MoveToNextRegion();
  void CloseRegion();
  // Begins again at 'row', whatever was fetched.
  void RestartAt(ByteView row, bool inclusive);
  bool TakesWholeRows() const { return scan_.batch <= 0 && !scan_.allow_partial_results; }
  // Moves the next row of rows_ to *batch if the navigator wants it.
  void HandOut(CellBatch* batch);

  Cluster* const cluster_;
  const TableName table_;
  Scan scan_;  // its range is what is left
  int64_t rows_left_;
  std::unique_ptr<RowNavigator> navigator_;

  // ---- the region that is being read
  std::shared_ptr<const TableRegions> regions_;
  const RegionLocation* region_ = nullptr;
  std::optional<uint64_t> scanner_id_;
  uint64_t next_call_ = 0;

  // ---- what came and was not handed out
  CellBatch rows_;
  size_t next_row_ = 0;
  std::vector<Cell> open_row_;                  // the begin of a row whose rest is to come
  Bytes last_row_;                              // that of which something came last
  bool last_row_whole_ = true;                  // nothing more of it will come
  uint64_t cells_of_last_row_ = 0;              // that came of it
  uint64_t cells_to_skip_ = 0;                  // of that row, after it was begun again
  std::vector<std::unique_ptr<Chunk>> chunks_;  // that rows_ and the last batch point into
  bool ended_ = false;
  Metrics metrics_;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_TABLE_SCANNER_H_
