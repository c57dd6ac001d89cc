// TableMeta: what SYSTEM.CATALOG says of one table, view or index, ready for binding and execution.
//
// Made by Catalog from the catalog's rows and then immutable, so it is shared freely between
// threads; an ALTER makes a new one with a higher sequence number. Names are as stored (already
// upper-cased unless they were quoted). Source: phoenix-storage.md sections 1 to 3; PTable of 5.3.
#ifndef BENNU_SRC_SQL_CATALOG_TABLE_H_
#define BENNU_SRC_SQL_CATALOG_TABLE_H_

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/sql/keys/key_schema.h"
#include "src/sql/types/type.h"

namespace bennu::sql::catalog {

// The character that TABLE_TYPE holds.
enum class TableType : char {
  kSystem = 's',
  kTable = 'u',
  kView = 'v',
  kIndex = 'i',
  kCdc = 'c',
};

// IMMUTABLE_STORAGE_SCHEME.
enum class StorageScheme : uint8_t {
  kOneCellPerColumn = 1,
  kSingleCellArrayWithOffsets = 2,  // one cell per family holds all its columns
};

// Qualifiers below this are reserved; the first column of an encoded table gets it.
inline constexpr int32_t kFirstEncodedQualifier = 11;
// The qualifier of the cell that holds a family's columns in a single-cell table: "1".
inline constexpr std::string_view kSingleCellQualifier = "1";

// VIEW_TYPE.
enum class ViewType : uint8_t {
  kNone = 0,
  kMapped = 1,     // over a table of HBase
  kReadOnly = 2,   // a condition that says more than "column = constant"
  kUpdatable = 3,  // writes are passed on, with the constants of the condition filled in
};

// INDEX_TYPE.
enum class IndexType : uint8_t {
  kNone = 0,
  kGlobal = 1,
  kLocal = 2,      // in families of its own beside the rows that it is about
  kUncovered = 3,  // of keys alone; what else is wanted is looked up in the table
};

// INDEX_STATE. One that is active or inactive is kept up with its table; one that is built is, too,
// from the moment on at which the building begins.
enum class IndexState : char {
  kNone = 0,
  kBuilding = 'b',
  kUsable = 'e',
  kUnusable = 'd',
  kActive = 'a',
  kInactive = 'i',
  kDisabled = 'x',
  kRebuild = 'r',
  kPendingActive = 'p',
  kPendingDisable = 'w',
  kCreateDisable = 'c',
};

struct ColumnMeta {
  std::string name;
  std::string family;  // empty for a key column
  DataType type;
  std::optional<int32_t> array_size;  // the n of T ARRAY[n]; told, not enforced
  bool nullable = true;
  SortOrder sort_order = SortOrder::kAsc;
  int32_t key_position = -1;  // index into TableMeta::key_columns; -1 for a key value column
  int32_t ordinal = 0;        // ORDINAL_POSITION: 1-based, without the salt column
  // Qualifier of the HBase cell (the bytes of an encoded qualifier, or the name); empty for a key
  // column. In single-cell tables no cell has it: see TableMeta::ArrayElementIndex.
  Bytes qualifier;
  int32_t encoded_qualifier = -1;  // the number behind 'qualifier'; -1 when it is a name
  std::string default_text;        // DEFAULT expression as SQL text; empty when there is none
  bool row_timestamp = false;
  bool dynamic = false;  // named by the statement only, not in the catalog
  // What the view's condition, or the connection's tenant, holds the column to, as the column
  // stores it; empty when it is free.
  Bytes view_constant;
  // The value that all rows of the view have in the column, as the column stores it, whether the
  // view can be written or not; empty: none is known.
  Bytes equal_to;
  bool view_referenced = false;  // the view's condition names it
  bool hidden = false;           // the tenant's column, for a connection of the tenant
  // Of an index: what its column holds, as SQL over the table ("V", "\"K\"", " UPPER(X.C)"); empty
  // for a column that it only includes.
  std::string index_expression;
  bool derived = false;   // of a view: from its parent
  int64_t timestamp = 0;  // of its definition, milliseconds

  bool is_key() const { return key_position >= 0; }
};

// A column of its parent that a view dropped.
struct ExcludedColumn {
  std::string family;
  std::string name;
  int64_t timestamp = 0;
};

// The whole name of a table or view.
struct TableKey {
  std::string tenant;
  std::string schema;
  std::string name;

  auto operator<=>(const TableKey&) const = default;
};

// QUALIFIER_COUNTER rows: the next qualifier to give out.
using QualifierCounters = std::map<std::string, int32_t>;

inline constexpr int32_t kNoBaseColumns = -1;      // BASE_COLUMN_COUNT of anything but a view
inline constexpr int32_t kDivergedColumns = -100;  // of a view that dropped a column of its parent

inline constexpr int64_t kUpdateCacheAlways = 0;
inline constexpr int64_t kUpdateCacheNever = std::numeric_limits<int64_t>::max();

// The first column of the key of a view's index: several indexes share one HBase table, and the
// number tells them apart. Of a local index it is a column in the catalog alone.
inline constexpr const char* kIndexIdColumn = "_INDEX_ID";

// SYSTEM.CATALOG's column of the sequence from which views get their part of a table.
inline constexpr const char* kAutoPartitionSequence = "AUTO_PARTITION_SEQ";

struct TableMeta {
  std::string tenant;  // empty for a global table
  std::string schema;  // empty when there is none
  std::string name;
  TableType type = TableType::kTable;
  TableName physical;             // the HBase table
  bool namespace_mapped = false;  // its schema is a namespace: S:T rather than S.T

  int64_t sequence_number = 0;
  std::string pk_name;                // of the constraint; empty when it has no name
  std::vector<ColumnMeta> columns;    // by ordinal; the order of SELECT *
  std::vector<uint32_t> key_columns;  // indexes into 'columns', in key order, without the salt
  std::vector<std::string> families;  // in the order in which the columns first name them
  KeySchema key_schema;               // of the whole row key, salt included
  int32_t salt_buckets = 0;           // 0: not salted
  int32_t row_timestamp_column = -1;  // index into 'columns', -1 when there is none

  std::string default_family = "0";   // where a column without a family lies
  bool default_family_given = false;  // DEFAULT_COLUMN_FAMILY is in the catalog
  // Every row has a Put of empty_value in this column; a row exists while the cell does.
  std::string empty_family;
  Bytes empty_qualifier;
  Bytes empty_value;

  int32_t encoding_bytes = 0;  // COLUMN_ENCODED_BYTES 1..4; 0: qualifiers are names
  StorageScheme storage_scheme = StorageScheme::kOneCellPerColumn;
  QualifierCounters counters;

  bool immutable_rows = false;
  bool store_nulls = false;
  bool disable_wal = false;
  bool multi_tenant = false;
  bool append_only_schema = false;
  std::string ttl;  // TTL as in the catalog; empty when it is not set
  // The TTL when it is a condition: rows that meet it are gone for readers. Of a view its parent's.
  std::string ttl_condition;
  int64_t update_cache_frequency_ms = kUpdateCacheAlways;
  int64_t last_ddl_timestamp = 0;  // milliseconds
  // Further text that only SHOW and the catalog look at, by column name of SYSTEM.CATALOG.
  std::map<std::string, std::string> other_properties;

  // Names of the indexes on this table, without schema.
  std::vector<std::string> indexes;
  // Views. Their columns and options are those of the parent first, then their own.
  ViewType view_type = ViewType::kNone;
  std::string view_statement;  // "SELECT * FROM … WHERE …", empty when all rows are shown
  std::string view_condition;  // what follows WHERE there
  TableKey parent;             // the table or view that it was made over; none when mapped
  TableKey base;               // the table below all of them
  int32_t base_column_count = kNoBaseColumns;
  std::vector<ExcludedColumn> excluded;
  Bytes row_key_matcher;  // what the keys of an updatable view's rows begin with
  int64_t timestamp = 0;  // of the definition, milliseconds
  // The tenant whose rows alone are shown: of the connection that asked. Empty: all rows.
  std::string rows_of_tenant;
  // Indexes.
  std::string data_table_name;  // without schema
  IndexType index_type = IndexType::kNone;
  IndexState index_state = IndexState::kNone;
  bool built_later = false;  // ASYNC, as it was defined; for the catalog's row alone
  std::string index_where;   // the condition on the rows that it is about; empty: all
  // VIEW_INDEX_ID of a view's index or a local one, and its type: SMALLINT or BIGINT. Keys of local
  // indexes begin with what stands for their region and then this number (local_index.h); neither
  // is in 'columns' or 'key_schema'.
  std::optional<int64_t> view_index_id;
  TypeId view_index_id_type = TypeId::kSmallint;
  // Of a view: rows of the table below expire by its TTL.
  bool base_expires = false;

  bool is_salted() const { return salt_buckets > 0; }
  bool single_cell() const { return storage_scheme == StorageScheme::kSingleCellArrayWithOffsets; }
  bool is_system() const { return type == TableType::kSystem; }
  bool is_view() const { return type == TableType::kView; }
  bool is_index() const { return type == TableType::kIndex; }
  // Its rows lie in families of the table's own HBase table, in the region of the table's rows.
  bool is_local_index() const { return is_index() && index_type == IndexType::kLocal; }
  // Of a view, in the HBase table that all indexes of views over one table share.
  bool is_view_index() const {
    return is_index() && view_index_id.has_value() && !is_local_index();
  }
  // It has no HBase table of its own.
  bool shares_its_table() const { return is_local_index() || is_view_index(); }
  // Indexes of a view over a table of SQL lie in a shared HBase table, other than local ones. A
  // mapped view is to its indexes what a table is.
  bool shares_index_table() const { return is_view() && view_type != ViewType::kMapped; }
  // Of an index: queries may be answered from it.
  bool is_usable_index() const {
    return index_state == IndexState::kActive || index_state == IndexState::kUsable ||
           index_state == IndexState::kPendingDisable;
  }
  // Of an index: its rows follow those of the table.
  bool is_kept_up() const {
    return index_state != IndexState::kNone && index_state != IndexState::kDisabled &&
           index_state != IndexState::kCreateDisable;
  }
  // Of an index: a JSON document is in its key, which can be kept up but not be taken apart, since
  // the document's bytes hold what would end it there.
  bool has_document_in_key() const;
  TableKey key() const { return {tenant, schema, name}; }
  // Is TTL, as the catalog has it, a condition and not a number of seconds?
  static bool IsTtlCondition(std::string_view ttl);
  // Are there rows that a statement must not see? Expired ones aside: see ConditionOf in view.h.
  bool is_restricted() const { return !view_condition.empty() || !rows_of_tenant.empty(); }
  // "S.T", or "T" without a schema: what messages call the table.
  std::string FullName() const;

  const ColumnMeta& key_column(size_t i) const { return columns[key_columns[i]]; }
  // Index into 'columns'. Errors carry 'position' (byte offset in the statement, or -1).
  // 504: no such column. 502: more than one family has it.
  Result<uint32_t> FindColumn(std::string_view column, int64_t position = -1) const;
  // 1001: no such family. 504: the family has no such column.
  Result<uint32_t> FindColumn(std::string_view family, std::string_view column,
                              int64_t position = -1) const;
  bool HasFamily(std::string_view family) const;
  // Index into 'columns' of exactly this family (empty: key columns) and name, -1 when absent.
  int32_t IndexOf(std::string_view family, std::string_view column) const;
  // Place of the column's value in the array of a single-cell table; element 0 is the constant 'x'.
  static int32_t ArrayElementIndex(const ColumnMeta& column) {
    return column.encoded_qualifier - kFirstEncodedQualifier + 1;
  }
  // A copy with dynamic columns behind the others. 'family' of each empty: that of the empty
  // column; its qualifier is set here. 514: a column of that name is there already.
  Result<TableMeta> WithDynamicColumns(const std::vector<ColumnMeta>& dynamic) const;

  // Fills what follows from columns, salt_buckets and encoding_bytes: key_columns, key positions,
  // families, key_schema, row_timestamp_column, the empty column. For the catalog and for tests.
  void Finish();
};

// The bytes that stand for qualifier 'number' in a table of COLUMN_ENCODED_BYTES 'bytes' (1..4).
Bytes EncodeQualifier(int32_t number, int32_t bytes);
// The reverse; Corruption when the bytes cannot be one.
Result<int32_t> DecodeQualifier(ByteView qualifier, int32_t bytes);
// Greatest qualifier that fits.
int32_t MaxEncodedQualifier(int32_t bytes);

// "S.T", or "T" when 'schema' is empty.
std::string FullTableName(std::string_view schema, std::string_view name);
// The HBase table: S.T of the default namespace or, when schemas are namespaces, S:T.
TableName PhysicalTableName(std::string_view schema, std::string_view name, bool namespace_mapped);
// The HBase table of all indexes of views over the one whose HBase table is 'base'.
TableName ViewIndexTableName(const TableName& base);
bool IsViewIndexTable(const TableName& name);
TableName BaseOfViewIndexTable(const TableName& name);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_TABLE_H_
