#include "src/sql/bind/union_binder.h"

#include <fmt/format.h>

#include "src/base/status_macros.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {
namespace {

// The type that holds the values of both; of two texts that of the first query.
std::optional<DataType> UnionType(const DataType& a, const DataType& b) {
  if (a == b) return a;
  if (a.id == b.id) return DataType{a.id};
  if (IsString(a.id) && IsString(b.id)) return DataType{a.id};
  if (CanCoerce(a.id, b.id)) return DataType{b.id};
  if (CanCoerce(b.id, a.id)) return DataType{a.id};
  return std::nullopt;
}

Status CheckBranches(const BoundQuery& query) {
  const size_t width = query.branches[0].visible_outputs;
  for (size_t i = 1; i < query.branches.size(); ++i) {
    if (query.branches[i].visible_outputs == width) continue;
    return MakeSqlError(525, fmt::format("1st query has {} columns whereas {}nd query has {}",
                                         width, i + 1, query.branches[i].visible_outputs));
  }
  return Status::Ok();
}

}  // namespace

std::optional<int64_t> OrdinalOf(const parse::Expr& expr) {
  if (expr.kind != parse::ExprKind::kLiteral || expr.literal != parse::LiteralKind::kInteger) {
    return std::nullopt;
  }
  if (expr.text.size() > 9) return INT64_MAX;
  return std::stoll(expr.text);
}

Status UniteTypes(BoundQuery* query) {
  RETURN_IF_ERROR(CheckBranches(*query));
  for (size_t c = 0; c < query->columns.size(); ++c) {
    DataType type = query->branches[0].outputs[c].type;
    for (size_t i = 1; i < query->branches.size(); ++i) {
      const DataType other = query->branches[i].outputs[c].type;
      const std::optional<DataType> both = UnionType(type, other);
      if (!both.has_value()) {
        return MakeSqlError(526, fmt::format("Column # {} is {} in 1st query where as it is {} in "
                                             "{}nd query",
                                             c, TypeName(type.id), TypeName(other.id), i + 1));
      }
      type = *both;
    }
    query->columns[c].type = type;
    for (BoundSelect& branch : query->branches) {
      Output& output = branch.outputs[c];
      if (output.type.id == type.id) continue;
      ASSIGN_OR_RETURN(output.expr, MakeCast(output.expr, type));
      output.type = type;
    }
  }
  return Status::Ok();
}

void DropBranchOrder(BoundSelect* branch) {
  branch->order.clear();
  branch->outputs.resize(branch->visible_outputs);
}

Status BindUnionOrder(const parse::Select& select, BoundQuery* query) {
  for (const parse::OrderItem& item : select.order_by) {
    OrderField field;
    field.descending = item.descending;
    field.nulls_last = item.nulls_last;
    int64_t output = -1;
    if (const auto ordinal = OrdinalOf(*item.expr); ordinal.has_value()) {
      if (*ordinal < 1 || *ordinal > static_cast<int64_t>(query->columns.size())) {
        return MakeSqlError(2003, "", item.position);
      }
      output = *ordinal - 1;
    } else if (item.expr->kind == parse::ExprKind::kColumn && item.expr->table.empty()) {
      for (size_t i = 0; i < query->columns.size(); ++i) {
        if (query->columns[i].label == item.expr->column.text) output = static_cast<int64_t>(i);
      }
      if (output < 0) {
        return MakeSqlError(504, fmt::format("columnName={}", item.expr->column.text),
                            item.position);
      }
    } else {
      return MakeUncodedSqlError("ORDER BY of a UNION ALL takes columns and positions only",
                                 item.position);
    }
    field.output = static_cast<uint32_t>(output);
    query->order.push_back(field);
  }
  return Status::Ok();
}

void NameUnionColumns(const parse::Select& select, BoundQuery* query) {
  for (Output& column : query->columns) column.origin = {};  // it comes from several
  int made_up = 0;
  for (size_t i = 0; i < query->columns.size() && i < select.items.size(); ++i) {
    const parse::SelectItem& item = select.items[i];
    if (item.expr->kind == parse::ExprKind::kStar) return;
    if (item.alias.empty() && item.expr->kind != parse::ExprKind::kColumn) {
      query->columns[i].label = fmt::format("${}", ++made_up);
    }
  }
}

}  // namespace bennu::sql::bind
