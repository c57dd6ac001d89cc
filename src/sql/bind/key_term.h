// KeyTerm: what a condition of WHERE says about one key column, or about several as a row value.
// Found by the binder, made into scans by the planner. Source: phoenix-keys spec section 6.
#ifndef BENNU_SRC_SQL_BIND_KEY_TERM_H_
#define BENNU_SRC_SQL_BIND_KEY_TERM_H_

#include <cstdint>
#include <vector>

#include "src/sql/functions/moment_rounding.h"
#include "src/sql/keys/key_range.h"

namespace bennu::sql::bind {

struct KeyTerm {
  enum class Kind : uint8_t {
    kCompare,  // column op operand
    kIn,       // column IN (operands)
    kLike,     // column LIKE operand
    kStart,    // SUBSTR(column, 1, length) op operand
    kRounded,  // column, rounded as 'rounding' says, op operand
    kIsNull,
    kIsNotNull,
    kAnd,         // all children, which are terms of the same column
    kOr,          // any child, likewise
    kRowCompare,  // (columns) op (operands); op is no inequality <>
    kRowIn,       // (columns) IN ((operands), …), row by row
  };
  Kind kind = Kind::kCompare;
  uint32_t column = 0;        // of the key schema; the first one of a row
  uint32_t column_count = 1;  // consecutive key columns of a row
  CompareOp op = CompareOp::kEqual;
  std::vector<uint32_t> operands;  // indexes into BoundSelect::operands
  std::vector<KeyTerm> children;
  // kCompare, kIn: of a row's component, for which an operand that is NULL is equal to NULL.
  bool null_is_equal = false;
  int64_t length = INT64_MAX;  // kStart: characters
  MomentRounding rounding;     // kRounded
};

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_KEY_TERM_H_
