// What filters that compare have in common.
#ifndef BENNU_SRC_FILTER_COMPARING_H_
#define BENNU_SRC_FILTER_COMPARING_H_

#include <utility>

#include "bennu/filter.h"

namespace bennu::filter {

// Whether bytes that compared as 'order' (the sign of given value - bytes) pass.
inline bool Passes(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kLess: return order > 0;
    case CompareOp::kLessOrEqual: return order >= 0;
    case CompareOp::kEqual: return order == 0;
    case CompareOp::kNotEqual: return order != 0;
    case CompareOp::kGreaterOrEqual: return order <= 0;
    case CompareOp::kGreater: return order < 0;
    case CompareOp::kNoOp: return false;
  }
  return false;
}

// "bytes OP value of a comparator". 'comparator' may be null: then nothing passes but an error is
// reported.
class Comparison {
 public:
  Comparison(CompareOp op, ComparatorPtr comparator)
      : op_(op), comparator_(std::move(comparator)) {}

  CompareOp op() const { return op_; }
  const ByteComparator* comparator() const { return comparator_.get(); }
  Comparison Clone() const {
    return Comparison(op_, comparator_ == nullptr ? nullptr : comparator_->Clone());
  }
  // Whether 'bytes' pass; *error is set, and false returned, when they cannot be compared.
  bool Pass(ByteView bytes, Status* error) {
    if (op_ == CompareOp::kNoOp) return false;
    if (comparator_ == nullptr) {
      *error = InvalidArgument("a filter that compares has no comparator");
      return false;
    }
    const int order = comparator_->Compare(bytes, error);
    return error->ok() && Passes(op_, order);
  }

 private:
  CompareOp op_;
  ComparatorPtr comparator_;
};

}  // namespace bennu::filter

#endif  // BENNU_SRC_FILTER_COMPARING_H_
