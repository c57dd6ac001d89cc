#include "src/sql/keys/slot_layout.h"

#include "src/base/check.h"

namespace bennu::sql {

bool PrefixSuccessor(Bytes* key) {
  while (!key->empty() && key->back() == '\xff') key->pop_back();
  if (key->empty()) return false;
  ++key->back();
  return true;
}

SlotLayout::SlotLayout(const KeySchema* schema, const std::vector<KeySlot>* slots)
    : schema_(schema), slots_(slots) {
  size_t column = 0;
  for (const KeySlot& slot : *slots) {
    first_column_.push_back(column);
    column += slot.span;
    last_column_.push_back(column);
    ++column;
    bool out_of_order = false;
    for (size_t i = first_column_.back(); i < column && i + 1 < schema->column_count(); ++i) {
      const KeyColumn& c = schema->columns()[i];
      // Without NULLs too: values that begin with ff fe have the bytes of NULL in front.
      out_of_order |= c.type.id == TypeId::kVarbinaryEncoded && c.order == SortOrder::kDesc;
    }
    out_of_order_.push_back(out_of_order);
    const size_t last = last_column_.back();
    widths_.push_back(slot.span == 0 && schema->IsFixed(last) ? schema->FixedWidthOf(last) : 0);
  }
  BENNU_CHECK(column <= schema->column_count());
}

bool SlotLayout::Overhangs(size_t i, const Bytes& bound) const {
  if (!IsFixed(i)) return false;
  return bound.size() > static_cast<size_t>(*FixedWidth(schema_->columns()[last_column_[i]].type));
}

SlotPart SlotLayout::WalkPart(ByteView row, size_t i, size_t position) const {
  SlotPart part{position, position, position};
  for (size_t column = first_column_[i]; column <= last_column_[i]; ++column) {
    const KeyStep step = schema_->StepInRow(row, column, part.next);
    if (step.end > step.begin) {
      part.end = schema_->IsTerminated(column) ? step.next : step.end;
    }
    part.next = step.next;
  }
  return part;
}

bool SlotLayout::AppendByColumns(size_t i, ByteView part, Bytes* key) const {
  key->append(part);
  size_t position = 0;
  for (size_t column = first_column_[i]; column <= last_column_[i]; ++column) {
    const bool is_last = column + 1 == schema_->column_count();
    if (position >= part.size()) {
      if (schema_->IsFixed(column)) return false;
      if (!is_last) key->append(schema_->Separator(column, true));
      continue;
    }
    const KeyStep step = schema_->Step(part, column, position);
    if (schema_->IsFixed(column)) {
      const auto width = static_cast<size_t>(*FixedWidth(schema_->columns()[column].type));
      if (step.end - step.begin < width) return false;
    } else if (step.next == step.end) {  // no separator behind the value
      if (schema_->IsTerminated(column)) return false;
      if (!is_last) key->append(schema_->Separator(column, false));
    }
    position = step.next;
  }
  return true;
}

bool SlotLayout::AppendLower(size_t i, size_t range, Bytes* key) const {
  // Separators at the end are cut off again: a row whose later columns are NULL has none.
  size_t significant = key->size();
  for (; i < slots_->size(); ++i, range = 0) {
    const KeyRange& bound = slot(i).ranges[range];
    if (ReachesOutOfOrder(i, bound.lower)) break;
    const bool from_null = !bound.lower_bounded || (bound.lower.empty() && bound.lower_inclusive);
    if (from_null) {
      if (!AppendPart(i, {}, key)) break;
      continue;
    }
    if (!bound.lower_inclusive) {
      if (CoversLastColumn(i)) {
        key->append(bound.lower).push_back('\0');
        return true;
      }
      // A prefix of a descending value itself is no key, so it needs no step.
      if (!AppendPart(i, bound.lower, key)) return true;
      return PrefixSuccessor(key);
    }
    const size_t start = key->size();
    const bool complete = AppendPart(i, bound.lower, key);
    significant = start + bound.lower.size();
    if (!complete || Overhangs(i, bound.lower)) break;
  }
  key->resize(significant);
  return true;
}

bool SlotLayout::AppendUpper(size_t i, size_t range, Bytes* key) const {
  while (true) {
    const KeyRange& bound = slot(i).ranges[range];
    if (!bound.upper_bounded) break;
    if (ReachesOutOfOrder(i, bound.upper)) {
      if (slot(i).span == 0) key->push_back('\0');  // NULL and its neighbours begin with 00
      break;
    }
    if (!bound.upper_inclusive) {
      key->append(bound.upper);
      return true;
    }
    if (CoversLastColumn(i)) {
      key->append(bound.upper).push_back('\0');
      return true;
    }
    if (!AppendPart(i, bound.upper, key) || Overhangs(i, bound.upper)) break;
    if (++i == slots_->size()) break;
    range = slot(i).ranges.size() - 1;
  }
  return PrefixSuccessor(key);
}

}  // namespace bennu::sql
