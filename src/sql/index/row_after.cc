#include "src/sql/index/row_after.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bennu/bytes.h"

namespace bennu::sql::index {
namespace {

using Column = std::pair<ByteView, ByteView>;  // family and qualifier

Column ColumnOf(const Cell& cell) { return {cell.family(), cell.qualifier()}; }

}  // namespace

std::vector<Cell> NewestCells(std::span<const Cell> versions) {
  std::vector<Cell> newest;
  for (const Cell& cell : versions) {
    if (newest.empty() || ColumnOf(newest.back()) != ColumnOf(cell)) newest.push_back(cell);
  }
  return newest;
}

int64_t LatestTime(std::span<const Cell> cells) {
  int64_t latest = 0;
  for (const Cell& cell : cells) latest = std::max(latest, cell.timestamp());
  return latest;
}

std::vector<Cell> CellsAfter(std::span<const Cell> before, const MutationBatch& batch,
                             const MutationBatch::Row& mutation) {
  std::vector<Cell> after;
  if (mutation.kind == MutationKind::kDeleteRow) return after;
  std::map<Column, Cell> columns;
  for (const Cell& cell : before) columns[ColumnOf(cell)] = cell;
  std::set<ByteView> families_gone;
  std::set<Column> columns_gone;
  Cell cell;
  for (uint64_t offset = mutation.cells_begin; offset < mutation.cells_end;) {
    offset = CellAt(batch.buffer(), offset, &cell);
    if (cell.type() == CellType::kPut) {
      columns[ColumnOf(cell)] = cell;
    } else if (cell.type() == CellType::kDeleteFamily) {
      families_gone.insert(cell.family());
    } else if (cell.type() == CellType::kDeleteColumn) {
      columns_gone.insert(ColumnOf(cell));
    }
  }
  for (const auto& [column, newest] : columns) {
    if (families_gone.contains(column.first) || columns_gone.contains(column)) continue;
    after.push_back(newest);
  }
  return after;
}

}  // namespace bennu::sql::index
