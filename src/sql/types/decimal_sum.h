// The exact sum of DECIMAL values, so that a sum does not depend on the order in which rows come.
#ifndef BENNU_SRC_SQL_TYPES_DECIMAL_SUM_H_
#define BENNU_SRC_SQL_TYPES_DECIMAL_SUM_H_

#include <cstddef>
#include <memory>

#include "src/sql/types/decimal.h"

namespace bennu::sql {

// Rounds once, at the end, as Phoenix's DecimalSumAggregator does. As long as the sum has at most
// 38 digits it is kept as a Decimal; beyond that in a number that grows. Thread rule: a plain value
// that can be moved but not copied.
class DecimalSum {
 public:
  DecimalSum();
  DecimalSum(DecimalSum&& other) noexcept;
  DecimalSum& operator=(DecimalSum&& other) noexcept;
  ~DecimalSum();

  void Add(const Decimal& value) {
    if (wide_ != nullptr || !Decimal::AddExactly(narrow_, value, &narrow_)) AddWide(value);
  }
  void Add(const DecimalSum& other);

  // Rounded to 38 digits, HALF_UP.
  Decimal Rounded() const;

 private:
  struct Wide;

  void AddWide(const Decimal& value);
  // False when the sum is too far from zero for that.
  bool Widen();

  Decimal narrow_;              // the sum, where 'wide_' is not set
  std::unique_ptr<Wide> wide_;  // the sum, once it needed more than 38 digits
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_DECIMAL_SUM_H_
