// SliceJumper: passes over rows of slices that a navigator rules out, as long as that is worth it.
//
// For conditions on key columns behind one that is open: a filter looks at all rows many at a time,
// a jump passes over many at once and costs as much as the filter of some dozens. Which is better
// depends on how many rows have the same leading value, which only the rows tell: what jumps gain
// and cost is balanced, and where they do not pay rows are looked at one by one by a matcher, if
// there is one, or left to the filter, for longer each time. One scan at a time.
#ifndef BENNU_SRC_SQL_EXEC_SLICE_JUMPER_H_
#define BENNU_SRC_SQL_EXEC_SLICE_JUMPER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "src/cell/column_rows.h"
#include "src/sql/keys/key_matcher.h"

namespace bennu::sql::exec {

class SliceJumper {
 public:
  // Rows [begin, end) of a slice's rows.
  struct Run {
    uint32_t begin;
    uint32_t end;
  };

  // 'matcher' knows a part of what 'navigator' does, at a fraction of its price; may be null.
  SliceJumper(const RowNavigator& navigator, std::shared_ptr<const KeyMatcher> matcher);

  // Another range of rows begins, which may come before what was seen so far.
  void Begin();
  // Sets *runs to the rows of 'slice', ascending, among which all are that the navigator wants;
  // others may be among them. Slices come in ascending order.
  void Choose(const ColumnSlice& slice, std::vector<Run>* runs);

  // Of the range no more rows are wanted.
  bool done() const { return done_; }
  // Rows before this one are not wanted, and the next one that is may be far away. Empty: go on.
  ByteView target() const { return tells_target_ ? ByteView(target_) : ByteView(); }

 private:
  void Pay(int64_t rows_passed, int64_t price);
  // The first of rows (row, end) at or behind the target; 'end' if there is none.
  uint32_t FindTarget(const ColumnRows& rows, uint32_t row, uint32_t end);
  // Appends those of rows [begin, end) that the matcher allows, or all.
  void Match(const ColumnRows& rows, uint32_t begin, uint32_t end, std::vector<Run>* runs);

  const std::unique_ptr<RowNavigator> navigator_;
  const std::shared_ptr<const KeyMatcher> matcher_;
  const int64_t jump_price_;
  std::vector<uint32_t> allowed_;  // scratch
  Bytes target_;                   // of the last jump, if it led out of the slice
  bool has_target_ = false;
  bool tells_target_ = false;
  bool done_ = false;
  uint32_t distance_ = 1;  // in rows, of the last jump within a slice, and the one before
  uint32_t last_distance_ = 1;
  int64_t balance_;       // rows that jumps passed over, less their price
  uint32_t unasked_ = 0;  // rows still left to the filter
  uint32_t pause_;        // how many will be the next time
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SLICE_JUMPER_H_
