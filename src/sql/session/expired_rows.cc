#include "src/sql/session/expired_rows.h"

#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/parse/parser.h"

namespace bennu::sql::session {
namespace {

using parse::Expr;
using parse::ExprKind;

std::unique_ptr<Expr> Column(const catalog::ColumnMeta& column) {
  auto expr = std::make_unique<Expr>(ExprKind::kColumn, -1);
  expr->column = parse::Name{column.name, true, -1};
  return expr;
}

// COLUMN = ?, or COLUMN IS NULL.
std::unique_ptr<Expr> KeyCondition(const catalog::ColumnMeta& column, const Value& value,
                                   std::vector<Value>* params) {
  if (value.is_null()) {
    auto is_null = std::make_unique<Expr>(ExprKind::kIsNull, -1);
    is_null->children.push_back(Column(column));
    return is_null;
  }
  params->push_back(value);
  auto bind = std::make_unique<Expr>(ExprKind::kBind, -1);
  bind->bind_index = static_cast<int32_t>(params->size());
  auto equal = std::make_unique<Expr>(ExprKind::kComparison, -1);
  equal->children.push_back(Column(column));
  equal->children.push_back(std::move(bind));
  return equal;
}

}  // namespace

std::unique_ptr<ExpiredRows> ExpiredRows::For(const catalog::TableMeta& table,
                                              const std::shared_ptr<Table>& storage,
                                              const ChangeContext& context) {
  if (table.ttl_condition.empty()) return nullptr;
  return std::unique_ptr<ExpiredRows>(new ExpiredRows(table, storage, context));
}

ExpiredRows::ExpiredRows(const catalog::TableMeta& table, std::shared_ptr<Table> storage,
                         const ChangeContext& context)
    : table_(table), storage_(std::move(storage)), context_(context) {}

Status ExpiredRows::Remove(const MutationBatch& batch, const ChangeRun& run) {
  for (const MutationBatch::Row& row : batch.rows()) {
    RETURN_IF_ERROR(RemoveRow(batch.row_key(row), run));
  }
  return Status::Ok();
}

Status ExpiredRows::RemoveLast(const MutationBatch& batch, const ChangeRun& run) {
  return RemoveRow(batch.row_key(batch.rows().back()), run);
}

Status ExpiredRows::RemoveRow(ByteView key, const ChangeRun& run) {
  ASSIGN_OR_RETURN(const bool expired, HasExpired(key, run));
  if (!expired) return Status::Ok();
  TableWrites removal;
  removal.table = storage_;
  removal.batch.StartRow(key);
  for (const ColumnFamilyDescriptor& family : storage_->descriptor().families) {
    removal.batch.DeleteFamily(family.name, context_.scn);
  }
  removal.has_deletes = true;
  return run.writes->Write(&removal);
}

Result<bool> ExpiredRows::HasExpired(ByteView key, const ChangeRun& run) {
  ASSIGN_OR_RETURN(const std::vector<Value> values, table_.key_schema.DecodeKey(key));
  parse::Select select;
  auto where = std::make_unique<Expr>(ExprKind::kAnd, -1);
  std::vector<Value> params;
  for (size_t i = 0; i < values.size(); ++i) {
    where->children.push_back(KeyCondition(table_.key_column(i), values[i], &params));
  }
  ASSIGN_OR_RETURN(parse::ExprPtr condition, parse::ParseExpression(table_.ttl_condition));
  where->children.push_back(std::move(condition));
  select.where = std::move(where);
  select.items.push_back(parse::SelectItem{Column(table_.key_column(0)), {}});
  auto from = std::make_unique<parse::TableRef>();
  from->name.qualifier = parse::Name{table_.schema, true, -1};
  from->name.name = parse::Name{table_.name, true, -1};
  select.from.push_back(std::move(from));
  exec::PrepareContext prepare = context_.prepare;
  prepare.with_expired = true;
  ASSIGN_OR_RETURN(const auto query, context_.store->prepare_query()(select, prepare));
  ASSIGN_OR_RETURN(const auto rows, query->Open(params, run.query));
  DataChunk chunk;
  RETURN_IF_ERROR(rows->Next(&chunk));
  return chunk.size > 0;
}

}  // namespace bennu::sql::session
