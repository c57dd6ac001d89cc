// A write of a table that has an observer (src/api/write_observer.h), and others that write rows of
// several tables as one unit.
#ifndef BENNU_SRC_ENGINE_REGION_OBSERVED_WRITE_H_
#define BENNU_SRC_ENGINE_REGION_OBSERVED_WRITE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bennu/cell.h"
#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "src/api/table_changes.h"
#include "src/api/write_observer.h"
#include "src/cell/expiry.h"
#include "src/engine/region/region_state.h"
#include "src/engine/region/region_write.h"
#include "src/engine/region/write_scratch.h"
#include "src/engine/store/row_change.h"

namespace bennu::engine {

// One attempt. Made by a write that was checked and holds its row locks; one thread.
class ObservedWrite {
 public:
  // The 'rows' of 'batch' as in write_steps.h, in 'scratch' what CheckBatch found out about them.
  // All must outlive this.
  ObservedWrite(RegionState* region, MutationBatch* batch, std::span<const uint32_t> rows,
                WriteScratch* scratch)
      : region_(region), batch_(batch), rows_(rows), scratch_(scratch) {}

  // OK: the locks were released, and 'write' is told later. After an error the batch is as it was.
  // Aborted: the write must begin anew, from its locks on, which may have been released meanwhile.
  Status Run(int64_t not_before, RowLockGuard* locks, RegionWrite* write);
  // The same of rows that nothing is written to: 'batch' has the keys of the 'chosen' ones alone,
  // in their order.
  Status RunOverRows(std::span<const api::ReadRow> rows, std::span<const uint32_t> chosen,
                     api::RowDeriver* deriver, RowLockGuard* locks, RegionWrite* write);
  // Run with rows that were made beforehand (src/api/table_changes.h), and without an observer.
  Status RunWith(const api::TableRows& others, RowLockGuard* locks, RegionWrite* write);

 private:
  // A row of the batch: its cells are those of scratch_ from 'begin' to 'end'.
  struct RowCells {
    ByteView row;
    size_t begin = 0;
    size_t end = 0;
    std::optional<int64_t> newest;  // that the row has, if it is as late as the write
    bool is_newest = false;         // the write is later than all that the row has
  };
  // What the observer writes into one region.
  struct Part {
    std::shared_ptr<Region> whole;
    RegionState* region = nullptr;  // of 'whole'
    MutationBatch* batch = nullptr;
    std::vector<uint32_t> rows;  // of 'batch', in the order of their keys
    WriteScratch scratch;
    std::vector<Store::Reading> readings;  // by store of scratch
  };
  // The time of a derived mutation, unless its row has cells that are as late.
  struct Base {
    int64_t time = 0;
    bool is_new_row = false;  // the row has none at all
  };
  struct BeforeAndAfter {
    std::vector<Cell> before;
    std::vector<Cell> after;
    std::vector<api::LaterRow> before_later;
    std::vector<api::LaterRow> after_later;

    api::RowChange Of(ByteView row) const {
      return {row, before, after, before_later, after_later};
    }
  };

  void StartReading(const api::WriteObserver& observer);
  Status Finish(const Status& prepared, RowLockGuard* locks, RegionWrite* write);
  Status DeriveFrom(std::span<const api::ReadRow> rows, std::span<const uint32_t> chosen,
                    api::RowDeriver* deriver);
  Status ObserveAsTheyAre(std::span<const uint32_t> rows, api::WriteObserver* observer);
  void SetBases(const Base& base);
  Base BaseOf(const Part& part, uint32_t index) const;
  void FindRows();
  Status Stamp(int64_t not_before);
  void Unstamp();
  static std::vector<Store::Reading> ReadingsOf(const StoreSet& stores);
  static Result<std::optional<int64_t>> NewestIn(const StoreSet& stores,
                                                 std::span<const Store::Reading> readings,
                                                 ByteView row, int64_t at_least);
  Status Prepare(int64_t not_before);
  Status PrepareWith(const api::TableRows& others);
  Status ReadChange(RowCells* row, int64_t clock, BeforeAndAfter* change);
  Status FindLaterAfter(BeforeAndAfter* change);
  std::span<const WrittenCell> CellsOf(const RowCells& row) const {
    return {&written_[row.begin], row.end - row.begin};
  }
  Result<bool> IsNewest(RowCells* row) const;
  Status MakeItLast();
  Status AddLastingMarkersOf(const RowCells& row);
  Status Observe();
  Status Tell(std::span<const api::RowChange> changes);
  Status Route();
  Status RouteTable(const TableName& table, MutationBatch* batch);
  Result<std::shared_ptr<Region>> RegionFor(const TableName& table, ByteView row) const;
  Status PreparePart(Part* part);
  void NoteBlocking(const Part& part);
  Status StampPart(Part* part);
  Status CheckTimes(const Part& part);
  Status LogAndAdd(RegionWrite* write);
  Status CheckAllUnchanged();
  Result<uint64_t> Append(RegionWrite* write);
  Status WaitForBlocking(const RegionWrite& write);

  RegionState* const region_;
  MutationBatch* const batch_;
  const std::span<const uint32_t> rows_;
  WriteScratch* const scratch_;
  int64_t now_ = 0;             // the time of the write
  int64_t base_ = 0;            // of derived cells, unless their rows have later ones
  bool has_own_times_ = false;  // what is written to the other tables
  // The same by mutation of a derived batch, where it is not the same for all.
  std::map<const MutationBatch*, std::vector<Base>> bases_;
  std::vector<RowCells> row_cells_;
  // scratch_'s cells, once they are stamped; behind them, those of lasting_.
  std::vector<WrittenCell> written_;
  MutationBatch lasting_;  // what the batch needs beside it (lasting_markers.h)
  std::vector<std::shared_ptr<Store>> stores_;
  // Of stores_. One for all rows: nobody else writes them meanwhile.
  std::vector<Store::Reading> readings_;
  std::vector<const FamilyRules*> rules_;
  cell::FamilyTtls ttls_;
  const api::WriteObserver* observer_ = nullptr;
  Get get_;                                          // what it looks at
  std::vector<std::shared_ptr<MemStore>> overlays_;  // of written_; made when they are needed
  std::vector<std::shared_ptr<const void>> pins_;    // what cells of changes lie in
  api::DerivedWrites derived_;
  std::vector<std::unique_ptr<Part>> parts_;
  // The region of a part that takes no writes now, and a row of it.
  std::shared_ptr<Region> blocking_;
  Bytes blocked_row_;
  wal::Ticket ticket_ = 0;
  wal::SyncLevel level_ = wal::SyncLevel::kNone;
  bool logged_ = false;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_OBSERVED_WRITE_H_
