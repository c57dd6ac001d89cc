// Tracing: TRACE ON and TRACE OFF of a connection. Spans are not written anywhere; there is what
// applications see of them, the trace's id. Source: TraceQueryPlan of Phoenix 5.2, asked.
#ifndef BENNU_SRC_SQL_SESSION_TRACING_H_
#define BENNU_SRC_SQL_SESSION_TRACING_H_

#include <cstdint>
#include <optional>

#include "bennu/status.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::session {

class Tracing {
 public:
  // The id of the trace that goes on: it is told until TRACE OFF, which tells it once more. None:
  // sampling left it out, or nothing was traced. 601: a sampling rate that is no decimal number.
  Result<std::optional<int64_t>> Run(const parse::Utility& utility);

 private:
  std::optional<int64_t> trace_id_;
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_TRACING_H_
