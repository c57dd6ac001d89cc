// RowReader: the visible cells of single rows of single families, for point reads.
//
// HBase reads a row with a scanner over it. Most rows are at hand: in one block, or a few cells in
// a memstore; they are read here without one, and what a read needs is kept for the next. Other
// rows (those that go on in further blocks, or have many cells) are left to a StoreScanner.
#ifndef BENNU_SRC_ENGINE_STORE_ROW_READER_H_
#define BENNU_SRC_ENGINE_STORE_ROW_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/api/scan_of_get.h"
#include "src/engine/store/store.h"
#include "src/engine/store/store_scanner.h"

namespace bennu::engine {

struct FileSelection;

// One thread at a time.
class RowReader {
 public:
  // The thread's reader, or a fresh one for a read within a read. Clears it at its end.
  class Lease {
   public:
    Lease();
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    RowReader* operator->() { return reader_; }

   private:
    std::unique_ptr<RowReader> own_;
    RowReader* reader_;
  };

  // What the reads that follow are to find. Filter and snapshot are not heeded.
  void Ask(const Get& get) { MakeScanOf(get, &scan_); }
  // The same for the newest versions of one column, without a Get.
  void AskColumn(ByteView row, ByteView family, ByteView qualifier, const TimeRange& time_range,
                 int32_t max_versions);
  // Appends to cells() what this family has for a reader at 'read_point'. Errors as those of
  // StoreScanner::NextRows.
  // 'overlay', unless null, is read as if it were one of the store's memstores.
  Status Read(const Store& store, uint64_t read_point, int64_t now_millis,
              const std::shared_ptr<MemStore>& overlay = nullptr);
  // Valid until Clear().
  const std::vector<Cell>& cells() const { return cells_; }
  // The cells are valid as long as what is added to *pins, even after Clear().
  void MovePins(std::vector<std::shared_ptr<const void>>* pins);
  // Lets go of the cells and of what they lie in. Memory is kept for further reads.
  void Clear();

 private:
  // A row's cells in a block.
  struct BlockRow {
    std::shared_ptr<const hfile::Block> block;
    uint32_t begin = 0;
    uint32_t end = 0;
    std::optional<uint64_t> sequence_id;  // of all of them, whatever the block says
  };

  // found_ and block_rows_ from 'first_block_row' on: the row's cells of all sources. False: they
  // are not at hand.
  // With 'newest' a memstore is asked for that column only, and for no more of it than its newest
  // version takes as long as there are no markers.
  Result<bool> Find(const StoreView& view, const FileSelection& selection, size_t first_block_row,
                    const Bytes* newest);
  // The one column of which only the newest version is wanted; null: more is.
  const Bytes* NewestColumnOf(const FamilyRules& family) const;
  bool FindInMemory(const MemStore& memstore, ByteView row);
  bool FindNewestInMemory(const MemStore& memstore, const FileSelection& selection,
                          const Bytes& qualifier);
  // Whether there is a delete marker among what Find found.
  bool FoundMarkers(size_t first_block_row) const;
  Result<bool> FindInFile(const StoreFile& file, const FileSelection& selection);
  bool AsksForColumn(ByteView family, ByteView qualifier) const;
  void AddBlockRow(const BlockRow& row);
  void MergeFrom(size_t begin);
  Status ReadByScanner(const Store& store, Store::Reading reading, uint64_t read_point,
                       int64_t now_millis);

  bool busy_ = false;  // leased
  Scan scan_;          // of the row
  std::vector<Cell> cells_;
  std::vector<std::shared_ptr<const StoreView>> views_;  // what found cells lie in
  std::vector<BlockRow> block_rows_;
  std::vector<std::unique_ptr<StoreScanner>> scanners_;
  CellBatch batch_;          // of a scanner
  Bytes key_;                // before all cells of the row
  std::vector<Cell> found_;  // in memstores, then merged with those of files
  std::vector<Cell> merge_scratch_;
  Bytes column_key_;  // before all cells of a column
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_ROW_READER_H_
