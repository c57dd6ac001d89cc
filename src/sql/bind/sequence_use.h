// Sequences in a select list: which ones, and the expressions that their values go into.
//
// Values are given out last, row by row, once it is sure which rows come out: expressions with
// sequences stand above everything else, over the rows that the rest of the query gives.
#ifndef BENNU_SRC_SQL_BIND_SEQUENCE_USE_H_
#define BENNU_SRC_SQL_BIND_SEQUENCE_USE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "src/sql/bind/expr.h"

namespace bennu::sql::bind {

// One sequence of a SELECT. All its mentions give one value for each row; when any of them is NEXT,
// all of them show the next value.
struct SequenceUse {
  std::string schema;  // empty when there is none
  std::string name;
  bool next = false;            // else only CURRENT VALUE FOR
  std::vector<ExprPtr> counts;  // of NEXT n VALUES FOR, 1 for NEXT VALUE FOR; the largest counts
};

// While a select list is bound, slot kSequenceSlot + i is the value of its i-th sequence.
inline constexpr size_t kSequenceSlot = size_t{1} << 40;

// "NEXT[5] VALUE(S) FOR S.Q", "CURRENT VALUE FOR Q".
std::string TextOfSequence(const SequenceUse& use, bool current);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_SEQUENCE_USE_H_
