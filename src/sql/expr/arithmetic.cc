// + - * / % over vectors. Which loop runs is settled by the physical types.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "src/base/status_macros.h"
#include "src/sql/expr/kernels.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

// ---- BIGINT: what is beyond it is an error; Phoenix wraps around.

// Each writes what it gives into *out, and tells whether that is not the true result.
bool AddOverflows(int64_t a, int64_t b, int64_t* out) { return __builtin_add_overflow(a, b, out); }
bool SubtractOverflows(int64_t a, int64_t b, int64_t* out) {
  return __builtin_sub_overflow(a, b, out);
}
bool MultiplyOverflows(int64_t a, int64_t b, int64_t* out) {
  return __builtin_mul_overflow(a, b, out);
}

Status BeyondBigint(const char* symbol, int64_t a, int64_t b) {
  return SqlValueOutsideRange(
      fmt::format("{} {} {} is beyond BIGINT; DECIMAL has room for it", a, symbol, b));
}

template <typename In, typename Out, typename Op>
void Loop(const Vector& left, const Vector& right, size_t count, Vector* out, Op op) {
  const Reader<In> a(left);
  const Reader<In> b(right);
  Out* result = out->data<Out>();
  for (size_t i = 0; i < count; ++i) result[i] = op(a[i], b[i]);
}

// Operands of NULL rows may be anything without harm.
template <typename Op>
Status CheckedLoop(const char* symbol, const Vector& left, const Vector& right, size_t count,
                   Vector* out, Op overflows) {
  const Reader<int64_t> a(left);
  const Reader<int64_t> b(right);
  int64_t* result = out->data<int64_t>();
  bool any = false;
  for (size_t i = 0; i < count; ++i) any |= overflows(a[i], b[i], &result[i]);
  if (!any) return Status::Ok();
  for (size_t i = 0; i < count; ++i) {
    if (overflows(a[i], b[i], &result[i]) && !out->IsNull(i))
      return BeyondBigint(symbol, a[i], b[i]);
  }
  return Status::Ok();
}

Status DivideIntegers(bool modulo, const Vector& left, const Vector& right, size_t count,
                      Vector* out) {
  const Reader<int64_t> a(left);
  const Reader<int64_t> b(right);
  int64_t* result = out->data<int64_t>();
  for (size_t i = 0; i < count; ++i) {
    if (b[i] == 0) {
      if (out->IsNull(i)) continue;
      return SqlDivideByZero();
    }
    if (b[i] != -1) {
      result[i] = modulo ? a[i] % b[i] : a[i] / b[i];
    } else if (modulo) {
      result[i] = 0;
    } else if (SubtractOverflows(0, a[i], &result[i]) && !out->IsNull(i)) {
      return BeyondBigint("/", a[i], b[i]);
    }
  }
  return Status::Ok();
}

Status IntegerArithmetic(ArithmeticOp op, const Vector& left, const Vector& right, size_t count,
                         Vector* out) {
  switch (op) {
    case ArithmeticOp::kAdd: return CheckedLoop("+", left, right, count, out, AddOverflows);
    case ArithmeticOp::kSubtract:
      return CheckedLoop("-", left, right, count, out, SubtractOverflows);
    case ArithmeticOp::kMultiply:
      return CheckedLoop("*", left, right, count, out, MultiplyOverflows);
    case ArithmeticOp::kDivide: return DivideIntegers(false, left, right, count, out);
    case ArithmeticOp::kModulo: return DivideIntegers(true, left, right, count, out);
  }
  return Status::Ok();
}

void DoubleArithmetic(ArithmeticOp op, const Vector& left, const Vector& right, size_t count,
                      Vector* out) {
  const auto run = [&](auto f) { Loop<double, double>(left, right, count, out, f); };
  switch (op) {
    case ArithmeticOp::kAdd: return run([](double a, double b) { return a + b; });
    case ArithmeticOp::kSubtract: return run([](double a, double b) { return a - b; });
    case ArithmeticOp::kMultiply: return run([](double a, double b) { return a * b; });
    default: return run([](double a, double b) { return a / b; });
  }
}

// As the original: an operand that is infinite or no number gives NULL, a result may be either.
void NullWhereNotFinite(const Vector& operand, size_t count, Vector* out) {
  const Reader<double> values(operand);
  bool finite = true;
  for (size_t i = 0; i < count; ++i) finite &= std::abs(values[i]) < HUGE_VAL;
  if (finite) return;
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) out->SetNull(i);
  }
}

// a + b + c is one sum there: what a + b gives is no operand.
bool IsRunningResult(const BoundExpr& expr, const BoundExpr& left) {
  return left.kind == BoundKind::kArithmetic && left.arithmetic == expr.arithmetic;
}

// ---- DECIMAL

Result<Decimal> DecimalOne(ArithmeticOp op, const Decimal& a, const Decimal& b) {
  switch (op) {
    case ArithmeticOp::kAdd: return Decimal::Add(a, b);
    case ArithmeticOp::kSubtract: return Decimal::Subtract(a, b);
    case ArithmeticOp::kMultiply: return Decimal::Multiply(a, b);
    default: break;
  }
  const std::optional<Decimal> quotient = Decimal::Divide(a, b);
  if (!quotient.has_value()) return SqlDivideByZero();
  return *quotient;
}

Result<Decimal> FitResult(const Decimal& value, const DataType& type) {
  if (type.scale.has_value()) {
    const std::optional<Decimal> fitted = FitDecimal(value, type);
    if (!fitted.has_value()) return SqlDataExceedsMaxCapacity(TypeToString(type));
    return fitted->StripTrailingZeros();
  }
  const Decimal stripped = value.StripTrailingZeros();
  if (stripped.IntegerDigits() > kMaxDecimalDigits) return SqlDataExceedsMaxCapacity("DECIMAL");
  return stripped;
}

Status DecimalArithmetic(ArithmeticOp op, const Vector& left, const Vector& right, size_t count,
                         Vector* out) {
  const Reader<Decimal> a(left);
  const Reader<Decimal> b(right);
  Decimal* result = out->data<Decimal>();
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    ASSIGN_OR_RETURN(const Decimal value, DecimalOne(op, a[i], b[i]));
    ASSIGN_OR_RETURN(result[i], FitResult(value, out->type()));
  }
  return Status::Ok();
}

// ---- dates

// Milliseconds that row 'row' of a number of days is; nothing: more than there can be.
std::optional<int64_t> DaysToMillis(const Vector& days, size_t row) {
  switch (days.physical_type()) {
    case PhysicalType::kInt64: {
      int64_t millis = 0;
      if (MultiplyOverflows(days.At<int64_t>(row), kMillisPerDay, &millis)) return std::nullopt;
      return millis;
    }
    case PhysicalType::kDouble: {
      const double millis = days.At<double>(row) * static_cast<double>(kMillisPerDay);
      if (!(std::abs(millis) < 0x1p63)) return std::nullopt;
      return static_cast<int64_t>(millis);
    }
    default:
      return Decimal::Multiply(days.At<Decimal>(row), Decimal::FromInt64(kMillisPerDay))
          .ToInt64(Rounding::kDown);
  }
}

Status DatePlusDays(bool subtract, const Vector& date, const Vector& days, size_t count,
                    Vector* out) {
  const bool timestamp = date.physical_type() == PhysicalType::kTimestamp;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const std::optional<int64_t> shift = DaysToMillis(days, i);
    const int64_t from = timestamp ? date.At<Timestamp>(i).millis : date.At<int64_t>(i);
    int64_t millis = 0;
    if (!shift.has_value() || (subtract ? SubtractOverflows(from, *shift, &millis)
                                        : AddOverflows(from, *shift, &millis))) {
      return SqlValueOutsideRange(
          "a date so many days later or earlier is beyond what there can be");
    }
    if (timestamp) {
      out->Set<Timestamp>(i, {millis, date.At<Timestamp>(i).nanos});
    } else {
      out->Set<int64_t>(i, millis);
    }
  }
  return Status::Ok();
}

void DateDifference(const Vector& left, const Vector& right, size_t count, Vector* out) {
  const Reader<int64_t> a(left);
  const Reader<int64_t> b(right);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const Decimal millis = Decimal::Subtract(Decimal::FromInt64(a[i]), Decimal::FromInt64(b[i]));
    const std::optional<Decimal> days = Decimal::Divide(millis, Decimal::FromInt64(kMillisPerDay));
    out->Set<Decimal>(i, days.value_or(Decimal()).StripTrailingZeros());
  }
}

Status TimestampDifference(const Vector& left, const Vector& right, size_t count, Vector* out) {
  const Reader<Timestamp> a(left);
  const Reader<Timestamp> b(right);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    Timestamp difference{0, a[i].nanos - b[i].nanos};
    int64_t borrowed = 0;
    if (difference.nanos < 0) {
      difference.nanos += 1000000;
      borrowed = 1;
    }
    if (SubtractOverflows(a[i].millis, b[i].millis, &difference.millis) ||
        SubtractOverflows(difference.millis, borrowed, &difference.millis)) {
      return SqlValueOutsideRange("the time between two moments is beyond what a TIMESTAMP holds");
    }
    out->Set<Timestamp>(i, difference);
  }
  return Status::Ok();
}

Status DateArithmetic(const BoundExpr& expr, const Vector& left, const Vector& right, size_t count,
                      Vector* out) {
  const bool left_date = IsDateTime(left.type().id);
  const bool right_date = IsDateTime(right.type().id);
  const bool subtract = expr.arithmetic == ArithmeticOp::kSubtract;
  if (left_date && right_date) {
    if (left.physical_type() == PhysicalType::kTimestamp) {
      return TimestampDifference(left, right, count, out);
    }
    DateDifference(left, right, count, out);
    return Status::Ok();
  }
  return left_date ? DatePlusDays(subtract, left, right, count, out)
                   : DatePlusDays(false, right, left, count, out);
}

}  // namespace

void MergeNulls(const Vector& in, size_t count, Vector* out) {
  if (!in.has_nulls()) return;
  uint8_t* valid = out->validity();
  if (in.is_constant()) {
    if (!in.IsNull(0)) return;
    std::memset(valid, 0, count);
  } else {
    const uint8_t* other = in.validity();
    for (size_t i = 0; i < count; ++i) valid[i] &= other[i];
  }
  out->set_has_nulls(true);
}

Status ArithmeticKernel(const BoundExpr& expr, const Vector& left, const Vector& right,
                        size_t count, Vector* out) {
  MergeNulls(left, count, out);
  MergeNulls(right, count, out);
  if (IsDateTime(left.type().id) || IsDateTime(right.type().id)) {
    return DateArithmetic(expr, left, right, count, out);
  }
  switch (out->physical_type()) {
    case PhysicalType::kInt64: return IntegerArithmetic(expr.arithmetic, left, right, count, out);
    case PhysicalType::kDouble:
      DoubleArithmetic(expr.arithmetic, left, right, count, out);
      if (!IsRunningResult(expr, *expr.children[0])) NullWhereNotFinite(left, count, out);
      NullWhereNotFinite(right, count, out);
      return Status::Ok();
    default: return DecimalArithmetic(expr.arithmetic, left, right, count, out);
  }
}

}  // namespace bennu::sql
