#include "src/sql/exec/index_encoder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/table.h"
#include "src/sql/expr/evaluate.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/index_key_value.h"
#include "src/sql/types/single_cell.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {
namespace {

using catalog::ColumnMeta;
using catalog::TableMeta;

// What the empty column of an index row says, as GlobalIndexChecker reads it.
constexpr ByteView kVerified("\x01", 1);
constexpr ByteView kUnverified("\x02", 1);
// Not one of Phoenix's.
constexpr ByteView kUnsettled("\x03", 1);

constexpr size_t kRowsAtOnce = 1024;

const Cell* FindCell(std::span<const Cell> cells, ByteView family, ByteView qualifier) {
  for (const Cell& cell : cells) {
    if (cell.qualifier() == qualifier && cell.family() == family) return &cell;
  }
  return nullptr;
}

ByteView ValueOf(const Cell& cell) {
  // A value of no bytes is still a value.
  return ByteView(cell.value != nullptr ? cell.value : "", cell.value_length);
}

}  // namespace

IndexEncoder::IndexEncoder(std::shared_ptr<const plan::IndexDefinition> definition, bool builds)
    : definition_(std::move(definition)),
      builds_(builds),
      expires_(definition_->expires),
      decoder_(&definition_->table->key_schema, definition_->columns, kRowsAtOnce) {
  plan::AddReadColumns(*definition_, &read_columns_);
  // The decoder makes them as large as the rows that are encoded at once are many.
  chunk_.columns.resize(definition_->slot_types.size());
  values_.resize(definition_->key.size());
  computed_.resize(definition_->key.size());
  parts_.resize(definition_->key.size());
  part_views_.resize(definition_->key.size());
}

Status IndexEncoder::Encode(std::span<const TableRow> rows, std::vector<IndexEntry>* entries,
                            RowState state) {
  entries->resize(rows.size());
  for (size_t begin = 0; begin < rows.size(); begin += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, rows.size() - begin);
    const auto some = rows.subspan(begin, count);
    const Status status = EncodeSome(some, std::span(*entries).subspan(begin, count), state);
    if (!status.ok()) return NameRow(some, state, status);
  }
  return Status::Ok();
}

Status IndexEncoder::NameRow(std::span<const TableRow> rows, RowState state,
                             const Status& error) const {
  const std::string index = "index " + definition_->index->FullName();
  // This one may still hold the rows that it could not decode.
  IndexEncoder alone(definition_, builds_);
  for (const TableRow& row : rows) {
    IndexEntry entry;
    const Status status = alone.EncodeSome({&row, 1}, {&entry, 1}, state);
    if (status.ok()) continue;
    return status.Annotate("row '" + ToStringBinary(row.key) + "'").Annotate(index);
  }
  return error.Annotate(index);
}

bool IndexEncoder::IsThere(std::span<const Cell> cells) const {
  const TableMeta& table = *definition_->table;
  if (FindCell(cells, table.empty_family, table.empty_qualifier) != nullptr) return true;
  return std::any_of(cells.begin(), cells.end(), [this](const Cell& cell) {
    const auto family = read_columns_.find(Bytes(cell.family()));
    if (family == read_columns_.end()) return false;
    return family->second.empty() || family->second.contains(Bytes(cell.qualifier()));
  });
}

bool IndexEncoder::IsOfTable(const TableRow& row) {
  if (!IsThere(row.cells)) return false;
  const KeySchema& schema = definition_->table->key_schema;
  const ByteView key = row.key.substr(std::min(schema.prefix_size(), row.key.size()));
  if (!key.starts_with(definition_->row_prefix)) return false;
  if (!definition_->has_longer_key) return true;
  key_parts_.resize(schema.column_count());
  if (!schema.Split(row.key, key_parts_).ok()) return false;
  for (size_t i = 0; i < key_parts_.size(); ++i) {
    if (key_parts_[i].length == 0 && !schema.columns()[i].nullable) return false;
  }
  return true;
}

Status IndexEncoder::EncodeSome(std::span<const TableRow> rows, std::span<IndexEntry> entries,
                                RowState state) {
  for (size_t i = 0; i < rows.size(); ++i) {
    entries[i].present = IsOfTable(rows[i]);
    if (entries[i].present) decoder_.AddRow(rows[i].cells.data(), rows[i].cells.size());
  }
  const size_t present = decoder_.row_count();
  if (present == 0) return Status::Ok();
  RETURN_IF_ERROR(decoder_.Finish(&chunk_));
  meets_.assign(present, definition_->condition == nullptr);
  if (definition_->condition != nullptr) {
    RETURN_IF_ERROR(EvaluateFilter(*definition_->condition, chunk_, &eval_, &selected_));
    for (const uint32_t row : selected_.rows) meets_[row] = 1;
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    const BoundExpr& expr = *definition_->key[i].expr;
    // A column stays where it is: if it were shared, it would be allocated anew for the next rows.
    if (expr.kind == BoundKind::kSlot) {
      values_[i] = &chunk_.columns[expr.slot];
      continue;
    }
    values_[i] = &computed_[i];
    RETURN_IF_ERROR(Evaluate(expr, chunk_, &eval_, &computed_[i]));
  }
  size_t row = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!std::exchange(entries[i].present, false)) continue;
    if (meets_[row] != 0) {
      RETURN_IF_ERROR(EncodeKey(row, &entries[i], state));
      CopyIncluded(rows[i], &entries[i]);
    }
    ++row;
  }
  return Status::Ok();
}

Status IndexEncoder::CheckKey(ByteView key) {
  const KeySchema& schema = definition_->table->key_schema;
  key_parts_.resize(schema.column_count());
  key_views_.clear();
  own_key_.clear();
  Status status = schema.Split(key, key_parts_);
  if (status.ok()) {
    for (const KeyPart& part : key_parts_) {
      key_views_.push_back(key.substr(part.offset, part.length));
    }
    status = schema.AppendStoredKey(key_views_, &own_key_);
  }
  if (status.ok() && own_key_ != key) {
    status = SqlIllegalData("the row key '" + ToStringBinary(key) + "' of table " +
                            definition_->table->FullName() +
                            " is not the one that SQL makes of its values, '" +
                            ToStringBinary(own_key_) + "'; write the row by that key");
  }
  return status.ok() ? status : status.Annotate("index " + definition_->index->FullName());
}

Status IndexEncoder::EncodeKey(size_t row, IndexEntry* entry, RowState state) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    const plan::IndexedPart& part = definition_->key[i];
    parts_[i].clear();
    const Vector& values = *values_[i];
    if (!values.IsNull(row)) {
      if (values.type().id == part.key_type.id) {
        RETURN_IF_ERROR(EncodeRow(values, row, part.key_type, part.order, &parts_[i]));
      } else {
        const auto convert = state == RowState::kStored ? StoredIndexKeyValue : ToIndexKeyValue;
        ASSIGN_OR_RETURN(const Value value,
                         convert(values.GetValue(row), part.expr->type, part.key_type));
        RETURN_IF_ERROR(sql::Encode(value, part.key_type, part.order, &parts_[i]));
      }
    }
    part_views_[i] = parts_[i];
  }
  entry->key.clear();
  const KeySchema& schema = definition_->index->key_schema;
  RETURN_IF_ERROR(state == RowState::kStored ? schema.AppendStoredKey(part_views_, &entry->key)
                                             : schema.AppendKey(part_views_, &entry->key));
  entry->present = true;
  return Status::Ok();
}

void IndexEncoder::CopyIncluded(const TableRow& row, IndexEntry* entry) {
  entry->values.resize(definition_->included.size());
  for (size_t i = 0; i < entry->values.size(); ++i) {
    const ScanColumn& source = definition_->included[i].source;
    std::optional<Bytes>& value = entry->values[i];
    const Cell* const cell = FindCell(row.cells, source.family, source.qualifier);
    std::optional<ByteView> found;
    if (cell != nullptr) found = ValueOf(*cell);
    if (found.has_value() && source.source == ScanColumn::Source::kElement) {
      found = SingleCellElement(*found, source.element);
    }
    if (!found.has_value()) {
      value.reset();
    } else if (value.has_value()) {
      value->assign(*found);
    } else {
      value.emplace(*found);
    }
  }
}

bool IndexEncoder::Changes(const IndexEntry& before, const IndexEntry& after) const {
  if (!before.present && !after.present) return false;
  const bool stays = before.present && after.present && before.key == after.key;
  return !stays || before.values != after.values || expires_;
}

void IndexEncoder::AppendDeletes(int64_t timestamp, MutationBatch* batch) {
  const TableMeta& index = *definition_->index;
  for (const std::string& family : index.families) batch->DeleteFamily(family, timestamp);
  if (index.families.empty()) batch->DeleteFamily(index.empty_family, timestamp);
}

void IndexEncoder::AppendChange(const IndexEntry& before, const IndexEntry& after,
                                int64_t timestamp, MutationBatch* batch, ByteView prefix) {
  if (!Changes(before, after)) return;
  const bool stays = before.present && after.present && before.key == after.key;
  if (before.present && !stays) AppendGone(before.key, timestamp, batch, prefix);
  if (!after.present) return;
  StartRow(prefix, after.key, batch);
  AppendIncluded(stays ? &before : nullptr, after, Absent::kOfBefore, timestamp, batch);
}

void IndexEncoder::StartRow(ByteView prefix, ByteView key, MutationBatch* batch) {
  row_.assign(prefix).append(key);
  batch->StartRow(row_);
}

void IndexEncoder::AppendGone(ByteView key, int64_t timestamp, MutationBatch* batch,
                              ByteView prefix) {
  const TableMeta& index = *definition_->index;
  StartRow(prefix, key, batch);
  // Phoenix marks a row before it takes it away, and so do we: its tools count on it.
  if (!index.is_local_index()) {
    batch->Put(index.empty_family, index.empty_qualifier, kUnverified, timestamp);
  }
  AppendDeletes(timestamp, batch);
}

void IndexEncoder::AppendWhole(const IndexEntry& entry, int64_t timestamp, MutationBatch* batch,
                               ByteView prefix) {
  StartRow(prefix, entry.key, batch);
  AppendIncluded(nullptr, entry, Absent::kAll, timestamp, batch);
}

void IndexEncoder::AppendUnsettled(ByteView key, std::optional<int64_t> ttl_millis,
                                   int64_t timestamp, MutationBatch* batch, ByteView prefix) {
  const TableMeta& index = *definition_->index;
  StartRow(prefix, key, batch);
  // With the index the row goes in time.
  if (ttl_millis.has_value() && !expires_) {
    batch->SetTtlMillis(*ttl_millis);
    // An earlier mark must not show again.
    batch->DeleteColumn(index.empty_family, index.empty_qualifier, timestamp);
  }
  batch->Put(index.empty_family, index.empty_qualifier, kUnsettled, timestamp);
  if (index.single_cell()) {
    for (const std::string& family : index.families) {
      batch->DeleteColumn(family, catalog::kSingleCellQualifier, timestamp);
    }
    return;
  }
  for (const plan::IncludedPart& part : definition_->included) {
    const ColumnMeta& column = index.columns[part.column];
    batch->DeleteColumn(column.family, column.qualifier, timestamp);
  }
}

void IndexEncoder::AppendMark(const TableMeta& index, ByteView key, int64_t timestamp,
                              MutationBatch* batch) {
  batch->StartRow(key);
  batch->Put(index.empty_family, index.empty_qualifier, kUnverified, timestamp);
}

void IndexEncoder::AppendMarks(const IndexEntry& before, const IndexEntry& after, int64_t timestamp,
                               MutationBatch* batch) {
  if (!Changes(before, after)) return;
  if (before.present) AppendMark(*definition_->index, before.key, timestamp, batch);
  const bool is_other = !before.present || before.key != after.key;
  if (after.present && is_other) AppendMark(*definition_->index, after.key, timestamp, batch);
}

void IndexEncoder::AppendVerified(const IndexEntry& before, const IndexEntry& after,
                                  int64_t timestamp, MutationBatch* batch) {
  if (!Changes(before, after)) return;
  if (before.present && (!after.present || before.key != after.key)) {
    AppendRemoval(before.key, timestamp, batch);
  }
  // Rows of uncovered indexes stay as the first phase has left them.
  if (!after.present || definition_->index->index_type == catalog::IndexType::kUncovered) return;
  batch->StartRow(after.key);
  AppendIncluded(nullptr, after, Absent::kAll, timestamp, batch);
}

void IndexEncoder::AppendRemoval(ByteView key, int64_t timestamp, MutationBatch* batch) {
  batch->StartRow(key);
  AppendDeletes(timestamp, batch);
}

void IndexEncoder::AppendIncluded(const IndexEntry* before, const IndexEntry& entry, Absent absent,
                                  int64_t timestamp, MutationBatch* batch) {
  const TableMeta& index = *definition_->index;
  // Writes leave rows of uncovered indexes unmarked, since what they lead to is looked at anyway.
  const bool uncovered = index.index_type == catalog::IndexType::kUncovered;
  ByteView mark = uncovered && !builds_ ? kUnverified : kVerified;
  // Always written with the table's row, so that there is nothing to verify.
  if (index.is_local_index()) mark = index.empty_value;
  batch->Put(index.empty_family, index.empty_qualifier, mark, timestamp);
  if (index.single_cell()) return AppendArrays(entry, timestamp, batch);
  for (size_t i = 0; i < entry.values.size(); ++i) {
    const ColumnMeta& column = index.columns[definition_->included[i].column];
    if (entry.values[i].has_value()) {
      batch->Put(column.family, column.qualifier, *entry.values[i], timestamp);
    } else if (absent == Absent::kAll || (before != nullptr && before->values[i].has_value())) {
      batch->DeleteColumn(column.family, column.qualifier, timestamp);
    }
  }
}

// What the row does not have is NULL in the array, and not left out, as with Phoenix; but where the
// column has a default: a reader puts that in the place of what is left out.
std::optional<ByteView> IndexEncoder::ArrayElement(const IndexEntry& entry, size_t included) const {
  if (entry.values[included].has_value()) return ByteView(*entry.values[included]);
  if (definition_->included[included].source.default_value.has_value()) return std::nullopt;
  return ByteView("");
}

void IndexEncoder::AppendArrays(const IndexEntry& entry, int64_t timestamp, MutationBatch* batch) {
  const TableMeta& index = *definition_->index;
  for (const std::string& family : index.families) {
    elements_.clear();
    for (size_t i = 0; i < entry.values.size(); ++i) {
      const ColumnMeta& column = index.columns[definition_->included[i].column];
      if (column.family != family) continue;
      const auto element = static_cast<size_t>(TableMeta::ArrayElementIndex(column));
      if (elements_.size() < element) elements_.resize(element);
      elements_[element - 1] = ArrayElement(entry, i);
    }
    array_.clear();
    AppendSingleCell(elements_, &array_);
    batch->Put(family, catalog::kSingleCellQualifier, array_, timestamp);
  }
}

// What an array is too short for, or has no bytes of, is NULL: rows from before an ALTER TABLE that
// added a column have shorter arrays, or none.
bool IndexEncoder::ArraysMatch(const IndexEntry& entry, std::span<const Cell> cells) const {
  const TableMeta& index = *definition_->index;
  if (FindCell(cells, index.empty_family, index.empty_qualifier) == nullptr) return false;
  for (size_t i = 0; i < entry.values.size(); ++i) {
    const ColumnMeta& column = index.columns[definition_->included[i].column];
    const Cell* const cell = FindCell(cells, column.family, catalog::kSingleCellQualifier);
    std::optional<ByteView> stored;
    if (cell != nullptr) {
      stored = SingleCellElement(ValueOf(*cell), TableMeta::ArrayElementIndex(column));
    }
    const std::optional<ByteView> wanted = ArrayElement(entry, i);
    if (wanted.has_value() ? stored.value_or("") != *wanted : stored.has_value()) return false;
  }
  return std::all_of(cells.begin(), cells.end(), [&](const Cell& cell) {
    const bool is_mark =
        cell.family() == index.empty_family && cell.qualifier() == index.empty_qualifier;
    return is_mark || cell.qualifier() == catalog::kSingleCellQualifier;
  });
}

bool IndexEncoder::Matches(const IndexEntry& entry, std::span<const Cell> cells) {
  const TableMeta& index = *definition_->index;
  if (index.single_cell()) return ArraysMatch(entry, cells);
  batch_.Clear();
  AppendChange(IndexEntry(), entry, kLatestTimestamp, &batch_);
  const MutationBatch::Row& wanted = batch_.rows().front();
  size_t count = 0;
  for (uint64_t offset = wanted.cells_begin; offset < wanted.cells_end; ++count) {
    Cell cell;
    offset = CellAt(batch_.buffer(), offset, &cell);
    const bool is_mark =
        cell.family() == index.empty_family && cell.qualifier() == index.empty_qualifier;
    const Cell* const found = FindCell(cells, cell.family(), cell.qualifier());
    if (found == nullptr) return false;
    if (!is_mark && found->value_view() != cell.value_view()) return false;
  }
  return count == cells.size();
}

bool IsVerified(const catalog::TableMeta& index, std::span<const Cell> cells) {
  const Cell* const mark = FindCell(cells, index.empty_family, index.empty_qualifier);
  return mark != nullptr && IsVerifiedMark(index, mark->value_view());
}

bool IsUnsettled(const catalog::TableMeta& index, std::span<const Cell> cells) {
  const Cell* const mark = FindCell(cells, index.empty_family, index.empty_qualifier);
  return mark != nullptr && mark->value_view() == kUnsettled;
}

}  // namespace bennu::sql::exec
