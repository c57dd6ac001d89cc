#include "src/sql/catalog/system_tables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "src/base/check.h"

namespace bennu::sql::catalog {
namespace {

// Columns are "NAME TYPE" or "NAME TYPE(length)", separated by commas; '!' after a key column means
// NOT NULL.
struct Definition {
  const char* name;
  const char* key;
  const char* columns;
  const char* ttl_seconds = "";
  bool immutable = false;
  bool store_nulls = false;
  int32_t salt_buckets = 0;
  int32_t encoding_bytes = 0;
};

constexpr char kTableKey[] =
    "TENANT_ID VARCHAR,TABLE_SCHEM VARCHAR,TABLE_NAME VARCHAR!,COLUMN_NAME VARCHAR,"
    "COLUMN_FAMILY VARCHAR";

constexpr Definition kDefinitions[] = {
    {"CATALOG", kTableKey,
     "TABLE_SEQ_NUM BIGINT,TABLE_TYPE CHAR(1),PK_NAME VARCHAR,COLUMN_COUNT INTEGER,"
     "SALT_BUCKETS INTEGER,DATA_TABLE_NAME VARCHAR,INDEX_STATE CHAR(1),IMMUTABLE_ROWS BOOLEAN,"
     "VIEW_STATEMENT VARCHAR,DEFAULT_COLUMN_FAMILY VARCHAR,DISABLE_WAL BOOLEAN,"
     "MULTI_TENANT BOOLEAN,VIEW_TYPE UNSIGNED_TINYINT,VIEW_INDEX_ID BIGINT,"
     "VIEW_INDEX_ID_DATA_TYPE INTEGER,PHOENIX_TTL BIGINT,PHOENIX_TTL_HWM BIGINT,"
     "LAST_DDL_TIMESTAMP BIGINT,CHANGE_DETECTION_ENABLED BOOLEAN,SCHEMA_VERSION VARCHAR,"
     "EXTERNAL_SCHEMA_ID VARCHAR,STREAMING_TOPIC_NAME VARCHAR,INDEX_WHERE VARCHAR,"
     "CDC_INCLUDE VARCHAR,TTL VARCHAR,ROW_KEY_MATCHER VARBINARY_ENCODED,IS_STRICT_TTL BOOLEAN,"
     "INDEX_CONSISTENCY CHAR(1),DATA_TYPE INTEGER,COLUMN_SIZE INTEGER,DECIMAL_DIGITS INTEGER,"
     "NULLABLE INTEGER,ORDINAL_POSITION INTEGER,SORT_ORDER INTEGER,ARRAY_SIZE INTEGER,"
     "VIEW_CONSTANT VARBINARY,IS_VIEW_REFERENCED BOOLEAN,KEY_SEQ SMALLINT,"
     "LINK_TYPE UNSIGNED_TINYINT,TYPE_NAME VARCHAR,REMARKS VARCHAR,"
     "SELF_REFERENCING_COL_NAME VARCHAR,REF_GENERATION VARCHAR,BUFFER_LENGTH INTEGER,"
     "NUM_PREC_RADIX INTEGER,COLUMN_DEF VARCHAR,SQL_DATA_TYPE INTEGER,SQL_DATETIME_SUB INTEGER,"
     "CHAR_OCTET_LENGTH INTEGER,IS_NULLABLE VARCHAR,SCOPE_CATALOG VARCHAR,SCOPE_SCHEMA VARCHAR,"
     "SCOPE_TABLE VARCHAR,SOURCE_DATA_TYPE SMALLINT,IS_AUTOINCREMENT VARCHAR,"
     "INDEX_TYPE UNSIGNED_TINYINT,INDEX_DISABLE_TIMESTAMP BIGINT,STORE_NULLS BOOLEAN,"
     "BASE_COLUMN_COUNT INTEGER,IS_ROW_TIMESTAMP BOOLEAN,TRANSACTIONAL BOOLEAN,"
     "UPDATE_CACHE_FREQUENCY BIGINT,IS_NAMESPACE_MAPPED BOOLEAN,AUTO_PARTITION_SEQ VARCHAR,"
     "APPEND_ONLY_SCHEMA BOOLEAN,GUIDE_POSTS_WIDTH BIGINT,COLUMN_QUALIFIER VARBINARY,"
     "IMMUTABLE_STORAGE_SCHEME TINYINT,ENCODING_SCHEME TINYINT,QUALIFIER_COUNTER INTEGER,"
     "USE_STATS_FOR_PARALLELIZATION BOOLEAN,TRANSACTION_PROVIDER TINYINT,"
     "PHYSICAL_TABLE_NAME VARCHAR"},
    {"SEQUENCE", "TENANT_ID VARCHAR,SEQUENCE_SCHEMA VARCHAR,SEQUENCE_NAME VARCHAR!",
     "START_WITH BIGINT,CURRENT_VALUE BIGINT,INCREMENT_BY BIGINT,CACHE_SIZE BIGINT,"
     "MIN_VALUE BIGINT,MAX_VALUE BIGINT,CYCLE_FLAG BOOLEAN,LIMIT_REACHED_FLAG BOOLEAN"},
    {"STATS", "PHYSICAL_NAME VARCHAR!,COLUMN_FAMILY VARCHAR,GUIDE_POST_KEY VARBINARY",
     "GUIDE_POSTS_WIDTH BIGINT,LAST_STATS_UPDATE_TIME DATE,GUIDE_POSTS_ROW_COUNT BIGINT"},
    {"FUNCTION", "TENANT_ID VARCHAR,FUNCTION_NAME VARCHAR!,TYPE VARCHAR,ARG_POSITION VARBINARY",
     "NUM_ARGS INTEGER,CLASS_NAME VARCHAR,JAR_PATH VARCHAR,RETURN_TYPE VARCHAR,IS_ARRAY BOOLEAN,"
     "IS_CONSTANT BOOLEAN,DEFAULT_VALUE VARCHAR,MIN_VALUE VARCHAR,MAX_VALUE VARCHAR"},
    {"LOG", "START_TIME DECIMAL!,TABLE_NAME VARCHAR,QUERY_ID VARCHAR!",
     "TENANT_ID VARCHAR,USER VARCHAR,CLIENT_IP VARCHAR,QUERY VARCHAR,EXPLAIN_PLAN VARCHAR,"
     "NO_OF_RESULTS_ITERATED BIGINT,QUERY_STATUS VARCHAR,EXCEPTION_TRACE VARCHAR,"
     "GLOBAL_SCAN_DETAILS VARCHAR,BIND_PARAMETERS VARCHAR,SCAN_METRICS_JSON VARCHAR",
     "604800", true, false, 32, 1},
    {"CHILD_LINK", kTableKey, "LINK_TYPE UNSIGNED_TINYINT"},
    {"MUTEX", kTableKey, "MUTEX_VALUE VARCHAR", "900", true},
    {"TASK",
     "TASK_TYPE UNSIGNED_TINYINT!,TASK_TS TIMESTAMP!,TENANT_ID VARCHAR,TABLE_SCHEM VARCHAR,"
     "TABLE_NAME VARCHAR!",
     "TASK_STATUS VARCHAR,TASK_END_TS TIMESTAMP,TASK_PRIORITY UNSIGNED_TINYINT,TASK_DATA VARCHAR",
     "864000", false, true},
};

std::string_view NextField(std::string_view* text, char separator) {
  const size_t end = text->find(separator);
  const std::string_view field = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return field;
}

ColumnMeta ParseColumn(std::string_view field, bool key) {
  ColumnMeta column;
  column.name = NextField(&field, ' ');
  if (key && field.ends_with('!')) {
    column.nullable = false;
    field.remove_suffix(1);
  }
  const std::string_view type = NextField(&field, '(');
  column.type.id = TypeByName(type).value();
  if (!field.empty()) {
    int32_t length = 0;
    std::from_chars(field.data(), field.data() + field.size(), length);
    column.type.max_length = length;
  }
  column.row_timestamp = column.name == "TASK_TS";
  return column;
}

void AddColumns(std::string_view text, bool key, TableMeta* table) {
  while (!text.empty()) {
    ColumnMeta column = ParseColumn(NextField(&text, ','), key);
    column.ordinal = static_cast<int32_t>(table->columns.size()) + 1;
    if (key) {
      column.key_position = static_cast<int32_t>(table->columns.size());
    } else {
      column.family = table->default_family;
      if (table->encoding_bytes > 0) {
        int32_t& counter =
            table->counters.try_emplace(column.family, kFirstEncodedQualifier).first->second;
        column.encoded_qualifier = counter++;
        column.qualifier = EncodeQualifier(column.encoded_qualifier, table->encoding_bytes);
      } else {
        column.qualifier = column.name;
      }
    }
    table->columns.push_back(std::move(column));
  }
}

std::shared_ptr<const TableMeta> Build(const Definition& definition, bool mapped) {
  auto table = std::make_shared<TableMeta>();
  table->schema = kSystemSchema;
  table->name = definition.name;
  table->type = TableType::kSystem;
  table->namespace_mapped = mapped;
  table->physical = PhysicalTableName(kSystemSchema, definition.name, mapped);
  table->pk_name = "PK";
  table->ttl = definition.ttl_seconds;
  table->immutable_rows = definition.immutable;
  table->store_nulls = definition.store_nulls;
  table->salt_buckets = definition.salt_buckets;
  table->encoding_bytes = definition.encoding_bytes;
  if (definition.immutable && definition.encoding_bytes > 0) {
    table->storage_scheme = StorageScheme::kSingleCellArrayWithOffsets;
  }
  AddColumns(definition.key, true, table.get());
  AddColumns(definition.columns, false, table.get());
  table->Finish();
  return table;
}

constexpr std::array<std::string_view, 5> kColumnsSince53 = {
    "CDC_INCLUDE", "TTL", "ROW_KEY_MATCHER", "IS_STRICT_TTL", "INDEX_CONSISTENCY"};

}  // namespace

TableMeta AsOfPhoenix52(const TableMeta& table) {
  TableMeta old = table;
  if (table.name != kCatalogName) return old;
  std::erase_if(old.columns, [](const ColumnMeta& column) {
    return std::find(kColumnsSince53.begin(), kColumnsSince53.end(), column.name) !=
           kColumnsSince53.end();
  });
  int32_t ordinal = 0;
  for (ColumnMeta& column : old.columns) column.ordinal = ++ordinal;
  old.Finish();
  return old;
}

const std::vector<std::shared_ptr<const TableMeta>>& SystemTables(bool mapped) {
  const auto build = [](bool in_namespace) {
    auto* built = new std::vector<std::shared_ptr<const TableMeta>>();
    for (const Definition& definition : kDefinitions) {
      built->push_back(Build(definition, in_namespace));
    }
    return built;
  };
  static const auto* const plain = build(false);
  static const auto* const in_namespace = build(true);
  return mapped ? *in_namespace : *plain;
}

const std::shared_ptr<const TableMeta>& SystemTable(std::string_view name, bool mapped) {
  static const std::shared_ptr<const TableMeta> none;
  for (const auto& table : SystemTables(mapped)) {
    if (table->name == name) return table;
  }
  return none;
}

}  // namespace bennu::sql::catalog
