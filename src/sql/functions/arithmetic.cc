// + - * / % over vectors. Which loop runs is settled by the physical types.
#include <cmath>

#include "src/sql/functions/kernels.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

// ---- BIGINT: wraps silently, as Java does; unsigned arithmetic is how C++ says that.

int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t WrapSubtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t WrapMultiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

template <typename In, typename Out, typename Op>
void Loop(const Vector& left, const Vector& right, size_t count, Vector* out, Op op) {
  const Reader<In> a(left);
  const Reader<In> b(right);
  Out* result = out->data<Out>();
  for (size_t i = 0; i < count; ++i) result[i] = op(a[i], b[i]);
}

// Divisors of NULL rows may be zero without harm.
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
    if (b[i] == -1) {
      result[i] = modulo ? 0 : WrapSubtract(0, a[i]);
    } else {
      result[i] = modulo ? a[i] % b[i] : a[i] / b[i];
    }
  }
  return Status::Ok();
}

Status IntegerArithmetic(ArithmeticOp op, const Vector& left, const Vector& right, size_t count,
                         Vector* out) {
  switch (op) {
    case ArithmeticOp::kAdd:
      Loop<int64_t, int64_t>(left, right, count, out, WrapAdd);
      return Status::Ok();
    case ArithmeticOp::kSubtract:
      Loop<int64_t, int64_t>(left, right, count, out, WrapSubtract);
      return Status::Ok();
    case ArithmeticOp::kMultiply:
      Loop<int64_t, int64_t>(left, right, count, out, WrapMultiply);
      return Status::Ok();
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

// Milliseconds that row 'row' of a number of days is.
int64_t DaysToMillis(const Vector& days, size_t row) {
  switch (days.physical_type()) {
    case PhysicalType::kInt64: return WrapMultiply(days.At<int64_t>(row), kMillisPerDay);
    case PhysicalType::kDouble:
      return static_cast<int64_t>(days.At<double>(row) * static_cast<double>(kMillisPerDay));
    default: break;
  }
  const Decimal millis =
      Decimal::Multiply(days.At<Decimal>(row), Decimal::FromInt64(kMillisPerDay));
  return millis.ToInt64(Rounding::kDown).value_or(0);
}

void DatePlusDays(bool subtract, const Vector& date, const Vector& days, size_t count,
                  Vector* out) {
  const bool timestamp = date.physical_type() == PhysicalType::kTimestamp;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const int64_t shift = subtract ? -DaysToMillis(days, i) : DaysToMillis(days, i);
    if (timestamp) {
      Timestamp value = date.At<Timestamp>(i);
      value.millis = WrapAdd(value.millis, shift);
      out->Set<Timestamp>(i, value);
    } else {
      out->Set<int64_t>(i, WrapAdd(date.At<int64_t>(i), shift));
    }
  }
}

void DateDifference(const Vector& left, const Vector& right, size_t count, Vector* out) {
  const Reader<int64_t> a(left);
  const Reader<int64_t> b(right);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const std::optional<Decimal> days = Decimal::Divide(
        Decimal::FromInt64(WrapSubtract(a[i], b[i])), Decimal::FromInt64(kMillisPerDay));
    out->Set<Decimal>(i, days.value_or(Decimal()).StripTrailingZeros());
  }
}

void TimestampDifference(const Vector& left, const Vector& right, size_t count, Vector* out) {
  const Reader<Timestamp> a(left);
  const Reader<Timestamp> b(right);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    Timestamp difference{WrapSubtract(a[i].millis, b[i].millis), a[i].nanos - b[i].nanos};
    if (difference.nanos < 0) {
      difference.nanos += 1000000;
      difference.millis = WrapSubtract(difference.millis, 1);
    }
    out->Set<Timestamp>(i, difference);
  }
}

Status DateArithmetic(const BoundExpr& expr, const Vector& left, const Vector& right, size_t count,
                      Vector* out) {
  const bool left_date = IsDateTime(left.type().id);
  const bool right_date = IsDateTime(right.type().id);
  const bool subtract = expr.arithmetic == ArithmeticOp::kSubtract;
  if (left_date && right_date) {
    if (left.physical_type() == PhysicalType::kTimestamp) {
      TimestampDifference(left, right, count, out);
    } else {
      DateDifference(left, right, count, out);
    }
  } else if (left_date) {
    DatePlusDays(subtract, left, right, count, out);
  } else {
    DatePlusDays(false, right, left, count, out);
  }
  return Status::Ok();
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
