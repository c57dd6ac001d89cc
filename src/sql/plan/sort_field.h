// SortField: one field of an order of rows.
#ifndef BENNU_SRC_SQL_PLAN_SORT_FIELD_H_
#define BENNU_SRC_SQL_PLAN_SORT_FIELD_H_

#include <cstdint>

namespace bennu::sql::plan {

struct SortField {
  uint32_t column = 0;  // of the chunk
  bool descending = false;
  bool nulls_last = false;  // in the output, whatever the direction
};

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_SORT_FIELD_H_
