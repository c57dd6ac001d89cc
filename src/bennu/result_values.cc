// The part of ResultSet that every result shares: which values fit into which C++ types.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bennu/database.h"
#include "src/base/ascii.h"
#include "src/base/status_macros.h"
#include "src/sql/types/decimal.h"

namespace bennu {

namespace {

// Whether it is a whole number of an int64_t: from -2^63 to below 2^63.
bool FitsInt64(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  return value >= -kLimit && value < kLimit && value == std::trunc(value);
}

std::optional<int64_t> WholeNumber(const Datum::Number& number) {
  const std::optional<sql::Decimal> decimal = sql::Decimal::Parse(number.digits);
  if (!decimal.has_value() || !decimal->IsInteger()) return std::nullopt;
  return decimal->ToInt64();
}

}  // namespace

Result<size_t> ResultSet::ColumnIndex(std::string_view label) const {
  const std::vector<ColumnInfo>& all = columns();
  const std::string lower = Lower(label);
  std::vector<size_t> exact;
  std::vector<size_t> similar;
  std::string labels;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].label == label) exact.push_back(i);
    if (Lower(all[i].label) == lower) similar.push_back(i);
    labels += (i == 0 ? "" : ", ") + all[i].label;
  }
  const std::vector<size_t>& found = exact.empty() ? similar : exact;
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return InvalidArgument(fmt::format("the result has no column {}; its columns are: {}", label,
                                       all.empty() ? "none" : labels));
  }
  return InvalidArgument(
      fmt::format("the result has {} columns {}; give each a name of its own in the query (AS), or "
                  "read them by their indexes",
                  found.size(), label));
}

Status ResultSet::Misread(size_t column, std::string_view problem, std::string_view remedy) const {
  const ColumnInfo& info = columns()[column];
  return InvalidArgument(fmt::format("the value of column {} (index {}, of type {}) {}; {}",
                                     info.label, column, info.type, problem, remedy));
}

Result<Datum> ResultSet::Present(size_t column) const {
  if (column >= columns().size()) {
    return InvalidArgument(
        fmt::format("there is no column {}: the result has {} columns, whose indexes count from 0",
                    column, columns().size()));
  }
  if (!HasRow()) {
    return FailedPrecondition(
        fmt::format("column {} cannot be read, for there is no current row; "
                    "call Next, and read while it returns true",
                    columns()[column].label));
  }
  Datum datum = Get(column);
  if (datum.is_null()) return Misread(column, "is NULL", "ask IsNull first");
  return datum;
}

Result<int64_t> ResultSet::GetInt64(size_t column) const {
  ASSIGN_OR_RETURN(const Datum datum, Present(column));
  if (const auto* const integer = std::get_if<int64_t>(&datum.variant())) return *integer;
  if (const auto* const number = std::get_if<Datum::Number>(&datum.variant())) {
    if (const std::optional<int64_t> whole = WholeNumber(*number)) return *whole;
    return Misread(column, fmt::format("is {}, which is no 64-bit integer", number->digits),
                   "read it with GetDouble, or exactly with GetText");
  }
  if (const auto* const real = std::get_if<double>(&datum.variant())) {
    if (FitsInt64(*real)) return static_cast<int64_t>(*real);
    return Misread(column, fmt::format("is {}, which is no 64-bit integer", *real),
                   "read it with GetDouble");
  }
  return Misread(column, "is no number", "read it with Get or GetText");
}

Result<double> ResultSet::GetDouble(size_t column) const {
  ASSIGN_OR_RETURN(const Datum datum, Present(column));
  if (const auto* const real = std::get_if<double>(&datum.variant())) return *real;
  if (const auto* const integer = std::get_if<int64_t>(&datum.variant())) {
    return static_cast<double>(*integer);
  }
  if (const auto* const number = std::get_if<Datum::Number>(&datum.variant())) {
    if (const auto decimal = sql::Decimal::Parse(number->digits)) return decimal->ToDouble();
  }
  return Misread(column, "is no number", "read it with Get or GetText");
}

Result<bool> ResultSet::GetBool(size_t column) const {
  ASSIGN_OR_RETURN(const Datum datum, Present(column));
  if (const auto* const truth = std::get_if<bool>(&datum.variant())) return *truth;
  return Misread(column, "is no BOOLEAN", "read it with Get or GetText");
}

Result<Bytes> ResultSet::GetBytes(size_t column) const {
  ASSIGN_OR_RETURN(const Datum datum, Present(column));
  if (const auto* const binary = std::get_if<Datum::Binary>(&datum.variant())) {
    return binary->bytes;
  }
  if (const auto* const text = std::get_if<std::string>(&datum.variant())) return *text;
  return Misread(column, "is neither binary nor text", "read it with Get or GetText");
}

Result<Datum::Moment> ResultSet::GetMoment(size_t column) const {
  ASSIGN_OR_RETURN(const Datum datum, Present(column));
  if (const auto* const moment = std::get_if<Datum::Moment>(&datum.variant())) return *moment;
  return Misread(column, "is no DATE, TIME or TIMESTAMP", "read it with Get or GetText");
}

}  // namespace bennu
