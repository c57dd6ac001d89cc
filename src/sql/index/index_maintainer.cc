#include "src/sql/index/index_maintainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/coding.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/index_builder.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/expr/nullability.h"
#include "src/sql/index/phoenix_expression.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::index {
namespace {

using catalog::ColumnMeta;
using catalog::TableMeta;

constexpr char kUuidAttribute[] = "IdxUUID";
constexpr char kMaintainersAttribute[] = "IdxProtoMD";

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
  kIndexWhere = 29,
  kIndexWhereColumns = 30,
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
  return MakeUncodedSqlError(
      "index " + index.FullName() + " of table " + index.data_table_name +
      " cannot be described to Phoenix's servers, which keep it in step: " + what);
}

bool HasOwnWidth(TypeId type) { return type != TypeId::kChar && type != TypeId::kBinary; }

struct SchemaField {
  TypeId type = TypeId::kVarchar;
  int32_t width = 0;  // of CHAR and BINARY
  bool nullable = false;
  SortOrder order = SortOrder::kAsc;

  bool operator==(const SchemaField&) const = default;
};

std::vector<SchemaField> KeyFields(const TableMeta& table) {
  std::vector<SchemaField> fields;
  if (table.is_salted()) fields.push_back({TypeId::kBinary, 1, false, SortOrder::kAsc});
  for (size_t i = 0; i < table.key_columns.size(); ++i) {
    const ColumnMeta& column = table.key_column(i);
    const bool own_width = HasOwnWidth(column.type.id);
    fields.push_back({column.type.id, own_width ? 0 : column.type.max_length.value_or(1),
                      column.nullable, column.sort_order});
  }
  return fields;
}

// The form of a row key: equal fields beside each other are one, which then is not nullable.
Bytes DescribeKey(const std::vector<SchemaField>& fields) {
  int32_t merged = 0;
  Bytes of_fields;
  for (size_t begin = 0; begin < fields.size();) {
    const SchemaField& field = fields[begin];
    size_t end = begin + 1;
    while (end < fields.size() && fields[end] == field) ++end;
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

// A list of indexes has one form of the table's key before it. A view may have more columns there.
Result<std::vector<SchemaField>> LongestKey(
    const TableMeta& table,
    const std::vector<std::shared_ptr<const plan::IndexDefinition>>& indexes) {
  std::vector<SchemaField> longest = KeyFields(table);
  for (const auto& definition : indexes) {
    std::vector<SchemaField> fields = KeyFields(*definition->table);
    const size_t both = std::min(fields.size(), longest.size());
    if (!std::equal(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(both),
                    longest.begin())) {
      return NotDescribed(*definition->index,
                          "another view with an index has other columns in its key");
    }
    if (fields.size() > longest.size()) longest = std::move(fields);
  }
  return longest;
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

std::string PhysicalName(const TableName& name) {
  return name.name_space == "default" ? name.qualifier : name.name_space + ":" + name.qualifier;
}

class Describer {
 public:
  // 'key_fields': of the form of a key that stands before the indexes.
  Describer(const plan::IndexDefinition& definition, size_t key_fields)
      : table_(*definition.table),
        definition_(definition),
        index_(*definition.index),
        key_fields_(key_fields),
        expressions_(table_, definition.columns) {}

  Result<Bytes> Describe() {
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
    RETURN_IF_ERROR(AddCondition());
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
    message_.Number(kImmutable, table_.immutable_rows);
    message_.Number(kEncodingScheme, index_.encoding_bytes);
    message_.Number(kImmutableStorageScheme, static_cast<int32_t>(index_.storage_scheme));
    message_.Number(kIndexDataColumnCount, static_cast<int64_t>(table_.key_columns.size() +
                                                                table_.key_schema.prefix_size()));
    message_.Text(kParentTableType, table_.is_view() ? "VIEW" : "TABLE");
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
    // Where columns of the table's key are in the index, as it is stored; 0: nowhere.
    Bytes positions(table_.key_columns.size() - skipped_of_table, '\0');
    Bytes expressions;
    size_t expression_count = 0;
    bool tenant = table_.multi_tenant;
    for (size_t i = 0; i < index_.key_columns.size(); ++i) {
      const ColumnMeta& column = index_.key_column(i);
      if (column.name == catalog::kIndexIdColumn || std::exchange(tenant, false)) continue;
      const bind::Expr& expr = *definition_.key[i].expr;
      if (column.type.id == TypeId::kVarbinaryEncoded && expr.type.id != column.type.id) {
        return NotDescribed(index_, "Phoenix has no indexes of VARBINARY columns");
      }
      const ColumnMeta* const source =
          expr.kind == BoundKind::kSlot ? expressions_.ColumnOf(expr.slot) : nullptr;
      RETURN_IF_ERROR(CheckType(column, expr, source));
      if (source != nullptr && source->is_key()) {
        Message info;
        info.Text(2, source->name);
        message_.Text(kIndexedColumnInfo, info.text());
        positions[static_cast<size_t>(source->key_position) - skipped_of_table] =
            static_cast<char>(static_cast<int>(descending.size()) - kPositionOffset);
      } else {
        const auto text = expressions_.Describe(expr);
        if (!text.ok()) return NotDescribed(index_, "it has " + text.status().message());
        AddColumnsOf(expr);
        expressions += *text;
        ++expression_count;
      }
      descending.push_back(column.sort_order == SortOrder::kDesc);
    }
    const size_t places = positions.size() + expression_count;
    if (places > kPositionsOfOneByteMax) {
      return NotDescribed(index_, "its key has more than 254 columns");
    }
    // What the view holds to constants is a column of the table and none of the index.
    descending.resize(places);
    std::vector<bool> constants(key_fields_);
    if (table_.is_view()) {
      for (size_t i = skipped_of_table; i < table_.key_columns.size(); ++i) {
        constants[i + (table_.is_salted() ? 1 : 0)] = !table_.key_column(i).view_constant.empty();
      }
    }
    Bytes metadata;
    AppendBits(descending, &metadata);
    AppendBits(constants, &metadata);
    metadata += positions;
    metadata.append(expression_count, '\0');  // places that Phoenix keeps and never fills
    message_.Text(kRowKeyMetadata, metadata);
    message_.Text(kIndexedExpressions, expressions);
    return Status::Ok();
  }

  // Phoenix's servers store what is never NULL in its own type, and all else in one of varying
  // width.
  Status CheckType(const ColumnMeta& column, const BoundExpr& expr,
                   const ColumnMeta* source) const {
    const bool has_default =
        source != nullptr && !source->is_key() && !source->default_text.empty();
    const bool nullable = !has_default && IsNullable(expr);
    // To Phoenix a function of a CHAR is a CHAR.
    const bool of_char =
        source == nullptr && !nullable && IsString(expr.type.id) &&
        std::any_of(expr.children.begin(), expr.children.end(),
                    [](const auto& child) { return child->type.id == TypeId::kChar; });
    const DataType wanted = catalog::IndexKeyType(expr.type, nullable, /*last=*/true);
    if (wanted.id == column.type.id && !of_char) return Status::Ok();
    return NotDescribed(index_, "its column " + column.name + " is a " +
                                    std::string(TypeName(column.type.id)) +
                                    ", and they would store another type there");
  }

  // The table's columns that an expression is made of, apart from those of the key.
  std::vector<const ColumnMeta*> CellColumnsOf(const BoundExpr& expr) const {
    std::vector<size_t> slots;
    CollectSlots(expr, &slots);
    std::vector<const ColumnMeta*> columns;
    for (const size_t slot : slots) {
      const ColumnMeta* const column = expressions_.ColumnOf(slot);
      if (column != nullptr && !column->is_key()) columns.push_back(column);
    }
    return columns;
  }

  void AddColumnsOf(const BoundExpr& expr) {
    for (const ColumnMeta* const column : CellColumnsOf(expr)) {
      Message info;
      info.Text(1, column->family);
      info.Text(2, column->name);
      message_.Text(kIndexedColumnInfo, info.text());
      if (!told_.emplace(column->family, column->qualifier).second) continue;
      message_.Pair(kIndexedColumns, column->family, column->qualifier);
      message_.Number(kIndexedColumnTypeOrdinal, static_cast<int32_t>(column->type.id));
    }
  }

  // The rows of a view are to the servers what those of a partial index are: so a row that comes to
  // be of the view, or is no longer, enters or leaves its indexes.
  Status AddCondition() {
    std::vector<const ColumnMeta*> present;
    for (size_t i = 0; definition_.has_longer_key && i < table_.key_columns.size(); ++i) {
      const ColumnMeta& column = table_.key_column(i);
      if (!column.derived && !column.nullable) present.push_back(&column);
    }
    if (definition_.condition == nullptr && present.empty()) return Status::Ok();
    const auto text = expressions_.DescribeCondition(definition_.condition.get(), present);
    if (!text.ok()) {
      return NotDescribed(index_, "the condition on its rows has " + text.status().message());
    }
    message_.Text(kIndexWhere, *text);
    std::set<std::pair<std::string, Bytes>> columns;
    // From which the server has the row's key, whatever else is there.
    columns.emplace(table_.empty_family, table_.empty_qualifier);
    if (definition_.condition != nullptr) {
      for (const ColumnMeta* const column : CellColumnsOf(*definition_.condition)) {
        columns.emplace(column->family, column->qualifier);
      }
    }
    for (const auto& [family, qualifier] : columns) {
      message_.Pair(kIndexWhereColumns, family, qualifier);
    }
    return Status::Ok();
  }

  void AddIncluded() {
    for (const plan::IncludedPart& part : definition_.included) {
      message_.Pair(kCoveredColumnsOfTable, part.source.family, part.source.qualifier);
      if (index_.encoding_bytes == 0) continue;
      const ColumnMeta& column = index_.columns[part.column];
      message_.Pair(kCoveredColumnsOfIndex, column.family, column.qualifier);
    }
  }

  const TableMeta& table_;  // or view
  const plan::IndexDefinition& definition_;
  const TableMeta& index_;
  const size_t key_fields_;
  const PhoenixExpressions expressions_;
  std::set<std::pair<std::string, Bytes>> told_;
  Message message_;
};

// Servers fail at what is newer than they are with each write of the table.
Status CheckVersion(const plan::IndexDefinition& definition, int32_t version) {
  const auto has = [&](int32_t major, int32_t minor) {
    return version >= (major << 16 | minor << 8);
  };
  const auto wants = [&](const std::string& what, std::string_view since) {
    return NotDescribed(
        *definition.index,
        fmt::format("{}, which Phoenix has from {} on, and they have {}.{}.{}", what, since,
                    version >> 16, version >> 8 & 0xff, version & 0xff));
  };
  if ((definition.condition != nullptr || definition.has_longer_key) && !has(5, 2)) {
    return wants("it has a condition on its rows", "5.2");
  }
  std::vector<TypeId> types;
  for (const DataType& type : definition.slot_types) types.push_back(type.id);
  for (size_t i = 0; i < definition.table->key_columns.size(); ++i) {
    types.push_back(definition.table->key_column(i).type.id);
  }
  for (const TypeId type : types) {
    const bool is_new =
        type == TypeId::kJson || type == TypeId::kBson || type == TypeId::kVarbinaryEncoded;
    if (is_new && !has(5, 3)) return wants("it has a " + std::string(TypeName(type)), "5.3");
  }
  return Status::Ok();
}

}  // namespace

Result<Bytes> DescribeIndexes(
    const TableMeta& table,
    const std::vector<std::shared_ptr<const plan::IndexDefinition>>& indexes, int32_t version) {
  for (const auto& definition : indexes) RETURN_IF_ERROR(CheckVersion(*definition, version));
  ASSIGN_OR_RETURN(const std::vector<SchemaField> key, LongestKey(table, indexes));
  Bytes text;
  const auto count = static_cast<int32_t>(indexes.size());
  AppendVInt(&text, table.is_salted() ? -count : count);
  text += DescribeKey(key);
  for (const auto& definition : indexes) {
    ASSIGN_OR_RETURN(const Bytes maintainer, Describer(*definition, key.size()).Describe());
    AppendByteArray(maintainer, &text);
  }
  return text;
}

Bytes PhoenixClientVersion() {
  constexpr uint32_t kVersion = 5 << 16 | 2 << 8;
  Bytes version;
  AppendBE32(&version, kVersion);
  return version;
}

void SetDescription(const Bytes& description, MutationBatch* batch) {
  Bytes uuid;
  AppendBE64(&uuid, Env::Default()->RandomU64());
  batch->SetAttribute(kUuidAttribute, std::move(uuid));
  batch->SetAttribute(kMaintainersAttribute, description);
  batch->SetAttribute(kPhoenixVersionAttribute, PhoenixClientVersion());
}

ColumnSet IncludedColumns(
    const std::vector<std::shared_ptr<const plan::IndexDefinition>>& indexes) {
  ColumnSet columns;
  for (const auto& definition : indexes) {
    for (const plan::IncludedPart& part : definition->included) {
      columns.emplace(part.source.family, part.source.qualifier);
    }
  }
  return columns;
}

MutationBatch WithDescription(const MutationBatch& batch, const Bytes& description,
                              const ColumnSet& included) {
  MutationBatch result;
  result.durability = batch.durability;
  for (size_t i = 0; i < batch.rows().size(); ++i) {
    result.AddMutation(batch, i);
    SetDescription(description, &result);
    const MutationBatch::Row& row = result.rows().back();
    char* const buffer = result.mutable_buffer()->data();
    Cell cell;
    for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
      offset = CellAt(result.buffer(), offset, &cell);
      const bool becomes_null = cell.type() == CellType::kDeleteColumn &&
                                included.contains({Bytes(cell.family()), Bytes(cell.qualifier())});
      if (!becomes_null) continue;
      buffer[cell.key - buffer + cell.key_length - 1] = static_cast<char>(CellType::kPut);
    }
  }
  return result;
}

}  // namespace bennu::sql::index
