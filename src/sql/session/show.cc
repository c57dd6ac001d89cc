#include "src/sql/session/show.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/static_rows.h"
#include "src/sql/session/create_statement.h"

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

StatementResult Rows(const std::vector<std::pair<const char*, TypeId>>& columns,
                     std::vector<std::vector<Value>> rows) {
  StatementResult result;
  std::vector<DataType> types;
  std::vector<exec::ResultColumn> shown;
  for (const auto& [label, type] : columns) {
    shown.push_back(exec::ResultColumn{label, {type}, true});
    types.push_back({type});
  }
  result.columns = std::make_shared<const std::vector<exec::ResultColumn>>(std::move(shown));
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
      Text(table != nullptr && table->index_state == 'a' ? "ACTIVE" : ""),
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
    // A table that can not be used yet is listed all the same.
    const auto table = catalog->GetTable(listing.schema, listing.name);
    rows.push_back(TableRow(listing, table.ok() ? table->get() : nullptr));
  }
  constexpr TypeId kText = TypeId::kVarchar;
  constexpr TypeId kFlag = TypeId::kBoolean;
  return Rows({{"TABLE_CAT", kText},
               {"TABLE_SCHEM", kText},
               {"TABLE_NAME", kText},
               {"TABLE_TYPE", kText},
               {"REMARKS", kText},
               {"TYPE_NAME", kText},
               {"SELF_REFERENCING_COL_NAME", kText},
               {"REF_GENERATION", kText},
               {"INDEX_STATE", kText},
               {"IMMUTABLE_ROWS", kFlag},
               {"SALT_BUCKETS", TypeId::kInteger},
               {"MULTI_TENANT", kFlag},
               {"VIEW_STATEMENT", kText},
               {"VIEW_TYPE", kText},
               {"INDEX_TYPE", kText},
               {"TRANSACTIONAL", kFlag},
               {"IS_NAMESPACE_MAPPED", kFlag},
               {"GUIDE_POSTS_WIDTH", TypeId::kBigint},
               {"TRANSACTION_PROVIDER", kText}},
              std::move(rows));
}

Result<StatementResult> ShowSchemas(const parse::Show& show, catalog::Catalog* catalog) {
  ASSIGN_OR_RETURN(const auto schemas, catalog->ListSchemas());
  std::vector<std::vector<Value>> rows;
  for (const std::string& schema : schemas) {
    if (show.like.has_value() && !Like(schema, *show.like)) continue;
    rows.push_back({Text(schema), Text("")});
  }
  return Rows({{"TABLE_SCHEM", TypeId::kVarchar}, {"TABLE_CATALOG", TypeId::kVarchar}},
              std::move(rows));
}

Result<StatementResult> ShowCreateTable(const parse::Show& show, const std::string& default_schema,
                                        const std::string& tenant, catalog::Catalog* catalog) {
  const std::string& schema =
      show.table.qualifier.empty() ? default_schema : show.table.qualifier.text;
  ASSIGN_OR_RETURN(const auto table,
                   catalog->GetTable(schema, show.table.name.text, show.table.position(),
                                     kLatestTimestamp, tenant));
  if (table->is_view()) {
    return Rows({{"CREATE STATEMENT", TypeId::kChar}},
                {{Value::String({TypeId::kChar}, CreateStatementOfView(*table))}});
  }
  ASSIGN_OR_RETURN(const auto storage, catalog->connection()->OpenTable(table->physical));
  const std::string text = CreateStatementOf(*table, storage->descriptor());
  return Rows({{"CREATE STATEMENT", TypeId::kChar}}, {{Value::String({TypeId::kChar}, text)}});
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
