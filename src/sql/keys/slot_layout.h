// Puts key bytes together from the bounds of slots: what start rows, stop rows and seek hints
// share.
//
// Holds pointers to a schema and slots that must outlive it. Immutable. Source: phoenix-keys spec
// section 6.
#ifndef BENNU_SRC_SQL_KEYS_SLOT_LAYOUT_H_
#define BENNU_SRC_SQL_KEYS_SLOT_LAYOUT_H_

#include <vector>

#include "bennu/bytes.h"
#include "src/sql/keys/key_scan.h"
#include "src/sql/keys/key_schema.h"

namespace bennu::sql {

// Where a slot's bytes lie in a row key: the part is [begin, end), without trailing NULLs and
// without an ascending separator behind; the next slot's bytes begin at 'next'.
struct SlotPart {
  size_t begin = 0;
  size_t end = 0;
  size_t next = 0;

  ByteView In(ByteView row) const { return row.substr(begin, end - begin); }
};

// The lowest key that sorts after every key that starts with *key; false when there is none.
bool PrefixSuccessor(Bytes* key);

class SlotLayout {
 public:
  // The slots cover no more columns than the schema has.
  SlotLayout(const KeySchema* schema, const std::vector<KeySlot>* slots);

  size_t size() const { return slots_->size(); }
  const KeySlot& slot(size_t i) const { return (*slots_)[i]; }
  bool CoversLastColumn(size_t i) const { return last_column_[i] + 1 == schema_->column_count(); }
  // A single column of fixed width?
  bool IsFixed(size_t i) const {
    return (*slots_)[i].span == 0 && schema_->IsFixed(last_column_[i]);
  }

  // Is 'part' of slot i where NULL does not come first in key order? The NULL of a descending
  // VARBINARY_ENCODED column is stored as 00 01, behind values that begin with ff ff (stored 00
  // 00). Such rows must be stepped over one by one.
  bool IsOutOfOrder(size_t i, ByteView part) const {
    return out_of_order_[i] && (slot(i).span > 0 || part.empty() || part[0] == '\0');
  }
  // Does slot i allow more than a single value, and 'bound' of its first or last range lie there?
  bool ReachesOutOfOrder(size_t i, const Bytes& bound) const {
    const bool single = slot(i).ranges.size() == 1 && slot(i).ranges[0].IsSingle();
    return !single && IsOutOfOrder(i, bound);
  }

  // Is a bound of slot i longer than its column, so that nothing can stand behind it?
  bool Overhangs(size_t i, const Bytes& bound) const;

  // Reads slot i of 'row', whose bytes begin at 'position'.
  SlotPart PartOf(ByteView row, size_t i, size_t position) const {
    const size_t end = position + widths_[i];
    if (widths_[i] == 0 || end > row.size()) return WalkPart(row, i, position);
    return SlotPart{position, end, end};
  }

  // Appends a part and all separators that stand before the next slot. False when no further column
  // can stand behind: a prefix of a descending value, or a fixed-width column cut short or missing.
  bool AppendPart(size_t i, ByteView part, Bytes* key) const {
    if (widths_[i] == 0 || part.size() != widths_[i]) return AppendByColumns(i, part, key);
    key->append(part);
    return true;
  }

  // *key ends where slot i begins. Appends the least bytes that range 'range' of slot i and the
  // first ranges of all later slots allow. False when no such key exists.
  bool AppendLower(size_t i, size_t range, Bytes* key) const;
  // The same for the stop row, exclusive, with the last ranges of later slots. False: no bound.
  bool AppendUpper(size_t i, size_t range, Bytes* key) const;

 private:
  SlotPart WalkPart(ByteView row, size_t i, size_t position) const;
  bool AppendByColumns(size_t i, ByteView part, Bytes* key) const;

  const KeySchema* schema_;
  const std::vector<KeySlot>* slots_;
  std::vector<size_t> widths_;  // of slots that are one column of fixed width; 0: of others
  std::vector<size_t> first_column_;
  std::vector<size_t> last_column_;
  std::vector<bool> out_of_order_;
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_KEYS_SLOT_LAYOUT_H_
