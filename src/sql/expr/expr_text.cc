// How Phoenix prints bound expressions (Expression.toString).
#include <algorithm>

#include "src/sql/expr/expr.h"
#include "src/sql/expr/function_def.h"
#include "src/sql/expr/kernels.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/types/array.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/text.h"

namespace bennu::sql {

const char* ComparisonSign(ComparisonOp op) {
  static constexpr const char* kSigns[] = {" = ", " != ", " < ", " <= ", " > ", " >= "};
  return kSigns[static_cast<size_t>(op)];
}

namespace {

constexpr const char* kArithmetics[] = {" + ", " - ", " * ", " / ", " % "};

std::string QuoteText(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + '\'';
}

class Writer {
 public:
  std::string Take() { return std::move(out_); }

  void Write(const BoundExpr& e) {
    switch (e.kind) {
      case BoundKind::kSlot: out_ += e.name; return;
      case BoundKind::kConstant: out_ += e.name.empty() ? LiteralText(e.constant) : e.name; return;
      case BoundKind::kParameter: out_ += '?'; return;
      case BoundKind::kFunction: return WriteFunction(e);
      case BoundKind::kArithmetic:
        out_ += '(';
        WriteArithmetic(e);
        out_ += ')';
        return;
      case BoundKind::kCompare: return WriteCompare(e);
      case BoundKind::kRowCompare: return WriteRowCompare(e);
      case BoundKind::kAnd: return WriteChain(e, " AND ");
      case BoundKind::kOr: return WriteChain(e, " OR ");
      case BoundKind::kConcat: return WriteChain(e, " || ");
      case BoundKind::kNot:
        out_ += "NOT (";
        Write(*e.children[0]);
        out_ += ')';
        return;
      case BoundKind::kIsNull:
        Write(*e.children[0]);
        out_ += e.negated ? " IS NOT NULL" : " IS NULL";
        return;
      case BoundKind::kCase:
        if (e.name.empty()) return WriteCase(e);
        out_ += e.name;
        return;
      case BoundKind::kCast:
        if (e.hidden_cast || IsWidenedMoment(e)) return Write(*e.children[0]);
        out_ += "TO_" + std::string(TypeName(e.type.id)) + '(';
        Write(*e.children[0]);
        out_ += ')';
        return;
      case BoundKind::kIn: return WriteIn(e);
      case BoundKind::kLike: return WriteLike(e);
      case BoundKind::kArray:
        out_ += "ARRAY[";
        WriteList(e, 0, e.children.size(), ",");
        out_ += ']';
        return;
      case BoundKind::kQuantified: return WriteQuantified(e);
    }
  }

 private:
  void WriteFunction(const BoundExpr& e) {
    const FunctionText shown = e.function->text == nullptr
                                   ? FunctionText{e.function->name, e.children.size()}
                                   : e.function->text(e);
    out_ += std::string(shown.name) + '(';
    if (shown.shows_result_type) out_ += "TO_" + std::string(TypeName(e.type.id)) + '(';
    WriteList(e, 0, shown.argument_count, ", ");
    if (shown.shows_result_type) out_ += ')';
    out_ += ')';
  }

  void WriteCompare(const BoundExpr& e) {
    const ComparisonOp op = e.negated ? NegateComparison(e.compare) : e.compare;
    if (e.negated) out_ += "NOT (";
    Write(*e.children[0]);
    out_ += ComparisonSign(op);
    Write(*e.children[1]);
    if (e.negated) out_ += ')';
  }

  // Without a wildcard it is an equality, and of % a comparison with the least text. ILIKE has no
  // name of its own.
  void WriteLike(const BoundExpr& e) {
    const BoundExpr& pattern = *e.children[1];
    if (pattern.is_constant() && LikeAnyText(pattern.constant.bytes())) {
      Write(*e.children[0]);
      out_ += e.negated ? " < '\x01'" : " >= '\x01'";
      return;
    }
    if (pattern.is_constant() && !e.case_insensitive) {
      if (const auto text = TextOfPattern(pattern.constant.bytes()); text.has_value()) {
        Write(*e.children[0]);
        out_ += (e.negated ? " != " : " = ") + QuoteText(*text);
        return;
      }
    }
    if (e.negated) out_ += "NOT (";
    Write(*e.children[0]);
    out_ += " LIKE ";
    Write(pattern);
    if (e.negated) out_ += ')';
  }

  // The names of the classes are what a user of Phoenix sees.
  void WriteQuantified(const BoundExpr& e) {
    constexpr std::string_view kPackage = "org.apache.phoenix.expression.function.";
    out_ += kPackage;
    out_ += e.negated ? "ArrayAllComparisonExpression" : "ArrayAnyComparisonExpression";
    out_ += " [children=[";
    Write(*e.children[0]);
    out_ += ", ";
    Write(*e.children[1]);
    out_ += ComparisonSign(e.compare);
    out_ += kPackage;
    out_ += "ArrayElemRefExpression [children=[";
    Write(*e.children[0]);
    out_ += ", 1]]]]";
  }

  // A DATE beside a TIMESTAMP, which is compared as one.
  static bool IsWidenedMoment(const BoundExpr& e) {
    return e.implicit_cast && IsTimestamp(e.type.id) && IsDateTime(e.children[0]->type.id);
  }

  void WriteList(const BoundExpr& e, size_t begin, size_t end, const char* separator) {
    for (size_t i = begin; i < end; ++i) {
      if (i > begin) out_ += separator;
      Write(*e.children[i]);
    }
  }

  void WriteChain(const BoundExpr& e, const char* separator) {
    if (!e.name.empty()) {
      out_ += e.name;
      return;
    }
    out_ += '(';
    WriteList(e, 0, e.children.size(), separator);
    out_ += ')';
  }

  // a + b + c is one expression to Phoenix.
  void WriteArithmetic(const BoundExpr& e) {
    const bool converted = e.children[0]->hidden_cast;
    const BoundExpr& left = converted ? *e.children[0]->children[0] : *e.children[0];
    const bool chain =
        e.arithmetic == ArithmeticOp::kAdd || e.arithmetic == ArithmeticOp::kSubtract;
    if (chain && left.kind == BoundKind::kArithmetic && left.arithmetic == e.arithmetic) {
      WriteArithmetic(left);
    } else {
      Write(left);
    }
    out_ += kArithmetics[static_cast<size_t>(e.arithmetic)];
    Write(*e.children[1]);
  }

  // Phoenix compares rows by their ascending bytes: what is descending is turned round, constants
  // too, which have the order of their column.
  void WriteRowCompare(const BoundExpr& e) {
    const size_t width = (e.children.size() - 1) / 2;
    for (size_t side = 0; side < 2; ++side) {
      out_ += side == 0 ? "(" : ComparisonSign(e.compare) + std::string("(");
      for (size_t i = 0; i < width; ++i) {
        const BoundExpr& column = *e.children[i];
        const size_t turns = column.descending ? 1 + side : 0;
        if (i > 0) out_ += ", ";
        for (size_t turn = 0; turn < turns; ++turn) {
          out_ += "TO_" + std::string(TypeName(column.type.id)) + '(';
        }
        Write(*e.children[side * width + i]);
        out_.append(turns, ')');
      }
      out_ += ')';
    }
  }

  void WriteCase(const BoundExpr& e) {
    out_ += "CASE ";
    for (size_t i = 0; i + 1 < e.children.size(); i += 2) {
      out_ += "WHEN ";
      Write(*e.children[i]);
      out_ += " THEN ";
      Write(*e.children[i + 1]);
    }
    if (!e.children.back()->is_null_constant()) {
      out_ += " ELSE ";
      Write(*e.children.back());
    }
    out_ += " END";
  }

  void WriteIn(const BoundExpr& e) {
    if (e.negated) out_ += "NOT (";
    Write(*e.children[0]);
    out_ += " IN (";
    const std::vector<Value> list = InOrder(e);
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ',';
      out_ += UntypedLiteralText(list[i]);
    }
    out_ += e.negated ? "))" : ")";
  }

  // The members of IN, each once, in the order of the column; as they are when they have none.
  static std::vector<Value> InOrder(const BoundExpr& e) {
    std::vector<Value> list = e.list;
    const auto comparable = [&](const Value& value) {
      return !value.is_null() && CompareValues(list.front(), value).ok();
    };
    if (!std::all_of(list.begin(), list.end(), comparable)) return list;
    std::stable_sort(list.begin(), list.end(), [&](const Value& a, const Value& b) {
      const int order = *CompareValues(a, b);
      return e.children[0]->descending ? order > 0 : order < 0;
    });
    list.erase(
        std::unique(list.begin(), list.end(),
                    [](const Value& a, const Value& b) { return *CompareValues(a, b) == 0; }),
        list.end());
    return list;
  }

  std::string out_;
};

}  // namespace

namespace {

std::string ArrayText(const Value& array) {
  const Result<std::vector<Value>> elements = ArrayElements(array.bytes(), array.type());
  std::string text = "ARRAY[";
  for (size_t i = 0; elements.ok() && i < elements->size(); ++i) {
    const Value& element = (*elements)[i];
    if (i > 0) text += ',';
    text += element.is_null() ? "null" : LiteralText(element);
  }
  return text + ']';
}

}  // namespace

std::string LiteralText(const Value& value) {
  if (value.is_null()) return "";
  const TypeId id = value.type().id;
  if (IsDateTime(id)) {
    const int64_t millis = IsTimestamp(id) ? value.timestamp().millis : value.int64();
    return std::string(TypeName(id)) + " '" + FormatDefaultDate(millis) + '\'';
  }
  switch (PhysicalTypeOf(id)) {
    case PhysicalType::kBool: return value.boolean() ? "true" : "false";
    case PhysicalType::kInt64: return std::to_string(value.int64());
    case PhysicalType::kDouble: return DoubleToText(value.real());
    case PhysicalType::kDecimal: return value.decimal().StripTrailingZeros().ToString();
    default: break;
  }
  if (IsArray(id)) return ArrayText(value);
  if (!IsBinary(id)) return QuoteText(value.bytes());
  std::string hex = "X'";
  AppendHex(value.bytes(), &hex);
  return hex + '\'';
}

std::string UntypedLiteralText(const Value& value) {
  std::string text = LiteralText(value);
  if (value.is_null() || !IsDateTime(value.type().id)) return text;
  return text.substr(text.find('\''));
}

std::string ToText(const BoundExpr& expr) {
  Writer writer;
  writer.Write(expr);
  return writer.Take();
}

}  // namespace bennu::sql
