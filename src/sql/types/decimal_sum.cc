#include "src/sql/types/decimal_sum.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <string>

namespace bennu::sql {
namespace {

using boost::multiprecision::cpp_int;

// Stored values have at most 124 digits before the point and 166 after it. Computed ones may go
// further; sums that reach beyond this many places are rounded, to bound the memory.
constexpr int32_t kScaleMax = 1'000;

}  // namespace

// unscaled * 10^-scale.
struct DecimalSum::Wide {
  cpp_int unscaled;
  int32_t scale = 0;

  void Add(cpp_int value, int32_t value_scale) {
    if (value_scale < scale) {
      value *= pow(cpp_int(10), static_cast<unsigned>(scale - value_scale));
    } else if (value_scale > scale) {
      unscaled *= pow(cpp_int(10), static_cast<unsigned>(value_scale - scale));
      scale = value_scale;
    }
    unscaled += value;
  }
};

DecimalSum::DecimalSum() = default;
DecimalSum::DecimalSum(DecimalSum&& other) noexcept = default;
DecimalSum& DecimalSum::operator=(DecimalSum&& other) noexcept = default;
DecimalSum::~DecimalSum() = default;

bool DecimalSum::Widen() {
  if (wide_ != nullptr) return true;
  if (narrow_.scale() < -kScaleMax) return false;
  wide_ = std::make_unique<Wide>();
  AddWide(narrow_);
  return true;
}

void DecimalSum::AddWide(const Decimal& value) {
  if (value.scale() < -kScaleMax || !Widen()) {
    narrow_ = Decimal::Add(Rounded(), value);
    wide_ = nullptr;
  } else if (value.scale() > kScaleMax) {
    AddWide(value.SetScale(kScaleMax, Rounding::kHalfUp).value_or(Decimal()));
  } else if (!value.IsZero()) {
    wide_->Add(cpp_int(value.unscaled()), value.scale());
  }
}

void DecimalSum::Add(const DecimalSum& other) {
  if (other.wide_ == nullptr || !Widen()) return Add(other.Rounded());
  wide_->Add(other.wide_->unscaled, other.wide_->scale);
}

Decimal DecimalSum::Rounded() const {
  if (wide_ == nullptr) return narrow_;
  const std::string text = wide_->unscaled.str() + "E" + std::to_string(-wide_->scale);
  return Decimal::Parse(text).value_or(Decimal());
}

}  // namespace bennu::sql
