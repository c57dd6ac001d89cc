#include "src/sql/exec/row_decoder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "src/base/check.h"
#include "src/base/status_macros.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/index_key_value.h"
#include "src/sql/types/single_cell.h"

namespace bennu::sql::exec {
namespace {

// HBase's order of columns: families by bytes, then qualifiers by bytes.
int CompareColumns(ByteView family_a, ByteView qualifier_a, ByteView family_b,
                   ByteView qualifier_b) {
  const int by_family = family_a.compare(family_b);
  return by_family != 0 ? by_family : qualifier_a.compare(qualifier_b);
}

bool IsBigint(TypeId id) {
  return id == TypeId::kBigint || id == TypeId::kDate || id == TypeId::kTime;
}

// Rows [begin, end) of a chunk.
struct Rows {
  size_t begin;
  size_t end;
};

// Puts decode(bytes) of each value of exactly 'width' bytes; false when another length occurs.
template <typename T, typename Decode>
bool DecodeFixed(const ByteView* values, Rows rows, size_t width, Vector* vector, Decode decode) {
  T* data = vector->data<T>();
  uint8_t* validity = vector->validity();
  bool nulls = false;
  for (size_t i = rows.begin; i < rows.end; ++i) {
    if (values[i].size() == width) [[likely]] {
      data[i] = static_cast<T>(decode(values[i].data()));
      validity[i] = 1;
    } else if (values[i].empty()) {
      data[i] = T();
      validity[i] = 0;
      nulls = true;
    } else {
      return false;
    }
  }
  if (nulls) vector->set_has_nulls(true);
  return true;
}

void DecodeViews(const ByteView* values, Rows rows, Vector* vector) {
  ByteView* data = vector->data<ByteView>();
  uint8_t* validity = vector->validity();
  bool nulls = false;
  for (size_t i = rows.begin; i < rows.end; ++i) {
    data[i] = values[i];
    validity[i] = !values[i].empty();
    nulls |= values[i].empty();
  }
  if (nulls) vector->set_has_nulls(true);
}

// The values of a column of 'width' bytes each, to the rows from 'at' on. False when they are not.
template <typename T, size_t width, typename Decode>
bool DecodePart(const RowDecoder::Part& part, const ColumnRows::Column* column, size_t at,
                Vector* vector, Decode decode) {
  T* const data = vector->data<T>() + at;
  uint8_t* const validity = vector->validity() + at;
  const size_t count = part.count;
  const bool nothing = column == nullptr || (column->ends == nullptr && column->width == 0);
  if (nothing) {
    std::fill_n(data, count, T());
    std::memset(validity, 0, count);
    vector->set_has_nulls(true);
    return true;
  }
  if (column->ends != nullptr || column->width != width) return false;
  if (column->stride == 0) {
    std::fill_n(data, count, static_cast<T>(decode(column->values)));
  } else {
    const char* const values = column->values + part.begin * width;
    for (size_t i = 0; i < count; ++i) data[i] = static_cast<T>(decode(values + i * width));
  }
  if (column->HasAll(part.begin, part.begin + part.count)) {
    std::memset(validity, 1, count);
    return true;
  }
  const uint8_t* const present = column->present + part.begin;
  std::memcpy(validity, present, count);
  for (size_t i = 0; i < count; ++i) data[i] = present[i] != 0 ? data[i] : T();
  vector->set_has_nulls(true);
  return true;
}

void DecodePartViews(const RowDecoder::Part& part, const ColumnRows::Column* column, size_t at,
                     ByteView* values) {
  for (uint32_t i = 0; i < part.count; ++i) {
    const uint32_t row = part.begin + i;
    values[at + i] = column != nullptr && column->Has(row) ? column->ValueAt(row) : ByteView();
  }
}

// Calls decode.template operator()<T, width>(function) for types whose ascending values have one
// width and a quick decoder; false for others.
template <typename Decode>
bool WithDecoder(TypeId id, Decode&& decode) {
  if (IsBigint(id)) {
    return decode.template operator()<int64_t, 8>([](const char* p) { return DecodeBigint(p); });
  }
  switch (id) {
    case TypeId::kInteger:
      return decode.template operator()<int64_t, 4>([](const char* p) { return DecodeInteger(p); });
    case TypeId::kSmallint:
      return decode.template operator()<int64_t, 2>([](const char* p) {
        return static_cast<int16_t>((static_cast<uint8_t>(p[0] ^ 0x80) << 8) |
                                    static_cast<uint8_t>(p[1]));
      });
    case TypeId::kTinyint:
      return decode.template operator()<int64_t, 1>(
          [](const char* p) { return static_cast<int8_t>(*p ^ 0x80); });
    case TypeId::kDouble:
      return decode.template operator()<double, 8>([](const char* p) { return DecodeDouble(p); });
    case TypeId::kFloat:
      return decode.template operator()<double, 4>([](const char* p) { return DecodeFloat(p); });
    default: return false;
  }
}

bool DecodeFast(const ByteView* values, Rows rows, TypeId id, Vector* vector) {
  switch (id) {
    case TypeId::kVarchar:
    case TypeId::kChar:
    case TypeId::kVarbinary:
    case TypeId::kBinary: DecodeViews(values, rows, vector); return true;
    default:
      return WithDecoder(id, [&]<typename T, size_t width>(auto decode) {
        return DecodeFixed<T>(values, rows, width, vector, decode);
      });
  }
}

}  // namespace

Status DecodeColumn(const ByteView* values, size_t count, const DataType& type, SortOrder order,
                    Vector* vector) {
  if (order == SortOrder::kAsc && DecodeFast(values, {0, count}, type.id, vector)) {
    return Status::Ok();
  }
  for (size_t i = 0; i < count; ++i) {
    if (values[i].empty()) {
      vector->SetNull(i);
    } else {
      vector->SetValid(i);
      RETURN_IF_ERROR(DecodeInto(values[i], type, order, vector, i));
    }
  }
  return Status::Ok();
}

// data | offsets | int32 offset position | int32 count, negative: int32 offsets | version byte
void RowDecoder::Want(ByteView family, ByteView qualifier) {
  for (const Wanted& wanted : wanted_) {
    if (wanted.family == family && wanted.qualifier == qualifier) return;
  }
  Wanted wanted;
  wanted.column.push_back(static_cast<char>(family.size()));
  wanted.column += family;
  wanted.column += qualifier;
  wanted.family = family;
  wanted.qualifier = qualifier;
  const size_t head_size = std::min<size_t>(wanted.column.size(), 8);
  std::memcpy(&wanted.head, wanted.column.data(), head_size);
  std::memset(&wanted.head_mask, 0xff, head_size);
  wanted_.push_back(std::move(wanted));
}

RowDecoder::RowDecoder(const KeySchema* schema, std::vector<ScanColumn> columns, size_t capacity,
                       std::pair<ByteView, ByteView> passed)
    : schema_(schema),
      columns_(std::move(columns)),
      capacity_(capacity),
      wanted_of_column_(columns_.size(), static_cast<size_t>(-1)) {
  for (const ScanColumn& column : columns_) {
    if (column.source == ScanColumn::Source::kRowSize) {
      keep_sizes_ = true;
      continue;
    }
    if (column.source == ScanColumn::Source::kKey || column.source == ScanColumn::Source::kRowKey) {
      keep_keys_ = true;
      continue;
    }
    keep_timestamps_ |= column.source == ScanColumn::Source::kTimestamp;
    Want(column.family, column.qualifier);
  }
  if (!wanted_.empty() && !passed.first.empty()) Want(passed.first, passed.second);
  std::sort(wanted_.begin(), wanted_.end(), [](const Wanted& a, const Wanted& b) {
    return CompareColumns(a.family, a.qualifier, b.family, b.qualifier) < 0;
  });
  SetRoom(kFirstRoom);
  for (size_t i = 0; i < columns_.size(); ++i) {
    for (size_t j = 0; j < wanted_.size(); ++j) {
      if (wanted_[j].family == columns_[i].family &&
          wanted_[j].qualifier == columns_[i].qualifier) {
        wanted_of_column_[i] = j;
      }
    }
  }
}

void RowDecoder::SetRoom(size_t rows) {
  room_ = std::min(rows, capacity_);
  std::vector<ByteView> values(wanted_.size() * room_);
  std::vector<int64_t> timestamps(keep_timestamps_ ? values.size() : 0);
  for (size_t i = 0; i < wanted_.size(); ++i) {
    Wanted& wanted = wanted_[i];
    std::copy_n(wanted.values, row_count_, values.data() + i * room_);
    wanted.values = values.data() + i * room_;
    if (!keep_timestamps_) continue;
    std::copy_n(wanted.timestamps, row_count_, timestamps.data() + i * room_);
    wanted.timestamps = timestamps.data() + i * room_;
  }
  value_storage_ = std::move(values);
  timestamp_storage_ = std::move(timestamps);
  if (keep_keys_) keys_.resize(room_);
  if (keep_sizes_) sizes_.resize(room_);
}

void RowDecoder::AddSlice(const ColumnSlice& slice) {
  BENNU_DCHECK(row_count_ == part_rows_);
  const ColumnRows& rows = *slice.rows;
  size_t room = room_;
  while (room < row_count_ + size_t{slice.size()}) room *= kGrowth;
  if (room > room_) SetRoom(room);
  if (keep_keys_) {
    for (uint32_t row = slice.begin; row < slice.end; ++row) {
      keys_[row_count_ + row - slice.begin] = rows.KeyAt(row);
    }
  }
  parts_.push_back({&rows, slice.begin, slice.size()});
  row_count_ += slice.size();
  part_rows_ = row_count_;
}

const ColumnRows::Column* RowDecoder::Part::Find(const Wanted& wanted) const {
  // The few columns of a slice mostly have names of one length that end differently.
  const ByteView qualifier = wanted.qualifier;
  for (const ColumnRows::Column& column : rows->columns) {
    if (column.qualifier.size() == qualifier.size() &&
        (qualifier.empty() || column.qualifier.back() == qualifier.back()) &&
        column.qualifier == qualifier && column.family == ByteView(wanted.family)) {
      return &column;
    }
  }
  return nullptr;
}

// False: the values have to be looked at one by one.
bool RowDecoder::DecodeParts(const ScanColumn& column, const Wanted& wanted, Vector* vector) {
  if (column.source != ScanColumn::Source::kCell || column.order != SortOrder::kAsc ||
      column.default_value.has_value()) {
    return false;
  }
  return WithDecoder(column.type.id, [&]<typename T, size_t width>(auto decode) {
    size_t at = 0;
    for (const Part& part : parts_) {
      if (!DecodePart<T, width>(part, part.Find(wanted), at, vector, decode)) return false;
      at += part.count;
    }
    return DecodeFixed<T>(wanted.values, {at, row_count_}, width, vector, decode);
  });
}

// KeyValue's lengths before key and value, and the length of tags where there are any.
int64_t RowDecoder::SizeOf(const Cell* cells, size_t count) {
  int64_t size = 0;
  for (const Cell* cell = cells; cell != cells + count; ++cell) {
    size += int64_t{8} + cell->key_length + cell->value_length;
    if (cell->tags_length > 0) size += int64_t{2} + cell->tags_length;
  }
  return size;
}

const RowDecoder::Wanted* RowDecoder::Catch(const Wanted* wanted, const Wanted* end,
                                            ByteView column, uint32_t row, const Cell& cell) {
  const size_t family_length = static_cast<uint8_t>(column[0]);
  const ByteView family = column.substr(1, family_length);
  const ByteView qualifier = column.substr(1 + family_length);
  while (wanted != end) {
    const int order = CompareColumns(wanted->family, wanted->qualifier, family, qualifier);
    if (order > 0) return wanted;  // a cell that nobody asked for
    if (order == 0) {
      Take(*wanted, row, cell);
      return wanted + 1;
    }
    wanted->values[row] = ByteView();
    ++wanted;
  }
  return wanted;
}

Status RowDecoder::DecodeCells(const ScanColumn& column, const ByteView* values, Vector* vector) {
  if (column.may_be_short) return DecodeShortOrLong(values, vector);
  if (column.source == ScanColumn::Source::kElement) {
    elements_.resize(room_);
    for (size_t i = 0; i < row_count_; ++i) {
      std::optional<ByteView> element = SingleCellElement(values[i], column.element);
      elements_[i] = element.has_value() ? ByteView(element->data(), element->size()) : ByteView();
    }
    values = elements_.data();
  }
  RETURN_IF_ERROR(DecodeColumn(values, row_count_, column.type, column.order, vector));
  if (column.default_value.has_value()) {
    for (size_t i = 0; i < row_count_; ++i) {
      if (values[i].data() != nullptr) continue;
      vector->SetValid(i);
      vector->SetValue(i, *column.default_value);
    }
  }
  return Status::Ok();
}

// Phoenix's servers write a byte behind a SMALLINT.
Status RowDecoder::DecodeShortOrLong(const ByteView* values, Vector* vector) {
  for (size_t i = 0; i < row_count_; ++i) {
    if (values[i].empty()) {
      vector->SetNull(i);
      continue;
    }
    const bool is_short = values[i].size() == 2 || values[i].size() == 3;
    const DataType type{is_short ? TypeId::kSmallint : TypeId::kBigint};
    const ByteView bytes = is_short ? values[i].substr(0, 2) : values[i];
    ASSIGN_OR_RETURN(const Value value, Decode(bytes, type, SortOrder::kAsc));
    vector->SetValid(i);
    vector->Set<int64_t>(i, value.int64());
  }
  return Status::Ok();
}

Status RowDecoder::DecodeKeys(const ScanColumn& column, Vector* vector) {
  const std::span<const ByteView> keys(keys_.data(), row_count_);
  if (!column.converts) return schema_->DecodeColumnInto(keys, column.key_column, vector);
  const DataType& stored = schema_->columns()[column.key_column].type;
  if (PhysicalTypeOf(stored.id) == PhysicalTypeOf(column.type.id)) {
    RETURN_IF_ERROR(schema_->DecodeColumnInto(keys, column.key_column, vector));
    vector->set_type(column.type);
    return Status::Ok();
  }
  stored_.Initialize(stored, std::max<size_t>(room_, 1));
  RETURN_IF_ERROR(schema_->DecodeColumnInto(keys, column.key_column, &stored_));
  for (size_t row = 0; row < row_count_; ++row) {
    ASSIGN_OR_RETURN(const Value value, FromIndexKeyValue(stored_.GetValue(row), column.type));
    vector->SetValue(row, value);
  }
  return Status::Ok();
}

Status RowDecoder::Finish(DataChunk* chunk) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    const ScanColumn& column = columns_[i];
    Vector* vector = &chunk->columns[column.output];
    if (vector->capacity() >= row_count_ && vector->type() == column.type) {
      vector->Reset();
    } else {
      vector->Initialize(column.type, room_);
    }
    switch (column.source) {
      case ScanColumn::Source::kKey: RETURN_IF_ERROR(DecodeKeys(column, vector)); break;
      case ScanColumn::Source::kRowKey: DecodeViews(keys_.data(), {0, row_count_}, vector); break;
      case ScanColumn::Source::kRowSize:
        std::copy_n(sizes_.begin(), row_count_, vector->data<int64_t>());
        break;
      case ScanColumn::Source::kTimestamp: {
        const Wanted& wanted = wanted_[wanted_of_column_[i]];
        for (size_t row = 0; row < row_count_; ++row) {
          if (wanted.values[row].data() == nullptr) {
            vector->SetNull(row);
          } else {
            vector->Set<int64_t>(row, wanted.timestamps[row]);
          }
        }
        break;
      }
      case ScanColumn::Source::kCell:
      case ScanColumn::Source::kElement: {
        const Wanted& wanted = wanted_[wanted_of_column_[i]];
        if (!parts_.empty()) {
          if (DecodeParts(column, wanted, vector)) break;
          size_t at = 0;
          for (const Part& part : parts_) {
            DecodePartViews(part, part.Find(wanted), at, wanted.values);
            at += part.count;
          }
        }
        RETURN_IF_ERROR(DecodeCells(column, wanted.values, vector));
        break;
      }
    }
  }
  chunk->size = row_count_;
  row_count_ = 0;
  part_rows_ = 0;
  parts_.clear();
  return Status::Ok();
}

}  // namespace bennu::sql::exec
