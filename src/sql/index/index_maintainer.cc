#include "src/sql/index/index_maintainer.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "src/base/coding.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::index {
namespace {

using catalog::ColumnMeta;
using catalog::TableMeta;

constexpr char kUuidAttribute[] = "IdxUUID";
constexpr char kMaintainersAttribute[] = "IdxProtoMD";
constexpr char kVersionAttribute[] = "_ClientVersion";
// As of 5.2, which newer servers take.
constexpr uint32_t kClientVersion = 5 << 16 | 2 << 8;

constexpr int32_t kKeyValueExpression = 2;
constexpr int32_t kAscending = 2;
constexpr int32_t kDescending = 1;
constexpr int32_t kNullableFlag = 1;
constexpr int32_t kScaleFlag = 2;
constexpr int32_t kMaxLengthFlag = 4;
constexpr int kPositionOffset = 127;
constexpr size_t kPositionsOfOneByteMax = 254;
// For the server's buffers alone.
constexpr int32_t kKeyBytesGuess = 64;

// Fields of Phoenix's message IndexMaintainer; what is not here has no meaning for what is written.
enum Field : uint32_t {
  kSaltBuckets = 1,
  kIsMultiTenant = 2,
  kViewIndexId = 3,
  kIndexedColumns = 4,
  kIndexedColumnTypeOrdinal = 5,
  kCoveredColumnsOfTable = 6,
  kCoveredColumnsOfIndex = 7,
  kIsLocalIndex = 8,
  kIndexTableName = 9,
  kRowKeyOrderOptimizable = 10,
  kEmptyFamilyOfTable = 11,
  kEmptyFamily = 12,
  kIndexedExpressions = 13,
  kRowKeyMetadata = 14,
  kFamiliesOfTable = 15,
  kIndexWalDisabled = 16,
  kIndexRowKeyByteSize = 17,
  kImmutable = 18,
  kIndexedColumnInfo = 19,
  kEncodingScheme = 20,
  kImmutableStorageScheme = 21,
  kViewIndexIdType = 22,
  kIndexDataColumnCount = 23,
  kParentTableType = 24,
  kLogicalIndexName = 25,
  kEncodingSchemeOfTable = 26,
  kImmutableStorageSchemeOfTable = 27,
  kIsUncovered = 28,
};

// A protobuf message, written by hand: this folder knows no protobuf.
class Message {
 public:
  void Number(uint32_t field, int64_t value) {
    AppendVarint(&text_, field << 3);
    AppendVarint(&text_, static_cast<uint64_t>(value));
  }
  void Text(uint32_t field, ByteView value) {
    AppendVarint(&text_, field << 3 | 2);
    AppendVarint(&text_, value.size());
    text_.append(value);
  }
  // A column's family and qualifier, as fields 1 and 2.
  void Pair(uint32_t field, ByteView first, ByteView second) {
    Message pair;
    pair.Text(1, first);
    pair.Text(2, second);
    Text(field, pair.text());
  }
  const Bytes& text() const { return text_; }

 private:
  Bytes text_;
};

Status NotDescribed(const TableMeta& index, const std::string& what) {
  return MakeUncodedSqlError("table " + index.data_table_name + " has index " + index.FullName() +
                             ", " + what +
                             ", which is not kept in step on Phoenix's servers yet; write the "
                             "table by Phoenix");
}

bool HasOwnWidth(TypeId type) { return type != TypeId::kChar && type != TypeId::kBinary; }

struct SchemaField {
  TypeId type = TypeId::kVarchar;
  int32_t width = 0;  // of CHAR and BINARY
  bool nullable = false;
  SortOrder order = SortOrder::kAsc;
};

// The form of a row key: equal fields beside each other are one, which then is not nullable.
Bytes DescribeKey(const TableMeta& table) {
  std::vector<SchemaField> fields;
  if (table.is_salted()) fields.push_back({TypeId::kBinary, 1, false, SortOrder::kAsc});
  for (size_t i = 0; i < table.key_columns.size(); ++i) {
    const ColumnMeta& column = table.key_column(i);
    const bool own_width = HasOwnWidth(column.type.id);
    fields.push_back({column.type.id, own_width ? 0 : column.type.max_length.value_or(1),
                      column.nullable, column.sort_order});
  }
  int32_t merged = 0;
  Bytes of_fields;
  for (size_t begin = 0; begin < fields.size();) {
    const SchemaField& field = fields[begin];
    size_t end = begin + 1;
    while (end < fields.size() && fields[end].type == field.type &&
           fields[end].width == field.width && fields[end].nullable == field.nullable &&
           fields[end].order == field.order) {
      ++end;
    }
    const auto count = static_cast<int32_t>(end - begin);
    const int32_t ordinal = static_cast<int32_t>(field.type) + 1;
    AppendVInt(&of_fields, field.nullable && count == 1 ? -ordinal : ordinal);
    AppendVInt(&of_fields, field.order == SortOrder::kDesc ? -count : count);
    if (!HasOwnWidth(field.type)) AppendVInt(&of_fields, field.width);
    ++merged;
    begin = end;
  }
  Bytes text;
  AppendVInt(&text, static_cast<int32_t>(fields.size()));
  AppendVInt(&text, -merged);  // keys sort as their values do
  return text + of_fields;
}

void AppendBits(const std::vector<bool>& bits, Bytes* text) {
  if (bits.size() > 64) {
    for (size_t word = 0; word * 64 < bits.size(); ++word) {
      uint64_t value = 0;
      for (size_t i = word * 64; i < std::min(bits.size(), (word + 1) * 64); ++i) {
        value |= uint64_t{bits[i]} << (i % 64);
      }
      AppendBE64(text, value);
    }
    return;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < bits.size(); ++i) value |= uint64_t{bits[i]} << i;
  const int bytes = bits.size() <= 8 ? 1 : bits.size() <= 16 ? 2 : bits.size() <= 32 ? 4 : 8;
  for (int byte = bytes - 1; byte >= 0; --byte) {
    text->push_back(static_cast<char>(value >> (8 * byte)));
  }
}

void AppendByteArray(ByteView bytes, Bytes* text) {
  AppendVInt(text, static_cast<int32_t>(bytes.size()));
  text->append(bytes);
}

// A column of the table as an expression.
Bytes DescribeColumn(const ColumnMeta& column) {
  Bytes text;
  AppendVInt(&text, kKeyValueExpression);
  int32_t header = static_cast<int32_t>(column.type.id) << 3;
  if (column.nullable) header |= kNullableFlag;
  if (column.type.scale.has_value()) header |= kScaleFlag;
  if (column.type.max_length.has_value()) header |= kMaxLengthFlag;
  AppendVInt(&text, header);
  if (column.type.scale.has_value()) AppendVInt(&text, *column.type.scale);
  if (column.type.max_length.has_value()) AppendVInt(&text, *column.type.max_length);
  AppendVInt(&text, column.sort_order == SortOrder::kDesc ? kDescending : kAscending);
  AppendByteArray(column.family, &text);
  AppendByteArray(column.qualifier, &text);
  return text;
}

std::string PhysicalName(const TableName& name) {
  return name.name_space == "default" ? name.qualifier : name.name_space + ":" + name.qualifier;
}

class Describer {
 public:
  Describer(const TableMeta& table, const plan::IndexDefinition& definition)
      : table_(table), definition_(definition), index_(*definition.index) {}

  Result<Bytes> Describe() {
    if (table_.immutable_rows) return NotDescribed(index_, "whose table is immutable");
    if (!index_.index_where.empty()) return NotDescribed(index_, "with a condition");
    if (definition_.table->key() != table_.key() || table_.is_view()) {
      return NotDescribed(index_, "of a view");
    }
    message_.Number(kSaltBuckets,
                    index_.is_local_index() ? table_.salt_buckets : index_.salt_buckets);
    message_.Number(kIsMultiTenant, table_.multi_tenant);
    if (index_.view_index_id.has_value()) {
      Bytes id;
      RETURN_IF_ERROR(Encode(Value::Int({index_.view_index_id_type}, *index_.view_index_id),
                             {index_.view_index_id_type}, SortOrder::kAsc, &id));
      message_.Text(kViewIndexId, id);
      message_.Number(kViewIndexIdType, index_.view_index_id_type == TypeId::kSmallint ? 5 : -5);
    }
    RETURN_IF_ERROR(AddKey());
    AddIncluded();
    message_.Number(kIsLocalIndex, index_.is_local_index());
    message_.Text(kIndexTableName, PhysicalName(index_.physical));
    message_.Number(kRowKeyOrderOptimizable, 1);
    message_.Text(kEmptyFamilyOfTable, table_.empty_family);
    Message empty;  // bytes, and from where to where they count
    empty.Text(1, index_.empty_family);
    empty.Number(2, 0);
    empty.Number(3, static_cast<int64_t>(index_.empty_family.size()));
    message_.Text(kEmptyFamily, empty.text());
    message_.Number(kFamiliesOfTable,
                    std::max<int32_t>(static_cast<int32_t>(table_.families.size()), 1));
    message_.Number(kIndexWalDisabled, index_.disable_wal);
    message_.Number(kIndexRowKeyByteSize, kKeyBytesGuess);
    message_.Number(kImmutable, 0);
    message_.Number(kEncodingScheme, index_.encoding_bytes);
    message_.Number(kImmutableStorageScheme, static_cast<int32_t>(index_.storage_scheme));
    message_.Number(kIndexDataColumnCount,
                    static_cast<int32_t>(table_.key_columns.size()) + (table_.is_salted() ? 1 : 0));
    message_.Text(kParentTableType, "TABLE");
    message_.Text(kLogicalIndexName, index_.FullName());
    message_.Number(kEncodingSchemeOfTable, table_.encoding_bytes);
    message_.Number(kImmutableStorageSchemeOfTable, static_cast<int32_t>(table_.storage_scheme));
    message_.Number(kIsUncovered, index_.index_type == catalog::IndexType::kUncovered);
    return message_.text();
  }

 private:
  Status AddKey() {
    // The tenant and the number of the index stand before what is counted.
    const size_t skipped_of_table = table_.multi_tenant ? 1 : 0;
    std::vector<bool> descending;
    std::vector<int> positions(table_.key_columns.size() - skipped_of_table, 0);
    Bytes expressions;
    size_t expression_count = 0;
    std::set<std::pair<std::string, Bytes>> told;
    bool tenant = table_.multi_tenant;
    for (size_t i = 0; i < index_.key_columns.size(); ++i) {
      const ColumnMeta& column = index_.key_column(i);
      if (column.name == catalog::kIndexIdColumn || std::exchange(tenant, false)) continue;
      const ColumnMeta* const source = SourceOf(i);
      if (source == nullptr) return NotDescribed(index_, "of an expression");
      Message info;
      if (!source->is_key()) info.Text(1, source->family);
      info.Text(2, source->name);
      message_.Text(kIndexedColumnInfo, info.text());
      if (source->is_key()) {
        positions[static_cast<size_t>(source->key_position) - skipped_of_table] =
            static_cast<int>(descending.size());
      } else {
        if (told.emplace(source->family, source->qualifier).second) {
          message_.Pair(kIndexedColumns, source->family, source->qualifier);
          message_.Number(kIndexedColumnTypeOrdinal, static_cast<int32_t>(source->type.id));
        }
        expressions += DescribeColumn(*source);
        ++expression_count;
      }
      descending.push_back(column.sort_order == SortOrder::kDesc);
    }
    if (positions.size() > kPositionsOfOneByteMax) return NotDescribed(index_, "with a long key");
    Bytes metadata;
    AppendBits(descending, &metadata);
    AppendBits(std::vector<bool>(positions.size()), &metadata);  // what views hold to constants
    for (const int position : positions) {
      metadata.push_back(static_cast<char>(position - kPositionOffset));
    }
    metadata.append(expression_count, '\0');  // places that Phoenix keeps and never fills
    message_.Text(kRowKeyMetadata, metadata);
    message_.Text(kIndexedExpressions, expressions);
    return Status::Ok();
  }

  // The column of the table that a column of the index's key holds; null: something made of
  // columns.
  const ColumnMeta* SourceOf(size_t i) const {
    const bind::Expr& expr = *definition_.key[i].expr;
    if (expr.kind != BoundKind::kSlot) return nullptr;
    const plan::ScanColumn& read = definition_.columns[expr.slot];
    for (const ColumnMeta& column : table_.columns) {
      const bool same =
          read.source == plan::ScanColumn::Source::kKey
              ? column.is_key() && read.key_column == static_cast<uint32_t>(column.key_position)
              : column.family == read.family && column.qualifier == read.qualifier;
      if (same) return &column;
    }
    return nullptr;
  }

  void AddIncluded() {
    for (const plan::IncludedPart& part : definition_.included) {
      message_.Pair(kCoveredColumnsOfTable, part.source.family, part.source.qualifier);
      if (index_.encoding_bytes == 0) continue;
      const ColumnMeta& column = index_.columns[part.column];
      message_.Pair(kCoveredColumnsOfIndex, column.family, column.qualifier);
    }
  }

  const TableMeta& table_;
  const plan::IndexDefinition& definition_;
  const TableMeta& index_;
  Message message_;
};

}  // namespace

Result<Bytes> DescribeIndexes(
    const TableMeta& table,
    const std::vector<std::shared_ptr<const plan::IndexDefinition>>& indexes) {
  Bytes text;
  const auto count = static_cast<int32_t>(indexes.size());
  AppendVInt(&text, table.is_salted() ? -count : count);
  text += DescribeKey(table);
  for (const auto& definition : indexes) {
    ASSIGN_OR_RETURN(const Bytes maintainer, Describer(table, *definition).Describe());
    AppendByteArray(maintainer, &text);
  }
  return text;
}

MutationBatch WithDescription(const MutationBatch& batch, const Bytes& description) {
  Bytes uuid;
  AppendBE64(&uuid, Env::Default()->RandomU64());
  Bytes version;
  AppendBE32(&version, kClientVersion);
  MutationBatch result;
  result.durability = batch.durability;
  for (const MutationBatch::Row& row : batch.rows()) {
    result.StartRow(batch.row_key(row));
    Cell cell;
    for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
      offset = CellAt(batch.buffer(), offset, &cell);
      result.AddCell(cell.family(), cell.qualifier(), cell.timestamp(), cell.type(),
                     cell.value_view(), cell.tags_view());
    }
    result.SetAttribute(kUuidAttribute, uuid);
    result.SetAttribute(kMaintainersAttribute, description);
    result.SetAttribute(kVersionAttribute, version);
  }
  return result;
}

}  // namespace bennu::sql::index
