// The expression half of the syntax tree: what the text says, before any name or type is known.
//
// Made by the parser, read by the binder. Every node keeps its place in the text, so that a later
// error can point at it. Trees own their children; their depth is bounded by the parser
// (kNestingDepthMax), so walking them by recursion is safe. Values without threads of their own.
// Source: phoenix-sql.md section 2; Phoenix 5.3 PhoenixSQL.g.
#ifndef BENNU_SRC_SQL_PARSE_EXPRESSION_H_
#define BENNU_SRC_SQL_PARSE_EXPRESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bennu::sql::parse {

struct Select;

// An identifier. 'text' is upper-cased unless it was quoted; empty means absent.
struct Name {
  std::string text;
  bool quoted = false;
  int32_t position = -1;  // byte offset into the statement, of the quote when quoted

  bool empty() const { return text.empty(); }
};

// [schema.]name for tables, indexes, sequences; [family.]name for columns in DDL.
struct QualifiedName {
  Name qualifier;  // empty when not given
  Name name;

  int32_t position() const { return qualifier.empty() ? name.position : qualifier.position; }
  // SCHEMA.NAME or NAME, without quotes, as Phoenix shows it in messages.
  std::string ToString() const;
};

// A type as written: DECIMAL(10,2), VARCHAR(5) ARRAY[3]. Whether such a type exists is not known
// here, because Phoenix takes any identifier and refuses it later (error 201).
struct TypeSpec {
  std::string name;     // upper-cased
  int32_t length = -1;  // first number in parentheses, -1 when absent
  int32_t scale = -1;   // second number, -1 when absent
  bool is_array = false;
  int32_t array_size = -1;  // number in brackets, -1 when absent
  int32_t position = -1;
};

enum class ExprKind : uint8_t {
  kLiteral,
  kBind,
  kColumn,
  kStar,  // '*', T.* or S.T.* in a select list
  kFunction,
  kCase,
  kCast,
  kInList,
  kInSubquery,
  kExists,
  kBetween,
  kLike,
  kIsNull,
  kComparison,
  kAnd,  // two or more children
  kOr,   // two or more children
  kNot,
  kAdd,       // two or more children, left to right
  kSubtract,  // two or more children, left to right
  kConcat,    // two or more children
  kMultiply,  // two children
  kDivide,    // two children
  kModulo,    // two children
  kNegate,
  kArray,         // ARRAY[a, b]
  kArrayElement,  // children: array, index
  kRowValue,      // (a, b)
  kSubquery,      // a select where a value is expected
  kSequence,
};

enum class LiteralKind : uint8_t {
  kNull,
  kTrue,
  kFalse,
  kInteger,  // text: digits, of any length
  kDecimal,  // text: digits with a point
  kDouble,   // text: digits with an exponent or a trailing point
  kString,   // text: the characters, escapes resolved
  kBinary,   // text: the bytes
  kTyped,    // DATE '…' and the like: type_name and text
};

enum class CompareOp : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual
};

enum class Quantifier : uint8_t { kNone, kAny, kAll };

enum class SequenceOp : uint8_t { kNextValue, kCurrentValue, kNextValues };

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;
using ExprList = std::vector<ExprPtr>;

struct OrderItem {
  ExprPtr expr;
  bool descending = false;
  bool nulls_last = false;  // Phoenix puts nulls first in both directions unless told otherwise
  int32_t position = -1;

  OrderItem Clone() const;
};

// A function that no statement can name: the row key as it is stored.
inline constexpr std::string_view kStoredRowKey = "stored row key";

// One node. The members below the line are meaningful for the kinds that their comment names and
// keep their start values otherwise.
struct Expr {
  Expr(ExprKind kind_in, int32_t position_in);
  ~Expr();
  // A tree of its own that is equal in everything, places included.
  ExprPtr Clone() const;

  ExprKind kind;
  int32_t position;  // byte offset of the first character, or of the operator for kComparison …
  int32_t end = -1;  // byte offset behind the last character
  // Of the tree once it is bound, where a sum of n operands is n - 1 deep.
  int32_t height = 1;
  // Operands. kCase: [operand,] when, then, when, then …, [else]. kBetween: value, low, high.
  // kInList: value, then the elements. kLike: value, pattern. kInSubquery, kComparison with a
  // subquery: the select is in a kSubquery child or in 'subquery'.
  ExprList children;

  // ---- kLiteral
  LiteralKind literal = LiteralKind::kNull;
  std::string text;       // see LiteralKind
  std::string type_name;  // kTyped only, upper-cased

  // ---- kBind
  int32_t bind_index = 0;  // 1-based; '?' are numbered from left to right

  // ---- kColumn, kStar: schema.table.column; family.column reads as table.column
  Name schema;
  Name table;
  Name column;

  // ---- kFunction
  std::string function_name;   // upper-cased
  bool distinct = false;       // COUNT(DISTINCT …)
  bool star_argument = false;  // COUNT(*): no children
  bool within_group = false;
  ExprList within_group_order;
  bool within_group_ascending = true;

  // ---- kCase
  bool has_operand = false;  // CASE x WHEN …
  bool has_else = false;

  // ---- kCast
  TypeSpec cast_type;

  // ---- kInList, kInSubquery, kBetween, kLike, kIsNull
  bool negated = false;
  bool case_insensitive = false;  // kLike: ILIKE

  // ---- kComparison
  CompareOp compare = CompareOp::kEqual;
  Quantifier quantifier = Quantifier::kNone;

  // ---- kSubquery, kInSubquery, kExists
  std::unique_ptr<Select> subquery;

  // ---- kSequence; kNextValues has the count as its child (a literal or a bind)
  SequenceOp sequence_op = SequenceOp::kNextValue;
  QualifiedName sequence;
};

// (a, b): a row of several values.
inline bool IsRow(const Expr& expr) {
  return expr.kind == ExprKind::kRowValue && expr.children.size() > 1;
}

// Shared by the test of equality of GROUP BY and SELECT items: same tree, positions ignored.
bool SameExpr(const Expr& a, const Expr& b);

// The text of an expression as Phoenix prints parse trees: names upper-cased or quoted as needed,
// '…' strings, (a + b), COUNT(1). Reads back to an equal tree. What a column label says where no
// bound expression is at hand (a bound one also shows defaulted arguments and added casts).
std::string ToText(const Expr& expr);

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_EXPRESSION_H_
