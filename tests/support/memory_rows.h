// The rules of what a read sees, written to be obviously right rather than fast: a row's cells go
// in, the visible ones come out. Model for the engine's tests; hbase-cell spec sections 3 and 5
// to 7.
#ifndef BENNU_TESTS_SUPPORT_MEMORY_ROWS_H_
#define BENNU_TESTS_SUPPORT_MEMORY_ROWS_H_

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/descriptor.h"
#include "bennu/scan.h"

namespace bennu::testing {

// A cell that owns everything. Ordered as HBase orders cells.
struct MemoryCell {
  Bytes row;
  Bytes family;
  Bytes qualifier;
  int64_t timestamp = 0;
  CellType type = CellType::kPut;
  uint64_t sequence = 0;  // order of arrival
  Bytes value;
  Bytes tags;

  friend bool operator<(const MemoryCell& a, const MemoryCell& b);
};

using MemoryCells = std::set<MemoryCell>;

// What of a row a read asks for.
struct VisibilityRequest {
  TimeRange time_range;
  std::map<Bytes, std::set<Bytes>> columns;  // as in Scan
  int32_t max_versions = 1;
  bool raw = false;
  int64_t now_ms = 0;  // for TTL
  std::map<Bytes, TimeRange> family_time_ranges = {};
  int32_t max_results_per_family = -1;
  int32_t row_offset_per_family = 0;
};

// 'cells': all cells of one row, ordered, that the read's snapshot may see. Returns the visible
// ones in order; pointers into 'cells'.
std::vector<const MemoryCell*> VisibleCells(const TableDescriptor& descriptor,
                                            const std::vector<const MemoryCell*>& cells,
                                            const VisibilityRequest& request);

}  // namespace bennu::testing

#endif  // BENNU_TESTS_SUPPORT_MEMORY_ROWS_H_
