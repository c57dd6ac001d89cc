#include "src/sql/session/returning.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/types/codec.h"

namespace bennu::sql::session {
namespace {

using parse::Expr;
using parse::ExprKind;

// Rows to be returned are read by any statement alike, so the newest version of each counts.
exec::RunOptions ReadNow(const exec::RunOptions& options) {
  exec::RunOptions now = options;
  now.snapshot = nullptr;
  return now;
}

parse::ExprPtr ColumnNamed(const std::string& name) {
  auto column = std::make_unique<Expr>(ExprKind::kColumn, -1);
  column->column = parse::Name{name, true, -1};
  return column;
}

// SELECT * FROM table.
parse::Select SelectAll(const catalog::TableMeta& table) {
  parse::Select select;
  select.items.push_back(
      parse::SelectItem{std::make_unique<Expr>(ExprKind::kStar, -1), parse::Name{}});
  auto from = std::make_unique<parse::TableRef>();
  if (!table.schema.empty()) from->name.qualifier = parse::Name{table.schema, true, -1};
  from->name.name = parse::Name{table.name, true, -1};
  select.from.push_back(std::move(from));
  return select;
}

// The same WHERE each key column = ? (or IS NULL); the parameters go to *params.
Result<parse::Select> SelectRow(const catalog::TableMeta& table, ByteView key,
                                std::vector<Value>* params) {
  parse::Select select = SelectAll(table);
  auto all = std::make_unique<Expr>(ExprKind::kAnd, -1);
  for (size_t i = 0; i < table.key_columns.size(); ++i) {
    const catalog::ColumnMeta& column = table.key_column(i);
    const ByteView bytes = table.key_schema.ColumnView(key, i);
    auto part =
        std::make_unique<Expr>(bytes.empty() ? ExprKind::kIsNull : ExprKind::kComparison, -1);
    part->children.push_back(ColumnNamed(column.name));
    if (!bytes.empty()) {
      ASSIGN_OR_RETURN(Value value, Decode(bytes, column.type, column.sort_order));
      params->push_back(std::move(value));
      auto parameter = std::make_unique<Expr>(ExprKind::kBind, -1);
      parameter->bind_index = static_cast<int32_t>(params->size());
      part->children.push_back(std::move(parameter));
    }
    all->children.push_back(std::move(part));
  }
  select.where = all->children.size() == 1 ? std::move(all->children[0]) : std::move(all);
  return select;
}

}  // namespace

Result<std::vector<exec::ResultColumn>> RowReturner::Columns() const {
  ASSIGN_OR_RETURN(const auto query,
                   context_.store->prepare_query()(SelectAll(*table_), context_.prepare));
  return query->columns();
}

Result<ReturnedRow> RowReturner::Read(ByteView key, const exec::RunOptions& options) const {
  std::vector<Value> params;
  ASSIGN_OR_RETURN(const parse::Select select, SelectRow(*table_, key, &params));
  ASSIGN_OR_RETURN(const auto query, context_.store->prepare_query()(select, context_.prepare));
  ReturnedRow result;
  result.columns = query->columns();
  ASSIGN_OR_RETURN(const auto rows, query->Open(params, ReadNow(options)));
  DataChunk chunk;
  RETURN_IF_ERROR(rows->Next(&chunk));
  for (size_t i = 0; i < result.columns.size(); ++i) {
    result.row.push_back(chunk.size > 0 ? chunk.columns[i].GetValue(0)
                                        : Value::Null(result.columns[i].type));
  }
  if (chunk.size > 0) return result;
  for (size_t i = 0; i < table_->key_columns.size(); ++i) {
    const catalog::ColumnMeta& column = table_->key_column(i);
    const ByteView bytes = table_->key_schema.ColumnView(key, i);
    if (bytes.empty()) continue;
    for (size_t c = 0; c < result.columns.size(); ++c) {
      if (result.columns[c].label != column.name) continue;
      ASSIGN_OR_RETURN(result.row[c], Decode(bytes, column.type, column.sort_order));
    }
  }
  return result;
}

}  // namespace bennu::sql::session
