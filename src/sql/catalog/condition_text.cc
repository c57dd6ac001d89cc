// The text of a view's condition, blank for blank as Phoenix writes its trees.
#include <string_view>

#include "src/base/status_macros.h"
#include "src/sql/catalog/view.h"
#include "src/sql/parse/literal.h"
#include "src/sql/types/text.h"

namespace bennu::sql::catalog {
namespace {

using parse::Expr;
using parse::ExprKind;
using parse::LiteralKind;

class ConditionWriter {
 public:
  explicit ConditionWriter(const TableMeta& table) : table_(table) {}

  Status Write(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral: return WriteLiteral(expr);
      case ExprKind::kColumn: return WriteColumn(expr);
      case ExprKind::kAnd: return WriteChain(expr, " AND ");
      case ExprKind::kOr: return WriteChain(expr, " OR ");
      case ExprKind::kAdd: return WriteChain(expr, " + ");
      case ExprKind::kSubtract: return WriteChain(expr, " - ");
      case ExprKind::kMultiply: return WriteChain(expr, " * ");
      case ExprKind::kDivide: return WriteChain(expr, " / ");
      case ExprKind::kModulo: return WriteChain(expr, " % ");
      case ExprKind::kConcat: return WriteChain(expr, " || ");
      case ExprKind::kNegate: return WriteNegate(*expr.children[0]);
      case ExprKind::kComparison: return WriteComparison(expr);
      case ExprKind::kNot: text_ += " NOT "; return Write(*expr.children[0]);
      case ExprKind::kIsNull:
        RETURN_IF_ERROR(Write(*expr.children[0]));
        text_ += expr.negated ? " IS NOT NULL " : " IS NULL ";
        return Status::Ok();
      case ExprKind::kLike:
        RETURN_IF_ERROR(Write(*expr.children[0]));
        text_ += expr.negated ? " NOT " : " ";
        text_ += expr.case_insensitive ? "ILIKE " : "LIKE ";
        return Write(*expr.children[1]);
      case ExprKind::kInList:
        RETURN_IF_ERROR(Write(*expr.children[0]));
        text_ += expr.negated ? " NOT IN(" : " IN(";
        return WriteList(expr.children, 1, ')');
      case ExprKind::kFunction: return WriteFunction(expr);
      case ExprKind::kRowValue: text_ += " ("; return WriteList(expr.children, 0, ')');
      case ExprKind::kArray: text_ += " ARRAY["; return WriteList(expr.children, 0, ']');
      case ExprKind::kArrayElement:
        RETURN_IF_ERROR(Write(*expr.children[0]));
        text_ += '[';
        RETURN_IF_ERROR(Write(*expr.children[1]));
        text_ += ']';
        return Status::Ok();
      case ExprKind::kCase: return WriteCase(expr);
      case ExprKind::kCast: return WriteCast(expr);
      default: text_ += parse::ToText(expr); return Status::Ok();
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  void WriteName(const std::string& name, bool quoted) {
    text_ += quoted ? "\"" + name + "\"" : name;
  }

  // A family prints unless it is the default one, whatever the statement said.
  Status WriteColumn(const Expr& expr) {
    ASSIGN_OR_RETURN(const uint32_t index, ResolveColumn(expr, table_));
    const ColumnMeta& column = table_.columns[index];
    if (!column.is_key() && column.family != table_.default_family) {
      WriteName(column.family, expr.table.quoted);
      text_ += '.';
    }
    WriteName(expr.column.text, expr.column.quoted);
    return Status::Ok();
  }

  Status WriteLiteral(const Expr& expr) {
    if (expr.literal == LiteralKind::kNull) {
      text_ += " null ";
      return Status::Ok();
    }
    if (expr.literal != LiteralKind::kTyped) {
      text_ += parse::ToText(expr);
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(const Value value, parse::LiteralValue(expr));
    const bool timestamp = PhysicalTypeOf(value.type().id) == PhysicalType::kTimestamp;
    const int64_t millis = timestamp ? value.timestamp().millis : value.int64();
    text_ += std::string(TypeName(value.type().id)) + " '" + FormatDefaultDate(millis) + "'";
    return Status::Ok();
  }

  Status WriteChain(const Expr& expr, std::string_view between) {
    text_ += '(';
    for (size_t i = 0; i < expr.children.size(); ++i) {
      if (i > 0) text_ += between;
      RETURN_IF_ERROR(Write(*expr.children[i]));
    }
    text_ += ')';
    return Status::Ok();
  }

  // Phoenix knows no sign: -x is x times -1, only -1 is a constant.
  Status WriteNegate(const Expr& value) {
    if (value.kind == ExprKind::kLiteral && value.literal == LiteralKind::kInteger &&
        value.text == "1") {
      text_ += "-1";
      return Status::Ok();
    }
    text_ += '(';
    RETURN_IF_ERROR(Write(value));
    text_ += " * -1)";
    return Status::Ok();
  }

  Status WriteComparison(const Expr& expr) {
    static constexpr std::string_view kOperators[] = {" = ", " != ", " < ", " <= ", " > ", " >= "};
    if (expr.quantifier != parse::Quantifier::kNone) {
      text_ += parse::ToText(expr);
      return Status::Ok();
    }
    RETURN_IF_ERROR(Write(*expr.children[0]));
    text_ += kOperators[static_cast<size_t>(expr.compare)];
    return Write(*expr.children[1]);
  }

  Status WriteList(const parse::ExprList& list, size_t begin, char end) {
    for (size_t i = begin; i < list.size(); ++i) {
      if (i > begin) text_ += ',';
      RETURN_IF_ERROR(Write(*list[i]));
    }
    text_ += end;
    return Status::Ok();
  }

  Status WriteFunction(const Expr& expr) {
    text_ += ' ';
    if (expr.distinct || expr.within_group) {
      text_ += parse::ToText(expr);
      return Status::Ok();
    }
    text_ += expr.function_name + '(';
    if (expr.star_argument) text_ += '1';
    return WriteList(expr.children, 0, ')');
  }

  Status WriteCase(const Expr& expr) {
    if (expr.has_operand) {
      text_ += parse::ToText(expr);
      return Status::Ok();
    }
    text_ += "CASE ";
    const size_t branches_end = expr.children.size() - (expr.has_else ? 1 : 0);
    for (size_t i = 0; i + 1 < branches_end; i += 2) {
      text_ += "WHEN ";
      RETURN_IF_ERROR(Write(*expr.children[i]));
      text_ += " THEN ";
      RETURN_IF_ERROR(Write(*expr.children[i + 1]));
    }
    if (expr.has_else) {
      text_ += " ELSE ";
      RETURN_IF_ERROR(Write(*expr.children.back()));
    }
    text_ += " END ";
    return Status::Ok();
  }

  Status WriteCast(const Expr& expr) {
    text_ += " CAST(";
    RETURN_IF_ERROR(Write(*expr.children[0]));
    text_ += " AS " + expr.cast_type.name;
    if (expr.cast_type.length >= 0) {
      text_ += '(' + std::to_string(expr.cast_type.length);
      if (expr.cast_type.scale >= 0) text_ += ',' + std::to_string(expr.cast_type.scale);
      text_ += ')';
    }
    if (expr.cast_type.is_array) text_ += " ARRAY";
    text_ += ')';
    return Status::Ok();
  }

  const TableMeta& table_;
  std::string text_;
};

}  // namespace

Result<std::string> ConditionText(const parse::Expr& condition, const TableMeta& table) {
  ConditionWriter writer(table);
  RETURN_IF_ERROR(writer.Write(condition));
  return writer.Take();
}

std::string MakeViewStatement(const parse::QualifiedName& parent, const std::string& condition) {
  const std::string& schema = parent.qualifier.text;
  return "SELECT * FROM " + (schema.empty() ? "" : "\"" + schema + "\".") + "\"" +
         parent.name.text + "\" WHERE " + condition;
}

}  // namespace bennu::sql::catalog
