#include "src/cell/comparator.h"

namespace bennu::cell {

namespace {

// Takes [begin, end) of 'row'; 'end' may be npos.
ByteView Between(ByteView row, size_t begin, size_t end) {
  return row.substr(begin, end == ByteView::npos ? ByteView::npos : end - begin);
}

}  // namespace

int CompareMetaRows(ByteView left, ByteView right) {
  const size_t left_comma = left.find(',');
  const size_t right_comma = right.find(',');
  int order = CompareRows(left.substr(0, left_comma), right.substr(0, right_comma));
  if (order != 0) return order;
  if (left_comma == ByteView::npos || right_comma == ByteView::npos) {
    // Equal table parts: the row that ends there comes first.
    return static_cast<int>(left_comma != ByteView::npos) -
           static_cast<int>(right_comma != ByteView::npos);
  }
  // The start key runs from the first comma to the last one; with one comma it is all the rest, and
  // what follows "the last one" is then the row itself.
  const size_t left_last = left.rfind(',');
  const size_t right_last = right.rfind(',');
  const ByteView left_start = left_last == left_comma ? left.substr(left_comma + 1)
                                                      : Between(left, left_comma + 1, left_last);
  const ByteView right_start = right_last == right_comma
                                   ? right.substr(right_comma + 1)
                                   : Between(right, right_comma + 1, right_last);
  order = CompareRows(left_start, right_start);
  if (order != 0) return order;
  const ByteView left_rest = left_last == left_comma ? left : left.substr(left_last + 1);
  const ByteView right_rest = right_last == right_comma ? right : right.substr(right_last + 1);
  return CompareRows(left_rest, right_rest);
}

int CompareMetaFlatKeys(ByteView left, ByteView right) {
  const internal::KeyParts left_parts(left.data(), static_cast<uint32_t>(left.size()));
  const internal::KeyParts right_parts(right.data(), static_cast<uint32_t>(right.size()));
  const int order = CompareMetaRows(ByteView(left_parts.row, left_parts.row_length),
                                    ByteView(right_parts.row, right_parts.row_length));
  return order != 0 ? order : internal::CompareAfterRow<true>(left_parts, right_parts);
}

int CompareMetaCells(const Cell& left, const Cell& right) {
  const int order = CompareMetaFlatKeys(left.flat_key(), right.flat_key());
  return order != 0 ? order : internal::CompareSequence(left.sequence_id, right.sequence_id);
}

}  // namespace bennu::cell
