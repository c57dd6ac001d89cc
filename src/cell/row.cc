#include "bennu/scan.h"

namespace bennu {

const Cell* Row::Find(ByteView family, ByteView qualifier) const {
  // Cells are in HBase's order, so the first of a column is its newest.
  for (const Cell& cell : cells) {
    if (cell.qualifier() == qualifier && cell.family() == family) return &cell;
  }
  return nullptr;
}

}  // namespace bennu
