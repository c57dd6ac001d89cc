#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "src/sql/functions/function_tables.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

using enum TypeId;

template <typename F>
Status RealLoop(const BoundExpr&, size_t count, Vector* out, F compute) {
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    out->Set<double>(i, compute(i));
  }
  return Status::Ok();
}

template <double (*function)(double)>
Status Unary(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return RealLoop(expr, count, out, [&](size_t i) { return function(RealAt(*args[0], i)); });
}

// glibc's pow of doubles is off by one in the last digit now and then where Java's is not: the
// square root of 1000000007, say. The wider one is rounded once.
double NearestPower(double base, double exponent) {
  return static_cast<double>(
      std::pow(static_cast<long double>(base), static_cast<long double>(exponent)));
}

Status Power(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return RealLoop(expr, count, out,
                  [&](size_t i) { return NearestPower(RealAt(*args[0], i), RealAt(*args[1], i)); });
}

Status Log(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return RealLoop(expr, count, out, [&](size_t i) {
    return std::log(RealAt(*args[0], i)) / std::log(RealAt(*args[1], i));
  });
}

Status Pi(const BoundExpr&, Arguments, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) out->Set<double>(i, std::numbers::pi);
  return Status::Ok();
}

Status Sign(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    if (!out->IsNull(i)) out->Set<int64_t>(i, DecimalAt(*args[0], i).sign());
  }
  return Status::Ok();
}

Status BindAbs(BoundExpr* expr) {
  const DataType& type = expr->children[0]->type;
  expr->type = type.id == kNull ? DataType{kDecimal} : type;
  return Status::Ok();
}

Status Abs(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    if (args[0]->IsNull(i)) {
      out->SetNull(i);
      continue;
    }
    switch (out->physical_type()) {
      case PhysicalType::kInt64: {
        const int64_t value = IntAt(*args[0], i);
        if (value == RangeOf(out->type().id).min && value < 0) {
          return SqlValueOutsideRange(
              fmt::format("ABS({}) is beyond {}", value, TypeName(out->type().id)));
        }
        out->Set<int64_t>(i, value < 0 ? -value : value);
        break;
      }
      case PhysicalType::kDouble: out->Set<double>(i, std::fabs(RealAt(*args[0], i))); break;
      default: out->Set<Decimal>(i, DecimalAt(*args[0], i).Abs().StripTrailingZeros());
    }
  }
  return Status::Ok();
}

// java.util.Random, which RAND(seed) is made of: a 48-bit linear congruence.
class JavaRandom {
 public:
  explicit JavaRandom(int64_t seed) : state_((static_cast<uint64_t>(seed) ^ kFactor) & kMask) {}
  double NextDouble() {
    const uint64_t high = Next(26) << 27;
    return static_cast<double>(high + Next(27)) * 0x1.0p-53;
  }

 private:
  static constexpr uint64_t kFactor = 0x5DEECE66D;
  static constexpr uint64_t kMask = (uint64_t{1} << 48) - 1;
  uint64_t Next(int bits) {
    state_ = (state_ * kFactor + 0xB) & kMask;
    return state_ >> (48 - bits);
  }
  uint64_t state_;
};

Status Rand(const BoundExpr&, Arguments args, size_t count, EvalContext* context, Vector* out) {
  const bool seeded = !args[0]->IsNull(0);
  static thread_local uint64_t calls = 0;
  const int64_t seed =
      seeded ? IntAt(*args[0], 0) : context->now_millis() + static_cast<int64_t>(++calls << 20);
  JavaRandom random(seed);
  for (size_t i = 0; i < count; ++i) out->Set<double>(i, random.NextDouble());
  return Status::Ok();
}

uint64_t WithHighWord(uint32_t high) { return uint64_t{high} << 32; }

// As Java's, to the last bit: StrictMath.cbrt, which is fdlibm's. A third of the exponent gives
// five bits, a rational function 23, of which 20 are kept, and a Newton step the rest.
double CubeRoot(double x) {
  constexpr uint32_t kBias = 715094163;
  constexpr uint32_t kSubnormalBias = 696219795;
  constexpr double kSubnormalScale = 18014398509481984.0;  // 2^54
  if (x == 0 || !std::isfinite(x)) return x;
  const double value = std::fabs(x);
  const auto high = [](double number) { return uint32_t(std::bit_cast<uint64_t>(number) >> 32); };
  const bool subnormal = value < std::numeric_limits<double>::min();
  const uint32_t guess =
      subnormal ? high(value * kSubnormalScale) / 3 + kSubnormalBias : high(value) / 3 + kBias;
  double root = std::bit_cast<double>(WithHighWord(guess));
  const double s = 19.0 / 35.0 + root * root / value * root;
  root *= 5.0 / 14.0 + 45.0 / 28.0 / (s + 99.0 / 70.0 - 864.0 / 1225.0 / s);
  root = std::bit_cast<double>(WithHighWord(high(root) + 1));
  const double quotient = value / (root * root);
  root += root * ((quotient - root) / (root + root + quotient));
  return std::copysign(root, x);
}
double SquareRoot(double x) { return std::sqrt(x); }
double Exponential(double x) { return std::exp(x); }
double NaturalLog(double x) { return std::log(x); }
double Sine(double x) { return std::sin(x); }
double Cosine(double x) { return std::cos(x); }
double Tangent(double x) { return std::tan(x); }

}  // namespace

std::vector<FunctionDef> MathFunctions() {
  const ArgumentSpec real{{kDouble, kDecimal}};
  const auto unary = [&](std::string_view name, FunctionEvaluate evaluate) {
    return FunctionDef{.name = name,
                       .arguments = {real},
                       .result = kDouble,
                       .evaluate = evaluate,
                       .can_fail = true};
  };
  return {
      unary("SQRT", Unary<SquareRoot>),
      unary("CBRT", Unary<CubeRoot>),
      unary("EXP", Unary<Exponential>),
      unary("LN", Unary<NaturalLog>),
      unary("SIN", Unary<Sine>),
      unary("COS", Unary<Cosine>),
      unary("TAN", Unary<Tangent>),
      {.name = "LOG",
       .arguments = {real, {{kDouble, kDecimal}, true, false, Value::Double(10)}},
       .result = kDouble,
       .evaluate = Log,
       .can_fail = true},
      {.name = "POWER",
       .arguments = {real, real},
       .result = kDouble,
       .evaluate = Power,
       .can_fail = true},
      {"PI", {}, kDouble, Pi},
      {"SIGN", {{{kDecimal}}}, kInteger, Sign},
      {.name = "ABS",
       .arguments = {{{kDecimal}}},
       .result = kNull,
       .evaluate = Abs,
       .bind = BindAbs,
       .can_fail = true},
      {.name = "RAND",
       .arguments = {{{kBigint}, true, true, {}}},
       .result = kDouble,
       .evaluate = Rand,
       .deterministic = false},
  };
}

}  // namespace bennu::sql
