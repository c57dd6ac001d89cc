// How large what functions and operators make may be, so that a statement of a few words cannot
// take the process's memory.
#ifndef BENNU_SRC_SQL_EXPR_VALUE_SIZE_H_
#define BENNU_SRC_SQL_EXPR_VALUE_SIZE_H_

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "bennu/status.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {

inline constexpr size_t kMadeBytesMax = size_t{64} << 20;

// To be asked before so much is allocated. 'maker': as the statement names it.
inline Status CheckMadeSize(std::string_view maker, size_t bytes) {
  if (bytes <= kMadeBytesMax) return Status::Ok();
  return MakeUncodedSqlError(fmt::format("{} would make a value of {} bytes; the most is {}", maker,
                                         bytes, kMadeBytesMax));
}

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_VALUE_SIZE_H_
