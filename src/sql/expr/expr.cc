#include "src/sql/expr/expr.h"

#include <algorithm>

namespace bennu::sql {
namespace {

bool SameDetails(const BoundExpr& a, const BoundExpr& b) {
  return a.slot == b.slot && a.function == b.function && a.arithmetic == b.arithmetic &&
         a.compare == b.compare && a.negated == b.negated &&
         a.case_insensitive == b.case_insensitive && a.list_has_null == b.list_has_null;
}

}  // namespace

std::unique_ptr<Vector> EvalContext::TakeVector() {
  if (free_.empty()) return std::make_unique<Vector>();
  std::unique_ptr<Vector> vector = std::move(free_.back());
  free_.pop_back();
  return vector;
}

void EvalContext::GiveBack(std::unique_ptr<Vector> vector) { free_.push_back(std::move(vector)); }

// A function that is not deterministic equals nothing, itself included.
bool SameBoundExpr(const BoundExpr& a, const BoundExpr& b) {
  if (a.kind != b.kind || a.type != b.type || !a.deterministic || !b.deterministic) return false;
  if (!SameDetails(a, b) || a.constant != b.constant || a.list != b.list) return false;
  return std::equal(
      a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
      [](const BoundExprPtr& x, const BoundExprPtr& y) { return SameBoundExpr(*x, *y); });
}

void CollectSlots(const BoundExpr& expr, std::vector<size_t>* slots) {
  if (expr.kind == BoundKind::kSlot) {
    if (std::find(slots->begin(), slots->end(), expr.slot) == slots->end()) {
      slots->push_back(expr.slot);
    }
    return;
  }
  for (const BoundExprPtr& child : expr.children) CollectSlots(*child, slots);
}

}  // namespace bennu::sql
