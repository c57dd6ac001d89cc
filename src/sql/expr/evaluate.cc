#include "src/sql/expr/evaluate.h"

#include <algorithm>
#include <array>

#include "src/base/check.h"
#include "src/base/status_macros.h"
#include "src/sql/expr/function_def.h"
#include "src/sql/expr/kernels.h"
#include "src/sql/expr/value_size.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

constexpr size_t kArgumentsMax = 8;
constexpr int kIllegalData = 201;

// The result of a sub-expression: a column of the input, a constant, or scratch memory.
class Operand {
 public:
  explicit Operand(EvalContext* context) : context_(context) {}
  ~Operand() {
    if (scratch_ != nullptr) context_->GiveBack(std::move(scratch_));
  }
  Operand(Operand&& other) noexcept
      : context_(other.context_), scratch_(std::move(other.scratch_)), vector_(other.vector_) {}
  Operand& operator=(Operand&&) = delete;

  Status Compute(const BoundExpr& expr, const DataChunk& input) {
    if (expr.kind == BoundKind::kSlot) {
      vector_ = &input.columns[expr.slot];
      return Status::Ok();
    }
    if (expr.kind == BoundKind::kConstant) {
      vector_ = expr.constant_vector.get();
      return Status::Ok();
    }
    if (scratch_ == nullptr) scratch_ = context_->TakeVector();
    vector_ = scratch_.get();
    return Evaluate(expr, input, context_, scratch_.get());
  }

  const Vector& operator*() const { return *vector_; }
  const Vector* operator->() const { return vector_; }
  const Vector* get() const { return vector_; }

 private:
  EvalContext* const context_;
  std::unique_ptr<Vector> scratch_;
  const Vector* vector_ = nullptr;
};

// No larger than the chunk: what a statement of few rows has would be small beside the zeros.
void Prepare(const BoundExpr& expr, const DataChunk& input, Vector* out) {
  out->Initialize(expr.type, std::max<size_t>(1, input.size));
}

// Copies the columns that 'expr' reads for the chosen rows; the others stay empty.
void GatherChunk(const BoundExpr& expr, const DataChunk& input, const SelectionVector& selection,
                 DataChunk* chosen) {
  std::vector<size_t> slots;
  CollectSlots(expr, &slots);
  chosen->columns.resize(input.columns.size());
  for (size_t slot : slots) {
    chosen->columns[slot].Initialize(input.columns[slot].type(),
                                     std::max<size_t>(selection.size(), 1));
    chosen->columns[slot].Gather(input.columns[slot], selection);
  }
  chosen->size = selection.size();
}

// Row to of out becomes row from of in; bytes are copied.
void CopyValue(const Vector& in, size_t from, Vector* out, size_t to) {
  if (in.IsNull(from)) {
    out->SetNull(to);
  } else {
    out->CopyRow(to, in, in.IndexOf(from));
  }
}

// ---------------------------------------------------------------- logic

// AND, and OR seen as its mirror image: 'absorbing' is the value that decides (false, true).
void CombineLogic(bool absorbing, const Vector& next, size_t count, Vector* out) {
  const Reader<uint8_t> values(next);
  uint8_t* result = out->data<uint8_t>();
  uint8_t* valid = out->validity();
  bool has_nulls = false;
  for (size_t i = 0; i < count; ++i) {
    const bool a_known = valid[i] != 0;
    const bool b_known = !next.IsNull(i);
    const bool decided =
        (a_known && (result[i] != 0) == absorbing) || (b_known && (values[i] != 0) == absorbing);
    const bool known = decided || (a_known && b_known);
    result[i] = static_cast<uint8_t>(decided ? absorbing : !absorbing);
    valid[i] = static_cast<uint8_t>(known);
    has_nulls |= !known;
  }
  out->set_has_nulls(has_nulls);
}

// Rows that are not decided yet.
SelectionVector OpenRows(bool absorbing, const Vector& result, size_t count) {
  SelectionVector open;
  const uint8_t* values = result.data<uint8_t>();
  for (size_t i = 0; i < count; ++i) {
    if (result.validity()[i] == 0 || (values[i] != 0) != absorbing) {
      open.Append(static_cast<uint32_t>(i));
    }
  }
  return open;
}

Status CombineOnOpenRows(bool absorbing, const BoundExpr& operand, const DataChunk& input,
                         EvalContext* context, Vector* out) {
  const SelectionVector open = OpenRows(absorbing, *out, input.size);
  if (open.size() == 0) return Status::Ok();
  DataChunk chosen;
  GatherChunk(operand, input, open, &chosen);
  Operand value(context);
  RETURN_IF_ERROR(value.Compute(operand, chosen));
  Vector spread(DataType{TypeId::kBoolean}, std::max<size_t>(input.size, 1));
  std::fill_n(spread.data<uint8_t>(), input.size, static_cast<uint8_t>(!absorbing));
  for (size_t i = 0; i < open.size(); ++i) CopyValue(*value, i, &spread, open[i]);
  CombineLogic(absorbing, spread, input.size, out);
  return Status::Ok();
}

Status EvaluateLogic(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                     Vector* out) {
  const bool absorbing = expr.kind == BoundKind::kOr;
  Prepare(expr, input, out);
  std::fill_n(out->data<uint8_t>(), input.size, static_cast<uint8_t>(!absorbing));
  for (size_t i = 0; i < expr.children.size(); ++i) {
    const BoundExpr& operand = *expr.children[i];
    if (i > 0 && operand.can_fail) {
      RETURN_IF_ERROR(CombineOnOpenRows(absorbing, operand, input, context, out));
      continue;
    }
    Operand value(context);
    RETURN_IF_ERROR(value.Compute(operand, input));
    CombineLogic(absorbing, *value, input.size, out);
  }
  return Status::Ok();
}

Status EvaluateNot(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                   Vector* out) {
  Operand value(context);
  RETURN_IF_ERROR(value.Compute(*expr.children[0], input));
  Prepare(expr, input, out);
  MergeNulls(*value, input.size, out);
  const Reader<uint8_t> values(*value);
  uint8_t* result = out->data<uint8_t>();
  for (size_t i = 0; i < input.size; ++i) result[i] = values[i] == 0;
  return Status::Ok();
}

Status EvaluateIsNull(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                      Vector* out) {
  Operand value(context);
  RETURN_IF_ERROR(value.Compute(*expr.children[0], input));
  Prepare(expr, input, out);
  uint8_t* result = out->data<uint8_t>();
  for (size_t i = 0; i < input.size; ++i) result[i] = value->IsNull(i) != expr.negated;
  return Status::Ok();
}

// ---------------------------------------------------------------- CASE

// Evaluates 'expr' for the chosen rows of 'input'; row i of the result belongs to selection[i] when
// 'gathered' comes back true, else to the same row of the input.
Status EvaluateChosen(const BoundExpr& expr, const DataChunk& input,
                      const SelectionVector& selection, DataChunk* chosen, Operand* value,
                      bool* gathered) {
  *gathered = expr.can_fail && selection.size() < input.size;
  if (!*gathered) return value->Compute(expr, input);
  GatherChunk(expr, input, selection, chosen);
  return value->Compute(expr, *chosen);
}

// Splits 'open' into the rows for which the condition is true and the others.
Status SplitByCondition(const BoundExpr& condition, const DataChunk& input, EvalContext* context,
                        SelectionVector* open, SelectionVector* chosen_rows) {
  DataChunk chosen;
  Operand value(context);
  bool gathered = false;
  RETURN_IF_ERROR(EvaluateChosen(condition, input, *open, &chosen, &value, &gathered));
  const Reader<uint8_t> values(*value);
  SelectionVector rest;
  chosen_rows->Clear();
  for (size_t i = 0; i < open->size(); ++i) {
    const size_t row = gathered ? i : (*open)[i];
    const bool holds = !value->IsNull(row) && values[row] != 0;
    (holds ? *chosen_rows : rest).Append((*open)[i]);
  }
  *open = std::move(rest);
  return Status::Ok();
}

Status FillChosen(const BoundExpr& expr, const DataChunk& input, const SelectionVector& rows,
                  EvalContext* context, Vector* out) {
  if (rows.size() == 0) return Status::Ok();
  DataChunk chosen;
  Operand value(context);
  bool gathered = false;
  RETURN_IF_ERROR(EvaluateChosen(expr, input, rows, &chosen, &value, &gathered));
  for (size_t i = 0; i < rows.size(); ++i) {
    CopyValue(*value, gathered ? i : rows[i], out, rows[i]);
  }
  return Status::Ok();
}

Status EvaluateCase(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                    Vector* out) {
  Prepare(expr, input, out);
  SelectionVector open = SelectionVector::All(input.size);
  SelectionVector rows;
  for (size_t i = 0; i + 1 < expr.children.size() && open.size() > 0; i += 2) {
    RETURN_IF_ERROR(SplitByCondition(*expr.children[i], input, context, &open, &rows));
    RETURN_IF_ERROR(FillChosen(*expr.children[i + 1], input, rows, context, out));
  }
  return FillChosen(*expr.children.back(), input, open, context, out);
}

// ---------------------------------------------------------------- the others

// Rows to compute: one when all operands are constant, and the result then is constant too.
size_t RowsFor(std::span<const Vector* const> operands, const DataChunk& input, bool* constant) {
  *constant = !operands.empty();
  for (const Vector* operand : operands) *constant &= operand->is_constant();
  return *constant ? 1 : input.size;
}

Status EvaluateBinary(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                      Vector* out) {
  Operand left(context);
  Operand right(context);
  RETURN_IF_ERROR(left.Compute(*expr.children[0], input));
  RETURN_IF_ERROR(right.Compute(*expr.children[1], input));
  const std::array<const Vector*, 2> operands = {left.get(), right.get()};
  bool constant = false;
  const size_t count = RowsFor(operands, input, &constant);
  Prepare(expr, input, out);
  if (expr.kind == BoundKind::kCompare) {
    CompareKernel(expr.compare, *left, *right, count, out);
  } else {
    RETURN_IF_ERROR(ArithmeticKernel(expr, *left, *right, count, out));
  }
  out->set_constant(constant);
  return Status::Ok();
}

Status EvaluateCast(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                    Vector* out) {
  Operand value(context);
  RETURN_IF_ERROR(value.Compute(*expr.children[0], input));
  const std::array<const Vector*, 1> operands = {value.get()};
  bool constant = false;
  const size_t count = RowsFor(operands, input, &constant);
  Prepare(expr, input, out);
  RETURN_IF_ERROR(CastKernel(*value, expr.type, expr.implicit_cast, count, out));
  out->set_constant(constant);
  return Status::Ok();
}

Status EvaluateIn(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                  Vector* out) {
  Operand value(context);
  RETURN_IF_ERROR(value.Compute(*expr.children[0], input));
  Prepare(expr, input, out);
  InSetKernel(*value, *expr.state, input.size, out);
  uint8_t* result = out->data<uint8_t>();
  for (size_t i = 0; i < input.size; ++i) {
    // x IN (…, NULL) is true or unknown, never false.
    if (expr.list_has_null && result[i] == 0) out->SetNull(i);
    result[i] = (result[i] != 0) != expr.negated;
  }
  return Status::Ok();
}

Status EvaluateLike(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                    Vector* out) {
  Operand text(context);
  RETURN_IF_ERROR(text.Compute(*expr.children[0], input));
  Prepare(expr, input, out);
  if (expr.state != nullptr) {
    LikeKernel(*text, *expr.state, expr.negated, input.size, out);
    return Status::Ok();
  }
  Operand pattern(context);
  RETURN_IF_ERROR(pattern.Compute(*expr.children[1], input));
  MergeNulls(*text, input.size, out);
  MergeNulls(*pattern, input.size, out);
  const Reader<std::string_view> texts(*text);
  const Reader<std::string_view> patterns(*pattern);
  const bool bound_of_char = expr.children[0]->type.id == TypeId::kChar &&
                             expr.children[1]->kind == BoundKind::kParameter &&
                             !expr.case_insensitive;
  uint8_t* result = out->data<uint8_t>();
  for (size_t i = 0; i < input.size; ++i) {
    if (out->IsNull(i)) continue;
    const bool matches = bound_of_char ? CharLikeMatches(texts[i], patterns[i])
                                       : LikeMatches(texts[i], patterns[i], expr.case_insensitive);
    result[i] = matches != expr.negated;
  }
  return Status::Ok();
}

Status EvaluateConcat(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                      Vector* out) {
  std::vector<Operand> parts;
  for (const BoundExprPtr& child : expr.children) {
    RETURN_IF_ERROR(parts.emplace_back(context).Compute(*child, input));
  }
  Prepare(expr, input, out);
  const bool may_be_no_text =
      expr.type.id == TypeId::kVarchar &&
      std::any_of(expr.children.begin(), expr.children.end(),
                  [](const auto& child) { return IsBinary(child->type.id); });
  std::string text;
  for (size_t i = 0; i < input.size; ++i) {
    text.clear();
    for (const Operand& part : parts) {
      if (part->IsNull(i)) continue;
      AppendConcatText(*part, part->IndexOf(i), &text);
      RETURN_IF_ERROR(CheckMadeSize("||", text.size()));
    }
    if (may_be_no_text && !IsValidUtf8(text)) {
      return SqlIllegalData("|| of text and bytes that are no characters in UTF-8");
    }
    if (text.empty()) {
      out->SetNull(i);
    } else {
      out->SetBytes(i, text);
    }
  }
  return Status::Ok();
}

Status EvaluateArray(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                     Vector* out) {
  std::vector<Operand> operands;
  std::vector<const Vector*> elements;
  operands.reserve(expr.children.size());
  for (const BoundExprPtr& child : expr.children) {
    RETURN_IF_ERROR(operands.emplace_back(context).Compute(*child, input));
    elements.push_back(operands.back().get());
  }
  Prepare(expr, input, out);
  return ArrayKernel(expr, elements, input.size, out);
}

Status EvaluateQuantified(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                          Vector* out) {
  Operand array(context);
  Operand left(context);
  RETURN_IF_ERROR(array.Compute(*expr.children[0], input));
  RETURN_IF_ERROR(left.Compute(*expr.children[1], input));
  Prepare(expr, input, out);
  return QuantifiedKernel(expr, *array, *left, input.size, context, out);
}

// COALESCE whose second operand may fail: that is computed where the first one is NULL.
Status EvaluateSecondWhereNull(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                               Vector* out) {
  Operand first(context);
  RETURN_IF_ERROR(first.Compute(*expr.children[0], input));
  Prepare(expr, input, out);
  SelectionVector open;
  for (size_t i = 0; i < input.size; ++i) {
    if (first->IsNull(i)) open.Append(static_cast<uint32_t>(i));
    CopyValue(*first, i, out, i);
  }
  return FillChosen(*expr.children[1], input, open, context, out);
}

Status EvaluateFunction(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                        Vector* out) {
  if (expr.function->second_where_null && expr.children[1]->can_fail) {
    return EvaluateSecondWhereNull(expr, input, context, out);
  }
  BENNU_CHECK(expr.children.size() <= kArgumentsMax);
  std::vector<Operand> operands;
  operands.reserve(kArgumentsMax);
  std::array<const Vector*, kArgumentsMax> arguments{};
  for (size_t i = 0; i < expr.children.size(); ++i) {
    RETURN_IF_ERROR(operands.emplace_back(context).Compute(*expr.children[i], input));
    arguments[i] = operands[i].get();
  }
  const std::span<const Vector* const> used(arguments.data(), expr.children.size());
  bool constant = false;
  size_t count = RowsFor(used, input, &constant);
  constant = constant && expr.deterministic;
  if (!constant) count = input.size;
  Prepare(expr, input, out);
  if (expr.function->null_in_null_out) {
    for (size_t i = 0; i < used.size(); ++i) {
      const bool defaulted =
          expr.function->arguments[i].optional && expr.children[i]->is_null_constant();
      if (!defaulted) MergeNulls(*used[i], count, out);
    }
  }
  RETURN_IF_ERROR(expr.function->evaluate(expr, used, count, context, out));
  out->set_constant(constant);
  return Status::Ok();
}

Status EvaluateParameter(const BoundExpr& expr, const DataChunk& input, EvalContext* context,
                         Vector* out) {
  const Value* const given = context->parameter(expr.slot);
  if (given == nullptr) {
    return MakeSqlError(2004, "Parameter " + std::to_string(expr.slot + 1) + " is unbound",
                        expr.position);
  }
  const Value& value = *given;
  Prepare(expr, input, out);
  if (value.is_null()) {
    out->SetConstant(Value::Null(expr.type));
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(Value coerced, Coerce(value, expr.type));
  out->SetConstant(PadBinary(std::move(coerced), expr.type));
  return Status::Ok();
}

}  // namespace

Status Evaluate(const BoundExpr& expr, const DataChunk& input, EvalContext* context, Vector* out) {
  switch (expr.kind) {
    case BoundKind::kSlot: out->Reference(input.columns[expr.slot]); return Status::Ok();
    case BoundKind::kConstant: out->Reference(*expr.constant_vector); return Status::Ok();
    case BoundKind::kParameter: return EvaluateParameter(expr, input, context, out);
    case BoundKind::kFunction: return EvaluateFunction(expr, input, context, out);
    case BoundKind::kArithmetic:
    case BoundKind::kCompare: return EvaluateBinary(expr, input, context, out);
    case BoundKind::kRowCompare: return Evaluate(*expr.children.back(), input, context, out);
    case BoundKind::kAnd:
    case BoundKind::kOr: return EvaluateLogic(expr, input, context, out);
    case BoundKind::kNot: return EvaluateNot(expr, input, context, out);
    case BoundKind::kIsNull: return EvaluateIsNull(expr, input, context, out);
    case BoundKind::kCase: return EvaluateCase(expr, input, context, out);
    case BoundKind::kCast: return EvaluateCast(expr, input, context, out);
    case BoundKind::kIn: return EvaluateIn(expr, input, context, out);
    case BoundKind::kLike: return EvaluateLike(expr, input, context, out);
    case BoundKind::kConcat: return EvaluateConcat(expr, input, context, out);
    case BoundKind::kArray: return EvaluateArray(expr, input, context, out);
    case BoundKind::kQuantified: return EvaluateQuantified(expr, input, context, out);
  }
  return Internal("unknown kind of bound expression");
}

namespace {

// Below this share of rows it is cheaper to copy them than to compute what is not wanted.
constexpr size_t kSparseDivisor = 4;

// Leaves *selection as it is when that fails.
Status NarrowTogether(const BoundExpr& condition, const DataChunk& input, EvalContext* context,
                      SelectionVector* selection) {
  const bool all = selection->size() == input.size;
  const bool gather =
      !all && (condition.can_fail || selection->size() < input.size / kSparseDivisor);
  DataChunk chosen;
  if (gather) GatherChunk(condition, input, *selection, &chosen);
  Operand value(context);
  RETURN_IF_ERROR(value.Compute(condition, gather ? chosen : input));
  const Reader<uint8_t> values(*value);
  size_t kept = 0;
  if (!value->has_nulls() && !value->is_constant()) {
    for (size_t i = 0; i < selection->size(); ++i) {
      const uint32_t row = selection->rows[i];
      selection->rows[kept] = row;
      kept += values[gather ? i : row];
    }
  } else {
    for (size_t i = 0; i < selection->size(); ++i) {
      const uint32_t row = selection->rows[i];
      const size_t at = gather ? i : row;
      selection->rows[kept] = row;
      kept += static_cast<size_t>(!value->IsNull(at) && values[at] != 0);
    }
  }
  selection->rows.resize(kept);
  return Status::Ok();
}

// Values that cannot be computed with: a text that is no number or date, a negative one for an
// unsigned type.
bool IsIllegalData(const Status& status) {
  const SqlError* const error = status.sql_error();
  return error != nullptr && (error->code == kIllegalData ||
                              (error->code == 0 && status.message().starts_with("Illegal data")));
}

// What does not depend on the row fails for all rows.
Status TryWithoutRows(const BoundExpr& expr, EvalContext* context) {
  std::vector<size_t> slots;
  CollectSlots(expr, &slots);
  if (slots.empty()) return EvaluateConstant(expr, context).status();
  for (const BoundExprPtr& child : expr.children) RETURN_IF_ERROR(TryWithoutRows(*child, context));
  return Status::Ok();
}

// A row with illegal data does not satisfy the condition, whatever it makes of it (as in Phoenix'
// BooleanExpressionFilter). Other errors, as of a division by zero, are the query's.
Status NarrowSelection(const BoundExpr& condition, const DataChunk& input, EvalContext* context,
                       SelectionVector* selection) {
  Status together = NarrowTogether(condition, input, context, selection);
  if (together.ok() || !IsIllegalData(together)) return together;
  RETURN_IF_ERROR(TryWithoutRows(condition, context));
  std::vector<uint32_t> kept;
  SelectionVector one;
  for (const uint32_t row : selection->rows) {
    one.rows.assign(1, row);
    const Status status = NarrowTogether(condition, input, context, &one);
    if (IsIllegalData(status)) continue;
    RETURN_IF_ERROR(status);
    kept.insert(kept.end(), one.rows.begin(), one.rows.end());
  }
  selection->rows = std::move(kept);
  return Status::Ok();
}

}  // namespace

Status EvaluateFilter(const BoundExpr& condition, const DataChunk& input, EvalContext* context,
                      SelectionVector* selection) {
  *selection = SelectionVector::All(input.size);
  if (condition.kind != BoundKind::kAnd) {
    return NarrowSelection(condition, input, context, selection);
  }
  for (const BoundExprPtr& operand : condition.children) {
    if (selection->size() == 0) return Status::Ok();
    RETURN_IF_ERROR(NarrowSelection(*operand, input, context, selection));
  }
  return Status::Ok();
}

Result<Value> EvaluateConstant(const BoundExpr& expr, EvalContext* context) {
  if (expr.is_constant()) return expr.constant;
  if (expr.kind == BoundKind::kParameter) {
    // As EvaluateParameter has it, without a vector.
    const Value* const given = context->parameter(expr.slot);
    if (given != nullptr && given->is_null()) return Value::Null(expr.type);
    if (given != nullptr) {
      ASSIGN_OR_RETURN(Value coerced, Coerce(*given, expr.type));
      if (expr.type.id != TypeId::kChar) return PadBinary(std::move(coerced), expr.type);
      return Value::String(expr.type, std::string(StripCharPadding(coerced.bytes())));
    }
  }
  DataChunk one;
  one.size = 1;
  Vector out;
  RETURN_IF_ERROR(Evaluate(expr, one, context, &out));
  return out.GetValue(0);
}

}  // namespace bennu::sql
