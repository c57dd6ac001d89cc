#include "src/sql/exec/row_decoder.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/sql/types/codec.h"

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

// Puts decode(bytes) of each value of exactly 'width' bytes; false when another length occurs.
template <typename T, typename Decode>
bool DecodeFixed(const ByteView* values, size_t count, size_t width, Vector* vector,
                 Decode&& decode) {
  T* data = vector->data<T>();
  uint8_t* validity = vector->validity();
  bool nulls = false;
  for (size_t i = 0; i < count; ++i) {
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

void DecodeViews(const ByteView* values, size_t count, Vector* vector) {
  ByteView* data = vector->data<ByteView>();
  uint8_t* validity = vector->validity();
  bool nulls = false;
  for (size_t i = 0; i < count; ++i) {
    data[i] = values[i];
    validity[i] = !values[i].empty();
    nulls |= values[i].empty();
  }
  if (nulls) vector->set_has_nulls(true);
}

bool DecodeFast(const ByteView* values, size_t count, TypeId id, Vector* vector) {
  if (IsBigint(id)) return DecodeFixed<int64_t>(values, count, 8, vector, DecodeBigint);
  switch (id) {
    case TypeId::kInteger: return DecodeFixed<int64_t>(values, count, 4, vector, DecodeInteger);
    case TypeId::kDouble: return DecodeFixed<double>(values, count, 8, vector, DecodeDouble);
    case TypeId::kFloat: return DecodeFixed<double>(values, count, 4, vector, DecodeFloat);
    case TypeId::kVarchar:
    case TypeId::kChar:
    case TypeId::kVarbinary:
    case TypeId::kBinary: DecodeViews(values, count, vector); return true;
    default: return false;
  }
}

}  // namespace

Status DecodeColumn(const ByteView* values, size_t count, const DataType& type, SortOrder order,
                    Vector* vector) {
  if (order == SortOrder::kAsc && DecodeFast(values, count, type.id, vector)) return Status::Ok();
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
std::optional<ByteView> ArrayElement(ByteView array, int32_t element) {
  constexpr size_t kTrailerBytes = 9;
  if (array.size() < kTrailerBytes || element < 0) return std::nullopt;
  const char* trailer = array.data() + array.size() - kTrailerBytes;
  const uint32_t offset_position = LoadBig32(trailer);
  const int32_t signed_count = static_cast<int32_t>(LoadBig32(trailer + 4));
  const size_t width = signed_count < 0 ? 4 : 2;
  const int64_t count = std::abs(static_cast<int64_t>(signed_count));
  if (element >= count || offset_position > array.size() ||
      offset_position + count * width + kTrailerBytes > array.size()) {
    return std::nullopt;
  }
  const char* offsets = array.data() + offset_position;
  auto offset_at = [&](int64_t i) -> int64_t {
    const char* p = offsets + i * width;
    if (width == 4) return static_cast<int32_t>(LoadBig32(p));
    return static_cast<int16_t>((static_cast<uint8_t>(p[0]) << 8) | static_cast<uint8_t>(p[1]));
  };
  const int64_t begin = offset_at(element);
  if (begin < 0) return std::nullopt;
  const int64_t end = element + 1 < count ? std::abs(offset_at(element + 1))
                                          : static_cast<int64_t>(offset_position);
  if (end < begin || end > static_cast<int64_t>(offset_position)) return std::nullopt;
  return array.substr(begin, end - begin);
}

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
    if (column.source == ScanColumn::Source::kKey ||
        column.source == ScanColumn::Source::kKeyBytes ||
        column.source == ScanColumn::Source::kRowKey) {
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
  if (column.source == ScanColumn::Source::kElement) {
    elements_.resize(room_);
    for (size_t i = 0; i < row_count_; ++i) {
      std::optional<ByteView> element = ArrayElement(values[i], column.element);
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

void RowDecoder::DecodeKeyBytes(const ScanColumn& column, Vector* vector) const {
  for (size_t row = 0; row < row_count_; ++row) {
    const ByteView stored = schema_->ColumnView(keys_[row], column.key_column);
    if (stored.empty()) {
      vector->SetNull(row);
      continue;
    }
    char* bytes = vector->AllocateBytes(stored.size());
    std::copy(stored.begin(), stored.end(), bytes);
    if (column.order == SortOrder::kDesc) InvertBytes(bytes, stored.size());
    vector->SetView(row, ByteView(bytes, stored.size()));
  }
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
      case ScanColumn::Source::kKey:
        RETURN_IF_ERROR(schema_->DecodeColumnInto(
            std::span<const ByteView>(keys_.data(), row_count_), column.key_column, vector));
        break;
      case ScanColumn::Source::kKeyBytes: DecodeKeyBytes(column, vector); break;
      case ScanColumn::Source::kRowKey: DecodeViews(keys_.data(), row_count_, vector); break;
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
      case ScanColumn::Source::kElement:
        RETURN_IF_ERROR(DecodeCells(column, wanted_[wanted_of_column_[i]].values, vector));
        break;
    }
  }
  chunk->size = row_count_;
  row_count_ = 0;
  return Status::Ok();
}

}  // namespace bennu::sql::exec
