#include "src/sql/index/index_filler.h"

#include <algorithm>
#include <cstring>

#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/local_index.h"

namespace bennu::sql::index {
namespace {

// What is sorted at a time: 64 batches of rows, and about 16 MB of memory for each thread.
constexpr size_t kSortedRowsMax = 65'536;
constexpr size_t kSortedBytesMax = 16 << 20;
// Beside the bytes of its key and values.
constexpr size_t kEntryOverheadBytes = 160;
// What is written at a time while writers of the same rows wait.
constexpr size_t kGroupRowsMax = 1024;
constexpr size_t kGroupBytesMax = 1 << 20;

uint64_t PrefixOf(ByteView key) {
  uint64_t prefix = 0;
  std::memcpy(&prefix, key.data(), std::min(key.size(), sizeof(prefix)));
  return __builtin_bswap64(prefix);
}

size_t SizeOf(const exec::IndexEntry& entry) {
  size_t size = entry.key.size();
  for (const auto& value : entry.values) size += value.has_value() ? value->size() : 0;
  return size;
}

}  // namespace

IndexFiller::Block* IndexFiller::NextBlock() {
  if (used_blocks_ == blocks_.size()) blocks_.push_back(std::make_unique<Block>());
  Block* const block = blocks_[used_blocks_++].get();
  block->keys.clear();
  block->key_ends.clear();
  block->newest.clear();
  block->in_parts.clear();
  return block;
}

Status IndexFiller::Add(const CellBatch& rows) {
  const auto number = static_cast<uint32_t>(used_blocks_);
  Block* const block = NextBlock();
  rows_.clear();
  for (size_t i = 0; i < rows.row_count(); ++i) {
    const uint32_t begin = rows.row_starts[i];
    const std::span<const Cell> cells(&rows.cells[begin], rows.row_end(i) - begin);
    rows_.push_back({cells.front().row(), cells});
    int64_t newest = 0;
    for (const Cell& cell : cells) newest = std::max(newest, cell.timestamp());
    block->newest.push_back(newest);
    block->in_parts.push_back(target_.ttls.ExpireTogether(cells) ? 0 : 1);
    block->keys.append(cells.front().row());
    block->key_ends.push_back(static_cast<uint32_t>(block->keys.size()));
  }
  RETURN_IF_ERROR(encoder_.Encode(rows_, &block->entries));
  for (uint32_t row = 0; row < block->entries.size(); ++row) {
    const exec::IndexEntry& entry = block->entries[row];
    // One that goes in parts may have a row in the index later.
    if (!entry.present && block->in_parts[row] == 0) continue;
    if (entry.present) RETURN_IF_ERROR(encoder_.CheckKey(block->KeyOf(row)));
    places_.push_back({PrefixOf(entry.key), number, row});
    bytes_ += SizeOf(entry) + kEntryOverheadBytes;
  }
  bytes_ += block->keys.size();
  const bool is_full = places_.size() >= kSortedRowsMax || bytes_ >= kSortedBytesMax;
  return is_full ? Finish() : Status::Ok();
}

Status IndexFiller::Finish() {
  std::sort(places_.begin(), places_.end(), [this](const Place& left, const Place& right) {
    if (left.prefix != right.prefix) return left.prefix < right.prefix;
    return EntryOf(left).key < EntryOf(right).key;
  });
  const Status status = Write();
  places_.clear();
  used_blocks_ = 0;
  bytes_ = 0;
  return status;
}

Status IndexFiller::Write() {
  for (size_t begin = 0; begin < places_.size();) {
    size_t end = begin;
    size_t bytes = 0;
    group_rows_.clear();
    for (; end < places_.size() && end - begin < kGroupRowsMax && bytes < kGroupBytesMax; ++end) {
      const Place& place = places_[end];
      const Block& block = *blocks_[place.block];
      group_rows_.push_back({block.KeyOf(place.row), block.newest[place.row]});
      bytes += SizeOf(EntryOf(place));
    }
    group_ = std::span(places_).subspan(begin, end - begin);
    RETURN_IF_ERROR(
        target_.store->DeriveFromRows(target_.definition->table->physical, group_rows_, this));
    begin = end;
  }
  return Status::Ok();
}

Status IndexFiller::Derive(const RegionInfo& region, size_t i, api::DerivedWrites* derived) {
  const catalog::TableMeta& index = *target_.definition->index;
  const Bytes prefix = index.is_local_index() ? catalog::LocalPrefix(index, region) : Bytes();
  encoder_.AppendChange(exec::IndexEntry(), EntryOf(group_[i]), kLatestTimestamp,
                        derived->Of(index.physical), prefix);
  return Status::Ok();
}

}  // namespace bennu::sql::index
