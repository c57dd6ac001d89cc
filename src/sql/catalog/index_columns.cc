#include "src/sql/catalog/index_columns.h"

#include <algorithm>
#include <string>
#include <vector>

#include "src/sql/parse/parser.h"

namespace bennu::sql::catalog {
namespace {

// Does the text, an expression of the catalog's, name the column?
bool NamesColumn(const std::string& text, const TableMeta& table, const ColumnMeta& column) {
  const auto tree = parse::ParseExpression(text);
  if (!tree.ok()) return false;
  std::vector<const parse::Expr*> open = {tree->get()};
  while (!open.empty()) {
    const parse::Expr& expr = *open.back();
    open.pop_back();
    if (expr.kind == parse::ExprKind::kColumn && expr.column.text == column.name &&
        (expr.table.empty() ? column.family == table.default_family || column.is_key()
                            : expr.table.text == column.family)) {
      return true;
    }
    for (const parse::ExprPtr& child : expr.children) open.push_back(child.get());
  }
  return false;
}

}  // namespace

bool IsIndexMadeOf(const TableMeta& index, const TableMeta& table, const ColumnMeta& column) {
  if (!index.index_where.empty() && NamesColumn(index.index_where, table, column)) return true;
  return std::any_of(index.columns.begin(), index.columns.end(), [&](const auto& part) {
    return part.is_key() && NamesColumn(part.index_expression, table, column);
  });
}

}  // namespace bennu::sql::catalog
