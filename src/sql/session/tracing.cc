#include "src/sql/session/tracing.h"

#include <utility>

#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/sql/parse/literal.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::session {
namespace {

// True for so many of all calls as the rate says; of 0 and below for none.
Result<bool> IsSampled(const parse::Expr* rate) {
  if (rate == nullptr) return true;
  ASSIGN_OR_RETURN(const Value value, parse::LiteralValue(*rate));
  // As the original's grammar, to which 1 is no rate.
  if (value.is_null() || value.type().id != TypeId::kDecimal) {
    return MakeSqlError(601, "the sampling rate must be a decimal number", rate->position,
                        "write 1.0 for all, 0.5 for half of the traces");
  }
  ASSIGN_OR_RETURN(const Value wanted, Coerce(value, {TypeId::kDouble}));
  constexpr double kParts = 1 << 20;
  const auto part = static_cast<double>(Env::Default()->RandomU64() % (1 << 20));
  return part < wanted.real() * kParts;
}

}  // namespace

Result<std::optional<int64_t>> Tracing::Run(const parse::Utility& utility) {
  if (utility.kind == parse::UtilityKind::kTraceOff) {
    return std::exchange(trace_id_, std::nullopt);
  }
  ASSIGN_OR_RETURN(const bool sampled, IsSampled(utility.sampling.get()));
  if (!trace_id_.has_value() && sampled) {
    trace_id_ = static_cast<int64_t>(Env::Default()->RandomU64());
  }
  return trace_id_;
}

}  // namespace bennu::sql::session
