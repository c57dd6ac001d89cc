#include "src/rpc/results.h"

namespace bennu::rpc {

void ResultWriter::AddToBlock(const Cell* cells, size_t count) const {
  for (size_t i = 0; i < count; ++i) AppendCell(codec_, cells[i], block_);
}

void ResultWriter::Add(const Cell* cells, size_t count, pb::Result* result) const {
  if (in_block()) {
    result->set_associated_cell_count(static_cast<int32_t>(count));
    AddToBlock(cells, count);
  } else {
    for (size_t i = 0; i < count; ++i) CellToPb(cells[i], result->add_cell());
    if (count > 0) result->set_partial(false);
  }
  if (count > 0) result->set_stale(false);
}

}  // namespace bennu::rpc
