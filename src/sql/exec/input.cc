#include "src/sql/exec/input.h"

#include <utility>

namespace bennu::sql::exec {

Input WrapInput(Input input, Wrap wrap) {
  if (input.parallel != nullptr) {
    return {nullptr, WrapMorsels(std::move(input.parallel), std::move(wrap))};
  }
  return {wrap(std::move(input.serial)), nullptr};
}

Input FilterInput(ExecContext* context, Input input, bind::ExprPtr condition) {
  if (condition == nullptr) return input;
  return WrapInput(std::move(input), [context, condition](std::unique_ptr<Operator> child) {
    return MakeFilter(context, std::move(child), condition);
  });
}

Input MeasureInput(ExecContext* context, Input input, const void* node, StepKind kind) {
  Step* const step = context->StepOf(node, kind);
  if (step == nullptr) return input;
  return WrapInput(std::move(input), [step](std::unique_ptr<Operator> child) {
    return Measure(std::move(child), step);
  });
}

}  // namespace bennu::sql::exec
