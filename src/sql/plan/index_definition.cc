#include "src/sql/plan/index_definition.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/table_expressions.h"
#include "src/sql/catalog/index_builder.h"
#include "src/sql/catalog/row_existence.h"
#include "src/sql/catalog/view.h"
#include "src/sql/catalog/view_indexes.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/parse/parser.h"
#include "src/sql/plan/scan_planner.h"

namespace bennu::sql::plan {
namespace {

using catalog::ColumnMeta;
using catalog::TableMeta;

Status DoesNotFit(const TableMeta& index, const std::string& what) {
  return Corruption("the definition of index " + index.FullName() + " does not fit its table " +
                    catalog::FullTableName(index.schema, index.data_table_name) + ": " + what +
                    "; drop the index and make it anew");
}

class Definer {
 public:
  Definer(std::shared_ptr<const TableMeta> table, std::shared_ptr<const TableMeta> index)
      : expressions_(table, bind::TableExpressions::Names::kOfCatalog) {
    result_.table = std::move(table);
    result_.index = std::move(index);
  }

  Result<std::shared_ptr<const IndexDefinition>> Define() {
    const TableMeta& index = *result_.index;
    for (uint32_t i = 0; i < index.columns.size(); ++i) {
      const ColumnMeta& column = index.columns[i];
      RETURN_IF_ERROR(column.is_key() ? AddKey(column) : AddIncluded(i));
    }
    std::sort(result_.included.begin(), result_.included.end(),
              [&](const IncludedPart& a, const IncludedPart& b) {
                const ColumnMeta& left = index.columns[a.column];
                const ColumnMeta& right = index.columns[b.column];
                return std::tie(left.family, left.qualifier) <
                       std::tie(right.family, right.qualifier);
              });
    RETURN_IF_ERROR(AddCondition());
    for (uint32_t slot = 0; slot < expressions_.slots().size(); ++slot) {
      ASSIGN_OR_RETURN(ScanColumn column,
                       ColumnOfSlot(*result_.table, expressions_.slots()[slot], slot, 0));
      result_.columns.push_back(std::move(column));
      result_.slot_types.push_back(expressions_.slots()[slot].type);
    }
    const TableMeta& table = *result_.table;
    result_.expires = !table.ttl.empty() || table.base_expires;
    if (table.shares_index_table()) {
      result_.row_prefix = catalog::RowPrefix(table);
      for (const uint32_t column : table.key_columns) {
        result_.has_longer_key |= !table.columns[column].derived;
      }
    }
    return std::make_shared<const IndexDefinition>(std::move(result_));
  }

 private:
  // The rows of the view, of those the ones that a partial index is about.
  Status AddCondition() {
    const TableMeta& index = *result_.index;
    ASSIGN_OR_RETURN(parse::ExprPtr tree,
                     catalog::ConditionOf(*result_.table, /*with_expired=*/true));
    if (!index.index_where.empty()) {
      auto where = parse::ParseExpression(index.index_where);
      if (!where.ok()) return DoesNotFit(index, where.status().message());
      tree = catalog::JoinConditions(std::move(tree), std::move(where).value());
    }
    if (tree == nullptr) return Status::Ok();
    auto condition = expressions_.BindCondition(*tree);
    if (!condition.ok()) return DoesNotFit(index, condition.status().message());
    result_.condition = std::move(condition).value();
    return Status::Ok();
  }

  Status AddKey(const ColumnMeta& column) {
    if (column.name == catalog::kIndexIdColumn) {
      const Value id = Value::Int(column.type, *result_.index->view_index_id);
      result_.key.push_back({MakeConstant(id, -1), column.type, column.sort_order});
      return Status::Ok();
    }
    auto expr = expressions_.BindText(column.index_expression);
    if (!expr.ok()) return DoesNotFit(*result_.index, expr.status().message());
    result_.key.push_back({std::move(expr).value(), column.type, column.sort_order});
    return Status::Ok();
  }

  Status AddIncluded(uint32_t number) {
    const ColumnMeta& column = result_.index->columns[number];
    const int32_t source = catalog::ColumnOfIndexName(*result_.table, column.name);
    if (source < 0) return DoesNotFit(*result_.index, "there is no column " + column.name);
    bind::Slot slot;
    slot.column = static_cast<uint32_t>(source);
    slot.type = result_.table->columns[slot.column].type;
    ASSIGN_OR_RETURN(ScanColumn read, ColumnOfSlot(*result_.table, slot, 0, 0));
    result_.included.push_back({std::move(read), number});
    return Status::Ok();
  }

  bind::TableExpressions expressions_;
  IndexDefinition result_;
};

}  // namespace

std::vector<RowRange> RowsToIndex(const IndexDefinition& definition) {
  if (definition.row_prefix.empty()) return {RowRange()};
  return catalog::RowsBeginningWith(definition.row_prefix, definition.table->salt_buckets);
}

Result<std::shared_ptr<const IndexDefinition>> DefineIndex(std::shared_ptr<const TableMeta> table,
                                                           std::shared_ptr<const TableMeta> index) {
  return Definer(std::move(table), std::move(index)).Define();
}

void AddReadColumns(const IndexDefinition& definition, std::map<Bytes, std::set<Bytes>>* columns) {
  const auto add = [columns](const ScanColumn& column) {
    if (!column.family.empty()) (*columns)[column.family].insert(column.qualifier);
  };
  for (const ScanColumn& column : definition.columns) add(column);
  for (const IncludedPart& part : definition.included) add(part.source);
  catalog::AddExistence(*definition.table, columns);
}

}  // namespace bennu::sql::plan
