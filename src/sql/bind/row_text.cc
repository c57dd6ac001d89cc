#include "src/sql/bind/row_text.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql::bind {
namespace {

// The bytes of one row: its values in their columns' types and orders, with separators between.
std::optional<Bytes> RowBytes(const Expr& row) {
  Bytes joined;
  for (size_t i = 0; i < row.children.size(); ++i) {
    const Expr& part = *row.children[i];
    if (part.kind != BoundKind::kCompare || part.compare != ComparisonOp::kEqual) return {};
    const Expr& column = *part.children[0];
    const Expr& value = *part.children[1];
    const bool shown = column.kind == BoundKind::kSlot && value.is_constant() &&
                       column.type.id != TypeId::kVarbinaryEncoded;
    if (!shown) return {};
    const SortOrder order = column.descending ? SortOrder::kDesc : SortOrder::kAsc;
    const Result<Value> coerced = Coerce(value.constant, column.type);
    if (!coerced.ok() || !Encode(*coerced, column.type, order, &joined).ok()) return {};
    const bool separated = !IsFixedWidth(column.type.id) && i + 1 < row.children.size();
    if (separated) joined.push_back(column.descending ? '\xff' : '\0');
  }
  return joined;
}

}  // namespace

ExprPtr WithRowInText(ExprPtr expr) {
  if (expr->kind != BoundKind::kOr) return expr;
  std::vector<std::string> columns;
  std::set<Bytes> rows;  // in the order of the key
  for (const ExprPtr& row : expr->children) {
    if (row->kind != BoundKind::kAnd) return expr;
    const std::optional<Bytes> bytes = RowBytes(*row);
    if (!bytes.has_value()) return expr;
    rows.insert(*bytes);
    if (!columns.empty()) continue;
    for (const ExprPtr& part : row->children) columns.push_back(ToText(*part->children[0]));
  }
  std::vector<std::string> texts;
  for (const Bytes& row : rows) texts.push_back(LiteralText(Value::Varbinary(row)));
  auto shown = std::make_shared<Expr>(*expr);
  shown->name = fmt::format("({}) IN ({})", fmt::join(columns, ", "), fmt::join(texts, ","));
  return shown;
}

}  // namespace bennu::sql::bind
