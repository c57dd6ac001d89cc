// The arithmetic of FuzzyRowFilter: one pattern against one row.
//
// A pattern fixes some bytes of a row and leaves others open ("????_99_????_01"). Rows longer than
// the pattern match by their beginning; of a shorter row only the bytes that it has count. Source:
// HBase's FuzzyRowFilter. Pure functions.
#ifndef BENNU_SRC_FILTER_FUZZY_RULE_H_
#define BENNU_SRC_FILTER_FUZZY_RULE_H_

#include <cstddef>

#include "bennu/bytes.h"

namespace bennu::filter {

struct FuzzyRule {
  Bytes key;   // 0 where any byte will do
  Bytes mask;  // as long as 'key': 0xff for a fixed byte, 0 where any will do

  bool IsFixed(size_t i) const { return mask[i] != 0; }

  // 'mask': 0 for a fixed byte, 1 for any. 'key' must be as long.
  static FuzzyRule FromUserMask(ByteView key, ByteView mask);
};

bool Satisfies(const FuzzyRule& rule, ByteView row);

// Sets *next to where rows that satisfy the rule go on behind 'row' in the order of the scan, and
// returns true; false when there cannot be any. Forwards it is the least such row, without
// trailing zeros that the rule does not fix. Backwards it is a row right above the greatest one,
// made as HBase makes it.
bool NextForRule(const FuzzyRule& rule, ByteView row, bool reversed, Bytes* next);

// Adds one to the last byte that is not 0x7f, the greatest signed one
// (PrivateCellUtil.increaseLastNonMaxByte).
void IncreaseLastByte(Bytes* bytes);

}  // namespace bennu::filter

#endif  // BENNU_SRC_FILTER_FUZZY_RULE_H_
