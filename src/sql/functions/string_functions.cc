#include <algorithm>

#include "src/base/status_macros.h"
#include "src/sql/expr/unicode.h"
#include "src/sql/expr/value_size.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using enum TypeId;

Status Length(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    if (!out->IsNull(i)) {
      out->Set<int64_t>(i, static_cast<int64_t>(Utf8Length(BytesAt(*args[0], i))));
    }
  }
  return Status::Ok();
}

bool IsTurkish(const Vector& locale) {
  if (locale.IsNull(0)) return false;
  const ByteView name = BytesAt(locale, 0).substr(0, 2);
  return name == "tr" || name == "az";
}

Status Upper(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  const bool turkish = IsTurkish(*args[1]);
  ProduceText(count, out, [&](size_t i, std::string* text) {
    *text = turkish ? UpperCaseTurkish(BytesAt(*args[0], i)) : UpperCase(BytesAt(*args[0], i));
    return true;
  });
  return Status::Ok();
}

Status Lower(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  const bool turkish = IsTurkish(*args[1]);
  ProduceText(count, out, [&](size_t i, std::string* text) {
    *text = turkish ? LowerCaseTurkish(BytesAt(*args[0], i)) : LowerCase(BytesAt(*args[0], i));
    return true;
  });
  return Status::Ok();
}

bool IsAscii(ByteView text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

// 1-based; 0 is 1; a negative start counts from the end. Empty when outside.
ByteView Substring(ByteView text, int64_t start, int64_t length) {
  const bool ascii = IsAscii(text);
  const auto size = static_cast<int64_t>(ascii ? text.size() : Utf8Length(text));
  const int64_t begin = start < 0 ? size + start : std::max<int64_t>(start - 1, 0);
  if (begin < 0 || begin >= size || length <= 0) return {};
  const int64_t take = std::min(length, size - begin);
  if (ascii) return text.substr(static_cast<size_t>(begin), static_cast<size_t>(take));
  const ByteView rest = text.substr(Utf8Advance(text, static_cast<size_t>(begin)));
  return rest.substr(0, Utf8Advance(rest, static_cast<size_t>(take)));
}

Status Substr(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  // The text of a column lives as long as the result may be used; other texts are scratch.
  const bool keep_view = expr.children[0]->kind == BoundKind::kSlot;
  const bool has_length = !expr.children[2]->is_null_constant();
  if (has_length) MergeNulls(*args[2], count, out);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const ByteView part = Substring(BytesAt(*args[0], i), IntAt(*args[1], i),
                                    has_length ? IntAt(*args[2], i) : INT64_MAX);
    if (part.empty()) {
      out->SetNull(i);
    } else if (keep_view) {
      out->SetView(i, part);
    } else {
      out->SetBytes(i, part);
    }
  }
  return Status::Ok();
}

Status Instr(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const ByteView text = BytesAt(*args[0], i);
    const size_t at = text.find(BytesAt(*args[1], i));
    const bool found = at != ByteView::npos;
    out->Set<int64_t>(i, found ? static_cast<int64_t>(Utf16Length(text.substr(0, at))) + 1 : 0);
  }
  return Status::Ok();
}

ByteView TrimLeft(ByteView text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}
ByteView TrimRight(ByteView text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <bool left, bool right>
Status Trim(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  ProduceText(count, out, [&](size_t i, std::string* text) {
    ByteView part = BytesAt(*args[0], i);
    if (left) part = TrimLeft(part);
    if (right) part = TrimRight(part);
    *text = part;
    return true;
  });
  return Status::Ok();
}

// Nothing in *out: NULL.
Status PadLeft(ByteView text, int64_t length, ByteView fill, std::string* out) {
  if (length <= 0 || fill.empty()) return Status::Ok();
  const auto wanted = static_cast<size_t>(length);
  const size_t size = Utf8Length(text);
  if (size >= wanted) {
    *out = text.substr(0, Utf8Advance(text, wanted));
    return Status::Ok();
  }
  size_t missing = wanted - size;
  const size_t fill_size = Utf8Length(fill);
  RETURN_IF_ERROR(CheckMadeSize("LPAD", text.size() + missing / fill_size * fill.size()));
  for (; missing >= fill_size; missing -= fill_size) out->append(fill);
  out->append(fill.substr(0, Utf8Advance(fill, missing)));
  out->append(text);
  return Status::Ok();
}

Status Lpad(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  Status status;
  ProduceText(count, out, [&](size_t i, std::string* text) {
    if (!status.ok()) return false;
    status = PadLeft(BytesAt(*args[0], i), IntAt(*args[1], i), BytesAt(*args[2], i), text);
    return status.ok();
  });
  return status;
}

Status Reverse(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  ProduceText(count, out, [&](size_t i, std::string* text) {
    ByteView rest = BytesAt(*args[0], i);
    text->resize(rest.size());
    for (char* end = text->data() + rest.size(); !rest.empty();) {
      const size_t length = std::min(Utf8SequenceLength(rest[0]), rest.size());
      end -= length;
      std::copy_n(rest.data(), length, end);
      rest.remove_prefix(length);
    }
    return true;
  });
  return Status::Ok();
}

// CHAR stays CHAR.
Status BindCharOrVarchar(BoundExpr* expr) {
  const DataType& type = expr->children[0]->type;
  if (type.id == kChar) expr->type = type;
  return Status::Ok();
}

// A length that is not given is not shown.
FunctionText SubstrText(const BoundExpr& expr) {
  size_t count = expr.children.size();
  while (count > 1 && expr.children[count - 1]->is_null_constant()) --count;
  return {expr.function->name, count};
}

// The second value is brought to the type of the first when it is made.
Status Coalesce(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    const Vector& chosen = args[0]->IsNull(i) ? *args[1] : *args[0];
    if (chosen.IsNull(i)) {
      out->SetNull(i);
    } else {
      out->CopyRow(i, chosen, chosen.IndexOf(i));
    }
  }
  return Status::Ok();
}

}  // namespace

Status BindCoalesce(BoundExpr* expr);

std::vector<FunctionDef> StringFunctions() {
  const ArgumentSpec text{{kVarchar}};
  const ArgumentSpec locale{{kVarchar}, true, true, {}};
  return {
      {"LENGTH", {text}, kInteger, Length},
      {"UPPER", {text, locale}, kVarchar, Upper, BindCharOrVarchar},
      {"LOWER", {text, locale}, kVarchar, Lower, BindCharOrVarchar},
      {.name = "SUBSTR",
       .arguments = {text, {{kBigint}}, {{kBigint}, true}},
       .result = kVarchar,
       .evaluate = Substr,
       .bind = BindCharOrVarchar,
       .text = SubstrText},
      {"INSTR", {text, text}, kInteger, Instr},
      {"TRIM", {text}, kVarchar, Trim<true, true>},
      {"LTRIM", {text}, kVarchar, Trim<true, false>},
      {"RTRIM", {text}, kVarchar, Trim<false, true>},
      {.name = "LPAD",
       .arguments = {text, {{kInteger}}, {{kVarchar}, true, false, Value::Varchar(" ")}},
       .result = kVarchar,
       .evaluate = Lpad,
       .can_fail = true},
      {"REVERSE", {text}, kVarchar, Reverse},
      {.name = "COALESCE",
       .arguments = {{}, {}},
       .result = kNull,
       .evaluate = Coalesce,
       .bind = BindCoalesce,
       .null_in_null_out = false,
       .second_where_null = true},
  };
}

}  // namespace bennu::sql
