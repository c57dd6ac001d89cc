#include "src/sql/catalog/catalog_rows.h"

#include <algorithm>
#include <utility>

#include "src/base/check.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/value.h"

namespace bennu::sql::catalog {
namespace {

constexpr char kSeparator = '\0';
constexpr size_t kCatalogRowsPerBatch = 1000;

// Cells without a column of their own in the catalog's definition.
constexpr std::string_view kKeyOrderOptimizable = "ROW_KEY_ORDER_OPTIMIZABLE";
constexpr std::string_view kSyncIndexCreatedDate = "SYNC_INDEX_CREATED_DATE";
constexpr std::string_view kAsyncCreatedDate = "ASYNC_CREATED_DATE";

constexpr std::string_view kAsyncRebuildTimestamp = "ASYNC_REBUILD_TIMESTAMP";
constexpr std::string_view kPendingDisableCount = "PENDING_DISABLE_COUNT";

constexpr std::string_view kParentTenant = "PARENT_TENANT_ID";

// LINK_TYPE.
constexpr int64_t kLinkIndexTable = 1;
constexpr int64_t kLinkPhysicalTable = 2;
constexpr int64_t kLinkParentTable = 3;
constexpr int64_t kLinkChildTable = 4;
constexpr int64_t kLinkExcludedColumn = 5;
constexpr int64_t kLinkViewOfIndex = 6;

DataType TypeOfCatalogColumn(std::string_view name) {
  if (name == kParentTenant) return {TypeId::kVarchar};
  if (name == kKeyOrderOptimizable) return {TypeId::kBoolean};
  if (name == kSyncIndexCreatedDate || name == kAsyncCreatedDate) return {TypeId::kDate};
  if (name == kAsyncRebuildTimestamp) return {TypeId::kBigint};
  const TableMeta& catalog = *SystemTable(kCatalogName);
  const int32_t index = catalog.IndexOf(kCatalogFamily, name);
  BENNU_CHECK(index >= 0);
  return catalog.columns[static_cast<size_t>(index)].type;
}

// Writes the cells of one catalog row.
class RowWriter {
 public:
  RowWriter(const CatalogKey& key, int64_t timestamp, MutationBatch* batch)
      : timestamp_(timestamp), batch_(batch) {
    batch->StartRow(EncodeCatalogKey(key));
  }

  void Text(std::string_view name, std::string_view text) {
    if (text.empty()) return;
    const DataType type = TypeOfCatalogColumn(name);
    Put(name, Value::String(type, std::string(text)), type);
  }
  void Number(std::string_view name, int64_t number) {
    const DataType type = TypeOfCatalogColumn(name);
    Put(name, Value::Int(type, number), type);
  }
  void Binary(std::string_view name, const Bytes& bytes) {
    if (bytes.empty()) return;
    const DataType type = TypeOfCatalogColumn(name);
    Put(name, Value::String(type, bytes), type);
  }
  void Flag(std::string_view name, bool flag) {
    Put(name, Value::Bool(flag), TypeOfCatalogColumn(name));
  }
  // An option kept as text, in whatever type its column has.
  void Kept(std::string_view name, const std::string& text) {
    switch (PhysicalTypeOf(TypeOfCatalogColumn(name).id)) {
      case PhysicalType::kBool: return Flag(name, text == "true");
      case PhysicalType::kInt64: return Number(name, std::stoll(text));
      default: return Text(name, text);
    }
  }
  // A cell that no column of the catalog stands for.
  void Raw(std::string_view name, ByteView value) {
    batch_->Put(kCatalogFamily, name, value, timestamp_);
  }
  // As another row has it.
  void Copy(const Cell& cell) {
    batch_->Put(kCatalogFamily, cell.qualifier(), cell.value_view(), timestamp_);
  }
  void Delete(std::string_view name) { batch_->DeleteColumn(kCatalogFamily, name, timestamp_); }
  Status Finish() {
    batch_->Put(kCatalogFamily, "_0", "x", timestamp_);
    return status_;
  }

 private:
  void Put(std::string_view name, const Value& value, const DataType& type) {
    Bytes encoded;
    Status status = Encode(value, type, SortOrder::kAsc, &encoded);
    if (!status.ok()) {
      status_ = status.Annotate(name);
      return;
    }
    batch_->Put(kCatalogFamily, name, encoded, timestamp_);
  }

  const int64_t timestamp_;
  MutationBatch* const batch_;
  Status status_;
};

// Finds and decodes the cells of one catalog row.
class RowCells {
 public:
  explicit RowCells(const CatalogRow& row) : row_(row) {}

  const Cell* Find(std::string_view name) const {
    for (size_t i = 0; i < row_.cell_count; ++i) {
      if (row_.cells[i].qualifier() == name) return &row_.cells[i];
    }
    return nullptr;
  }
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  std::string Text(std::string_view name) const {
    const Cell* cell = Find(name);
    return cell == nullptr ? std::string() : std::string(cell->value_view());
  }
  Result<Bytes> Binary(std::string_view name) const {
    const Cell* cell = Find(name);
    if (cell == nullptr || cell->value_length == 0) return Bytes();
    ASSIGN_OR_RETURN(const Value value, DecodeCell(name, *cell));
    return Bytes(value.bytes());
  }
  Result<int64_t> Number(std::string_view name, int64_t missing) const {
    const Cell* cell = Find(name);
    if (cell == nullptr || cell->value_length == 0) return missing;
    ASSIGN_OR_RETURN(const Value value, DecodeCell(name, *cell));
    return value.int64();
  }
  Result<bool> Flag(std::string_view name) const {
    const Cell* cell = Find(name);
    if (cell == nullptr || cell->value_length == 0) return false;
    ASSIGN_OR_RETURN(const Value value, DecodeCell(name, *cell));
    return value.boolean();
  }

 private:
  Result<Value> DecodeCell(std::string_view name, const Cell& cell) const {
    auto value = Decode(cell.value_view(), TypeOfCatalogColumn(name), SortOrder::kAsc);
    if (value.ok()) return value;
    return Corruption("SYSTEM.CATALOG, row " + ToStringBinary(row_.key) + ", " + std::string(name) +
                      ": " + value.status().message());
  }

  const CatalogRow& row_;
};

// The number has the bytes of its own type, though the catalog's column is a BIGINT.
void AppendViewIndexId(const TableMeta& index, RowWriter* row) {
  row->Raw("VIEW_INDEX_ID", IndexIdBytes(index));
  row->Number("VIEW_INDEX_ID_DATA_TYPE", SqlTypeId(index.view_index_id_type));
}

Status ReadViewIndexId(const RowCells& cells, TableMeta* index) {
  const Cell* const cell = cells.Find("VIEW_INDEX_ID");
  if (cell == nullptr || cell->value_length == 0) return Status::Ok();
  ASSIGN_OR_RETURN(const int64_t type_number,
                   cells.Number("VIEW_INDEX_ID_DATA_TYPE", SqlTypeId(TypeId::kBigint)));
  const bool is_short = type_number == SqlTypeId(TypeId::kSmallint);
  const DataType type{is_short ? TypeId::kSmallint : TypeId::kBigint};
  // Phoenix's servers may have written a byte behind the number.
  const ByteView bytes = cell->value_view().substr(0, is_short ? 2 : 8);
  const auto id = Decode(bytes, type, SortOrder::kAsc);
  if (!id.ok() || id->is_null()) {
    return Corruption("SYSTEM.CATALOG: VIEW_INDEX_ID of " + index->FullName() + " is no " +
                      std::string(TypeName(type.id)));
  }
  index->view_index_id = id->int64();
  index->view_index_id_type = type.id;
  return Status::Ok();
}

// In the catalog the number of a local index is the first column of it.
int32_t ColumnsBefore(const TableMeta& table) { return table.is_local_index() ? 1 : 0; }

CatalogKey KeyOf(const TableMeta& table) {
  return CatalogKey{table.tenant, table.schema, table.name, {}, {}};
}

std::string_view NextPart(ByteView* row) {
  const size_t end = row->find(kSeparator);
  const std::string_view part = row->substr(0, end);
  row->remove_prefix(end == ByteView::npos ? row->size() : end + 1);
  return part;
}

}  // namespace

Bytes EncodeCatalogKey(const CatalogKey& key) {
  Bytes row;
  const std::string_view parts[] = {key.tenant, key.schema, key.table, key.column, key.family};
  for (const std::string_view part : parts) {
    row.append(part);
    row.push_back(kSeparator);
  }
  while (!row.empty() && row.back() == kSeparator) row.pop_back();
  return row;
}

CatalogKey ParseCatalogKey(ByteView row) {
  CatalogKey key;
  key.tenant = NextPart(&row);
  key.schema = NextPart(&row);
  key.table = NextPart(&row);
  key.column = NextPart(&row);
  key.family = row;
  return key;
}

RowRange RowsOfTable(const TableKey& table) {
  RowRange range;
  range.start = EncodeCatalogKey(CatalogKey{table.tenant, table.schema, table.name, {}, {}});
  // The header itself and whatever follows it after a separator.
  range.stop = range.start + '\x01';
  return range;
}

TableKey ParseFullName(std::string_view tenant, std::string_view full_name) {
  TableKey key;
  key.tenant = tenant;
  const size_t dot = full_name.find('.');
  if (dot != std::string_view::npos) key.schema = full_name.substr(0, dot);
  key.name = dot == std::string_view::npos ? full_name : full_name.substr(dot + 1);
  return key;
}

TableKey ParsePhysicalName(std::string_view name) {
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos) return ParseFullName("", name);
  return {"", std::string(name.substr(0, colon)), std::string(name.substr(colon + 1))};
}

Bytes EncodeChildLink(const TableKey& parent, const TableKey& child) {
  const std::string child_name = FullTableName(child.schema, child.name);
  return EncodeCatalogKey(
      CatalogKey{parent.tenant, parent.schema, parent.name, child.tenant, child_name});
}

TableKey ParseChildLink(ByteView row) {
  const CatalogKey key = ParseCatalogKey(row);
  return ParseFullName(key.column, key.family);
}

RowRange ChildLinksOf(const TableKey& parent) { return RowsOfTable(parent); }

// ---------------------------------------------------------------- writing

Status AppendHeaderRow(const TableMeta& table, int64_t timestamp, MutationBatch* batch) {
  RowWriter row(KeyOf(table), timestamp, batch);
  row.Text("TABLE_TYPE", std::string(1, static_cast<char>(table.type)));
  row.Number("TABLE_SEQ_NUM", table.sequence_number);
  // As Phoenix counts: the salt column is a column when the table is made, and not afterwards.
  const bool count_salt = table.is_salted() && table.sequence_number == 0;
  row.Number("COLUMN_COUNT", static_cast<int64_t>(table.columns.size()) + (count_salt ? 1 : 0) +
                                 ColumnsBefore(table));
  if (table.is_salted()) row.Number("SALT_BUCKETS", table.salt_buckets);
  row.Text("PK_NAME", table.pk_name);
  row.Flag("IMMUTABLE_ROWS", table.immutable_rows);
  if (table.default_family_given) row.Text("DEFAULT_COLUMN_FAMILY", table.default_family);
  row.Flag("DISABLE_WAL", table.disable_wal);
  row.Flag("MULTI_TENANT", table.multi_tenant);
  row.Flag("STORE_NULLS", table.store_nulls);
  row.Number("BASE_COLUMN_COUNT", table.base_column_count);
  if (table.is_view()) {
    row.Number("VIEW_TYPE", static_cast<int64_t>(table.view_type));
    row.Text("VIEW_STATEMENT", table.view_statement);
    row.Binary("ROW_KEY_MATCHER", table.row_key_matcher);
  }
  if (table.is_index()) {
    row.Text("DATA_TABLE_NAME", table.data_table_name);
    if (table.shares_its_table()) AppendViewIndexId(table, &row);
    row.Text("INDEX_STATE", std::string(1, static_cast<char>(table.index_state)));
    row.Number("INDEX_TYPE", static_cast<int64_t>(table.index_type));
    row.Text("INDEX_WHERE", table.index_where);
  }
  row.Number("UPDATE_CACHE_FREQUENCY", table.update_cache_frequency_ms);
  row.Flag("IS_NAMESPACE_MAPPED", table.namespace_mapped);
  row.Flag("APPEND_ONLY_SCHEMA", table.append_only_schema);
  row.Number("IMMUTABLE_STORAGE_SCHEME", static_cast<int64_t>(table.storage_scheme));
  row.Number("ENCODING_SCHEME", table.encoding_bytes);
  row.Flag(kKeyOrderOptimizable, true);
  if (!table.is_system()) {
    row.Number("LAST_DDL_TIMESTAMP", table.last_ddl_timestamp);
    row.Number(table.built_later ? kAsyncCreatedDate : kSyncIndexCreatedDate,
               table.last_ddl_timestamp);
  }
  if (!table.other_properties.contains("IS_STRICT_TTL")) row.Flag("IS_STRICT_TTL", true);
  if (!table.ttl.empty()) {
    row.Text("TTL", table.ttl);
  } else if (table.sequence_number > 0) {
    row.Delete("TTL");
  }
  for (const auto& [name, text] : table.other_properties) row.Kept(name, text);
  if (table.sequence_number > 0 && !table.other_properties.contains(kGuidePostsWidth)) {
    row.Delete(kGuidePostsWidth);
  }
  return row.Finish();
}

Status AppendColumnRow(const TableMeta& table, const ColumnMeta& column, int64_t timestamp,
                       MutationBatch* batch) {
  CatalogKey key = KeyOf(table);
  key.column = column.name;
  key.family = column.family;
  RowWriter row(key, timestamp, batch);
  row.Number("DATA_TYPE", SqlTypeId(column.type.id));
  row.Number("NULLABLE", column.nullable ? 1 : 0);
  row.Number("ORDINAL_POSITION", column.ordinal + ColumnsBefore(table));
  row.Number("SORT_ORDER", SortOrderSystemValue(column.sort_order));
  if (column.is_key()) row.Number("KEY_SEQ", column.key_position + 1 + ColumnsBefore(table));
  if (column.type.max_length.has_value()) row.Number("COLUMN_SIZE", *column.type.max_length);
  if (column.type.scale.has_value()) row.Number("DECIMAL_DIGITS", *column.type.scale);
  if (column.array_size.has_value()) row.Number("ARRAY_SIZE", *column.array_size);
  row.Text("COLUMN_QUALIFIER", column.qualifier);
  row.Text("COLUMN_DEF",
           column.index_expression.empty() ? column.default_text : column.index_expression);
  if (table.is_index()) row.Text("DATA_TABLE_NAME", table.data_table_name);
  row.Flag("IS_VIEW_REFERENCED", false);
  row.Flag("IS_ROW_TIMESTAMP", column.row_timestamp);
  row.Text("PK_NAME", table.pk_name);
  return row.Finish();
}

Status AppendCounterRows(const TableMeta& table, int64_t timestamp, MutationBatch* batch) {
  for (const auto& [family, next] : table.counters) {
    CatalogKey key = KeyOf(table);
    key.family = family;
    RowWriter row(key, timestamp, batch);
    row.Number("QUALIFIER_COUNTER", next);
    RETURN_IF_ERROR(row.Finish());
  }
  return Status::Ok();
}

Status AppendOrdinal(const TableMeta& table, const ColumnMeta& column, int64_t timestamp,
                     MutationBatch* batch) {
  CatalogKey key{table.tenant, table.schema, table.name, column.name, column.family};
  RowWriter row(key, timestamp, batch);
  row.Number("ORDINAL_POSITION", column.ordinal + ColumnsBefore(table));
  return row.Finish();
}

Status AppendExcludedColumn(const TableMeta& view, const ColumnMeta& column, int64_t timestamp,
                            MutationBatch* batch) {
  CatalogKey key{view.tenant, view.schema, view.name, column.name, column.family};
  RowWriter row(key, timestamp, batch);
  row.Number("LINK_TYPE", kLinkExcludedColumn);
  return row.Finish();
}

// A view right over a table has one row for both: the later link is the one that is read.
Status AppendViewLinks(const TableMeta& view, int64_t base_sequence_number, int64_t timestamp,
                       MutationBatch* batch) {
  CatalogKey key = KeyOf(view);
  const std::string base = FullTableName(view.base.schema, view.base.name);
  const std::string parent = FullTableName(view.parent.schema, view.parent.name);
  if (view.view_type != ViewType::kMapped && view.parent != view.base) {
    key.family = parent;
    RowWriter row(key, timestamp, batch);
    row.Number("LINK_TYPE", kLinkParentTable);
    row.Text(kParentTenant, view.parent.tenant);
    RETURN_IF_ERROR(row.Finish());
  }
  if (view.base.name.empty()) return Status::Ok();
  key.family = base;
  RowWriter row(key, timestamp, batch);
  row.Number("LINK_TYPE", kLinkPhysicalTable);
  row.Number("TABLE_SEQ_NUM", base_sequence_number);
  return row.Finish();
}

Status AppendIndexLink(const TableMeta& table, const TableMeta& index, int64_t timestamp,
                       MutationBatch* batch) {
  CatalogKey key = KeyOf(table);
  key.family = index.name;
  RowWriter row(key, timestamp, batch);
  row.Number("LINK_TYPE", kLinkIndexTable);
  row.Number("TABLE_SEQ_NUM", index.sequence_number);
  row.Text("TABLE_TYPE", std::string(1, static_cast<char>(TableType::kIndex)));
  return row.Finish();
}

// The number of a local index as the first column of its key.
Status AppendNumberColumn(const TableMeta& index, int64_t timestamp, MutationBatch* batch) {
  CatalogKey key = KeyOf(index);
  key.column = kIndexIdColumn;
  RowWriter id(key, timestamp, batch);
  id.Number("DATA_TYPE", SqlTypeId(index.view_index_id_type));
  id.Number("NULLABLE", 0);
  id.Number("ORDINAL_POSITION", 1);
  id.Number("SORT_ORDER", SortOrderSystemValue(SortOrder::kAsc));
  id.Number("KEY_SEQ", 1);
  id.Text("DATA_TABLE_NAME", index.data_table_name);
  id.Flag("IS_VIEW_REFERENCED", false);
  id.Flag("IS_ROW_TIMESTAMP", false);
  return id.Finish();
}

Status AppendSharedIndexLinks(const TableMeta& table, const TableMeta& index, int64_t timestamp,
                              MutationBatch* batch) {
  CatalogKey key = KeyOf(index);
  const std::string physical = index.physical.ToString();
  key.family = physical;
  RowWriter to_physical(key, timestamp, batch);
  to_physical.Number("LINK_TYPE", kLinkPhysicalTable);
  to_physical.Number("TABLE_SEQ_NUM", index.sequence_number);
  to_physical.Text("TABLE_TYPE", std::string(1, static_cast<char>(TableType::kIndex)));
  RETURN_IF_ERROR(to_physical.Finish());
  // A mapped view has the name of its HBase table, and so the link above.
  if (!table.shares_index_table()) return Status::Ok();
  const std::string name = table.FullName();
  key.family = name;
  RowWriter to_view(key, timestamp, batch);
  to_view.Number("LINK_TYPE", kLinkViewOfIndex);
  return to_view.Finish();
}

Status AppendIndexState(const TableMeta& index, int64_t timestamp, MutationBatch* batch) {
  RowWriter row(KeyOf(index), timestamp, batch);
  row.Text("INDEX_STATE", std::string(1, static_cast<char>(index.index_state)));
  row.Number("INDEX_DISABLE_TIMESTAMP", 0);
  row.Number(kAsyncRebuildTimestamp, 0);
  row.Raw(kPendingDisableCount, Bytes(sizeof(int64_t), '\0'));
  row.Number("LAST_DDL_TIMESTAMP", index.last_ddl_timestamp);
  return row.Finish();
}

Status AppendSequenceNumber(const TableMeta& table, int64_t timestamp, MutationBatch* batch) {
  RowWriter row(KeyOf(table), timestamp, batch);
  row.Number("TABLE_SEQ_NUM", table.sequence_number);
  return row.Finish();
}

Status AppendChildLink(const TableKey& parent, const TableKey& child, int64_t timestamp,
                       MutationBatch* batch) {
  const Bytes key = EncodeChildLink(parent, child);
  RowWriter row(ParseCatalogKey(key), timestamp, batch);
  row.Number("LINK_TYPE", kLinkChildTable);
  return row.Finish();
}

// Of a view only its own columns.
Status AppendTableRows(const TableMeta& table, int64_t timestamp, MutationBatch* batch) {
  RETURN_IF_ERROR(AppendHeaderRow(table, timestamp, batch));
  for (const ColumnMeta& column : table.columns) {
    if (!column.derived) RETURN_IF_ERROR(AppendColumnRow(table, column, timestamp, batch));
  }
  if (table.is_local_index()) RETURN_IF_ERROR(AppendNumberColumn(table, timestamp, batch));
  return AppendCounterRows(table, timestamp, batch);
}

// Cell by cell, so that what Phoenix wrote and nobody here reads is kept too.
Status AppendCopiedRow(const CatalogRow& row, const TableMeta& source, const TableKey& copy,
                       int64_t timestamp, MutationBatch* batch) {
  CatalogKey key = ParseCatalogKey(row.key);
  const RowCells cells(row);
  const bool is_header = key.column.empty() && key.family.empty();
  const bool is_counter = cells.Has("QUALIFIER_COUNTER");
  if (!is_header && !is_counter && !cells.Has("DATA_TYPE")) return Status::Ok();
  key.tenant = copy.tenant;
  key.schema = copy.schema;
  key.table = copy.name;
  RowWriter writer(key, timestamp, batch);
  for (size_t i = 0; i < row.cell_count; ++i) {
    const std::string_view name = row.cells[i].qualifier();
    // Those that tell of one table alone; without the last its place follows from its name.
    const bool is_own = name == "TABLE_SEQ_NUM" || name == "COLUMN_COUNT" ||
                        name == "LAST_DDL_TIMESTAMP" || name == kSyncIndexCreatedDate ||
                        name == "PHYSICAL_TABLE_NAME";
    if (name != "_0" && !(is_header && is_own)) writer.Copy(row.cells[i]);
  }
  if (is_header) {
    writer.Number("TABLE_SEQ_NUM", 0);
    writer.Number("COLUMN_COUNT",
                  static_cast<int64_t>(source.columns.size()) + (source.is_salted() ? 1 : 0));
    writer.Number("LAST_DDL_TIMESTAMP", timestamp);
    writer.Number(kSyncIndexCreatedDate, timestamp);
  }
  return writer.Finish();
}

// ---------------------------------------------------------------- reading

Status ForEachRow(Table* table, const Scan& scan,
                  const std::function<Status(const CatalogRow&)>& use) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, table->OpenScanner(scan));
  CellBatch batch;
  for (;;) {
    RETURN_IF_ERROR(scanner->Next(kCatalogRowsPerBatch, &batch));
    if (batch.row_count() == 0) return Status::Ok();
    for (size_t i = 0; i < batch.row_count(); ++i) {
      const uint32_t begin = batch.row_starts[i];
      RETURN_IF_ERROR(
          use(CatalogRow{batch.cells[begin].row(), &batch.cells[begin], batch.row_end(i) - begin}));
    }
  }
}

char TableTypeOfHeader(const CatalogRow& row) {
  const Cell* cell = RowCells(row).Find("TABLE_TYPE");
  return cell == nullptr || cell->value_length != 1 ? '\0' : cell->value[0];
}

Status TableReader::Add(const CatalogRow& row) {
  const CatalogKey key = ParseCatalogKey(row.key);
  if (!key.column.empty()) return AddColumn(key, row);
  if (!key.family.empty()) return AddLinkOrCounter(key, row);
  return AddHeader(row);
}

Status TableReader::AddHeader(const CatalogRow& row) {
  const char type = TableTypeOfHeader(row);
  if (type == 0) return Status::Ok();  // a schema's row, or the leftover of a dropped table
  header_seen_ = true;
  const CatalogKey key = ParseCatalogKey(row.key);
  const RowCells cells(row);
  table_.tenant = key.tenant;
  table_.schema = key.schema;
  table_.name = key.table;
  table_.type = static_cast<TableType>(type);
  ASSIGN_OR_RETURN(table_.sequence_number, cells.Number("TABLE_SEQ_NUM", 0));
  table_.pk_name = cells.Text("PK_NAME");
  ASSIGN_OR_RETURN(const int64_t salt_buckets, cells.Number("SALT_BUCKETS", 0));
  table_.salt_buckets = static_cast<int32_t>(salt_buckets);
  ASSIGN_OR_RETURN(table_.immutable_rows, cells.Flag("IMMUTABLE_ROWS"));
  if (cells.Has("DEFAULT_COLUMN_FAMILY")) {
    table_.default_family = cells.Text("DEFAULT_COLUMN_FAMILY");
    table_.default_family_given = true;
  }
  ASSIGN_OR_RETURN(table_.disable_wal, cells.Flag("DISABLE_WAL"));
  ASSIGN_OR_RETURN(table_.multi_tenant, cells.Flag("MULTI_TENANT"));
  ASSIGN_OR_RETURN(table_.store_nulls, cells.Flag("STORE_NULLS"));
  ASSIGN_OR_RETURN(table_.append_only_schema, cells.Flag("APPEND_ONLY_SCHEMA"));
  ASSIGN_OR_RETURN(transactional_, cells.Flag("TRANSACTIONAL"));
  ASSIGN_OR_RETURN(table_.update_cache_frequency_ms,
                   cells.Number("UPDATE_CACHE_FREQUENCY", kUpdateCacheAlways));
  ASSIGN_OR_RETURN(const int64_t storage, cells.Number("IMMUTABLE_STORAGE_SCHEME", 1));
  table_.storage_scheme = static_cast<StorageScheme>(storage);
  ASSIGN_OR_RETURN(const int64_t encoding, cells.Number("ENCODING_SCHEME", 0));
  table_.encoding_bytes = static_cast<int32_t>(encoding);
  ASSIGN_OR_RETURN(table_.last_ddl_timestamp, cells.Number("LAST_DDL_TIMESTAMP", 0));
  if (cells.Has(kAutoPartitionSequence)) {
    table_.other_properties[kAutoPartitionSequence] = cells.Text(kAutoPartitionSequence);
  }
  if (cells.Has("EXTERNAL_SCHEMA_ID")) {
    table_.other_properties["EXTERNAL_SCHEMA_ID"] = cells.Text("EXTERNAL_SCHEMA_ID");
  }
  if (cells.Has(kGuidePostsWidth)) {
    ASSIGN_OR_RETURN(const int64_t width, cells.Number(kGuidePostsWidth, 0));
    table_.other_properties[kGuidePostsWidth] = std::to_string(width);
  }
  if (cells.Has("USE_STATS_FOR_PARALLELIZATION")) {
    ASSIGN_OR_RETURN(const bool use, cells.Flag("USE_STATS_FOR_PARALLELIZATION"));
    table_.other_properties["USE_STATS_FOR_PARALLELIZATION"] = use ? "true" : "false";
  }
  table_.ttl = cells.Text("TTL");
  if (TableMeta::IsTtlCondition(table_.ttl)) table_.ttl_condition = table_.ttl;
  ASSIGN_OR_RETURN(const int64_t view_type, cells.Number("VIEW_TYPE", 0));
  table_.view_type = static_cast<ViewType>(view_type);
  table_.view_statement = cells.Text("VIEW_STATEMENT");
  ASSIGN_OR_RETURN(table_.row_key_matcher, cells.Binary("ROW_KEY_MATCHER"));
  ASSIGN_OR_RETURN(const int64_t base_columns, cells.Number("BASE_COLUMN_COUNT", kNoBaseColumns));
  table_.base_column_count = static_cast<int32_t>(base_columns);
  for (size_t i = 0; i < row.cell_count; ++i) {
    table_.timestamp = std::max(table_.timestamp, row.cells[i].timestamp());
  }
  table_.data_table_name = cells.Text("DATA_TABLE_NAME");
  const std::string state = cells.Text("INDEX_STATE");
  if (!state.empty()) table_.index_state = static_cast<IndexState>(state[0]);
  ASSIGN_OR_RETURN(const int64_t index_type, cells.Number("INDEX_TYPE", 0));
  table_.index_type = static_cast<IndexType>(index_type);
  table_.index_where = cells.Text("INDEX_WHERE");
  if (table_.is_index()) RETURN_IF_ERROR(ReadViewIndexId(cells, &table_));
  const std::string physical = cells.Text("PHYSICAL_TABLE_NAME");
  ASSIGN_OR_RETURN(table_.namespace_mapped, cells.Flag("IS_NAMESPACE_MAPPED"));
  if (physical.empty()) {
    table_.physical = PhysicalTableName(table_.schema, table_.name, table_.namespace_mapped);
  } else {
    table_.physical.qualifier = physical;
  }
  return Status::Ok();
}

Status TableReader::AddColumn(const CatalogKey& key, const CatalogRow& row) {
  const RowCells cells(row);
  const Cell* const defined = cells.Find("DATA_TYPE");
  if (defined == nullptr) {
    ASSIGN_OR_RETURN(const int64_t link, cells.Number("LINK_TYPE", 0));
    if (link == kLinkExcludedColumn) {
      table_.excluded.push_back(ExcludedColumn{std::string(key.family), std::string(key.column),
                                               cells.Find("LINK_TYPE")->timestamp()});
    }
    return Status::Ok();
  }
  if (table_.is_local_index() && key.column == kIndexIdColumn) return Status::Ok();
  ColumnMeta column;
  column.name = key.column;
  column.family = key.family;
  column.timestamp = defined->timestamp();
  ASSIGN_OR_RETURN(const int64_t type, cells.Number("DATA_TYPE", 0));
  const auto id = TypeBySqlTypeId(static_cast<int32_t>(type));
  if (!id.has_value()) {
    return Corruption("SYSTEM.CATALOG, row " + ToStringBinary(row.key) + ": no type has the id " +
                      std::to_string(type));
  }
  column.type.id = *id;
  const auto optional_number = [&](std::string_view name, std::optional<int32_t>* out) -> Status {
    if (!cells.Has(name)) return Status::Ok();
    ASSIGN_OR_RETURN(const int64_t number, cells.Number(name, 0));
    *out = static_cast<int32_t>(number);
    return Status::Ok();
  };
  RETURN_IF_ERROR(optional_number("COLUMN_SIZE", &column.type.max_length));
  RETURN_IF_ERROR(optional_number("DECIMAL_DIGITS", &column.type.scale));
  RETURN_IF_ERROR(optional_number("ARRAY_SIZE", &column.array_size));
  ASSIGN_OR_RETURN(const int64_t nullable, cells.Number("NULLABLE", 1));
  column.nullable = nullable != 0;
  ASSIGN_OR_RETURN(const int64_t ordinal, cells.Number("ORDINAL_POSITION", 0));
  column.ordinal = static_cast<int32_t>(ordinal) - ColumnsBefore(table_);
  ASSIGN_OR_RETURN(const int64_t order, cells.Number("SORT_ORDER", 2));
  column.sort_order = order == 1 ? SortOrder::kDesc : SortOrder::kAsc;
  if (column.family.empty()) {
    ASSIGN_OR_RETURN(const int64_t key_sequence, cells.Number("KEY_SEQ", 1));
    column.key_position = static_cast<int32_t>(key_sequence) - 1 - ColumnsBefore(table_);
  }
  column.qualifier = cells.Text("COLUMN_QUALIFIER");
  const bool is_expression = table_.is_index() && column.family.empty();
  (is_expression ? column.index_expression : column.default_text) = cells.Text("COLUMN_DEF");
  ASSIGN_OR_RETURN(column.row_timestamp, cells.Flag("IS_ROW_TIMESTAMP"));
  column.view_constant = cells.Text("VIEW_CONSTANT");
  table_.columns.push_back(std::move(column));
  return Status::Ok();
}

Status TableReader::AddLinkOrCounter(const CatalogKey& key, const CatalogRow& row) {
  const RowCells cells(row);
  if (cells.Has("QUALIFIER_COUNTER")) {
    ASSIGN_OR_RETURN(const int64_t next, cells.Number("QUALIFIER_COUNTER", 0));
    table_.counters[std::string(key.family)] = static_cast<int32_t>(next);
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const int64_t link, cells.Number("LINK_TYPE", 0));
  if (link == kLinkIndexTable) table_.indexes.emplace_back(key.family);
  if (link == kLinkPhysicalTable && table_.shares_its_table()) {
    const TableKey physical = ParsePhysicalName(key.family);
    table_.physical = TableName();
    const bool mapped = key.family.find(':') != std::string_view::npos;
    if (mapped) table_.physical.name_space = physical.schema;
    table_.physical.qualifier = mapped ? physical.name : std::string(key.family);
  }
  if (table_.type != TableType::kView) return Status::Ok();
  if (link == kLinkPhysicalTable) {
    table_.base = ParsePhysicalName(key.family);
    if (table_.parent.name.empty()) table_.parent = table_.base;
  } else if (link == kLinkParentTable) {
    table_.parent = ParseFullName(cells.Text(kParentTenant), key.family);
  }
  return Status::Ok();
}

Status TableReader::CheckSupported() const {
  const std::string name = table_.FullName();
  if (table_.is_local_index() && !table_.view_index_id.has_value()) {
    return Corruption("SYSTEM.CATALOG: the local index " + name + " has no VIEW_INDEX_ID");
  }
  if (table_.type == TableType::kCdc) {
    return MakeUncodedSqlError("change data capture is not supported yet: " + name);
  }
  if (transactional_) {
    return MakeUncodedSqlError("transactional tables are not supported yet: " + name);
  }
  return Status::Ok();
}

Result<TableMeta> TableReader::Finish() {
  RETURN_IF_ERROR(CheckSupported());
  std::sort(table_.columns.begin(), table_.columns.end(),
            [](const ColumnMeta& a, const ColumnMeta& b) { return a.ordinal < b.ordinal; });
  int32_t next_key_position = 0;
  for (ColumnMeta& column : table_.columns) {
    if (column.is_key()) {
      if (column.key_position < next_key_position) {
        return Corruption("SYSTEM.CATALOG: the key columns of " + table_.FullName() +
                          " are not in the order of their positions");
      }
      next_key_position = column.key_position + 1;
      column.qualifier.clear();
      // Results do not show it.
      column.hidden = table_.is_view_index() && column.name == kIndexIdColumn;
      continue;
    }
    if (table_.encoding_bytes > 0) {
      ASSIGN_OR_RETURN(column.encoded_qualifier,
                       DecodeQualifier(column.qualifier, table_.encoding_bytes));
    } else if (column.qualifier.empty()) {
      column.qualifier = column.name;  // written before columns could be encoded
    }
  }
  table_.Finish();
  return std::move(table_);
}

}  // namespace bennu::sql::catalog
