// FamilyColumns: rows of a region as columns of several families, each of which has them as slices
// of its own. Where the same rows stand side by side the columns stay where they are; a family
// that lacks some of the rows has its columns copied, with gaps.
//
// One thread at a time.
#ifndef BENNU_SRC_ENGINE_REGION_FAMILY_COLUMNS_H_
#define BENNU_SRC_ENGINE_REGION_FAMILY_COLUMNS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bennu/status.h"
#include "src/cell/column_rows.h"
#include "src/engine/store/column_merger.h"
#include "src/engine/store/store_scanner.h"

namespace bennu::engine {

class FamilyColumns {
 public:
  // The scanners, of the families in their order, must outlive this and give slices
  // (StoreScanner::gives_slices).
  explicit FamilyColumns(const std::vector<std::unique_ptr<StoreScanner>>& scanners);

  // Up to 'row_limit' rows, each with a cell that is asked for. None, and *done, at the end.
  Status Next(size_t row_limit, ColumnSlice* slice, bool* done);
  // Rows before 'row' do not come any more.
  Status SkipTo(ByteView row);

 private:
  // Rows of a family that are those from row 'at' of the leading family's slice on.
  struct Run {
    uint32_t at;
    uint32_t begin;
    uint32_t count;
  };
  struct Family {
    StoreScanner* scanner = nullptr;
    ColumnSlice slice;  // what is left of it; no rows: at the end
    bool done = false;
    std::vector<Run> runs;
    std::optional<ColumnMerger> merger;
    std::vector<size_t> places;  // of the columns asked for, in the slice before this one
    ByteView key() const { return slice.rows->KeyAt(slice.begin); }
  };
  struct Joined;

  Status Refill(size_t row_limit);
  Family* Leader();  // the family with the first row; null at the end
  // The rows of the family that are among the first *rows of the leader, which become fewer where
  // the family has another row between them.
  static void Align(const Family& leader, Family* family, uint32_t* rows);
  static void AddColumns(Family* family, uint32_t rows, Joined* joined);
  // Those of 'source' that are asked for, row 'begin' of which is row 0.
  static void AddWanted(Family* family, const ColumnRows& source, uint32_t begin, Joined* joined);
  static void Advance(Family* leader, uint32_t rows, std::vector<Family>* families);

  std::vector<Family> families_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_FAMILY_COLUMNS_H_
