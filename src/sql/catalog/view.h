// Views: conditions as text and as what they say of single columns, and what a view inherits.
//
// The catalog keeps a view's condition as SQL, in the form in which Phoenix prints trees; every
// query over the view parses it and adds it to its own. Which columns it holds to a constant is
// found out again whenever the view is read. Source: phoenix-storage.md 3.3; CreateTableCompiler,
// ViewUtil and WhereConstantParser of 5.3.
#ifndef BENNU_SRC_SQL_CATALOG_VIEW_H_
#define BENNU_SRC_SQL_CATALOG_VIEW_H_

#include <string>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/table.h"
#include "src/sql/parse/expression.h"

namespace bennu::sql::catalog {

// The condition as Phoenix keeps it: parentheses that mean nothing gone, constants on the right,
// BETWEEN as two comparisons.
parse::ExprPtr NormalizeCondition(parse::ExprPtr condition);

// Both conditions at once; a null one says nothing.
parse::ExprPtr JoinConditions(parse::ExprPtr first, parse::ExprPtr second);

// Names no column: true of all rows or of none.
bool IsConstantCondition(const parse::Expr& condition);

// Index of the column that a kColumn node of a condition over 'table' means. 502, 504, 1001.
Result<uint32_t> ResolveColumn(const parse::Expr& column, const TableMeta& table);

// The text of a normalized condition. Errors of ResolveColumn.
Result<std::string> ConditionText(const parse::Expr& condition, const TableMeta& table);

// What a condition says of columns.
struct ViewCondition {
  bool updatable = true;  // "column = constant AND …" and nothing else
  std::vector<std::pair<uint32_t, Bytes>> constants;  // column, value as the column stores it
  // The same where the condition says more than that, too.
  std::vector<std::pair<uint32_t, Bytes>> equalities;
  std::vector<uint32_t> referenced;
};
Result<ViewCondition> AnalyzeCondition(const parse::Expr& condition, const TableMeta& table,
                                       const ConstantEvaluator& evaluate);

// "SELECT * FROM "S"."T" WHERE …", or "T" alone: the parent is named as CREATE VIEW does.
std::string MakeViewStatement(const parse::QualifiedName& parent, const std::string& condition);
// What follows WHERE in such a statement; empty when nothing does.
Result<std::string> ConditionOfStatement(const std::string& statement);

// Makes of what a view's own rows say the whole view: its parent's columns before its own, the
// parent's options, the constants of its condition.
Status InheritFromParent(const TableMeta& parent, const ConstantEvaluator& evaluate,
                         TableMeta* view);

// Does the condition of 'view' name the column?
Result<bool> ConditionNames(const TableMeta& view, std::string_view family, std::string_view name);

// The bytes with which the keys of an updatable view's rows begin: its constants for the leading
// key columns.
Bytes RowKeyMatcher(const TableMeta& view);

// The bytes behind the salt with which the keys of all rows of a view begin, as far as constants
// and the tenant tell. All rows with other bytes there are not the view's.
Bytes RowPrefix(const TableMeta& view);

// 'table' as a connection of 'tenant' sees it: the tenant's column is hidden and held to the
// tenant. 1041: the tenant cannot be a value of that column.
Result<TableMeta> ForTenant(const TableMeta& table, const std::string& tenant);

// The condition that every statement over 'table' is under, or null: that of the view, the rows of
// the tenant, and, unless 'with_expired', that the row has not expired. Of a view's index: the rows
// with its number. 'implied': a view's condition that all rows meet anyway, which is left out.
Result<parse::ExprPtr> ConditionOf(const TableMeta& table, bool with_expired = false,
                                   const std::string& implied = {});

// The rows of a view's index among those of the HBase table that it shares.
Result<parse::ExprPtr> IndexIdCondition(const TableMeta& index);

// Could the table have its ttl_condition? 201, 203, 504, 542, 543, 601.
Status CheckTtlCondition(const TableMeta& table);
// The ttl_condition names the column.
bool TtlConditionNames(const TableMeta& table, uint32_t column);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_VIEW_H_
