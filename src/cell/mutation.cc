#include "bennu/mutation.h"

#include <fmt/format.h>

#include <cstring>

#include "src/base/coding.h"
#include "src/cell/batch_cell.h"
#include "src/cell/tags.h"

namespace bennu {

namespace {

constexpr size_t kValueLengthMax = 0x7fffffff - 0x40000;  // so that the int32 length fits

bool IsPossibleRow(size_t length) { return length >= 1 && length <= kMaxRowLength; }

template <typename Word>
void CopyWord(char* to, const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  std::memcpy(to, &word, sizeof(word));
}

// The parts of a cell are short as a rule: no call then, words of which the last two may overlap.
[[gnu::always_inline]] inline char* Copy(char* to, ByteView bytes) {
  const size_t size = bytes.size();
  const char* const from = bytes.data();
  if (size > 32) {
    std::memcpy(to, from, size);
  } else if (size >= 8) {
    CopyWord<uint64_t>(to, from);
    if (size > 16) {
      CopyWord<uint64_t>(to + 8, from + 8);
      CopyWord<uint64_t>(to + size - 16, from + size - 16);
    }
    CopyWord<uint64_t>(to + size - 8, from + size - 8);
  } else if (size >= 4) {
    CopyWord<uint32_t>(to, from);
    CopyWord<uint32_t>(to + size - 4, from + size - 4);
  } else if (size > 0) {
    to[0] = from[0];
    to[size / 2] = from[size / 2];
    to[size - 1] = from[size - 1];
  }
  return to + size;
}

// The cell as the batch's buffer has it.
struct CellParts {
  ByteView row;
  ByteView family;
  ByteView qualifier;
  int64_t timestamp;
  CellType type;
  ByteView value;
  ByteView tags;
  size_t key_length = kFlatKeyOverhead + row.size() + family.size() + qualifier.size();
  size_t body = 8 + key_length + value.size() + (tags.empty() ? 0 : 2 + tags.size());

  [[gnu::always_inline]] void Write(char* to) const {
    StoreBE32(to, static_cast<uint32_t>(body));
    StoreBE32(to + 4, static_cast<uint32_t>(key_length));
    StoreBE32(to + 8, static_cast<uint32_t>(value.size()));
    to += cell::kBatchCellHeadSize;
    StoreBE16(to, static_cast<uint16_t>(row.size()));
    to = Copy(to + 2, row);
    *to = static_cast<char>(family.size());
    to = Copy(to + 1, family);
    to = Copy(to, qualifier);
    StoreBE64(to, static_cast<uint64_t>(timestamp));
    to[8] = static_cast<char>(type);
    to = Copy(to + 9, value);
    if (tags.empty()) return;
    StoreBE16(to, static_cast<uint16_t>(tags.size()));
    Copy(to + 2, tags);
  }
};

}  // namespace

void MutationBatch::Start(ByteView row, MutationKind kind) {
  if (!IsPossibleRow(row.size()) && problem_.empty()) {
    problem_ =
        fmt::format("a row key of {} bytes: 1 to {} are possible", row.size(), kMaxRowLength);
  }
  rows_.push_back(Row{static_cast<uint32_t>(row_keys_.size()), static_cast<uint32_t>(row.size()),
                      buffer_.size(), buffer_.size(), 0, kind});
  row_keys_.append(row);
  if (kind != MutationKind::kPutDelete) ++other_kinds_;
  ttl_millis_ = -1;
}

void MutationBatch::DeleteRow(ByteView row, int64_t timestamp) {
  Start(row, MutationKind::kDeleteRow);
  if (timestamp != kLatestTimestamp) MutableOptions()->delete_row_timestamp = timestamp;
}

void MutationBatch::Increment(ByteView family, ByteView qualifier, int64_t amount,
                              int64_t timestamp) {
  char value[sizeof(amount)];
  StoreBE64(value, static_cast<uint64_t>(amount));
  AddCell(family, qualifier, timestamp, CellType::kPut, ByteView(value, sizeof(value)));
}

void MutationBatch::SetReadTimeRange(int64_t min, int64_t max) {
  RowOptions* const options = MutableOptions();
  options->read_time_min = min;
  options->read_time_max = max;
}

MutationBatch::RowOptions* MutationBatch::MutableOptions() {
  if (rows_.empty() && problem_.empty()) problem_ = "an option before the first mutation";
  return &options_[rows_.empty() ? 0 : rows_.size() - 1];
}

const MutationBatch::RowOptions& MutationBatch::options(size_t index) const {
  static const RowOptions kDefaults;
  const auto found = options_.find(index);
  return found == options_.end() ? kDefaults : found->second;
}

void MutationBatch::AddMutation(const MutationBatch& other, size_t index) {
  const MutationBatch::Row& from = other.rows_[index];
  Start(other.row_key(from), from.kind);
  Row& row = rows_.back();
  buffer_.append(
      ByteView(other.buffer_).substr(from.cells_begin, from.cells_end - from.cells_begin));
  row.cells_end = buffer_.size();
  row.cell_count = from.cell_count;
  cell_count_ += from.cell_count;
  const auto found = other.options_.find(index);
  if (found != other.options_.end()) options_[rows_.size() - 1] = found->second;
}

void MutationBatch::AddCell(ByteView family, ByteView qualifier, int64_t timestamp, CellType type,
                            ByteView value, ByteView tags) {
  Bytes with_ttl;
  if (ttl_millis_ >= 0 && type == CellType::kPut) [[unlikely]] {
    char millis[sizeof(ttl_millis_)];
    StoreBE64(millis, static_cast<uint64_t>(ttl_millis_));
    with_ttl = Bytes(tags);
    cell::AppendTag(&with_ttl, cell::kTagTtl, ByteView(millis, sizeof(millis)));
    tags = with_ttl;
  }
  // StartRow has told of a bad row; its cells are left out, so that none gets into another row.
  const bool fits = !rows_.empty() && IsPossibleRow(rows_.back().row_length) && !family.empty() &&
                    family.size() <= kMaxFamilyLength && qualifier.size() <= kValueLengthMax &&
                    value.size() <= kValueLengthMax - qualifier.size() && tags.size() <= 65535;
  const bool belongs = rows_.empty() || rows_.back().kind == MutationKind::kPutDelete ||
                       (rows_.back().kind != MutationKind::kDeleteRow && type == CellType::kPut);
  if (!fits || !belongs) [[unlikely]] {
    if (problem_.empty() && !belongs) {
      problem_ =
          "a cell that its mutation cannot have: DeleteRow takes none, and Increment and "
          "Append take no delete markers";
    }
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
  const CellParts parts{row_key(row), family, qualifier, timestamp, type, value, tags};
  const size_t size = 4 + parts.body;
  // Short cells are put together aside: the buffer would be cleared first to make room for them.
  char aside[256];
  if (size <= sizeof(aside)) {
    parts.Write(aside);
    buffer_.append(aside, size);
  } else {
    const size_t begin = buffer_.size();
    buffer_.resize(begin + size);
    parts.Write(buffer_.data() + begin);
  }
  row.cells_end = buffer_.size();
  ++row.cell_count;
  ++cell_count_;
}

void MutationBatch::Clear() {
  buffer_.clear();
  row_keys_.clear();
  rows_.clear();
  options_.clear();
  other_kinds_ = 0;
  cell_count_ = 0;
  ttl_millis_ = -1;
  problem_.clear();
  durability = Durability::kUseDefault;
}

size_t CellAt(ByteView buffer, size_t offset, Cell* cell) {
  return cell::ReadBatchCell(buffer.data(), offset, cell);
}

}  // namespace bennu
