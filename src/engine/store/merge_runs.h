// MergeRuns: the cells of one row that two sources have, as one sorted run.
#ifndef BENNU_SRC_ENGINE_STORE_MERGE_RUNS_H_
#define BENNU_SRC_ENGINE_STORE_MERGE_RUNS_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bennu/cell.h"
#include "src/cell/comparator.h"

namespace bennu::engine {

// Merges the sorted runs [0, first_count) and [first_count, end). Equal cells: the first run wins.
// 'scratch' is for its memory.
inline void MergeRuns(std::vector<Cell>* row, size_t first_count, std::vector<Cell>* scratch) {
  scratch->resize(row->size());
  const auto middle = row->begin() + static_cast<std::ptrdiff_t>(first_count);
  std::merge(row->begin(), middle, middle, row->end(), scratch->begin(),
             [](const Cell& left, const Cell& right) {
               const int order = cell::CompareFlatKeysWithinRow(left.flat_key(), right.flat_key());
               return order != 0 ? order < 0 : left.sequence_id > right.sequence_id;
             });
  row->swap(*scratch);
}

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_MERGE_RUNS_H_
