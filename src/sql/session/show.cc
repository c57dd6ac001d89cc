#include "src/sql/session/show.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/static_rows.h"
#include "src/sql/session/create_statement.h"
#include "src/sql/session/index_statements.h"
#include "src/sql/session/statement_columns.h"

namespace bennu::sql::session {
namespace {

using catalog::TableListing;
using catalog::TableMeta;
using catalog::TableType;

// LIKE of SQL: '%' any text, '_' one character, '\' takes the next one as it is.
bool Like(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    for (size_t skip = 0; skip <= text.size(); ++skip) {
      if (Like(text.substr(skip), pattern.substr(1))) return true;
    }
    return false;
  }
  if (text.empty()) return false;
  if (pattern[0] == '\\' && pattern.size() > 1) {
    return text[0] == pattern[1] && Like(text.substr(1), pattern.substr(2));
  }
  return (pattern[0] == '_' || pattern[0] == text[0]) && Like(text.substr(1), pattern.substr(1));
}

Value Text(std::string_view text) {
  return text.empty() ? Value::Null({TypeId::kVarchar}) : Value::Varchar(std::string(text));
}

StatementResult Rows(parse::ShowKind kind, std::vector<std::vector<Value>> rows) {
  std::vector<exec::ResultColumn> columns = ShowColumns(kind);
  std::vector<DataType> types;
  for (const exec::ResultColumn& column : columns) types.push_back(column.type);
  StatementResult result;
  result.columns = std::make_shared<const std::vector<exec::ResultColumn>>(std::move(columns));
  result.rows = std::make_unique<exec::StaticRows>(std::move(types), std::move(rows));
  return result;
}

std::string_view TypeLabel(TableType type) {
  switch (type) {
    case TableType::kSystem: return "SYSTEM TABLE";
    case TableType::kTable: return "TABLE";
    case TableType::kView: return "VIEW";
    case TableType::kIndex: return "INDEX";
    case TableType::kCdc: return "CDC";
  }
  return "";
}

const char* ViewTypeLabel(catalog::ViewType type) {
  switch (type) {
    case catalog::ViewType::kNone: return "";
    case catalog::ViewType::kMapped: return "MAPPED";
    case catalog::ViewType::kReadOnly: return "READ_ONLY";
    case catalog::ViewType::kUpdatable: return "UPDATABLE";
  }
  return "";
}

std::vector<Value> TableRow(const TableListing& listing, const TableMeta* table) {
  const Value null_text = Text("");
  const Value null_number = Value::Null({TypeId::kInteger});
  return {
      null_text,
      Text(listing.schema),
      Text(listing.name),
      Text(TypeLabel(listing.type)),
      null_text,
      null_text,
      null_text,
      null_text,
      Text(table == nullptr ? "" : StateName(table->index_state)),
      Value::Bool(table != nullptr && table->immutable_rows),
      table != nullptr && table->is_salted() ? Value::Integer(table->salt_buckets) : null_number,
      Value::Bool(table != nullptr && table->multi_tenant),
      Text(table == nullptr ? "" : table->view_statement),
      Text(table == nullptr ? "" : ViewTypeLabel(table->view_type)),
      null_text,
      Value::Bool(false),
      Value::Bool(table != nullptr && table->namespace_mapped),
      Value::Null({TypeId::kBigint}),
      null_text};
}

Result<StatementResult> ShowTables(const parse::Show& show, catalog::Catalog* catalog) {
  std::optional<std::string> schema;
  if (!show.schema.empty()) schema = show.schema.text;
  ASSIGN_OR_RETURN(const auto listings, catalog->ListTables(schema));
  std::vector<std::vector<Value>> rows;
  for (const TableListing& listing : listings) {
    if (show.like.has_value() && !Like(listing.name, *show.like)) continue;
    // A table that cannot be used yet is listed all the same.
    const auto table = catalog->GetTable(listing.schema, listing.name);
    rows.push_back(TableRow(listing, table.ok() ? table->get() : nullptr));
  }
  return Rows(show.kind, std::move(rows));
}

Result<StatementResult> ShowSchemas(const parse::Show& show, catalog::Catalog* catalog) {
  ASSIGN_OR_RETURN(const auto schemas, catalog->ListSchemas());
  std::vector<std::vector<Value>> rows;
  for (const std::string& schema : schemas) {
    if (show.like.has_value() && !Like(schema, *show.like)) continue;
    rows.push_back({Text(schema), Text("")});
  }
  return Rows(show.kind, std::move(rows));
}

Result<StatementResult> ShowCreateTable(const parse::Show& show, const std::string& default_schema,
                                        const std::string& tenant, catalog::Catalog* catalog) {
  const std::string& schema =
      show.table.qualifier.empty() ? default_schema : show.table.qualifier.text;
  ASSIGN_OR_RETURN(const auto table,
                   catalog->GetTable(schema, show.table.name.text, show.table.position(),
                                     kLatestTimestamp, tenant));
  if (table->is_view()) {
    return Rows(show.kind, {{Value::String({TypeId::kChar}, CreateStatementOfView(*table))}});
  }
  if (table->is_index()) {
    ASSIGN_OR_RETURN(const auto indexed,
                     catalog->GetTable(table->schema, table->data_table_name, show.table.position(),
                                       kLatestTimestamp, tenant));
    const std::string text = CreateStatementOfIndex(*table, *indexed);
    return Rows(show.kind, {{Value::String({TypeId::kChar}, text)}});
  }
  ASSIGN_OR_RETURN(const auto storage, catalog->connection()->OpenTable(table->physical));
  const std::string text = CreateStatementOf(*table, storage->descriptor());
  return Rows(show.kind, {{Value::String({TypeId::kChar}, text)}});
}

}  // namespace

Result<StatementResult> Show(const parse::Show& show, const std::string& default_schema,
                             const std::string& tenant, catalog::Catalog* catalog) {
  switch (show.kind) {
    case parse::ShowKind::kTables: return ShowTables(show, catalog);
    case parse::ShowKind::kSchemas: return ShowSchemas(show, catalog);
    case parse::ShowKind::kStatements: break;  // the session's own
    case parse::ShowKind::kCreateTable:
      return ShowCreateTable(show, default_schema, tenant, catalog);
  }
  return Internal("an unknown kind of SHOW");
}

}  // namespace bennu::sql::session
