#include "src/sql/session/show.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "src/sql/catalog/options.h"
#include "src/sql/exec/static_rows.h"

namespace bennu::sql::session {
namespace {

using catalog::ColumnMeta;
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
  for (const auto& [label, type] : columns) {
    result.columns.push_back(exec::ResultColumn{label, {type}, true});
    types.push_back({type});
  }
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
      Value::Bool(false),
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

// ---------------------------------------------------------------- SHOW CREATE TABLE

std::string Quoted(const std::string& name) {
  for (const char c : name) {
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) return "\"" + name + "\"";
  }
  const bool starts_well = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
  return starts_well ? name : "\"" + name + "\"";
}

std::string QuotedFullName(const TableMeta& table) {
  return table.schema.empty() ? Quoted(table.name)
                              : Quoted(table.schema) + "." + Quoted(table.name);
}

// True when the qualifiers are those that the definition would get anyway.
bool QualifiersAreConsecutive(const TableMeta& table) {
  std::map<std::string, int32_t> next;
  for (const ColumnMeta& column : table.columns) {
    if (column.is_key() || column.encoded_qualifier < 0) continue;
    const std::string& counter = table.single_cell() ? column.family : table.default_family;
    int32_t& expected = next.try_emplace(counter, catalog::kFirstEncodedQualifier).first->second;
    if (column.encoded_qualifier != expected++) return false;
  }
  for (const auto& [counter, value] : table.counters) {
    const auto it = next.find(counter);
    if ((it == next.end() ? catalog::kFirstEncodedQualifier : it->second) != value) return false;
  }
  return true;
}

std::string ColumnText(const TableMeta& table, const ColumnMeta& column, bool with_qualifier) {
  std::string text;
  if (!column.is_key() && column.family != table.default_family) {
    text = Quoted(column.family) + ".";
  }
  text += Quoted(column.name) + " " + TypeToString(column.type);
  if (column.array_size.has_value()) text += fmt::format("[{}]", *column.array_size);
  if (!column.nullable) text += " NOT NULL";
  if (!column.default_text.empty()) text += " DEFAULT " + column.default_text;
  if (with_qualifier && column.encoded_qualifier >= 0) {
    text += fmt::format(" ENCODED_QUALIFIER {}", column.encoded_qualifier);
  }
  return text;
}

std::string KeyModifiers(const ColumnMeta& column) {
  std::string text = column.sort_order == SortOrder::kDesc ? " DESC" : "";
  if (column.row_timestamp) text += " ROW_TIMESTAMP";
  return text;
}

std::string OptionsText(const TableMeta& table, const TableDescriptor& descriptor) {
  std::vector<std::string> options;
  if (table.immutable_rows) options.push_back("IMMUTABLE_ROWS=true");
  options.push_back(
      fmt::format("IMMUTABLE_STORAGE_SCHEME='{}'",
                  table.single_cell() ? "SINGLE_CELL_ARRAY_WITH_OFFSETS" : "ONE_CELL_PER_COLUMN"));
  if (table.encoding_bytes != 2) {
    options.push_back(fmt::format("COLUMN_ENCODED_BYTES={}", table.encoding_bytes));
  }
  if (table.is_salted()) options.push_back(fmt::format("SALT_BUCKETS={}", table.salt_buckets));
  if (table.default_family_given) {
    options.push_back(fmt::format("DEFAULT_COLUMN_FAMILY='{}'", table.default_family));
  }
  if (table.store_nulls) options.push_back("STORE_NULLS=true");
  if (table.multi_tenant) options.push_back("MULTI_TENANT=true");
  if (table.disable_wal) options.push_back("DISABLE_WAL=true");
  if (table.update_cache_frequency_ms == catalog::kUpdateCacheNever) {
    options.push_back("UPDATE_CACHE_FREQUENCY=NEVER");
  } else if (table.update_cache_frequency_ms != catalog::kUpdateCacheAlways) {
    options.push_back(fmt::format("UPDATE_CACHE_FREQUENCY={}", table.update_cache_frequency_ms));
  }
  if (!table.ttl_condition.empty()) {
    options.push_back("TTL='" + table.ttl + "'");
  } else if (!table.ttl.empty()) {
    options.push_back("TTL=" + table.ttl);
  }
  const catalog::Attributes defaults = catalog::DefaultFamilyAttributes();
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    for (const auto& [name, value] : family.attributes) {
      const auto usual = defaults.find(name);
      if (name == "TTL" || (usual != defaults.end() && usual->second == value)) continue;
      const bool default_family = family.name == table.default_family;
      options.push_back(default_family ? fmt::format("{}='{}'", name, value)
                                       : fmt::format("\"{}\".{}='{}'", family.name, name, value));
    }
  }
  return fmt::format("{}", fmt::join(options, ", "));
}

// Its own columns, whose qualifiers are the table's matter, and all of the condition.
std::string CreateStatementOfView(const TableMeta& view) {
  std::vector<const ColumnMeta*> keys;
  std::string columns;
  for (const ColumnMeta& column : view.columns) {
    if (column.is_key() && !column.derived) keys.push_back(&column);
  }
  for (const ColumnMeta& column : view.columns) {
    if (column.derived) continue;
    if (!columns.empty()) columns += ", ";
    columns += ColumnText(view, column, /*with_qualifier=*/false);
    if (keys.size() == 1 && column.is_key()) columns += " PRIMARY KEY" + KeyModifiers(column);
  }
  if (keys.size() > 1) {
    std::string names;
    for (const ColumnMeta* key : keys) {
      if (!names.empty()) names += ", ";
      names += Quoted(key->name) + KeyModifiers(*key);
    }
    columns += fmt::format(" CONSTRAINT {} PRIMARY KEY ({})",
                           view.pk_name.empty() ? "PK" : Quoted(view.pk_name), names);
  }
  std::string text = "CREATE VIEW " + QuotedFullName(view);
  if (!columns.empty()) text += "(" + columns + ")";
  if (view.parent.name.empty()) return text;
  text += " AS SELECT * FROM ";
  if (!view.parent.schema.empty()) text += Quoted(view.parent.schema) + ".";
  text += Quoted(view.parent.name);
  if (!view.view_condition.empty()) text += " WHERE " + view.view_condition;
  return text;
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

std::string CreateStatementOf(const TableMeta& table, const TableDescriptor& descriptor) {
  const bool with_qualifiers = !QualifiersAreConsecutive(table);
  const bool inline_key = table.key_columns.size() == 1 && table.pk_name.empty();
  std::string columns;
  for (const ColumnMeta& column : table.columns) {
    if (!columns.empty()) columns += ", ";
    columns += ColumnText(table, column, with_qualifiers);
    if (inline_key && column.is_key()) columns += " PRIMARY KEY" + KeyModifiers(column);
  }
  if (!inline_key) {
    std::string keys;
    for (size_t i = 0; i < table.key_columns.size(); ++i) {
      if (i > 0) keys += ", ";
      keys += Quoted(table.key_column(i).name) + KeyModifiers(table.key_column(i));
    }
    columns += fmt::format(" CONSTRAINT {} PRIMARY KEY ({})",
                           table.pk_name.empty() ? "PK" : Quoted(table.pk_name), keys);
  }
  std::string text = fmt::format("CREATE TABLE {}({}) {}", QuotedFullName(table), columns,
                                 OptionsText(table, descriptor));
  if (with_qualifiers) {
    std::vector<std::string> counters;
    for (const auto& [family, next] : table.counters) {
      counters.push_back(fmt::format("'{}'={}", family, next));
    }
    text += fmt::format(" COLUMN_QUALIFIER_COUNTER ({})", fmt::join(counters, ", "));
  }
  return text;
}

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
