#include "tests/sql/generator/expressions.h"

#include <fmt/format.h>

namespace bennu::sql::testing {
namespace {

const std::vector<std::string>& Operators() {
  static const auto* const operators =
      new std::vector<std::string>{"=", "<", "<=", ">", ">=", "<>", "="};
  return *operators;
}

}  // namespace

const Column& ExpressionMaker::PickColumn() { return choices_->Pick(table_->columns); }

const Column& ExpressionMaker::PickKeyColumn() {
  return table_->columns[choices_->Below(table_->key_count)];
}

std::string ExpressionMaker::AnyColumn() { return Name(PickColumn()); }

std::string ExpressionMaker::GroupColumn() {
  const Column& column = choices_->Percent(30) ? table_->columns[0] : PickColumn();
  return Name(column.kind == Kind::kVarbinaryEncoded ? table_->columns.back() : column);
}

std::string ExpressionMaker::WholeColumn() {
  std::vector<std::string> names;
  for (const Column& column : table_->columns) {
    if (IsWhole(column.kind)) names.push_back(Name(column));
  }
  return choices_->Pick(names);
}

std::string ExpressionMaker::SignedColumn() {
  std::vector<std::string> names;
  for (const Column& column : table_->columns) {
    if (IsSigned(column.kind) && !column.descending) names.push_back(Name(column));
  }
  return choices_->Pick(names);
}

std::string ExpressionMaker::Predicate(int depth) {
  if (depth > 0 && choices_->Percent(60)) return Junction(depth, /*keys=*/false);
  if (options_.rows && choices_->Percent(10)) return RowComparison();
  return Simple(choices_->Percent(50) ? PickKeyColumn() : PickColumn(), depth);
}

std::string ExpressionMaker::KeyPredicate(int depth) {
  if (depth > 0 && choices_->Percent(70)) return Junction(depth, /*keys=*/true);
  if (options_.rows && choices_->Percent(20)) return RowComparison();
  return Simple(PickKeyColumn(), 0);
}

std::string ExpressionMaker::Junction(int depth, bool keys) {
  const auto part = [&] { return keys ? KeyPredicate(depth - 1) : Predicate(depth - 1); };
  const uint64_t way = choices_->Below(10);
  if (way == 0) return "NOT (" + part() + ")";
  std::string text = "(" + part();
  for (size_t i = 0, count = 1 + choices_->Below(3); i < count; ++i) {
    text += (way < 6 ? " AND " : " OR ") + part();
  }
  return text + ")";
}

std::string ExpressionMaker::Simple(const Column& column, int depth) {
  const std::string name = Name(column);
  if (column.kind == Kind::kBoolean && choices_->Percent(30)) {
    return column.bare ? name : name + " = TRUE";
  }
  switch (choices_->Below(10)) {
    case 0: return name + (choices_->Percent(50) ? " IS NULL" : " IS NOT NULL");
    case 1:
      return fmt::format("{} {}BETWEEN {} AND {}", name, choices_->Percent(20) ? "NOT " : "",
                         Literal(column.kind, choices_, false),
                         Literal(column.kind, choices_, false));
    case 2:
    case 3: {
      std::string list = Literal(column.kind, choices_, false);
      for (size_t i = 0, count = choices_->Below(4); i < count; ++i) {
        list += ", " + Literal(column.kind, choices_, false);
      }
      return fmt::format("{} {}IN ({})", name, choices_->Percent(25) ? "NOT " : "", list);
    }
    case 4:
      if (options_.like && IsText(column.kind)) {
        static const auto* const patterns =
            new std::vector<std::string>{"a%", "%b", "_b%", "ab", "%", "b_", "a\\\\%"};
        return fmt::format("{} {}LIKE '{}'", name, choices_->Percent(25) ? "NOT " : "",
                           choices_->Pick(*patterns));
      }
      [[fallthrough]];
    case 5:
      if (depth > 0) {
        return Scalar(column.kind, depth) + " " + choices_->Pick(Operators()) + " " +
               Scalar(column.kind, depth);
      }
      [[fallthrough]];
    case 6:
      return Literal(column.kind, choices_, false) + " " + choices_->Pick(Operators()) + " " + name;
    default:
      return name + " " + choices_->Pick(Operators()) + " " + Literal(column.kind, choices_, false);
  }
}

// Over key columns that follow each other, as for paging through a table, or over any ones. They
// have a value in every row: a row value with a NULL inside is another matter.
std::string ExpressionMaker::RowComparison() {
  std::vector<const Column*> columns;
  const size_t first = choices_->Percent(70) ? 0 : choices_->Below(table_->key_count);
  for (size_t i = first; i < table_->key_count; ++i) {
    if (table_->columns[i].nullable) break;
    columns.push_back(&table_->columns[i]);
    if (columns.size() > 1 && choices_->Percent(30)) break;
  }
  if (columns.size() < 2) return Simple(PickKeyColumn(), 0);
  std::string left = "(";
  for (const Column* column : columns) left += (left.size() > 1 ? ", " : "") + Name(*column);
  left += ")";
  const auto row = [&] {
    std::string text = "(";
    for (const Column* column : columns) {
      text += (text.size() > 1 ? ", " : "") + Literal(column->kind, choices_, false);
    }
    return text + ")";
  };
  if (choices_->Percent(30)) {
    std::string list = row();
    for (size_t i = 0, count = choices_->Below(3); i < count; ++i) list += ", " + row();
    return left + " IN (" + list + ")";
  }
  return left + " " + choices_->Pick(Operators()) + " " + row();
}

// Of signed columns alone: what an expression makes of an unsigned one is not compared with them.
std::string ExpressionMaker::WholeScalar(int depth) {
  const std::string column = SignedColumn();
  if (depth == 0) return column;
  switch (choices_->Below(6)) {
    case 0: return fmt::format("{} + {}", column, choices_->Between(1, 3));
    case 1: return fmt::format("{} * {}", column, choices_->Between(2, 3));
    case 2: return fmt::format("COALESCE({}, {})", column, choices_->Between(0, 3));
    case 3:
      return fmt::format("CASE WHEN {} THEN {} ELSE {} END", Predicate(0), column,
                         choices_->Between(0, 3));
    case 4: return fmt::format("({} - {})", column, SignedColumn());
    default: return column;
  }
}

std::string ExpressionMaker::TextScalar(int depth) {
  std::vector<std::string> names;
  for (const Column& column : table_->columns) {
    if (column.kind == Kind::kVarchar && !column.descending) names.push_back(Name(column));
  }
  if (names.empty()) return Literal(Kind::kVarchar, choices_, false);
  const std::string column = choices_->Pick(names);
  if (depth == 0) return column;
  switch (choices_->Below(6)) {
    case 0: return "UPPER(" + column + ")";
    case 1: return fmt::format("SUBSTR({}, 1, {})", column, choices_->Between(1, 2));
    case 2: return column + " || 'x'";
    case 3: return fmt::format("COALESCE({}, 'a')", column);
    case 4: return fmt::format("CASE WHEN {} THEN {} ELSE 'a' END", Predicate(0), column);
    default: return column;
  }
}

std::string ExpressionMaker::Scalar(Kind kind, int depth) {
  if (IsWhole(kind)) return WholeScalar(depth);
  if (kind == Kind::kVarchar) return TextScalar(depth);
  std::vector<std::string> names;
  for (const Column& column : table_->columns) {
    if (column.kind == kind) names.push_back(Name(column));
  }
  if (names.empty() || choices_->Percent(20)) return Literal(kind, choices_, false);
  return choices_->Pick(names);
}

}  // namespace bennu::sql::testing
