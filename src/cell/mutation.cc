#include "bennu/mutation.h"

#include <fmt/format.h>

#include <cstring>

#include "src/base/coding.h"

namespace bennu {

namespace {

// Length, key length, value length: what stands before the flat key.
constexpr size_t kHeadSize = 12;
constexpr size_t kValueLengthMax = 0x7fffffff - 0x40000;  // so that the int32 length fits

bool IsPossibleRow(size_t length) { return length >= 1 && length <= kMaxRowLength; }

char* Copy(char* to, ByteView bytes) {
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  return to + bytes.size();
}

}  // namespace

void MutationBatch::StartRow(ByteView row) {
  if (!IsPossibleRow(row.size()) && problem_.empty()) {
    problem_ =
        fmt::format("a row key of {} bytes: 1 to {} are possible", row.size(), kMaxRowLength);
  }
  rows_.push_back(Row{static_cast<uint32_t>(row_keys_.size()), static_cast<uint32_t>(row.size()),
                      buffer_.size(), buffer_.size(), 0});
  row_keys_.append(row);
}

void MutationBatch::AddCell(ByteView family, ByteView qualifier, int64_t timestamp, CellType type,
                            ByteView value, ByteView tags) {
  // StartRow has told of a bad row; its cells are left out, so that none gets into another row.
  const bool fits = !rows_.empty() && IsPossibleRow(rows_.back().row_length) && !family.empty() &&
                    family.size() <= kMaxFamilyLength && qualifier.size() <= kValueLengthMax &&
                    value.size() <= kValueLengthMax - qualifier.size() && tags.size() <= 65535;
  if (!fits) [[unlikely]] {
    if (problem_.empty()) {
      problem_ = rows_.empty() ? std::string("a cell before the first StartRow")
                               : fmt::format(
                                     "a cell with a family of {} bytes, qualifier of {}, value "
                                     "of {}, tags of {}: too large, or no family",
                                     family.size(), qualifier.size(), value.size(), tags.size());
    }
    return;
  }
  Row& row = rows_.back();
  const size_t key_length = kFlatKeyOverhead + row.row_length + family.size() + qualifier.size();
  const size_t body = 8 + key_length + value.size() + (tags.empty() ? 0 : 2 + tags.size());
  const size_t begin = buffer_.size();
  buffer_.resize(begin + 4 + body);

  char* to = buffer_.data() + begin;
  StoreBE32(to, static_cast<uint32_t>(body));
  StoreBE32(to + 4, static_cast<uint32_t>(key_length));
  StoreBE32(to + 8, static_cast<uint32_t>(value.size()));
  to += kHeadSize;
  StoreBE16(to, static_cast<uint16_t>(row.row_length));
  to = Copy(to + 2, row_key(row));
  *to = static_cast<char>(family.size());
  to = Copy(to + 1, family);
  to = Copy(to, qualifier);
  StoreBE64(to, static_cast<uint64_t>(timestamp));
  to[8] = static_cast<char>(type);
  to = Copy(to + 9, value);
  if (!tags.empty()) {
    StoreBE16(to, static_cast<uint16_t>(tags.size()));
    Copy(to + 2, tags);
  }
  row.cells_end = buffer_.size();
  ++row.cell_count;
  ++cell_count_;
}

void MutationBatch::Clear() {
  buffer_.clear();
  row_keys_.clear();
  rows_.clear();
  cell_count_ = 0;
  problem_.clear();
  durability = Durability::kUseDefault;
}

size_t CellAt(ByteView buffer, size_t offset, Cell* cell) {
  const char* at = buffer.data() + offset;
  const uint32_t body = LoadBE32(at);
  cell->key_length = LoadBE32(at + 4);
  cell->value_length = LoadBE32(at + 8);
  cell->key = at + kHeadSize;
  cell->value = cell->key + cell->key_length;
  const uint32_t used = 8 + cell->key_length + cell->value_length;
  cell->tags_length = body > used ? body - used - 2 : 0;
  cell->tags = cell->tags_length == 0 ? nullptr : cell->value + cell->value_length + 2;
  cell->sequence_id = 0;
  return offset + 4 + body;
}

}  // namespace bennu
