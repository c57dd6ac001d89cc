// TableScanner: a scan over the regions of a table in order (or backwards), all at one moment.
#ifndef BENNU_SRC_ENGINE_TABLE_SCANNER_H_
#define BENNU_SRC_ENGINE_TABLE_SCANNER_H_

#include <memory>

#include "src/api/column_scanner.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/region/region_scanner.h"
#include "src/engine/store/scan_pause.h"

namespace bennu::engine {

class TableScanner final : public PausableScanner, public ColumnScanner {
 public:
  static Result<std::unique_ptr<TableScanner>> Open(std::shared_ptr<EngineCore> core,
                                                    std::shared_ptr<TableEntry> table,
                                                    const Scan& scan);
  ~TableScanner() override;

  Status Next(size_t row_limit, CellBatch* batch) override;
  Status NextColumns(size_t row_limit, CellBatch* batch, ColumnSlice* slice) override;
  Status SkipTo(ByteView row) override;
  Metrics metrics() const override;
  ColumnScanner* Columns() override { return this; }
  void SetPause(ScanPause* pause) override { pause_ = pause; }
  bool filter_done() const override {
    return current_ != nullptr ? current_->filter_done() : filter_done_;
  }
  uint64_t blocks_as_columns() const override;

 private:
  TableScanner(std::shared_ptr<EngineCore> core, std::shared_ptr<TableEntry> table,
               const Scan& scan);
  Status CheckColumns() const;
  Status CheckFilter() const;
  bool FirstRegion();
  bool NextRegion();
  bool InRange(const RegionInfo& info) const;
  Status OpenRegion();
  Status FillFromRegion(size_t row_limit, CellBatch* batch);
  // 'slice' null: all rows come as cells.
  Status Fill(size_t row_limit, CellBatch* batch, ColumnSlice* slice);
  uint64_t ReadPoint() const { return scan_.read_uncommitted ? UINT64_MAX : read_point_; }

  const std::shared_ptr<EngineCore> core_;
  const std::shared_ptr<TableEntry> table_;
  std::shared_ptr<const RegionList> regions_;  // as of the read point, to the scan's end
  const Scan scan_;
  const std::unique_ptr<RowNavigator> navigator_;
  const int64_t now_millis_;
  ScanPause* pause_ = nullptr;
  uint64_t read_point_;
  bool registered_ = false;
  size_t region_ = 0;
  std::unique_ptr<RegionScanner> current_;
  Bytes skip_row_;            // rows before it are not needed; empty: all are
  bool region_done_ = false;  // current_ only holds what was handed out
  bool filter_done_ = false;  // of the region left behind
  bool done_ = false;
  int64_t rows_left_;
  Bytes open_row_;                       // of the last entry when that goes on
  Metrics finished_;                     // of regions left behind
  uint64_t finished_column_blocks_ = 0;  // the same
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_TABLE_SCANNER_H_
