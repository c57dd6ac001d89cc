// The parameters of a statement while it is bound.
//
// A statement is bound once for all values: each parameter gets the type that its place wants, and
// values are turned into it. Phoenix compiles anew for each run, with the values as constants of
// their own types; that makes a difference where a value would not be the same in the wanted type
// (text that is longer than the column, 5.5 for an INTEGER). For such values the statement is bound
// again, and they become constants.
#ifndef BENNU_SRC_SQL_BIND_PARAMETERS_H_
#define BENNU_SRC_SQL_BIND_PARAMETERS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/expr.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::sql::bind {

struct Parameters {
  std::vector<DataType> types;  // as their places want them, by index from 0
  // Those that are only compared with something, by index; the rest false or missing. Nothing but
  // the value counts there, not its type: 5 as a DECIMAL is the same as an INTEGER.
  std::vector<bool> compared;
  // What a parameter is compared with, by index, where the type of that is the same whatever the
  // parameters are; null or missing: nothing of that kind.
  std::vector<ExprPtr> partners;
  int64_t now_millis = 0;         // of the statement
  std::span<const Value> values;  // of the run that is bound for; empty: of any run
};

// Whether 'value' stays the same value as a 'wanted'; NULLs do, and so does a DOUBLE that loses its
// fraction in an integer type, but a DECIMAL as an integer only where it is 'compared'.
// Thread-safe.
bool Fits(const Value& value, const DataType& wanted, bool compared);
// Whether all values fit; types and values that are missing do.
bool AllFit(std::span<const Value> values, std::span<const DataType> wanted,
            const std::vector<bool>& compared);

// Whether all values of both types can be compared. Quick; false for some pairs that can.
bool SurelyComparable(TypeId given, TypeId partner);
// 203: no statement can run with 'value' for the parameter 'index', whatever the others are,
// because no value of its type can be compared with the parameter's partner. Thread-safe.
Status CheckComparable(const Parameters& parameters, size_t index, const Value& value);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_PARAMETERS_H_
