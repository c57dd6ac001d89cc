// Walks a table along slots: includes rows inside them and seeks past the others.
#ifndef BENNU_SRC_SQL_KEYS_SKIP_SCAN_H_
#define BENNU_SRC_SQL_KEYS_SKIP_SCAN_H_

#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "src/sql/keys/key_scan.h"
#include "src/sql/keys/key_schema.h"
#include "src/sql/keys/slot_layout.h"

namespace bennu::sql {

// Never seeks backwards; each seek leaves out only rows outside the slots. For a scan that spans
// several buckets of a salted table it goes on to the next bucket when one is done. Rows must come
// in ascending order. One scanner at a time. Source: phoenix-keys spec section 7.
class SkipScanNavigator : public RowNavigator {
 public:
  // Both are shared with clones. At least one slot, none without ranges, all coalesced.
  SkipScanNavigator(std::shared_ptr<const KeySchema> schema,
                    std::shared_ptr<const std::vector<KeySlot>> slots);

  Decision Navigate(ByteView row, Bytes* seek_row) override;
  ByteView IncludedUpTo() const override { return has_end_ ? ByteView(end_) : ByteView(); }
  std::unique_ptr<RowNavigator> Clone() const override;

 private:
  // What is known of slot i of the row at hand.
  struct Place {
    SlotPart part;
    size_t range = 0;  // the first range that does not lie below the part
  };
  // Row does not fit slot i: is the next row that does perhaps before the place of a seek?
  bool MustStep(ByteView row, size_t i) const;
  // The row's bytes before slot i, with all separators.
  void BuildPrefix(ByteView row, size_t i, Bytes* prefix) const;
  bool SeekToRange(ByteView row, size_t i, size_t range, Bytes* seek_row) const;
  // The next key whose slots before 'i' differ from the row's.
  Decision SeekPast(ByteView row, size_t i, Bytes* seek_row) const;
  bool StepSlot(ByteView row, size_t i, Bytes* seek_row) const;
  void RememberEnd(ByteView row);

  std::shared_ptr<const KeySchema> schema_;
  std::shared_ptr<const std::vector<KeySlot>> slots_;
  SlotLayout layout_;
  std::vector<Place> places_;
  // Rows from the last one included up to here need no look.
  Bytes end_;
  bool has_end_ = false;
  bool to_last_column_ = false;  // the slots say something of all columns
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_KEYS_SKIP_SCAN_H_
