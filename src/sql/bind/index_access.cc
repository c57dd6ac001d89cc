#include "src/sql/bind/index_access.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/table_expressions.h"
#include "src/sql/catalog/index_builder.h"
#include "src/sql/types/codec.h"

namespace bennu::sql::bind {

namespace {

// The encoded value that 'column' has in all rows of 'owner'; empty: it may have several.
const Bytes& HeldValue(const catalog::TableMeta& owner, const catalog::ColumnMeta& column) {
  static const Bytes none;
  const int32_t of_owner = owner.IndexOf(column.family, column.name);
  return of_owner < 0 ? none : owner.columns[static_cast<size_t>(of_owner)].view_constant;
}

// Columns of the view that the index lacks because they are the same in all of its rows.
Status FindHeldColumns(IndexAccess* access) {
  const catalog::TableMeta& table = *access->table;
  std::vector<std::optional<Value>> held(table.columns.size());
  bool any = false;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const catalog::ColumnMeta& column = table.columns[i];
    if (access->columns[i] >= 0) continue;
    const Bytes& constant = HeldValue(*access->owner, column);
    if (constant.empty()) continue;
    ASSIGN_OR_RETURN(held[i], Decode(constant, column.type, column.sort_order));
    any = true;
  }
  if (any) access->held = std::move(held);
  return Status::Ok();
}

void FindTableKey(IndexAccess* access) {
  if (access->index->has_document_in_key()) return;
  for (const uint32_t of_table : access->table->key_columns) {
    const int32_t of_index = access->columns[of_table];
    IndexAccess::TableKeyPart part;
    if (of_index >= 0) {
      part.place = access->index->columns[static_cast<size_t>(of_index)].key_position;
    } else {
      part.held = HeldValue(*access->owner, access->table->columns[of_table]);
    }
    if (part.place < 0 && part.held.empty()) {
      access->table_key.clear();
      return;
    }
    access->table_key.push_back(std::move(part));
  }
}

}  // namespace

Result<std::shared_ptr<const IndexAccess>> AccessOf(
    std::shared_ptr<const catalog::TableMeta> table,
    std::shared_ptr<const catalog::TableMeta> index,
    std::shared_ptr<const catalog::TableMeta> owner) {
  auto access = std::make_shared<IndexAccess>();
  access->columns.assign(table->columns.size(), -1);
  TableExpressions expressions(table, TableExpressions::Names::kOfCatalog);
  for (size_t i = 0; i < index->columns.size(); ++i) {
    const catalog::ColumnMeta& column = index->columns[i];
    if (!column.is_key()) {
      const int32_t of_table = catalog::ColumnOfIndexName(*table, column.name);
      if (of_table >= 0) access->columns[static_cast<size_t>(of_table)] = static_cast<int32_t>(i);
      continue;
    }
    if (column.name == catalog::kIndexIdColumn) {
      IndexAccess::KeyPart id;
      id.type = column.type;
      id.nullable = false;
      id.text = std::string("\"") + catalog::kIndexIdColumn + "\"";
      access->key.push_back(std::move(id));
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
  access->table = std::move(table);
  access->owner = std::move(owner);
  access->index = std::move(index);
  access->implied = access->owner->view_condition;
  if (access->owner->is_view()) RETURN_IF_ERROR(FindHeldColumns(access.get()));
  FindTableKey(access.get());
  return std::shared_ptr<const IndexAccess>(std::move(access));
}

}  // namespace bennu::sql::bind
