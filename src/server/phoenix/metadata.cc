#include "src/server/phoenix/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "src/avatica/types.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/exec/static_rows.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::server::phoenix {

namespace {

namespace pb = avatica::pb;
using sql::DataType;
using sql::TypeId;
using sql::Value;
using sql::catalog::ColumnMeta;
using sql::catalog::TableMeta;
using sql::exec::ResultColumn;
using sql::session::Session;
using sql::session::StatementResult;
using Row = std::vector<Value>;

constexpr std::string_view kHeaders =
    "COLUMN_NAME IS NULL AND COLUMN_FAMILY IS NULL AND TABLE_TYPE IS NOT NULL";
constexpr std::string_view kTables =
    "SELECT TENANT_ID AS TABLE_CAT, TABLE_SCHEM, TABLE_NAME, SQLTableType(TABLE_TYPE) AS "
    "TABLE_TYPE, REMARKS, TYPE_NAME, SELF_REFERENCING_COL_NAME, REF_GENERATION, "
    "IndexStateName(INDEX_STATE) AS INDEX_STATE, IMMUTABLE_ROWS, SALT_BUCKETS, MULTI_TENANT, "
    "VIEW_STATEMENT, SQLViewType(VIEW_TYPE) AS VIEW_TYPE, SQLIndexType(INDEX_TYPE) AS INDEX_TYPE, "
    "TRANSACTION_PROVIDER IS NOT NULL AS TRANSACTIONAL, IS_NAMESPACE_MAPPED, GUIDE_POSTS_WIDTH, "
    "TransactionProviderName(TRANSACTION_PROVIDER) AS TRANSACTION_PROVIDER "
    "FROM SYSTEM.\"CATALOG\" WHERE ";
constexpr std::string_view kSequences =
    "SELECT TENANT_ID, SEQUENCE_SCHEMA, SEQUENCE_NAME, 'SEQUENCE', CAST(NULL AS VARCHAR), "
    "CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR), "
    "CAST(NULL AS BOOLEAN), CAST(NULL AS INTEGER), CAST(NULL AS BOOLEAN), CAST(NULL AS VARCHAR), "
    "CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR), CAST(NULL AS BOOLEAN), CAST(NULL AS BOOLEAN), "
    "CAST(NULL AS BIGINT), CAST(NULL AS VARCHAR) FROM SYSTEM.\"SEQUENCE\" WHERE "
    "SEQUENCE_NAME IS NOT NULL";

struct TableTypeName {
  std::string_view name;
  char code;
};
constexpr TableTypeName kTableTypes[] = {
    {"CDC", 'c'}, {"INDEX", 'i'}, {"SYSTEM TABLE", 's'}, {"TABLE", 'u'}, {"VIEW", 'v'}};
constexpr std::string_view kSequenceType = "SEQUENCE";

// Conditions of a query with the values that they compare with.
class Conditions {
 public:
  explicit Conditions(std::string_view first) : text_(first) {}

  void Add(std::string_view condition) { text_ += fmt::format(" AND {}", condition); }
  void Add(std::string_view condition, std::string value) {
    Add(condition);
    values_.push_back(Value::Varchar(std::move(value)));
  }
  // No pattern: anything; "": NULL.
  void AddPattern(std::string_view column, const Pattern& pattern) {
    if (!pattern.has_value()) return;
    if (pattern->empty()) return Add(fmt::format("{} IS NULL", column));
    Add(fmt::format("{} LIKE ?", column), *pattern);
  }
  // A tenant sees what is everybody's, and its own.
  void AddTenant(const Pattern& catalog, const std::string& tenant) {
    if (catalog.has_value()) {
      if (catalog->empty()) return Add("TENANT_ID IS NULL");
      Add("TENANT_ID = ?", *catalog);
    } else if (!tenant.empty()) {
      Add("(TENANT_ID IS NULL OR TENANT_ID = ?)", tenant);
    }
  }
  const std::string& text() const { return text_; }
  const std::vector<Value>& values() const { return values_; }

 private:
  std::string text_;
  std::vector<Value> values_;
};

Result<StatementResult> Run(const std::string& query, const std::vector<Value>& values,
                            Session* session) {
  return session->Execute(query, values);
}

ResultColumn Text(const char* label) { return {label, {TypeId::kVarchar}, true}; }
ResultColumn Number(const char* label) { return {label, {TypeId::kInteger}, true}; }
ResultColumn Short(const char* label) { return {label, {TypeId::kSmallint}, true}; }

StatementResult ResultOf(std::vector<ResultColumn> columns, std::vector<Row> rows) {
  StatementResult result;
  std::vector<DataType> types;
  for (const ResultColumn& column : columns) types.push_back(column.type);
  result.columns = std::make_shared<const std::vector<ResultColumn>>(std::move(columns));
  result.rows = std::make_unique<sql::exec::StaticRows>(std::move(types), std::move(rows));
  return result;
}

Value TextOrNull(const std::string& text) {
  return text.empty() ? Value::Null({TypeId::kVarchar}) : Value::Varchar(text);
}
Value NumberOrNull(std::optional<int32_t> number) {
  return number.has_value() ? Value::Integer(*number) : Value::Null({TypeId::kInteger});
}
Value ShortOrNull(std::optional<int32_t> number) {
  const DataType type{TypeId::kSmallint};
  return number.has_value() ? Value::Int(type, *number) : Value::Null(type);
}
Value BytesOrNull(const Bytes& bytes) {
  return bytes.empty() ? Value::Null({TypeId::kVarbinary}) : Value::Varbinary(bytes);
}
Value Nothing(TypeId type) { return Value::Null({type}); }

// The widths of a column as JDBC counts them; DECIMAL's precision is its width.
std::optional<int32_t> Size(const ColumnMeta& column) { return column.type.max_length; }

// A table with the tenant of its definition.
struct FoundTable {
  std::string tenant;
  std::shared_ptr<const TableMeta> table;
};

// The tables that the conditions find, in the order of their names. What cannot be read as a
// table, such as a view whose parent is gone, is not among them.
Result<std::vector<FoundTable>> FindTables(const Conditions& conditions, Session* session) {
  ASSIGN_OR_RETURN(
      StatementResult names,
      Run(fmt::format("SELECT TENANT_ID, TABLE_SCHEM, TABLE_NAME FROM SYSTEM.\"CATALOG\" WHERE {} "
                      "ORDER BY TENANT_ID, TABLE_SCHEM, TABLE_NAME",
                      conditions.text()),
          conditions.values(), session));
  std::vector<FoundTable> found;
  sql::DataChunk chunk;
  while (true) {
    RETURN_IF_ERROR(names.rows->Next(&chunk));
    if (chunk.size == 0) return found;
    for (size_t row = 0; row < chunk.size; ++row) {
      const auto text = [&](size_t column) {
        const Value value = chunk.columns[column].GetValue(row);
        return value.is_null() ? std::string() : value.bytes();
      };
      const std::string tenant = text(0);
      auto table = session->store()->catalog()->GetTable(
          text(1), text(2), -1, kLatestTimestamp, tenant.empty() ? session->tenant() : tenant);
      if (table.ok()) {
        found.push_back({tenant, *table});
      } else if (table.status().sql_error() == nullptr) {
        return table.status();
      }
    }
  }
}

Conditions TableConditions(const MetadataArguments& arguments, Session* session) {
  Conditions conditions(kHeaders);
  conditions.AddTenant(arguments.catalog, session->tenant());
  conditions.AddPattern("TABLE_SCHEM", arguments.schema);
  conditions.AddPattern("TABLE_NAME", arguments.table);
  return conditions;
}

// Of one table, whose names are no patterns.
Conditions ExactConditions(const MetadataArguments& arguments, Session* session) {
  Conditions conditions(kHeaders);
  conditions.AddTenant(arguments.catalog, session->tenant());
  if (arguments.schema.has_value()) {
    if (arguments.schema->empty()) {
      conditions.Add("TABLE_SCHEM IS NULL");
    } else {
      conditions.Add("TABLE_SCHEM = ?", *arguments.schema);
    }
  }
  conditions.Add("TABLE_NAME = ?", arguments.table.value_or(""));
  return conditions;
}

Result<StatementResult> Catalogs(Session* session) {
  Conditions conditions(kHeaders);
  conditions.AddTenant({}, session->tenant());
  conditions.Add("TENANT_ID IS NOT NULL");
  return Run(fmt::format("SELECT DISTINCT TENANT_ID AS TABLE_CAT FROM SYSTEM.\"CATALOG\" WHERE {} "
                         "ORDER BY TENANT_ID",
                         conditions.text()),
             conditions.values(), session);
}

Result<StatementResult> Schemas(const MetadataArguments& arguments, Session* session) {
  Conditions conditions("COLUMN_NAME IS NULL AND COLUMN_FAMILY IS NULL");
  conditions.AddTenant(arguments.catalog, session->tenant());
  conditions.AddPattern("TABLE_SCHEM", arguments.schema);
  return Run(fmt::format("SELECT DISTINCT TABLE_SCHEM, TENANT_ID AS TABLE_CATALOG FROM "
                         "SYSTEM.\"CATALOG\" WHERE {} ORDER BY TABLE_SCHEM, TENANT_ID",
                         conditions.text()),
             conditions.values(), session);
}

Result<StatementResult> Tables(const MetadataArguments& arguments, Session* session) {
  Conditions conditions = TableConditions(arguments, session);
  bool sequences = false;
  if (arguments.types.has_value()) {
    std::string codes;
    for (const std::string& type : *arguments.types) {
      if (type == kSequenceType) sequences = true;
      for (const TableTypeName& known : kTableTypes) {
        if (known.name == type)
          codes += fmt::format("{}'{}'", codes.empty() ? "" : ", ", known.code);
      }
    }
    conditions.Add(codes.empty() ? std::string("TABLE_TYPE IS NULL")
                                 : fmt::format("TABLE_TYPE IN ({})", codes));
  }
  std::string query = std::string(kTables) + conditions.text();
  std::vector<Value> values = conditions.values();
  if (!sequences) {
    query += " ORDER BY SYSTEM.\"CATALOG\".TABLE_TYPE, TENANT_ID, TABLE_SCHEM, TABLE_NAME";
    return Run(query, values, session);
  }
  Conditions of_sequences(kSequences);
  of_sequences.AddTenant(arguments.catalog, session->tenant());
  of_sequences.AddPattern("SEQUENCE_SCHEMA", arguments.schema);
  of_sequences.AddPattern("SEQUENCE_NAME", arguments.table);
  values.insert(values.end(), of_sequences.values().begin(), of_sequences.values().end());
  query += " UNION ALL " + of_sequences.text();
  return Run(query + " ORDER BY 4, 1, 2, 3", values, session);
}

// A pattern of LIKE over a name.
bool Matches(std::string_view pattern, std::string_view name) {
  // Where to go on when what follows the last '%' does not match here.
  std::optional<std::string_view> pattern_after_any;
  std::string_view name_after_any;
  while (!name.empty() || !pattern.empty()) {
    if (!pattern.empty() && pattern[0] == '%') {
      pattern.remove_prefix(1);
      pattern_after_any = pattern;
      name_after_any = name;
      continue;
    }
    std::string_view rest = pattern;
    const bool escaped = rest.size() > 1 && rest[0] == '\\';
    if (escaped) rest.remove_prefix(1);
    if (!name.empty() && !rest.empty() && ((!escaped && rest[0] == '_') || rest[0] == name[0])) {
      pattern = rest.substr(1);
      name.remove_prefix(1);
      continue;
    }
    if (!pattern_after_any.has_value() || name_after_any.empty()) return false;
    name_after_any.remove_prefix(1);
    pattern = *pattern_after_any;
    name = name_after_any;
  }
  return true;
}

Row ColumnRow(const FoundTable& found, const ColumnMeta& column) {
  const TableMeta& table = *found.table;
  const bool decimal = column.type.id == TypeId::kDecimal;
  return {TextOrNull(found.tenant),
          TextOrNull(table.schema),
          Value::Varchar(table.name),
          Value::Varchar(column.name),
          Value::Integer(avatica::KnownJdbcTypeId(column.type.id)),
          Value::Varchar(std::string(sql::TypeName(column.type.id))),
          NumberOrNull(Size(column)),
          Nothing(TypeId::kInteger),
          NumberOrNull(decimal ? column.type.scale : std::nullopt),
          Nothing(TypeId::kInteger),
          Value::Integer(column.nullable ? 1 : 0),
          Nothing(TypeId::kVarchar),
          TextOrNull(column.default_text),
          Nothing(TypeId::kInteger),
          Nothing(TypeId::kInteger),
          Nothing(TypeId::kInteger),
          Value::Integer(column.ordinal),
          Value::Varchar(column.nullable ? "true" : "false"),
          Nothing(TypeId::kVarchar),
          Nothing(TypeId::kVarchar),
          Nothing(TypeId::kVarchar),
          Nothing(TypeId::kVarchar),
          Nothing(TypeId::kSmallint),
          NumberOrNull(column.array_size),
          TextOrNull(column.family),
          Value::Integer(avatica::KnownPhoenixTypeId(column.type.id)),
          BytesOrNull(column.view_constant),
          Value::Bool(table.multi_tenant),
          ShortOrNull(column.is_key() ? std::optional(column.key_position + 1) : std::nullopt)};
}

Result<StatementResult> Columns(const MetadataArguments& arguments, Session* session) {
  ASSIGN_OR_RETURN(const auto tables, FindTables(TableConditions(arguments, session), session));
  std::vector<Row> rows;
  for (const FoundTable& found : tables) {
    for (const ColumnMeta& column : found.table->columns) {
      if (column.hidden) continue;
      if (arguments.column.has_value() && !arguments.column->empty() &&
          !Matches(*arguments.column, column.name)) {
        continue;
      }
      rows.push_back(ColumnRow(found, column));
    }
  }
  return ResultOf({Text("TABLE_CAT"),
                   Text("TABLE_SCHEM"),
                   Text("TABLE_NAME"),
                   Text("COLUMN_NAME"),
                   Number("DATA_TYPE"),
                   Text("TYPE_NAME"),
                   Number("COLUMN_SIZE"),
                   Number("BUFFER_LENGTH"),
                   Number("DECIMAL_DIGITS"),
                   Number("NUM_PREC_RADIX"),
                   Number("NULLABLE"),
                   Text("REMARKS"),
                   Text("COLUMN_DEF"),
                   Number("SQL_DATA_TYPE"),
                   Number("SQL_DATETIME_SUB"),
                   Number("CHAR_OCTET_LENGTH"),
                   Number("ORDINAL_POSITION"),
                   Text("IS_NULLABLE"),
                   Text("SCOPE_CATALOG"),
                   Text("SCOPE_SCHEMA"),
                   Text("SCOPE_TABLE"),
                   Text("SOURCE_DATA_TYPE"),
                   Short("IS_AUTOINCREMENT"),
                   Number("ARRAY_SIZE"),
                   Text("COLUMN_FAMILY"),
                   Number("TYPE_ID"),
                   {"VIEW_CONSTANT", {TypeId::kVarbinary}, true},
                   {"MULTI_TENANT", {TypeId::kBoolean}, true},
                   Short("KEY_SEQ")},
                  std::move(rows));
}

Value Direction(const ColumnMeta& column) {
  return Value::Varchar(column.sort_order == sql::SortOrder::kDesc ? "D" : "A");
}

Result<StatementResult> PrimaryKeys(const MetadataArguments& arguments, Session* session) {
  ASSIGN_OR_RETURN(const auto tables, FindTables(ExactConditions(arguments, session), session));
  // Phoenix looks the table up, where it only lists for other questions.
  if (tables.empty() && !arguments.table.value_or("").empty()) {
    return sql::MakeSqlError(
        1012, "tableName=" +
                  sql::catalog::FullTableName(arguments.schema.value_or(""), *arguments.table));
  }
  std::vector<Row> rows;
  for (const FoundTable& found : tables) {
    const TableMeta& table = *found.table;
    for (size_t i = 0; i < table.key_columns.size(); ++i) {
      const ColumnMeta& column = table.key_column(i);
      if (column.hidden) continue;
      rows.push_back({TextOrNull(found.tenant), TextOrNull(table.schema),
                      Value::Varchar(table.name), Value::Varchar(column.name),
                      ShortOrNull(static_cast<int32_t>(i) + 1), TextOrNull(table.pk_name),
                      Direction(column), Value::Integer(avatica::KnownJdbcTypeId(column.type.id)),
                      Value::Varchar(std::string(sql::TypeName(column.type.id))),
                      NumberOrNull(Size(column)),
                      Value::Integer(avatica::KnownPhoenixTypeId(column.type.id)),
                      BytesOrNull(column.view_constant)});
    }
  }
  return ResultOf({Text("TABLE_CAT"),
                   Text("TABLE_SCHEM"),
                   Text("TABLE_NAME"),
                   Text("COLUMN_NAME"),
                   Short("KEY_SEQ"),
                   Text("PK_NAME"),
                   Text("ASC_OR_DESC"),
                   Number("DATA_TYPE"),
                   Text("TYPE_NAME"),
                   Number("COLUMN_SIZE"),
                   Number("TYPE_ID"),
                   {"VIEW_CONSTANT", {TypeId::kVarbinary}, true}},
                  std::move(rows));
}

Result<StatementResult> Indexes(const MetadataArguments& arguments, Session* session) {
  constexpr int32_t kOtherIndex = 3;  // DatabaseMetaData.tableIndexOther
  ASSIGN_OR_RETURN(const auto tables, FindTables(ExactConditions(arguments, session), session));
  std::vector<Row> rows;
  for (const FoundTable& found : tables) {
    ASSIGN_OR_RETURN(const auto indexes, session->store()->catalog()->IndexesOf(*found.table));
    for (const auto& index : indexes) {
      for (const ColumnMeta& column : index->columns) {
        if (column.hidden) continue;
        rows.push_back(
            {TextOrNull(found.tenant), TextOrNull(found.table->schema),
             Value::Varchar(found.table->name), Value::Bool(true), Nothing(TypeId::kVarchar),
             Value::Varchar(index->name), Value::Integer(kOtherIndex),
             Value::Integer(column.ordinal), Value::Varchar(column.name),
             column.is_key() ? Direction(column) : Nothing(TypeId::kVarchar),
             Nothing(TypeId::kInteger), Nothing(TypeId::kInteger), TextOrNull(index->index_where),
             Value::Integer(avatica::KnownJdbcTypeId(column.type.id)),
             Value::Varchar(std::string(sql::TypeName(column.type.id))),
             Value::Integer(avatica::KnownPhoenixTypeId(column.type.id)), TextOrNull(column.family),
             NumberOrNull(Size(column)), NumberOrNull(column.array_size)});
      }
    }
  }
  return ResultOf({Text("TABLE_CAT"),
                   Text("TABLE_SCHEM"),
                   Text("TABLE_NAME"),
                   {"NON_UNIQUE", {TypeId::kBoolean}, true},
                   Text("INDEX_QUALIFIER"),
                   Text("INDEX_NAME"),
                   Number("TYPE"),
                   Number("ORDINAL_POSITION"),
                   Text("COLUMN_NAME"),
                   Text("ASC_OR_DESC"),
                   Number("CARDINALITY"),
                   Number("PAGES"),
                   Text("FILTER_CONDITION"),
                   Number("DATA_TYPE"),
                   Text("TYPE_NAME"),
                   Number("TYPE_ID"),
                   Text("COLUMN_FAMILY"),
                   Number("COLUMN_SIZE"),
                   Number("ARRAY_SIZE")},
                  std::move(rows));
}

StatementResult TableTypes() {
  std::vector<Row> rows;
  for (const std::string_view name :
       {std::string_view("INDEX"), kSequenceType, std::string_view("SYSTEM TABLE"),
        std::string_view("TABLE"), std::string_view("VIEW")}) {
    rows.push_back({Value::Varchar(std::string(name))});
  }
  return ResultOf({Text("TABLE_TYPE")}, std::move(rows));
}

}  // namespace

Result<StatementResult> AnswerMetadata(pb::MetaDataOperation operation,
                                       const MetadataArguments& arguments, Session* session) {
  switch (operation) {
    case pb::GET_CATALOGS: return Catalogs(session);
    case pb::GET_SCHEMAS:
    case pb::GET_SCHEMAS_WITH_ARGS: return Schemas(arguments, session);
    case pb::GET_TABLES: return Tables(arguments, session);
    case pb::GET_COLUMNS: return Columns(arguments, session);
    case pb::GET_TABLE_TYPES: return TableTypes();
    case pb::GET_PRIMARY_KEYS: return PrimaryKeys(arguments, session);
    case pb::GET_INDEX_INFO: return Indexes(arguments, session);
    default: return ResultOf({}, {});
  }
}

MetadataArguments ArgumentsOf(const pb::QueryState& state) {
  MetadataArguments arguments;
  const auto text = [&state](int i) -> Pattern {
    if (i >= state.args_size() || state.args(i).type() != pb::MetaDataOperationArgument::STRING) {
      return std::nullopt;
    }
    return state.args(i).string_value();
  };
  arguments.catalog = text(0);
  arguments.schema = text(1);
  arguments.table = text(2);
  arguments.column = text(3);
  constexpr int kTypes = 3;  // of getTables
  if (state.op() == pb::GET_TABLES && state.args_size() > kTypes &&
      state.args(kTypes).type() == pb::MetaDataOperationArgument::REPEATED_STRING) {
    const auto& types = state.args(kTypes).string_array_values();
    arguments.types.emplace(types.begin(), types.end());
  }
  return arguments;
}

pb::DatabasePropertyResponse DatabaseProperties() {
  constexpr int32_t kMajor = 5;
  constexpr int32_t kMinor = 3;
  constexpr int32_t kReadCommitted = 2;  // java.sql.Connection.TRANSACTION_READ_COMMITTED
  pb::DatabasePropertyResponse response;
  const auto text = [&response](const char* name, const std::string& value) {
    auto* const property = response.add_props();
    property->mutable_key()->set_name(name);
    property->mutable_value()->set_type(pb::STRING);
    property->mutable_value()->set_string_value(value);
  };
  const auto number = [&response](const char* name, int32_t value) {
    auto* const property = response.add_props();
    property->mutable_key()->set_name(name);
    property->mutable_value()->set_type(pb::INTEGER);
    property->mutable_value()->set_number_value(value);
  };
  const std::string version = fmt::format("{}.{}", kMajor, kMinor);
  text("GET_SYSTEM_FUNCTIONS", "");
  text("GET_S_Q_L_KEYWORDS", "");
  text("GET_TIME_DATE_FUNCTIONS", "");
  number("GET_DRIVER_MAJOR_VERSION", kMajor);
  text("GET_DATABASE_PRODUCT_VERSION", version);
  text("GET_DATABASE_PRODUCT_NAME", "Phoenix");
  number("GET_DRIVER_MINOR_VERSION", kMinor);
  text("GET_STRING_FUNCTIONS", "");
  number("GET_DEFAULT_TRANSACTION_ISOLATION", kReadCommitted);
  text("GET_NUMERIC_FUNCTIONS", "");
  text("AVATICA_VERSION", "1.18.0");
  number("GET_DATABASE_MINOR_VERSION", kMinor);
  number("GET_DATABASE_MAJOR_VERSION", kMajor);
  text("GET_DRIVER_NAME", "PhoenixEmbeddedDriver");
  text("GET_DRIVER_VERSION", version);
  return response;
}

}  // namespace bennu::server::phoenix
