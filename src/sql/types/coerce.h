// Which types go together, and values turned from one to another.
// Source: phoenix-types spec section 8.
#ifndef BENNU_SRC_SQL_TYPES_COERCE_H_
#define BENNU_SRC_SQL_TYPES_COERCE_H_

#include <cstdint>
#include <optional>

#include "bennu/status.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::sql {

// May a value of 'from' be assigned to, or compared as, 'to' without a CAST, whatever it is?
// An untyped NULL coerces to every type.
bool CanCoerce(TypeId from, TypeId to);
// May CAST turn 'from' into 'to'?
bool CanCast(TypeId from, TypeId to);
// May a comparison have 'a' on its left, where Phoenix writes constants on the right? An integer
// may stand there beside any number, a FLOAT or an unsigned one beside those to which one coerces.
bool IsComparable(TypeId a, TypeId b);

// Assigns: implicit coercion, or, for a value that fits exactly, narrowing (INTEGER 5 to TINYINT,
// TIMESTAMP without nanos to DATE). DECIMAL is truncated to the target's scale. Text and binary
// keep their length here up to max_length; Encode pads. Errors: 203 types do not go together or the
// value does not fit the type; 201 negative for an unsigned type; 206 longer than the target says.
// 'what' names the expression or column in the message.
Result<Value> Coerce(const Value& value, const DataType& to, std::string_view what = "");

// Bytes that a BINARY(n) is compared with: filled up with zeros, as the column stores them. Other
// values, and those beside other types, as they are.
Value PadBinary(Value value, const DataType& beside);

// What 'value', a moment, is in a column of a type that keeps milliseconds. None: it would be
// another moment there (a fraction of a millisecond, before 1970 of an unsigned type), or it is
// none, or the type is another one.
std::optional<int64_t> SameMillis(const Value& value, const DataType& type);

// CAST(value AS to): DECIMAL to integers and dates rounds HALF_UP, floating point truncates.
Result<Value> Cast(const Value& value, const DataType& to);

// The type in which values of a and b are compared; nothing when they are not, by IsComparable.
std::optional<DataType> CommonComparisonType(const DataType& a, const DataType& b);

// <0, 0, >0 by value, whatever the two comparable types are; neither is NULL. Text compares by
// UTF-8 bytes, CHAR without its padding; DECIMAL exactly; NaN after everything. 203 when the types
// are not comparable.
Result<int> CompareValues(const Value& a, const Value& b);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_COERCE_H_
