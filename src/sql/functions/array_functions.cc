// Functions over arrays, which work on the elements' bytes wherever they can.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/status_macros.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/expr/make_internal.h"
#include "src/sql/expr/value_size.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/types/array.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

using enum TypeId;

// What a function may make: nested calls could double an array again and again.

Result<std::vector<ByteView>> Parts(const Vector& vector, size_t row) {
  std::vector<ByteView> parts;
  if (vector.IsNull(row)) return parts;
  ASSIGN_OR_RETURN(const ArrayView view, ArrayView::Open(BytesAt(vector, row), vector.type()));
  parts.resize(view.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    ASSIGN_OR_RETURN(parts[i], view.At(i));
  }
  return parts;
}

// An array of elements of varying width that has none: their end, where it is, a count of 0.
constexpr ByteView kNoElements("\0\0\0\0\0\2\0\0\0\0\1", 11);

// The empty array is NULL.
Status PutArray(std::span<const ByteView> parts, size_t row, Vector* out) {
  Bytes array;
  JoinArray(parts, out->type(), &array);
  RETURN_IF_ERROR(CheckMadeSize("The array function", array.size()));
  if (array.empty()) {
    out->SetNull(row);
  } else {
    out->SetBytes(row, array);
  }
  return Status::Ok();
}

// ---------------------------------------------------------------- elements and length

Status BindElement(BoundExpr* expr) {
  const DataType& array = expr->children[0]->type;
  if (IsArray(array.id)) expr->type = ElementType(array);
  return Status::Ok();
}

// An index outside of the array gives NULL.
Status Element(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  // The bytes of a column live as long as the result may be used; others are scratch.
  const bool keep_view = expr.children[0]->kind == BoundKind::kSlot;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    ASSIGN_OR_RETURN(const ArrayView array, ArrayView::Open(BytesAt(*args[0], i), args[0]->type()));
    const int64_t index = IntAt(*args[1], i);
    if (index < 1 || index > static_cast<int64_t>(array.size())) {
      out->SetNull(i);
      continue;
    }
    ASSIGN_OR_RETURN(const ByteView element, array.At(static_cast<size_t>(index - 1)));
    RETURN_IF_ERROR(DecodeInto(element, expr.type, SortOrder::kAsc, out, i));
    const bool copy = !keep_view && out->physical_type() == PhysicalType::kBytes;
    if (copy && !out->IsNull(i)) out->SetBytes(i, out->At<ByteView>(i));
  }
  return Status::Ok();
}

Status Length(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    ASSIGN_OR_RETURN(const ArrayView array, ArrayView::Open(BytesAt(*args[0], i), args[0]->type()));
    out->Set<int64_t>(i, static_cast<int64_t>(array.size()));
  }
  return Status::Ok();
}

// ---------------------------------------------------------------- arrays made of arrays

// An array and an element: a NULL instead of the array takes the type from the element.
Status BindEdit(BoundExpr* expr, size_t array_at, size_t element_at) {
  BoundExprPtr& array = expr->children[array_at];
  BoundExprPtr& element = expr->children[element_at];
  if (array->type.id == kNull) {
    const std::optional<TypeId> type = ArrayOf(element->type.id);
    if (!type.has_value()) {
      return MakeSqlError(203, fmt::format("{} and {} for {}", TypeName(kNull),
                                           TypeName(element->type.id), expr->function->name));
    }
    RETURN_IF_ERROR(MadeArrayOf(element->type.id).status());
    array = MakeConstant(Value::Null({*type, element->type.max_length, element->type.scale}));
  }
  expr->type = array->type;
  const TypeId wanted = ArrayElement(expr->type.id);
  if (element->type.id != kNull && !CanCoerce(element->type.id, wanted)) {
    return MakeSqlError(203,
                        fmt::format("{} and {}", TypeName(wanted), TypeName(element->type.id)));
  }
  ASSIGN_OR_RETURN(BoundExprPtr converted, Convert(element, {wanted}));
  element = HideConversion(std::move(converted), *element);
  return Status::Ok();
}

Status BindAppend(BoundExpr* expr) { return BindEdit(expr, 0, 1); }
Status BindPrepend(BoundExpr* expr) { return BindEdit(expr, 1, 0); }

// edit(element bytes, &parts): empty bytes are NULL.
template <typename F>
Status EditRows(const BoundExpr& expr, const Vector& array, const Vector& element, size_t count,
                Vector* out, F edit) {
  const DataType element_type = ElementType(expr.type);
  Bytes encoded;
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(std::vector<ByteView> parts, Parts(array, i));
    encoded.clear();
    RETURN_IF_ERROR(EncodeRow(element, i, element_type, SortOrder::kAsc, &encoded));
    edit(ByteView(encoded), &parts);
    RETURN_IF_ERROR(PutArray(parts, i, out));
  }
  return Status::Ok();
}

// NULL is not appended, as in Phoenix.
Status Append(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return EditRows(expr, *args[0], *args[1], count, out,
                  [](ByteView element, std::vector<ByteView>* parts) {
                    if (!element.empty()) parts->push_back(element);
                  });
}

// NULL is prepended unless the elements have a fixed width.
Status Prepend(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  const bool fixed = IsFixedWidth(ArrayElement(expr.type.id));
  return EditRows(expr, *args[1], *args[0], count, out,
                  [fixed](ByteView element, std::vector<ByteView>* parts) {
                    if (!element.empty() || !fixed) parts->insert(parts->begin(), element);
                  });
}

// Of elements of varying width, when all are removed, an array without elements is left; of others
// it is NULL.
Status Remove(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  RETURN_IF_ERROR(EditRows(expr, *args[0], *args[1], count, out,
                           [](ByteView element, std::vector<ByteView>* parts) {
                             if (!element.empty()) std::erase(*parts, element);
                           }));
  if (IsFixedWidth(ArrayElement(expr.type.id))) return Status::Ok();
  for (size_t i = 0; i < count; ++i) {
    if (!out->IsNull(i) || args[0]->IsNull(i)) continue;
    out->SetValid(i);
    out->SetBytes(i, kNoElements);
  }
  return Status::Ok();
}

Status BindCat(BoundExpr* expr) {
  BoundExprPtr& left = expr->children[0];
  BoundExprPtr& right = expr->children[1];
  expr->type = left->type.id == kNull ? right->type : left->type;
  if (expr->type.id == kNull) return MakeSqlError(203, "NULL and NULL for ARRAY_CAT");
  if (right->type.id != kNull && !CanCoerce(right->type.id, expr->type.id)) {
    return MakeSqlError(203, fmt::format("{} and {}", TypeName(ArrayElement(expr->type.id)),
                                         TypeName(ArrayElement(right->type.id))));
  }
  for (BoundExprPtr& child : expr->children) {
    if (child->type == expr->type) continue;
    const BoundExprPtr original = child;
    ASSIGN_OR_RETURN(child, MakeCoerce(original, expr->type, ToText(*original)));
    child = HideConversion(std::move(child), *original);
  }
  return Status::Ok();
}

Status Cat(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(std::vector<ByteView> parts, Parts(*args[0], i));
    ASSIGN_OR_RETURN(const std::vector<ByteView> more, Parts(*args[1], i));
    parts.insert(parts.end(), more.begin(), more.end());
    RETURN_IF_ERROR(PutArray(parts, i, out));
  }
  return Status::Ok();
}

Status BindFill(BoundExpr* expr) {
  const DataType& element = expr->children[0]->type;
  ASSIGN_OR_RETURN(const TypeId type, MadeArrayOf(element.id));
  expr->type = {type, element.max_length, element.scale};
  const bool padded = element.id == kChar || element.id == kBinary;
  const BoundExpr& value = *expr->children[0];
  if (padded && !element.max_length.has_value() && value.is_constant()) {
    expr->type.max_length = static_cast<int32_t>(value.constant.bytes().size());
  }
  return Status::Ok();
}

Status Fill(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  const DataType element_type = ElementType(expr.type);
  Bytes encoded;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const int64_t length = IntAt(*args[1], i);
    if (length <= 0) return MakeUncodedSqlError("Array length should be greater than 0");
    encoded.clear();
    RETURN_IF_ERROR(EncodeRow(*args[0], i, element_type, SortOrder::kAsc, &encoded));
    RETURN_IF_ERROR(CheckMadeSize(
        "ARRAY_FILL", static_cast<size_t>(length) * (encoded.size() + sizeof(ByteView))));
    const std::vector<ByteView> parts(static_cast<size_t>(length), ByteView(encoded));
    RETURN_IF_ERROR(PutArray(parts, i, out));
  }
  return Status::Ok();
}

// ---------------------------------------------------------------- text

// Elements as '||' writes them; a NULL one is left out unless there is a text for it.
// As a client gets the elements of a CHAR array: all as long as the longest one.
size_t LongestText(std::span<const ByteView> elements) {
  size_t longest = 1;
  for (const ByteView element : elements) {
    longest = std::max(longest, StripCharPadding(element).size());
  }
  return longest;
}

Status ToString(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  MergeNulls(*args[0], count, out);
  MergeNulls(*args[1], count, out);
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const DataType& type = args[0]->type();
    ASSIGN_OR_RETURN(const std::vector<ByteView> parts, Parts(*args[0], i));
    const ByteView delimiter = BytesAt(*args[1], i);
    const bool shows_null = !args[2]->IsNull(i);
    Vector element(ElementType(type), 1);
    const size_t width = type.id == TypeId::kCharArray ? LongestText(parts) : 0;
    text.clear();
    bool first = true;
    for (const ByteView part : parts) {
      if (part.empty() && !shows_null) continue;
      RETURN_IF_ERROR(
          CheckMadeSize("ARRAY_TO_STRING", text.size() + delimiter.size() + part.size()));
      if (!first) text += delimiter;
      first = false;
      if (part.empty()) {
        text += BytesAt(*args[2], i);
        continue;
      }
      if (width > 0) {
        text += part.substr(0, width);
        continue;
      }
      element.Reset();
      RETURN_IF_ERROR(DecodeInto(part, element.type(), SortOrder::kAsc, &element, 0));
      AppendConcatText(element, 0, &text);
    }
    if (text.empty()) {
      out->SetNull(i);
    } else {
      out->SetBytes(i, text);
    }
  }
  return Status::Ok();
}

// Empty parts at the end go, as Java's split has it.
Status FromString(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  MergeNulls(*args[0], count, out);
  MergeNulls(*args[1], count, out);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const ByteView delimiter = BytesAt(*args[1], i);
    ByteView rest = BytesAt(*args[0], i);
    std::vector<ByteView> parts;
    for (size_t at = rest.find(delimiter); at != ByteView::npos; at = rest.find(delimiter)) {
      parts.push_back(rest.substr(0, at));
      rest.remove_prefix(at + delimiter.size());
    }
    parts.push_back(rest);
    while (!parts.empty() && parts.back().empty()) parts.pop_back();
    if (!args[2]->IsNull(i)) {
      std::replace(parts.begin(), parts.end(), BytesAt(*args[2], i), ByteView());
    }
    RETURN_IF_ERROR(PutArray(parts, i, out));
  }
  return Status::Ok();
}

FunctionDef Edit(std::string_view name, std::vector<ArgumentSpec> arguments, FunctionBind bind,
                 FunctionEvaluate evaluate) {
  return {.name = name,
          .arguments = std::move(arguments),
          .result = kNull,
          .evaluate = evaluate,
          .bind = bind,
          .can_fail = true,
          .null_in_null_out = false};
}

}  // namespace

std::vector<FunctionDef> ArrayFunctions() {
  const ArgumentSpec array{{kBinaryArray, kVarbinaryArray}};
  const ArgumentSpec any{};
  const ArgumentSpec text{{kVarchar, kChar}};
  const ArgumentSpec optional_text{{kVarchar, kChar}, true};
  return {
      {"ARRAY_ELEM", {array, {{kInteger}}}, kNull, Element, BindElement, true},
      {.name = "ARRAY_LENGTH",
       .arguments = {array},
       .result = kInteger,
       .evaluate = Length,
       .can_fail = true},
      Edit("ARRAY_APPEND", {array, {{}, true}}, BindAppend, Append),
      Edit("ARRAY_PREPEND", {any, array}, BindPrepend, Prepend),
      Edit("ARRAY_REMOVE", {array, any}, BindAppend, Remove),
      Edit("ARRAY_CAT", {array, array}, BindCat, Cat),
      {"ARRAY_FILL", {any, {{kInteger}}}, kNull, Fill, BindFill, true},
      {.name = "ARRAY_TO_STRING",
       .arguments = {array, text, optional_text},
       .result = kVarchar,
       .evaluate = ToString,
       .can_fail = true,
       .null_in_null_out = false},
      {.name = "STRING_TO_ARRAY",
       .arguments = {text, text, optional_text},
       .result = kVarcharArray,
       .evaluate = FromString,
       .can_fail = true,
       .null_in_null_out = false},
  };
}

}  // namespace bennu::sql
