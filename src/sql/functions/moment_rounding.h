// What ROUND, FLOOR, CEIL and TRUNC of a moment do, for those who make ranges of keys of it.
#ifndef BENNU_SRC_SQL_FUNCTIONS_MOMENT_ROUNDING_H_
#define BENNU_SRC_SQL_FUNCTIONS_MOMENT_ROUNDING_H_

#include <cstdint>
#include <optional>

#include "src/sql/expr/expr.h"

namespace bennu::sql {

struct MomentRounding {
  enum class Mode : uint8_t { kRound, kFloor, kCeil };
  Mode mode = Mode::kFloor;
  int64_t unit_millis = 1;   // the multiplier included; of months and years the longest
  bool fixed_length = true;  // all units are as long as that, and begin with 1970
  int calendar_unit = 0;     // else: 0 weeks, 1 months, 2 years
};

// Milliseconds since 1970, both included.
struct MomentSpan {
  int64_t first = 0;
  int64_t last = 0;
};

// What is rounded to 'at' in weeks, months or years. Nothing: no moment is.
std::optional<MomentSpan> RoundedCalendarSpan(const MomentRounding& rounding, int64_t at);

// Nothing: 'expr' is another function, or rounds a number.
std::optional<MomentRounding> MomentRoundingOf(const BoundExpr& expr);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_FUNCTIONS_MOMENT_ROUNDING_H_
