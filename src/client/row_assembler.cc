#include "src/client/row_assembler.h"

#include <algorithm>
#include <cstdint>

#include "src/cell/comparator.h"

namespace bennu::client {

namespace {

void AppendRow(const Cell* cells, size_t count, bool goes_on, CellBatch* rows) {
  rows->row_starts.push_back(static_cast<uint32_t>(rows->cells.size()));
  rows->cells.insert(rows->cells.end(), cells, cells + count);
  if (goes_on) rows->partial_rows.push_back(static_cast<uint32_t>(rows->row_starts.size() - 1));
}

}  // namespace

RowAssembler::RowAssembler(const Scan& scan)
    : pieces_of_(scan.batch > 0 && !scan.allow_partial_results ? static_cast<size_t>(scan.batch)
                                                               : 0),
      parts_(scan.allow_partial_results) {}

bool RowAssembler::Skip(size_t begin, CellBatch* rows) {
  if (skip_to_.empty()) return true;
  const auto first = rows->cells.begin() + static_cast<ptrdiff_t>(begin);
  const auto kept = std::find_if(first, rows->cells.end(), [this](const Cell& cell) {
    return cell::CompareFlatKeys(cell.flat_key(), skip_to_) > 0;
  });
  if (kept != rows->cells.end()) skip_to_.clear();
  rows->cells.erase(first, kept);
  return rows->cells.size() > begin;
}

void RowAssembler::Add(size_t begin, bool goes_on, CellBatch* rows) {
  if (begin == rows->cells.size()) return;
  const ByteView row = rows->cells[begin].row();
  if (any_ && row != row_) {
    skip_to_.clear();
    if (!open_.empty()) {  // its end was not told; it comes before this row
      const std::vector<Cell> part(rows->cells.begin() + static_cast<ptrdiff_t>(begin),
                                   rows->cells.end());
      rows->cells.resize(begin);
      HandOutOpen(false, rows);
      begin = rows->cells.size();
      rows->cells.insert(rows->cells.end(), part.begin(), part.end());
    }
  }
  any_ = true;
  whole_ = !goes_on;
  row_ = row;
  if (!Skip(begin, rows)) {
    if (!goes_on) HandOutOpen(false, rows);
    return;
  }
  key_ = rows->cells.back().flat_key();
  const size_t count = rows->cells.size() - begin;
  const bool as_it_came = parts_ || (open_.empty() && (pieces_of_ == 0 ? !goes_on
                                                       : goes_on       ? count == pieces_of_
                                                                       : count <= pieces_of_));
  if (as_it_came) {
    rows->row_starts.push_back(static_cast<uint32_t>(begin));
    if (goes_on) rows->partial_rows.push_back(static_cast<uint32_t>(rows->row_starts.size() - 1));
    return;
  }
  open_.insert(open_.end(), rows->cells.begin() + static_cast<ptrdiff_t>(begin), rows->cells.end());
  rows->cells.resize(begin);
  if (pieces_of_ > 0) {
    HandOutPieces(goes_on, rows);
  } else if (!goes_on) {
    HandOutOpen(false, rows);
  }
}

void RowAssembler::HandOutOpen(bool goes_on, CellBatch* rows) {
  if (open_.empty()) return;
  AppendRow(open_.data(), open_.size(), goes_on, rows);
  open_.clear();
}

void RowAssembler::HandOutPieces(bool goes_on, CellBatch* rows) {
  size_t done = 0;
  for (; open_.size() - done >= pieces_of_; done += pieces_of_) {
    AppendRow(&open_[done], pieces_of_, goes_on || open_.size() - done > pieces_of_, rows);
  }
  open_.erase(open_.begin(), open_.begin() + static_cast<ptrdiff_t>(done));
  if (!goes_on) HandOutOpen(false, rows);
}

void RowAssembler::EndAnswer() {
  if (!any_) return;
  if (row_.data() != last_row_.data()) last_row_ = row_;
  row_ = last_row_;
  if (hands_out_whole_rows()) return;
  if (key_.data() != last_key_.data()) last_key_ = key_;
  key_ = last_key_;
}

void RowAssembler::EndRow(CellBatch* rows) {
  whole_ = true;
  skip_to_.clear();
  HandOutOpen(false, rows);
}

bool RowAssembler::GoOn(RowRange* range) {
  if (!any_) return false;
  range->start = last_row_;
  range->start_inclusive = !whole_;
  if (whole_) return true;
  if (hands_out_whole_rows()) {
    open_.clear();
  } else {
    skip_to_ = last_key_;
  }
  return true;
}

void RowAssembler::Leave() {
  open_.clear();
  skip_to_.clear();
  any_ = false;
  whole_ = true;
}

}  // namespace bennu::client
