// Comparisons over vectors of one physical type.
#include <cmath>

#include "src/sql/expr/kernels.h"
#include "src/sql/types/codec.h"

namespace bennu::sql {
namespace {

// NaN is equal to itself and greater than everything, as Java's Double.compare has it.
int CompareDouble(double a, double b) {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a == b) return 0;
  return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
}

template <typename T>
int ThreeWay(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, double>) {
    return CompareDouble(a, b);
  } else if constexpr (std::is_same_v<T, Decimal>) {
    return Decimal::Compare(a, b);
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    return a.compare(b);
  } else {
    return a < b ? -1 : (b < a ? 1 : 0);
  }
}

template <typename T, ComparisonOp op>
bool Holds(const T& a, const T& b) {
  if constexpr (op == ComparisonOp::kEqual) {
    if constexpr (std::is_same_v<T, double>) return ThreeWay(a, b) == 0;
    return a == b;
  } else if constexpr (op == ComparisonOp::kNotEqual) {
    return !Holds<T, ComparisonOp::kEqual>(a, b);
  } else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, uint8_t>) {
    if constexpr (op == ComparisonOp::kLess) return a < b;
    if constexpr (op == ComparisonOp::kLessOrEqual) return a <= b;
    if constexpr (op == ComparisonOp::kGreater) return a > b;
    return a >= b;
  } else {
    const int order = ThreeWay(a, b);
    if constexpr (op == ComparisonOp::kLess) return order < 0;
    if constexpr (op == ComparisonOp::kLessOrEqual) return order <= 0;
    if constexpr (op == ComparisonOp::kGreater) return order > 0;
    return order >= 0;
  }
}

// Constants stand apart, so that the usual column against constant becomes a simple loop.
template <typename T, ComparisonOp op>
void Loop(const Vector& left, const Vector& right, size_t count, uint8_t* out) {
  if (right.is_constant() && !left.is_constant()) {
    const T* a = left.data<T>();
    const T b = right.data<T>()[0];
    for (size_t i = 0; i < count; ++i) out[i] = Holds<T, op>(a[i], b);
    return;
  }
  const Reader<T> a(left);
  const Reader<T> b(right);
  for (size_t i = 0; i < count; ++i) out[i] = Holds<T, op>(a[i], b[i]);
}

template <ComparisonOp op>
void LoopChar(const Vector& left, const Vector& right, size_t count, uint8_t* out) {
  const Reader<std::string_view> a(left);
  const Reader<std::string_view> b(right);
  const bool strip_a = left.type().id == TypeId::kChar;
  const bool strip_b = right.type().id == TypeId::kChar;
  for (size_t i = 0; i < count; ++i) {
    out[i] = Holds<std::string_view, op>(strip_a ? StripCharPadding(a[i]) : a[i],
                                         strip_b ? StripCharPadding(b[i]) : b[i]);
  }
}

template <ComparisonOp op>
void Dispatch(const Vector& left, const Vector& right, size_t count, uint8_t* out) {
  if (left.type().id == TypeId::kChar || right.type().id == TypeId::kChar) {
    return LoopChar<op>(left, right, count, out);
  }
  VisitPhysical(left.physical_type(),
                [&](auto sample) { Loop<decltype(sample), op>(left, right, count, out); });
}

}  // namespace

ComparisonOp FlipComparison(ComparisonOp op) {
  switch (op) {
    case ComparisonOp::kLess: return ComparisonOp::kGreater;
    case ComparisonOp::kLessOrEqual: return ComparisonOp::kGreaterOrEqual;
    case ComparisonOp::kGreater: return ComparisonOp::kLess;
    case ComparisonOp::kGreaterOrEqual: return ComparisonOp::kLessOrEqual;
    default: return op;
  }
}

ComparisonOp NegateComparison(ComparisonOp op) {
  switch (op) {
    case ComparisonOp::kEqual: return ComparisonOp::kNotEqual;
    case ComparisonOp::kNotEqual: return ComparisonOp::kEqual;
    case ComparisonOp::kLess: return ComparisonOp::kGreaterOrEqual;
    case ComparisonOp::kLessOrEqual: return ComparisonOp::kGreater;
    case ComparisonOp::kGreater: return ComparisonOp::kLessOrEqual;
    case ComparisonOp::kGreaterOrEqual: return ComparisonOp::kLess;
  }
  return op;
}

void CompareKernel(ComparisonOp op, const Vector& left, const Vector& right, size_t count,
                   Vector* out) {
  MergeNulls(left, count, out);
  MergeNulls(right, count, out);
  uint8_t* result = out->data<uint8_t>();
  switch (op) {
    case ComparisonOp::kEqual: return Dispatch<ComparisonOp::kEqual>(left, right, count, result);
    case ComparisonOp::kNotEqual:
      return Dispatch<ComparisonOp::kNotEqual>(left, right, count, result);
    case ComparisonOp::kLess: return Dispatch<ComparisonOp::kLess>(left, right, count, result);
    case ComparisonOp::kLessOrEqual:
      return Dispatch<ComparisonOp::kLessOrEqual>(left, right, count, result);
    case ComparisonOp::kGreater:
      return Dispatch<ComparisonOp::kGreater>(left, right, count, result);
    case ComparisonOp::kGreaterOrEqual:
      return Dispatch<ComparisonOp::kGreaterOrEqual>(left, right, count, result);
  }
}

int CompareRows(const Vector& left, size_t left_row, const Vector& right, size_t right_row) {
  return VisitPhysical(left.physical_type(), [&](auto sample) {
    using T = decltype(sample);
    T a = left.At<T>(left_row);
    T b = right.At<T>(right_row);
    if constexpr (std::is_same_v<T, std::string_view>) {
      if (left.type().id == TypeId::kChar) a = StripCharPadding(a);
      if (right.type().id == TypeId::kChar) b = StripCharPadding(b);
    }
    return ThreeWay(a, b);
  });
}

}  // namespace bennu::sql
