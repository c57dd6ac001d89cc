#include "src/engine/store/column_merger.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bennu::engine {

namespace {

// Places of absent values cost memory; wider values that not all rows have stand one after the
// other instead.
constexpr uint32_t kSparseWidthMax = 64;

struct OwnedRows {
  ColumnRows rows;
  std::unique_ptr<char[]> memory;
};

void Copy(char* to, const char* from, size_t size) {
  if (size > 0) std::memcpy(to, from, size);
}

// Values of one width, also where each has another or all have the same in the source.
void CopyValues(const ColumnRows::Column& column, uint32_t begin, uint32_t count, uint32_t width,
                char* to) {
  if (column.ends == nullptr && column.stride == width) {
    Copy(to, column.values + size_t{begin} * width, size_t{count} * width);
    return;
  }
  for (uint32_t i = 0; i < count; ++i, to += width) {
    if (column.Has(begin + i)) {
      Copy(to, column.ValueAt(begin + i).data(), width);
    } else {
      std::memset(to, 0, width);
    }
  }
}

}  // namespace

ColumnMerger::ColumnMerger(const Bytes* family, const std::vector<Bytes>* qualifiers)
    : family_(family), qualifiers_(qualifiers) {
  for (const Bytes& qualifier : *qualifiers_) columns_.push_back({qualifier, {}});
}

uint32_t ColumnMerger::BaseOf(const std::shared_ptr<const ColumnRows>& rows) {
  // Two or three take turns at most.
  for (size_t i = bases_.size(); i-- > 0;) {
    if (bases_[i].rows == rows) return static_cast<uint32_t>(i);
  }
  Base base;
  base.rows = rows;
  base.columns.resize(columns_.size());
  for (const ColumnRows::Column& column : rows->columns) {
    const size_t id = ColumnOf(column.qualifier);
    if (id == SIZE_MAX) continue;
    if (id >= base.columns.size()) base.columns.resize(id + 1);
    base.columns[id] = &column;
  }
  bases_.push_back(std::move(base));
  return static_cast<uint32_t>(bases_.size() - 1);
}

size_t ColumnMerger::ColumnOf(ByteView qualifier) {
  for (size_t id = 0; id < columns_.size(); ++id) {
    if (columns_[id].qualifier == qualifier) return id;
  }
  if (!qualifiers_->empty()) return SIZE_MAX;
  columns_.push_back({qualifier, {}});
  return columns_.size() - 1;
}

void ColumnMerger::AddRun(const std::shared_ptr<const ColumnRows>& rows, uint32_t begin,
                          uint32_t end) {
  const uint32_t base = BaseOf(rows);
  row_count_ += end - begin;
  if (!pieces_.empty()) {
    Piece& last = pieces_.back();
    if (last.base == base && last.begin + last.count == begin) {
      last.count += end - begin;
      return;
    }
  }
  pieces_.push_back({base, begin, end - begin, ByteView()});
}

void ColumnMerger::AddPatch(ByteView qualifier, const char* value, uint32_t length) {
  const size_t id = ColumnOf(qualifier);
  if (id != SIZE_MAX) columns_[id].patches.push_back({row_count_ - 1, value, length});
}

void ColumnMerger::AddRow(const Cell* cells, size_t count) {
  pieces_.push_back({kNoBase, 0, 1, cells->row()});
  ++row_count_;
  for (size_t i = 0; i < count; ++i) {
    AddPatch(cells[i].qualifier(), cells[i].value_length > 0 ? cells[i].value : "",
             cells[i].value_length);
  }
}

void ColumnMerger::AddRowUnder(const std::shared_ptr<const ColumnRows>& rows, uint32_t row,
                               const std::vector<ByteView>& hidden, const Cell* cells,
                               size_t count) {
  AddRun(rows, row, row + 1);
  for (const ByteView qualifier : hidden) AddPatch(qualifier, nullptr, 0);
  for (size_t i = 0; i < count; ++i) {
    AddPatch(cells[i].qualifier(), cells[i].value_length > 0 ? cells[i].value : "",
             cells[i].value_length);
  }
}

void ColumnMerger::AddGap(uint32_t count) {
  pieces_.push_back({kNoBase, 0, count, ByteView()});
  row_count_ += count;
}

// Calls on_run(column, its first row, count, row here) and on_patch(patch) in order of the rows;
// 'column' is null where the rows do not have it.
template <typename OnRun, typename OnPatch>
void ColumnMerger::ForEachPart(size_t id, OnRun on_run, OnPatch on_patch) const {
  const std::vector<Patch>& patches = columns_[id].patches;
  size_t next = 0;
  uint32_t row = 0;
  for (const Piece& piece : pieces_) {
    const ColumnRows::Column* const column =
        piece.base == kNoBase ? nullptr : bases_[piece.base].column(id);
    const uint32_t piece_end = row + piece.count;
    const uint32_t first = row;
    while (row < piece_end) {
      const uint32_t patched =
          next < patches.size() ? std::min(patches[next].row, piece_end) : piece_end;
      if (patched > row) on_run(column, piece.begin + (row - first), patched - row, row);
      row = patched;
      if (row == piece_end) break;
      while (next + 1 < patches.size() && patches[next + 1].row == row) ++next;
      on_patch(patches[next++]);
      ++row;
    }
  }
}

// 'same_value': what all the values are; null: they are different.
void ColumnMerger::Shape::AddWidth(uint32_t value_width, const char* same_value) {
  if (!any) {
    width = value_width;
    value = same_value;
  } else {
    one_width &= value_width == width;
  }
  any = true;
  one_value =
      one_value && one_width && same_value != nullptr && std::memcmp(value, same_value, width) == 0;
}

ColumnMerger::Shape ColumnMerger::ShapeOf(size_t id) const {
  Shape shape;
  ForEachPart(
      id,
      [&](const ColumnRows::Column* column, uint32_t begin, uint32_t count, uint32_t) {
        if (column == nullptr) {
          shape.missing = true;
          return;
        }
        if (column->present != nullptr) {
          shape.missing |= std::memchr(column->present + begin, 0, count) != nullptr;
          if (std::memchr(column->present + begin, 1, count) == nullptr) return;
        }
        if (column->ends == nullptr) {
          shape.AddWidth(column->width, column->stride == 0 ? column->values : nullptr);
          shape.bytes += size_t{column->width} * count;
          return;
        }
        shape.any = true;
        shape.one_width = shape.one_value = false;
        shape.bytes += column->ends[begin + count] - column->ends[begin];
      },
      [&](const Patch& patch) {
        if (patch.value == nullptr) {
          shape.missing = true;
          return;
        }
        shape.AddWidth(patch.length, patch.value);
        shape.bytes += patch.length;
      });
  if (shape.missing && !shape.one_value && shape.width > kSparseWidthMax) shape.one_width = false;
  return shape;
}

size_t ColumnMerger::KeyBytes() const {
  size_t bytes = 0;
  for (const Piece& piece : pieces_) {
    if (piece.base == kNoBase) {
      bytes += piece.key.size();
    } else {
      const uint32_t* const ends = bases_[piece.base].rows->key_ends;
      bytes += ends[piece.begin + piece.count] - ends[piece.begin];
    }
  }
  return bytes;
}

// Numbers first, as they must be aligned. Keys' ends are at 0, if there are any.
size_t ColumnMerger::Layout(std::vector<Shape>* shapes) const {
  const size_t ends_size = (size_t{row_count_} + 1) * sizeof(uint32_t);
  size_t size = ends_size;
  for (Shape& shape : *shapes) {
    if (!shape.any || shape.one_width) continue;
    shape.ends_at = size;
    size += ends_size;
  }
  for (size_t id = 0; id < shapes->size(); ++id) {
    Shape& shape = (*shapes)[id];
    if (!shape.any) continue;
    shape.values_at = size;
    size += !shape.one_width  ? shape.bytes
            : shape.one_value ? shape.width
                              : size_t{shape.width} * row_count_;
    shape.present_at = size;
    size += shape.missing ? row_count_ : 0;
    shape.qualifier_at = size;
    size += columns_[id].qualifier.size();
  }
  return size;
}

void ColumnMerger::PutKeys(char* memory, char* keys, ColumnRows* rows) const {
  auto* const ends = reinterpret_cast<uint32_t*>(memory);
  uint32_t end = 0;
  uint32_t row = 0;
  ends[0] = 0;
  for (const Piece& piece : pieces_) {
    if (piece.base == kNoBase) {
      Copy(keys + end, piece.key.data(), piece.key.size());
      end += static_cast<uint32_t>(piece.key.size());
      ends[++row] = end;
      continue;
    }
    const ColumnRows& source = *bases_[piece.base].rows;
    const uint32_t* const from = source.key_ends + piece.begin;
    Copy(keys + end, source.keys + from[0], from[piece.count] - from[0]);
    for (uint32_t i = 1; i <= piece.count; ++i) ends[row + i] = end + (from[i] - from[0]);
    row += piece.count;
    end = ends[row];
  }
  rows->keys = keys;
  rows->key_ends = ends;
}

ColumnRows::Column ColumnMerger::Put(size_t id, const Shape& shape, char* memory) const {
  ColumnRows::Column placed;
  char* const values = memory + shape.values_at;
  auto* const present =
      shape.missing ? reinterpret_cast<uint8_t*>(memory + shape.present_at) : nullptr;
  auto* const ends =
      shape.one_width ? nullptr : reinterpret_cast<uint32_t*>(memory + shape.ends_at);
  uint32_t end = 0;
  if (ends != nullptr) ends[0] = 0;
  if (shape.one_width && shape.one_value) Copy(values, shape.value, shape.width);
  const bool copies = shape.one_width && !shape.one_value;
  ForEachPart(
      id,
      [&](const ColumnRows::Column* column, uint32_t begin, uint32_t count, uint32_t row) {
        if (present != nullptr) {
          if (column == nullptr || column->present == nullptr) {
            std::memset(present + row, column == nullptr ? 0 : 1, count);
          } else {
            std::memcpy(present + row, column->present + begin, count);
          }
        }
        if (copies) {
          char* const to = values + size_t{row} * shape.width;
          if (column == nullptr || (column->ends == nullptr && column->width != shape.width)) {
            std::memset(to, 0, size_t{count} * shape.width);  // no row has it
          } else {
            CopyValues(*column, begin, count, shape.width, to);
          }
        }
        for (uint32_t i = 0; ends != nullptr && i < count; ++i) {
          if (column != nullptr && column->Has(begin + i)) {
            const ByteView value = column->ValueAt(begin + i);
            Copy(values + end, value.data(), value.size());
            end += static_cast<uint32_t>(value.size());
          }
          ends[row + i + 1] = end;
        }
      },
      [&](const Patch& patch) {
        if (present != nullptr) present[patch.row] = patch.value != nullptr ? 1 : 0;
        if (copies) {
          char* const to = values + size_t{patch.row} * shape.width;
          if (patch.value != nullptr) {
            Copy(to, patch.value, shape.width);
          } else {
            std::memset(to, 0, shape.width);
          }
        }
        if (ends == nullptr) return;
        Copy(values + end, patch.value, patch.length);
        end += patch.length;
        ends[patch.row + 1] = end;
      });
  char* const qualifier = memory + shape.qualifier_at;
  Copy(qualifier, columns_[id].qualifier.data(), columns_[id].qualifier.size());
  placed.qualifier = ByteView(qualifier, columns_[id].qualifier.size());
  placed.values = values;
  placed.ends = ends;
  placed.width = ends == nullptr ? shape.width : 0;
  placed.stride = copies ? shape.width : 0;
  placed.present = present;
  return placed;
}

std::shared_ptr<const ColumnRows> ColumnMerger::Finish(bool with_keys) {
  if (row_count_ == 0) return nullptr;
  std::vector<Shape> shapes;
  shapes.reserve(columns_.size());
  for (size_t id = 0; id < columns_.size(); ++id) shapes.push_back(ShapeOf(id));
  auto owned = std::make_shared<OwnedRows>();
  const size_t family_at = Layout(&shapes);
  const size_t keys_at = family_at + family_->size();
  owned->memory.reset(new char[keys_at + (with_keys ? KeyBytes() : 0)]);
  char* const memory = owned->memory.get();
  owned->rows.row_count = row_count_;
  if (with_keys) PutKeys(memory, memory + keys_at, &owned->rows);
  Copy(memory + family_at, family_->data(), family_->size());
  for (size_t id = 0; id < columns_.size(); ++id) {
    if (!shapes[id].any) continue;
    owned->rows.columns.push_back(Put(id, shapes[id], memory));
    owned->rows.columns.back().family = ByteView(memory + family_at, family_->size());
  }
  if (qualifiers_->empty()) {
    std::sort(owned->rows.columns.begin(), owned->rows.columns.end(),
              [](const auto& a, const auto& b) { return a.qualifier < b.qualifier; });
    columns_.clear();
  }
  for (Column& column : columns_) column.patches.clear();
  bases_.clear();
  pieces_.clear();
  row_count_ = 0;
  const ColumnRows* const rows = &owned->rows;
  return std::shared_ptr<const ColumnRows>(std::move(owned), rows);
}

}  // namespace bennu::engine
