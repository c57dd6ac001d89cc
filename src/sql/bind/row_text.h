// How EXPLAIN shows IN over row values.
#ifndef BENNU_SRC_SQL_BIND_ROW_TEXT_H_
#define BENNU_SRC_SQL_BIND_ROW_TEXT_H_

#include "src/sql/bind/expr.h"

namespace bennu::sql::bind {

// 'expr': (a = 1 AND b = 2) OR (a = 3 AND b = 4). As Phoenix it then prints as a list of joined
// bytes: (A, B) IN (X'…',X'…'). Anything else, and what has no such bytes, is returned as it is.
ExprPtr WithRowInText(ExprPtr expr);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_ROW_TEXT_H_
