// EngineTable: the data API's Table over the regions of this process. Thread-safe.
#ifndef BENNU_SRC_ENGINE_TABLE_H_
#define BENNU_SRC_ENGINE_TABLE_H_

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bennu/table.h"
#include "src/api/row_range_reader.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/served_table.h"

namespace bennu::engine {

class EngineTable final : public ServedTable, public RowRangeReader {
 public:
  EngineTable(std::shared_ptr<EngineCore> core, std::shared_ptr<TableEntry> entry)
      : core_(std::move(core)), entry_(std::move(entry)) {}

  const TableName& name() const override { return entry_->name(); }
  TableDescriptor descriptor() const override { return entry_->descriptor(); }
  std::vector<RegionInfo> regions() const override;

  Status Write(MutationBatch* batch) override;
  Status Mutate(MutationBatch* batch, std::vector<Row>* results) override;
  Status MutateAtomically(MutationBatch* batch, std::vector<Row>* results) override;
  Status MutateEach(MutationBatch* batch, std::vector<Outcome>* outcomes) override;
  void WriteAsync(MutationBatch* batch, std::function<void(Status)> done) override;
  Result<bool> CheckAndWrite(const Condition& condition, MutationBatch* batch) override;
  Result<CheckedResult> CheckAndMutate(const Condition& condition, MutationBatch* batch) override;

  void MutateAsync(MutationBatch* batch, std::vector<Row>* results,
                   std::function<void(Status)> done) override;
  void CheckAndMutateAsync(const Condition& condition, MutationBatch* batch, CheckedResult* result,
                           std::function<void(Status)> done) override;
  void CheckRowsAndMutateAsync(std::span<const Condition> conditions, MutationBatch* batch,
                               CheckedResult* result, std::function<void(Status)> done) override;
  void LeadLog() override;

  Result<std::unique_ptr<Scanner>> OpenScanner(const Scan& scan) override;
  Result<std::unique_ptr<PausableScanner>> OpenPausableScanner(const Scan& scan) override;
  bool HasRegion(const RegionInfo& region) const override;
  Result<Row> GetRow(const Get& get) override;
  Status GetCells(const Get& get, const std::function<void(const Cell*, size_t)>& use) override;
  Result<std::vector<RowRange>> SplitRange(const RowRange& range, size_t count) override;
  RowRangeReader* RowsAtHand() override { return this; }
  Result<bool> ReadRange(const Scan& scan, size_t rows_max, CellBatch* batch,
                         std::vector<std::shared_ptr<const void>>* pins,
                         Scanner::Metrics* metrics) override;
  Status ReadRows(std::span<const Bytes> rows, Get* get, CellBatch* batch,
                  std::vector<std::shared_ptr<const void>>* pins) override;

 private:
  Status CheckWritable() const;
  // 'whole': the rows must be in one region.
  Status SubmitAndWait(MutationBatch* batch, std::vector<Row>* results, bool whole);
  // 'attended': the caller is going to wait (see
  // wal::SyncWaiter).
  void Submit(MutationBatch* batch, std::vector<Row>* results, bool whole, bool attended,
              std::function<void(Status)> done);
  void WriteRun(const MutationBatch& batch, std::vector<uint32_t>* run,
                std::vector<Outcome>* outcomes);
  Result<bool> Check(const Condition& condition, MutationBatch* batch, std::vector<Row>* results);
  // 'check': what is asked of the region, RegionWriter::CheckAndWrite or CheckRowsAndWrite.
  template <typename Asked>
  void SubmitCheck(ByteView row, size_t results_count, CheckedResult* result, Asked check,
                   std::function<void(Status)> done);
  Status CheckCondition(const Condition& condition, const MutationBatch& batch) const;
  Status CheckExists() const;
  Status CheckFamilies(const Get& get, const StoreSet& stores) const;
  template <typename T, typename Body>
  Result<T> InRegionOf(ByteView row, Body body) const;
  // Gathers the cells of one row that 'read_point' shows and hands them to 'use'.
  Status ReadRow(const Get& get, uint64_t read_point,
                 const std::function<void(const Cell*, size_t)>& use) const;
  // The same for a Get with a filter.
  Status ReadFilteredRow(const Get& get, const std::function<void(const Cell*, size_t)>& use) const;

  // Before the entry, whose regions need it to the end: a table may be let go of after its
  // connection.
  const std::shared_ptr<EngineCore> core_;
  const std::shared_ptr<TableEntry> entry_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_TABLE_H_
