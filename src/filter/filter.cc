#include "bennu/filter.h"

namespace bennu {

bool Filter::FilterRowKey(ByteView /*row*/) { return FilterAllRemaining(); }

void Filter::TransformCell(Cell* /*cell*/, FilterMemory* /*memory*/) {}

bool Filter::NextCellHint(const Cell& /*current*/, Bytes* /*flat_key*/) { return false; }

void Filter::FilterRowCells(std::vector<Cell>* /*cells*/) {}

bool Filter::IsFamilyEssential(ByteView /*family*/) const { return true; }

}  // namespace bennu
