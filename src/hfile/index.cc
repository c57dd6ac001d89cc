#include "src/hfile/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/flat_key.h"

namespace bennu::hfile {

namespace {

constexpr size_t kNonRootEntryOverhead = 12;  // long offset, int size

// Whether the comparator can walk the key. Index keys may be shortened ones, so type, timestamp and
// an empty row are not looked at.
bool HasKeyShape(ByteView key) {
  if (key.size() < kFlatKeyOverhead) return false;
  const size_t row = LoadBE16(key.data());
  if (row + kFlatKeyOverhead > key.size()) return false;
  const size_t family = static_cast<uint8_t>(key[2 + row]);
  return row + family + kFlatKeyOverhead <= key.size();
}

ByteView RowOf(ByteView flat_key) {
  return ByteView(flat_key.data() + 2, LoadBE16(flat_key.data()));
}

// Index of the last entry for which 'is_after' is false; is_after is monotone, false before 'low'
// and true from 'high' on.
template <typename IsAfter>
int64_t LastNotAfter(uint32_t low, uint32_t high, IsAfter is_after) {
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (is_after(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<int64_t>(low) - 1;
}

}  // namespace

Status IndexBlock::CheckTarget(const Entry& entry, uint64_t file_size) const {
  if (entry.on_disk_size < kBlockHeaderSize || entry.offset > file_size ||
      entry.on_disk_size > file_size - entry.offset) {
    return Corruption(fmt::format("index entry points outside the file: {} bytes at {}",
                                  entry.on_disk_size, entry.offset));
  }
  return Status();
}

Result<std::shared_ptr<const IndexBlock>> IndexBlock::ParseNonRoot(RawBlock block,
                                                                   uint64_t file_size) {
  auto index = std::make_shared<IndexBlock>();
  index->raw_ = std::move(block);
  ByteView rest = index->raw_.payload;
  uint32_t count;
  if (!ConsumeBE32(&rest, &count) || count == 0 || count > rest.size() / 4 ||
      (size_t{count} + 1) * 4 > rest.size()) {
    return Corruption("the entry count of an index block is impossible");
  }
  const char* starts = rest.data();
  const ByteView entries = rest.substr((size_t{count} + 1) * 4);
  index->entries_.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t start = LoadBE32(starts + size_t{i} * 4);
    const uint64_t end = LoadBE32(starts + (size_t{i} + 1) * 4);
    if (end > entries.size() || start + kNonRootEntryOverhead > end) {
      return Corruption(fmt::format("entry {} of an index block is out of bounds", i));
    }
    const char* at = entries.data() + start;
    Entry entry{LoadBE64(at), LoadBE32(at + 8),
                static_cast<uint32_t>(end - start - kNonRootEntryOverhead),
                at + kNonRootEntryOverhead};
    RETURN_IF_ERROR(index->CheckTarget(entry, file_size));
    if (!HasKeyShape(ByteView(entry.key, entry.key_length))) {
      return Corruption(fmt::format("key {} of an index block is malformed", i));
    }
    index->entries_.push_back(entry);
  }
  index->prefixes_.Build(count, [&](uint32_t i) { return RowOf(index->key(i)); });
  return std::shared_ptr<const IndexBlock>(std::move(index));
}

Status IndexBlock::ParseRootEntries(size_t start, uint32_t entry_count, uint64_t file_size) {
  ByteView rest = raw_.payload.substr(start);
  if (entry_count > rest.size() / (kNonRootEntryOverhead + 1)) {
    return Corruption(
        fmt::format("a root index of {} bytes cannot have {} entries", rest.size(), entry_count));
  }
  entries_.reserve(entry_count);
  for (uint32_t i = 0; i < entry_count; ++i) {
    Entry entry{};
    int32_t key_length;
    ByteView key;
    if (!ConsumeBE64(&rest, &entry.offset) || !ConsumeBE32(&rest, &entry.on_disk_size) ||
        !ConsumeVInt(&rest, &key_length) || key_length < 0 ||
        !ConsumeBytes(&rest, static_cast<size_t>(key_length), &key)) {
      return Corruption(fmt::format("root index ends inside entry {} of {}", i, entry_count));
    }
    entry.key = key.data();
    entry.key_length = static_cast<uint32_t>(key_length);
    RETURN_IF_ERROR(CheckTarget(entry, file_size));
    entries_.push_back(entry);
  }
  tail_ = rest;
  return Status();
}

Result<std::shared_ptr<const IndexBlock>> IndexBlock::ParseRoot(RawBlock block,
                                                                uint32_t entry_count,
                                                                uint64_t file_size) {
  return ParseBloomIndex(std::move(block), 0, entry_count, file_size);
}

Result<std::shared_ptr<const IndexBlock>> ParseBloomIndex(RawBlock block, size_t start,
                                                          uint32_t entry_count,
                                                          uint64_t file_size) {
  auto index = std::make_shared<IndexBlock>();
  index->raw_ = std::move(block);
  RETURN_IF_ERROR(index->ParseRootEntries(start, entry_count, file_size));
  return std::shared_ptr<const IndexBlock>(std::move(index));
}

Status IndexBlock::CheckCellKeys() const {
  for (uint32_t i = 0; i < entry_count(); ++i) {
    if (!HasKeyShape(key(i))) {
      return Corruption(fmt::format("key {} of an index block is malformed", i));
    }
  }
  return Status();
}

int64_t IndexBlock::FloorCell(ByteView flat_key, bool meta_order) const {
  if (meta_order) {
    return LastNotAfter(0, entry_count(), [&](uint32_t i) {
      return cell::CompareMetaFlatKeys(key(i), flat_key) > 0;
    });
  }
  RowPrefixes::Span span = {0, entry_count()};
  if (prefixes_.built()) span = prefixes_.Narrow(RowOf(flat_key));
  return LastNotAfter(span.low, span.high,
                      [&](uint32_t i) { return cell::CompareFlatKeys(key(i), flat_key) > 0; });
}

int64_t IndexBlock::FloorBytes(ByteView bytes) const {
  return LastNotAfter(0, entry_count(), [&](uint32_t i) { return key(i) > bytes; });
}

int64_t IndexBlock::FloorMetaRow(ByteView row) const {
  return LastNotAfter(0, entry_count(),
                      [&](uint32_t i) { return cell::CompareMetaRows(key(i), row) > 0; });
}

size_t IndexBlock::memory_bytes() const {
  return sizeof(*this) + raw_.payload.size() + entries_.size() * sizeof(Entry) +
         prefixes_.memory_bytes();
}

// ---- IndexChunk

void IndexChunk::Add(ByteView key, uint64_t offset, uint32_t on_disk_size, int64_t sub_entries) {
  keys_.emplace_back(key);
  offsets_.push_back(offset);
  sizes_.push_back(on_disk_size);
  sub_entries_.push_back(sub_entries);
  root_size_ += kNonRootEntryOverhead + VLongSize(static_cast<int64_t>(key.size())) + key.size();
  key_bytes_ += key.size();
}

void IndexChunk::Clear() {
  keys_.clear();
  offsets_.clear();
  sizes_.clear();
  sub_entries_.clear();
  root_size_ = 0;
  key_bytes_ = 0;
}

size_t IndexChunk::non_root_size() const {
  return 4 + 4 * (entry_count() + 1) + kNonRootEntryOverhead * entry_count() + key_bytes_;
}

void IndexChunk::AppendRoot(Bytes* out) const {
  for (size_t i = 0; i < entry_count(); ++i) {
    AppendBE64(out, offsets_[i]);
    AppendBE32(out, sizes_[i]);
    AppendVInt(out, static_cast<int32_t>(keys_[i].size()));
    out->append(keys_[i]);
  }
}

void IndexChunk::AppendNonRoot(Bytes* out) const {
  AppendBE32(out, static_cast<uint32_t>(entry_count()));
  uint32_t start = 0;
  for (const Bytes& key : keys_) {
    AppendBE32(out, start);
    start += static_cast<uint32_t>(kNonRootEntryOverhead + key.size());
  }
  AppendBE32(out, start);
  for (size_t i = 0; i < entry_count(); ++i) {
    AppendBE64(out, offsets_[i]);
    AppendBE32(out, sizes_[i]);
    out->append(keys_[i]);
  }
}

void IndexChunk::AppendMidKeyMetadata(Bytes* out) const {
  const int64_t middle = (sub_entries_.back() - 1) / 2;
  size_t leaf = 0;
  while (sub_entries_[leaf] <= middle) ++leaf;
  const int64_t before = leaf == 0 ? 0 : sub_entries_[leaf - 1];
  AppendBE64(out, offsets_[leaf]);
  AppendBE32(out, sizes_[leaf]);
  AppendBE32(out, static_cast<uint32_t>(middle - before));
}

// ---- separators

namespace {

// The shortest bytes s that this rule makes with left < s <= right; left < right.
void AppendShortest(ByteView left, ByteView right, Bytes* out) {
  const size_t common_max = std::min(left.size(), right.size());
  size_t at = 0;
  while (at < common_max && left[at] == right[at]) ++at;
  out->append(left.substr(0, at));
  if (at == left.size()) {
    out->push_back('\0');
  } else {
    out->push_back(static_cast<char>(static_cast<uint8_t>(left[at]) + 1));
  }
}

void AppendFirst(ByteView row, ByteView family, ByteView qualifier, Bytes* out) {
  cell::AppendFlatKey(out, row, family, qualifier, kLatestTimestamp, CellType::kMaximum);
}

}  // namespace

void AppendSeparator(ByteView left, ByteView right, bool meta_order, Bytes* out) {
  if (left.empty() || meta_order) {
    out->append(right);
    return;
  }
  const Cell before = cell::KeyAsCell(left);
  const Cell after = cell::KeyAsCell(right);
  Bytes middle;
  if (before.row() != after.row()) {
    AppendShortest(before.row(), after.row(), &middle);
    AppendFirst(middle, ByteView(), ByteView(), out);
  } else if (before.family() != after.family()) {
    AppendShortest(before.family(), after.family(), &middle);
    AppendFirst(after.row(), middle, ByteView(), out);
  } else if (before.qualifier() != after.qualifier()) {
    AppendShortest(before.qualifier(), after.qualifier(), &middle);
    AppendFirst(after.row(), after.family(), middle, out);
  } else {
    out->append(right);
  }
}

}  // namespace bennu::hfile
