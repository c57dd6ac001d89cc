// Expressions as text, and whether two are the same.
#include <algorithm>

#include "src/sql/parse/ast.h"
#include "src/sql/parse/literal.h"
#include "src/sql/parse/sql_text.h"
#include "src/sql/parse/token.h"
#include "src/sql/types/text.h"

namespace bennu::sql::parse {
namespace {

bool IsPlainName(std::string_view text) {
  if (text.empty() || text[0] < 'A' || text[0] > 'Z') return false;
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain && FindKeyword(text) == Keyword::kNone;
}

class Writer {
 public:
  // 'as_sql': see ToSqlText.
  explicit Writer(bool as_sql) : as_sql_(as_sql) {}

  std::string Take() { return std::move(out_); }

  void Write(const Expr& e) {
    switch (e.kind) {
      case ExprKind::kLiteral: return WriteLiteral(e);
      case ExprKind::kBind: out_ += ':' + std::to_string(e.bind_index); return;
      case ExprKind::kColumn: return WritePath(e.schema, e.table, e.column);
      case ExprKind::kStar: return WriteStar(e);
      case ExprKind::kFunction: return WriteFunction(e);
      case ExprKind::kCase: return WriteCase(e);
      case ExprKind::kCast: return WriteCast(e);
      case ExprKind::kInList: return WriteIn(e);
      case ExprKind::kInSubquery:
        WriteValue(*e.children[0]);
        out_ += e.negated ? " NOT IN (SELECT ...)" : " IN (SELECT ...)";
        return;
      case ExprKind::kExists: out_ += "EXISTS (SELECT ...)"; return;
      case ExprKind::kBetween: return WriteBetween(e);
      case ExprKind::kLike: return WriteLike(e);
      case ExprKind::kIsNull:
        WriteValue(*e.children[0]);
        out_ += e.negated ? " IS NOT NULL" : " IS NULL";
        return;
      case ExprKind::kComparison: return WriteComparison(e);
      case ExprKind::kAnd: return WriteChain(e, " AND ");
      case ExprKind::kOr: return WriteChain(e, " OR ");
      case ExprKind::kNot:
        out_ += "NOT (";
        Write(*e.children[0]);
        out_ += ')';
        return;
      case ExprKind::kAdd: return WriteChain(e, " + ");
      case ExprKind::kSubtract: return WriteChain(e, " - ");
      case ExprKind::kConcat: return WriteChain(e, " || ");
      case ExprKind::kMultiply: return WriteChain(e, " * ");
      case ExprKind::kDivide: return WriteChain(e, " / ");
      case ExprKind::kModulo: return WriteChain(e, " % ");
      case ExprKind::kNegate:
        out_ += '-';
        if (e.children[0]->kind == ExprKind::kArrayElement) {
          Write(*e.children[0]);
        } else {
          WriteTerm(*e.children[0]);
        }
        return;
      case ExprKind::kArray:
        out_ += as_sql_ ? " ARRAY[" : "ARRAY[";
        WriteList(e.children, 0, ",");
        out_ += ']';
        return;
      case ExprKind::kArrayElement:
        WriteTerm(*e.children[0]);
        out_ += '[';
        WriteValue(*e.children[1]);
        out_ += ']';
        return;
      case ExprKind::kRowValue:
        out_ += '(';
        WriteList(e.children, 0, ", ");
        out_ += ')';
        return;
      case ExprKind::kSubquery: out_ += "(SELECT ...)"; return;
      case ExprKind::kSequence: return WriteSequence(e);
    }
  }

 private:
  static bool IsCondition(ExprKind kind) {
    switch (kind) {
      case ExprKind::kComparison:
      case ExprKind::kInList:
      case ExprKind::kInSubquery:
      case ExprKind::kExists:
      case ExprKind::kBetween:
      case ExprKind::kLike:
      case ExprKind::kIsNull:
      case ExprKind::kNot: return true;
      default: return false;
    }
  }

  void WriteInParentheses(const Expr& e) {
    out_ += '(';
    Write(e);
    out_ += ')';
  }

  // Where the grammar wants a value: a condition needs parentheses there.
  void WriteValue(const Expr& e) {
    if (IsCondition(e.kind)) return WriteInParentheses(e);
    Write(e);
  }

  // Where the grammar wants a term: not even a sign may stand there.
  void WriteTerm(const Expr& e) {
    const bool sign = e.kind == ExprKind::kNegate || e.kind == ExprKind::kArrayElement;
    if (sign || IsCondition(e.kind)) return WriteInParentheses(e);
    Write(e);
  }

  // Functions and types may be named in quotes as columns are.
  void WriteName(std::string_view name) {
    if (IsPlainName(name)) {
      out_ += name;
    } else {
      out_ += '"';
      out_ += name;
      out_ += '"';
    }
  }

  void WritePath(const Name& schema, const Name& table, const Name& column) {
    for (const Name* part : {&schema, &table}) {
      if (part->empty()) continue;
      WriteName(part->text);
      out_ += '.';
    }
    WriteName(column.text);
  }

  void WriteStar(const Expr& e) {
    if (!e.schema.empty()) {
      WriteName(e.schema.text);
      out_ += '.';
    }
    if (!e.table.empty()) {
      WriteName(e.table.text);
      out_ += '.';
    }
    out_ += '*';
  }

  void WriteString(std::string_view text) {
    out_ += '\'';
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      // LIKE's \% and \_ read back as they are; any other backslash is doubled.
      const bool like_escape =
          c == '\\' && i + 1 < text.size() && (text[i + 1] == '%' || text[i + 1] == '_');
      if (c == '\'' || (c == '\\' && !like_escape)) out_ += c;
      out_ += c;
    }
    out_ += '\'';
  }

  std::string TextOfMoment(const Expr& e) const {
    if (!as_sql_) return e.text;
    const Result<Value> value = LiteralValue(e);
    if (!value.ok() || value->is_null()) return e.text;
    if (IsTimestamp(value->type().id)) return FormatDefaultDate(value->timestamp().millis);
    return IsDateTime(value->type().id) ? FormatDefaultDate(value->int64()) : e.text;
  }

  void WriteLiteral(const Expr& e) {
    switch (e.literal) {
      case LiteralKind::kNull: out_ += "null"; return;
      case LiteralKind::kTrue: out_ += "true"; return;
      case LiteralKind::kFalse: out_ += "false"; return;
      case LiteralKind::kInteger:
      case LiteralKind::kDecimal:
      case LiteralKind::kDouble: out_ += e.text; return;
      case LiteralKind::kString: return WriteString(e.text);
      case LiteralKind::kBinary:
        out_ += "X'";
        AppendHex(e.text, &out_);
        out_ += '\'';
        return;
      case LiteralKind::kTyped: out_ += e.type_name + ' '; return WriteString(TextOfMoment(e));
    }
  }

  void WriteList(const ExprList& list, size_t begin, const char* separator) {
    for (size_t i = begin; i < list.size(); ++i) {
      if (i > begin) out_ += separator;
      Write(*list[i]);
    }
  }

  void WriteChain(const Expr& e, const char* separator) {
    const bool condition = e.kind == ExprKind::kAnd || e.kind == ExprKind::kOr;
    out_ += '(';
    for (size_t i = 0; i < e.children.size(); ++i) {
      if (i > 0) out_ += separator;
      if (condition) {
        Write(*e.children[i]);
      } else {
        WriteValue(*e.children[i]);
      }
    }
    out_ += ')';
  }

  void WriteFunction(const Expr& e) {
    if (as_sql_) out_ += ' ';
    WriteName(e.function_name);
    out_ += '(';
    if (e.distinct) out_ += "DISTINCT ";
    if (e.star_argument) out_ += '1';  // COUNT(*) is COUNT(1) to Phoenix
    WriteList(e.children, 0, as_sql_ ? "," : ", ");
    out_ += ')';
    if (!e.within_group) return;
    out_ += " WITHIN GROUP (ORDER BY ";
    WriteList(e.within_group_order, 0, ", ");
    out_ += e.within_group_ascending ? " ASC)" : " DESC)";
  }

  void WriteCase(const Expr& e) {
    out_ += "CASE";
    size_t i = 0;
    if (e.has_operand) {
      out_ += ' ';
      Write(*e.children[i++]);
    }
    const size_t branches_end = e.children.size() - (e.has_else ? 1 : 0);
    for (; i + 1 < branches_end; i += 2) {
      out_ += " WHEN ";
      Write(*e.children[i]);
      out_ += " THEN ";
      Write(*e.children[i + 1]);
    }
    if (e.has_else) {
      out_ += " ELSE ";
      Write(*e.children.back());
    }
    out_ += " END";
  }

  void WriteCast(const Expr& e) {
    out_ += "CAST(";
    Write(*e.children[0]);
    out_ += " AS ";
    WriteName(e.cast_type.name);
    if (e.cast_type.length >= 0) {
      out_ += '(' + std::to_string(e.cast_type.length);
      if (e.cast_type.scale >= 0) out_ += ',' + std::to_string(e.cast_type.scale);
      out_ += ')';
    }
    if (e.cast_type.is_array) out_ += " ARRAY";
    out_ += ')';
  }

  void WriteIn(const Expr& e) {
    WriteValue(*e.children[0]);
    out_ += e.negated ? " NOT IN (" : " IN (";
    WriteList(e.children, 1, ",");
    out_ += ')';
  }

  void WriteBetween(const Expr& e) {
    WriteValue(*e.children[0]);
    out_ += e.negated ? " NOT BETWEEN " : " BETWEEN ";
    WriteValue(*e.children[1]);
    out_ += " AND ";
    WriteValue(*e.children[2]);
  }

  void WriteLike(const Expr& e) {
    WriteValue(*e.children[0]);
    out_ += e.negated ? " NOT " : " ";
    out_ += e.case_insensitive ? "ILIKE " : "LIKE ";
    WriteValue(*e.children[1]);
  }

  void WriteComparison(const Expr& e) {
    static constexpr const char* kOperators[] = {" = ", " != ", " < ", " <= ", " > ", " >= "};
    WriteValue(*e.children[0]);
    out_ += kOperators[static_cast<size_t>(e.compare)];
    if (e.quantifier == Quantifier::kNone) return WriteValue(*e.children[1]);
    out_ += e.quantifier == Quantifier::kAny ? "ANY(" : "ALL(";
    WriteValue(*e.children[1]);
    out_ += ')';
  }

  void WriteSequence(const Expr& e) {
    switch (e.sequence_op) {
      case SequenceOp::kNextValue: out_ += "NEXT VALUE FOR "; break;
      case SequenceOp::kCurrentValue: out_ += "CURRENT VALUE FOR "; break;
      case SequenceOp::kNextValues:
        out_ += "NEXT ";
        Write(*e.children[0]);
        out_ += " VALUES FOR ";
        break;
    }
    if (!e.sequence.qualifier.empty()) {
      WriteName(e.sequence.qualifier.text);
      out_ += '.';
    }
    WriteName(e.sequence.name.text);
  }

  const bool as_sql_;
  std::string out_;
};

bool SameList(const ExprList& a, const ExprList& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ExprPtr& x, const ExprPtr& y) { return SameExpr(*x, *y); });
}

bool SameType(const TypeSpec& a, const TypeSpec& b) {
  return a.name == b.name && a.length == b.length && a.scale == b.scale && a.is_array == b.is_array;
}

bool SameDetails(const Expr& a, const Expr& b) {
  return a.has_operand == b.has_operand && a.has_else == b.has_else && a.negated == b.negated &&
         a.case_insensitive == b.case_insensitive && a.compare == b.compare &&
         a.quantifier == b.quantifier && a.sequence_op == b.sequence_op &&
         a.distinct == b.distinct && a.star_argument == b.star_argument &&
         a.within_group == b.within_group && a.within_group_ascending == b.within_group_ascending;
}

bool SameTexts(const Expr& a, const Expr& b) {
  return a.text == b.text && a.type_name == b.type_name && a.schema.text == b.schema.text &&
         a.table.text == b.table.text && a.column.text == b.column.text &&
         a.function_name == b.function_name &&
         a.sequence.qualifier.text == b.sequence.qualifier.text &&
         a.sequence.name.text == b.sequence.name.text;
}

}  // namespace

Expr::Expr(ExprKind kind_in, int32_t position_in) : kind(kind_in), position(position_in) {}
Expr::~Expr() = default;

std::string QualifiedName::ToString() const {
  return qualifier.empty() ? name.text : qualifier.text + '.' + name.text;
}

// Sub-queries are never the same: each is its own query.
bool SameExpr(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.literal != b.literal || a.bind_index != b.bind_index) return false;
  if (a.subquery != nullptr || b.subquery != nullptr) return false;
  return SameTexts(a, b) && SameDetails(a, b) && SameType(a.cast_type, b.cast_type) &&
         SameList(a.children, b.children) && SameList(a.within_group_order, b.within_group_order);
}

std::string ToText(const Expr& expr) {
  Writer writer(false);
  writer.Write(expr);
  return writer.Take();
}

std::string ToSqlText(const Expr& expr) {
  Writer writer(true);
  writer.Write(expr);
  return writer.Take();
}

}  // namespace bennu::sql::parse
