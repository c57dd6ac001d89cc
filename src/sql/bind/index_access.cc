#include "src/sql/bind/index_access.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/table_expressions.h"
#include "src/sql/catalog/index_builder.h"

namespace bennu::sql::bind {

Result<std::shared_ptr<const IndexAccess>> AccessOf(
    std::shared_ptr<const catalog::TableMeta> table,
    std::shared_ptr<const catalog::TableMeta> index) {
  auto access = std::make_shared<IndexAccess>();
  access->columns.assign(table->columns.size(), -1);
  TableExpressions expressions(table);
  for (size_t i = 0; i < index->columns.size(); ++i) {
    const catalog::ColumnMeta& column = index->columns[i];
    if (!column.is_key()) {
      const int32_t of_table = catalog::ColumnOfIndexName(*table, column.name);
      if (of_table >= 0) access->columns[static_cast<size_t>(of_table)] = static_cast<int32_t>(i);
      continue;
    }
    auto bound = expressions.BindText(column.index_expression);
    if (!bound.ok()) {
      return Corruption("index " + index->FullName() + " does not fit its table " +
                        table->FullName() + ": " + bound.status().message());
    }
    const Expr& expr = **bound;
    IndexAccess::KeyPart part;
    part.type = expr.type;
    part.nullable = column.nullable;
    if (expr.kind == BoundKind::kSlot) {
      const uint32_t of_table = expressions.slots()[expr.slot].column;
      access->columns[of_table] = static_cast<int32_t>(i);
    } else {
      part.expression = column.index_expression;
      part.text = "\"" + part.expression + "\"";
      access->has_expressions = true;
    }
    access->key.push_back(std::move(part));
  }
  for (const uint32_t of_table : table->key_columns) {
    const int32_t of_index = access->columns[of_table];
    const int32_t place =
        of_index < 0 ? -1 : index->columns[static_cast<size_t>(of_index)].key_position;
    if (place < 0) {
      access->table_key.clear();
      break;
    }
    access->table_key.push_back(static_cast<uint32_t>(place));
  }
  access->table = std::move(table);
  access->index = std::move(index);
  return std::shared_ptr<const IndexAccess>(std::move(access));
}

}  // namespace bennu::sql::bind
