#include "src/hfile/column_block.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "bennu/cell.h"

namespace bennu::hfile {

namespace {

// A block of rows with so different columns is better read cell by cell.
constexpr size_t kColumnsMax = 256;
// Places of absent cells cost memory; no more than so many for each cell that is there.
constexpr size_t kPlacesPerCellMax = 4;
// Of values; what is larger is not worth a copy.
constexpr size_t kBytesMax = 8 << 20;

}  // namespace

// Looks at every cell once, then lays the columns out.
class ColumnMaker {
 public:
  // False when one of the blocks is not simple.
  bool Gather(const ColumnBlock::Blocks& blocks, const Block* next) {
    size_t rows = 0;
    size_t cells = 0;
    for (const auto& block : blocks) {
      rows += block->row_count();
      cells += block->cell_count();
    }
    keys_.reserve(rows);
    cells_.reserve(cells);
    const Cell first = blocks.front()->CellAt(0);
    family_ = first.family();
    for (const auto& block : blocks) {
      if (!AddRows(*block)) return false;
    }
    if (next != nullptr && next->RowAt(0) == keys_.back()) {
      const uint32_t end = next->RowStart(1);
      // It may go on behind the next block, too.
      if (end == next->cell_count() || !AddCells(*next, 0, end)) return false;
    }
    return bytes_ <= kBytesMax &&
           columns_.size() * row_count() <= kPlacesPerCellMax * cells_.size() + kColumnsMax;
  }

  void Finish(ColumnBlock* made) {
    made->simple_ = true;
    made->min_timestamp_ = min_timestamp_;
    made->max_timestamp_ = max_timestamp_;
    made->max_sequence_id_ = max_sequence_id_;
    made->cell_count_ = cells_.size();
    made->cell_bytes_ = cell_bytes_;
    FindConstants();
    made->memory_size_ = Layout();
    made->memory_.reset(new char[made->memory_size_]);
    memory_ = made->memory_.get();
    const ByteView family = PutKeysAndFamily(&made->rows_);
    std::vector<ColumnRows::Column> by_id(columns_.size());
    for (size_t i = 0; i < columns_.size(); ++i) by_id[i] = Place(columns_[i]);
    made->cells_before_ = CountCells();
    for (const Ref& cell : cells_) Put(cell, by_id[cell.column]);
    for (size_t i = 0; i < columns_.size(); ++i) CloseEnds(columns_[i]);
    for (const uint32_t id : order_) {
      made->rows_.columns.push_back(by_id[id]);
      made->rows_.columns.back().family = family;
    }
  }

 private:
  struct Ref {
    const char* value;
    uint32_t length;
    uint32_t row;
    uint32_t column;
  };
  struct Column {
    ByteView qualifier;
    const char* first_value;
    uint32_t width;
    uint32_t count = 0;
    uint32_t last_row = std::numeric_limits<uint32_t>::max();
    bool one_width = true;
    bool one_value = true;
    size_t bytes = 0;
    // Where things stand in the memory.
    size_t qualifier_at = 0;
    size_t values_at = 0;
    size_t ends_at = 0;
    size_t present_at = 0;
    uint32_t next_row = 0;  // whose end is to be put next
    uint32_t end = 0;
  };

  uint32_t row_count() const { return static_cast<uint32_t>(keys_.size()); }

  // ColumnBlock::cells_before_.
  std::vector<uint32_t> CountCells() const {
    std::vector<uint32_t> before;
    before.reserve(row_count() / ColumnBlock::kRowsCounted + 1);
    uint32_t count = 0;
    for (const Ref& cell : cells_) {
      while (before.size() * ColumnBlock::kRowsCounted <= cell.row) before.push_back(count);
      ++count;
    }
    while (before.size() * ColumnBlock::kRowsCounted <= row_count()) before.push_back(count);
    return before;
  }

  bool AddRows(const Block& block) {
    const uint32_t* starts = block.row_starts();
    for (uint32_t row = 0; row < block.row_count(); ++row) {
      const ByteView key = block.RowAt(starts[row]);
      // The first row may have begun in the block before.
      if (row > 0 || keys_.empty() || keys_.back() != key) {
        keys_.push_back(key);
        key_bytes_ += key.size();
        place_ = 0;
      }
      if (!AddCells(block, starts[row], starts[row + 1])) return false;
    }
    return true;
  }

  // Of the last row.
  bool AddCells(const Block& block, uint32_t begin, uint32_t end) {
    const uint32_t row = row_count() - 1;
    const size_t before_family = 2 + keys_.back().size();
    for (uint32_t i = begin; i < end; ++i) {
      const Cell cell = block.CellAt(i);
      if (cell.type() != CellType::kPut || cell.tags_length != 0) return false;
      const size_t family_length = static_cast<uint8_t>(cell.key[before_family]);
      const char* const family = cell.key + before_family + 1;
      if (ByteView(family, family_length) != family_) return false;
      const ByteView qualifier(family + family_length,
                               cell.key_length - before_family - family_length - 10);
      const int64_t timestamp = cell.timestamp();
      min_timestamp_ = std::min(min_timestamp_, timestamp);
      max_timestamp_ = std::max(max_timestamp_, timestamp);
      max_sequence_id_ = std::max(max_sequence_id_, cell.sequence_id);
      if (!FindColumn(qualifier, cell)) return false;
      const uint32_t id = order_[place_ - 1];
      Column& column = columns_[id];
      if (column.last_row == row) return false;  // another version
      column.last_row = row;
      ++column.count;
      column.bytes += cell.value_length;
      bytes_ += cell.value_length;
      cell_bytes_ += uint64_t{12} + cell.key_length + cell.value_length;
      column.one_width &= cell.value_length == column.width;
      cells_.push_back({cell.value, cell.value_length, row, id});
    }
    return true;
  }

  // Makes place_ the one behind the column's. False: the block is not simple.
  bool FindColumn(ByteView qualifier, const Cell& cell) {
    if (place_ < order_.size() && columns_[order_[place_]].qualifier == qualifier) {
      ++place_;
      return true;
    }
    const auto at = std::lower_bound(
        order_.begin(), order_.end(), qualifier,
        [this](uint32_t id, ByteView other) { return columns_[id].qualifier < other; });
    const auto place = static_cast<size_t>(at - order_.begin());
    if (place + 1 < place_) return false;  // out of order: a damaged file
    if (at == order_.end() || columns_[*at].qualifier != qualifier) {
      if (columns_.size() == kColumnsMax) return false;
      order_.insert(at, static_cast<uint32_t>(columns_.size()));
      Column column;
      column.qualifier = qualifier;
      column.first_value = cell.value;
      column.width = cell.value_length;
      columns_.push_back(column);
    }
    place_ = place + 1;
    return true;
  }

  void FindConstants() {
    for (const Ref& cell : cells_) {
      Column& column = columns_[cell.column];
      column.one_value = column.one_value && column.one_width &&
                         std::memcmp(cell.value, column.first_value, column.width) == 0;
    }
    // Large values in few of the rows would take the place of as many as there are rows.
    for (Column& column : columns_) {
      column.one_width &= column.one_value ||
                          size_t{column.width} * row_count() <= kPlacesPerCellMax * column.bytes;
    }
  }

  size_t Layout() {
    size_t size = (size_t{row_count()} + 1) * sizeof(uint32_t);
    for (Column& column : columns_) {
      if (column.one_width) continue;
      column.ends_at = size;
      size += (size_t{row_count()} + 1) * sizeof(uint32_t);
    }
    for (Column& column : columns_) {
      column.values_at = size;
      size += !column.one_width  ? column.bytes
              : column.one_value ? column.width
                                 : size_t{column.width} * row_count();
      if (column.count < row_count()) {
        column.present_at = size;
        size += row_count();
      }
      column.qualifier_at = size;
      size += column.qualifier.size();
    }
    keys_at_ = size;
    return size + key_bytes_ + family_.size();
  }

  ByteView PutKeysAndFamily(ColumnRows* rows) {
    rows->row_count = row_count();
    auto* const ends = reinterpret_cast<uint32_t*>(memory_);
    char* const keys = memory_ + keys_at_;
    uint32_t end = 0;
    ends[0] = 0;
    for (uint32_t row = 0; row < row_count(); ++row) {
      std::memcpy(keys + end, keys_[row].data(), keys_[row].size());
      end += static_cast<uint32_t>(keys_[row].size());
      ends[row + 1] = end;
    }
    std::memcpy(keys + end, family_.data(), family_.size());
    rows->keys = keys;
    rows->key_ends = ends;
    return ByteView(keys + end, family_.size());
  }

  ColumnRows::Column Place(const Column& column) {
    ColumnRows::Column placed;
    char* const qualifier = memory_ + column.qualifier_at;
    if (!column.qualifier.empty()) {
      std::memcpy(qualifier, column.qualifier.data(), column.qualifier.size());
    }
    placed.qualifier = ByteView(qualifier, column.qualifier.size());
    placed.values = memory_ + column.values_at;
    if (column.one_width) {
      placed.width = column.width;
      placed.stride = column.one_value ? 0 : column.width;
    } else {
      placed.ends = reinterpret_cast<const uint32_t*>(memory_ + column.ends_at);
    }
    const bool missing = column.count < row_count();
    if (missing) {
      std::memset(memory_ + column.present_at, 0, row_count());
      placed.present = reinterpret_cast<const uint8_t*>(memory_ + column.present_at);
      // What stands in the place of an absent value is never looked at, but copied as a whole.
      if (placed.stride > 0) {
        std::memset(memory_ + column.values_at, 0, size_t{column.width} * row_count());
      }
    }
    return placed;
  }

  void Put(const Ref& cell, const ColumnRows::Column& placed) {
    Column& column = columns_[cell.column];
    char* const values = memory_ + column.values_at;
    if (placed.present != nullptr) memory_[column.present_at + cell.row] = 1;
    if (placed.ends == nullptr) {
      std::memcpy(values + size_t{cell.row} * placed.stride, cell.value, cell.length);
      return;
    }
    // Cells come row by row: the rows without the column end where the one before did.
    auto* const ends = reinterpret_cast<uint32_t*>(memory_ + column.ends_at);
    for (; column.next_row <= cell.row; ++column.next_row) ends[column.next_row] = column.end;
    std::memcpy(values + column.end, cell.value, cell.length);
    column.end += cell.length;
  }

  void CloseEnds(const Column& column) {
    if (column.one_width) return;
    auto* const ends = reinterpret_cast<uint32_t*>(memory_ + column.ends_at);
    for (uint32_t row = column.next_row; row <= row_count(); ++row) ends[row] = column.end;
  }

  std::vector<ByteView> keys_;
  size_t key_bytes_ = 0;
  size_t bytes_ = 0;  // of all values
  size_t keys_at_ = 0;
  ByteView family_;
  std::vector<Column> columns_;  // as they were met first
  std::vector<uint32_t> order_;  // the same in order of qualifiers
  size_t place_ = 0;             // in order_: where the row's next column is looked for
  std::vector<Ref> cells_;
  int64_t min_timestamp_ = std::numeric_limits<int64_t>::max();
  int64_t max_timestamp_ = std::numeric_limits<int64_t>::min();
  uint64_t max_sequence_id_ = 0;
  uint64_t cell_bytes_ = 0;
  char* memory_ = nullptr;
};

std::shared_ptr<const ColumnBlock> ColumnBlock::Make(const Blocks& blocks, const Block* next) {
  std::shared_ptr<ColumnBlock> made(new ColumnBlock);
  made->block_count_ = static_cast<uint32_t>(blocks.size());
  made->last_offset_ = blocks.back()->file_offset();
  ColumnMaker maker;
  if (maker.Gather(blocks, next)) maker.Finish(made.get());
  return made;
}

uint64_t ColumnBlock::CellsBefore(uint32_t row) const {
  if (row == rows_.row_count) return cell_count_;
  const uint32_t counted = row / kRowsCounted;
  uint64_t cells = cells_before_[counted];
  for (const ColumnRows::Column& column : rows_.columns) {
    if (column.present == nullptr) {
      cells += row % kRowsCounted;
      continue;
    }
    for (uint32_t i = counted * kRowsCounted; i < row; ++i) cells += column.present[i];
  }
  return cells;
}

size_t ColumnBlock::memory_bytes() const {
  return sizeof(*this) + memory_size_ + rows_.columns.capacity() * sizeof(ColumnRows::Column) +
         cells_before_.capacity() * sizeof(uint32_t);
}

}  // namespace bennu::hfile
