#include "src/check/hfile_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>
#include <utility>

#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/cell/comparator.h"
#include "src/check/salvage.h"
#include "src/engine/store/store_file.h"
#include "src/hfile/data_block.h"
#include "src/hfile/reader.h"

namespace bennu::check {

namespace {

constexpr size_t kDamagesMax = 20;
constexpr uint64_t kFilterCacheBytes = 32 << 20;

struct IndexEntry {
  Bytes key;
  uint64_t offset;
};

// One pass over a file's blocks, front to back.
class FileCheck {
 public:
  FileCheck(std::shared_ptr<const hfile::Reader> reader, std::unique_ptr<RandomAccessFile> file,
            const HFileExpectations& expectations, uint64_t* bytes_read,
            std::vector<Damage>* damages)
      : reader_(std::move(reader)),
        file_(std::move(file)),
        expectations_(expectations),
        bytes_read_(bytes_read),
        damages_(damages) {}

  void Run() {
    ReadIndex();
    WalkBlocks();
    if (full() || unreadable_) return;
    CheckTotals();
    CheckMetaBlocks();
  }

 private:
  bool full() const { return damages_->size() >= kDamagesMax; }
  void Add(std::optional<uint64_t> offset, std::string what) {
    if (!full()) damages_->push_back({offset, std::move(what), false});
  }
  void Add(const Status& status) {
    if (!full()) damages_->push_back(DamageOf(status, reader_->path()));
  }
  int Compare(ByteView left, ByteView right) const {
    return reader_->meta_order() ? cell::CompareMetaFlatKeys(left, right)
                                 : cell::CompareFlatKeys(left, right);
  }

  void ReadIndex() {
    const Status status = reader_->ForEachBlock([&](ByteView key, uint64_t offset, uint32_t) {
      index_.push_back({Bytes(key), offset});
      return true;
    });
    if (status.ok()) return;
    Add(status);
    unreadable_ = true;
  }

  // ---- blocks

  void WalkBlocks() {
    const uint64_t end = reader_->file_size() - hfile::kTrailerSize;
    uint64_t offset = 0;
    while (offset < end && !full()) {
      auto block = reader_->ReadRawBlock(offset, 0);
      if (!block.ok()) {
        Add(block.status());
        unreadable_ = true;
        offset = Resume(offset, end);
        continue;
      }
      const uint64_t size = block->header.on_disk_size();
      if (bytes_read_ != nullptr) *bytes_read_ += size;
      CheckPrevious(block->header, offset);
      const hfile::BlockType type = block->header.type;
      if (type == hfile::BlockType::kData || type == hfile::BlockType::kEncodedData) {
        CheckDataBlock(std::move(block).value(), offset);
      }
      offset += size;
    }
  }

  // Where the walk goes on behind a block that cannot be read.
  uint64_t Resume(uint64_t offset, uint64_t end) const {
    char bytes[hfile::kBlockHeaderSize];
    if (end - offset >= sizeof(bytes) && file_->ReadExact(offset, sizeof(bytes), bytes).ok()) {
      const auto header = hfile::ParseBlockHeader(ByteView(bytes, sizeof(bytes)));
      if (header.ok() && header->on_disk_size() <= end - offset) {
        const uint64_t next = offset + header->on_disk_size();
        char magic[hfile::kMagicSize];
        if (next == end) return end;
        if (end - next >= sizeof(magic) && file_->ReadExact(next, sizeof(magic), magic).ok() &&
            hfile::BlockTypeOfMagic(ByteView(magic, sizeof(magic))).has_value()) {
          return next;
        }
      }
    }
    for (const IndexEntry& entry : index_) {
      if (entry.offset > offset) return entry.offset;
    }
    const uint64_t load_on_open = reader_->trailer().load_on_open_offset;
    return load_on_open > offset ? load_on_open : end;
  }

  void CheckPrevious(const hfile::BlockHeader& header, uint64_t offset) {
    const auto type = static_cast<size_t>(header.type);
    if (!unreadable_ && header.previous_offset != last_of_type_[type] &&
        header.previous_offset != -1) {
      Add(offset, fmt::format("the block names {} as the offset of the {} block before it, which "
                              "is at {}",
                              header.previous_offset, hfile::BlockTypeName(header.type),
                              last_of_type_[type]));
    }
    last_of_type_[type] = static_cast<int64_t>(offset);
  }

  void CheckDataBlock(hfile::RawBlock raw, uint64_t offset) {
    while (next_entry_ < index_.size() && index_[next_entry_].offset < offset) ++next_entry_;
    const IndexEntry* entry = nullptr;
    if (next_entry_ < index_.size() && index_[next_entry_].offset == offset) {
      entry = &index_[next_entry_++];
      ++indexed_blocks_;
    } else {
      Add(offset, "a data block that the index does not list");
    }
    const hfile::DataBlockFormat format{reader_->includes_mvcc(), reader_->includes_tags(),
                                        reader_->compresses_tags(), reader_->meta_order()};
    const auto block = hfile::DecodeDataBlock(std::move(raw), format);
    if (!block.ok()) {
      Add(offset, block.status().message());
      unreadable_ = true;
      return;
    }
    const hfile::Block& cells = **block;
    if (entry != nullptr) CheckSeparator(*entry, cells, offset);
    for (uint32_t i = 0; i < cells.cell_count() && !full(); ++i) CheckCell(cells.CellAt(i), offset);
    last_key_.assign(cells.KeyAt(cells.cell_count() - 1));
  }

  // A seek stands on the index: its key must lie between the blocks.
  void CheckSeparator(const IndexEntry& entry, const hfile::Block& block, uint64_t offset) {
    if (Compare(entry.key, block.KeyAt(0)) > 0 ||
        (!last_key_.empty() && Compare(last_key_, entry.key) > 0)) {
      Add(offset,
          "the index key of the block does not lie between its first cell and the last of "
          "the block before");
    }
  }

  // ---- cells

  void CheckCell(const Cell& cell, uint64_t offset) {
    ++cell_count_;
    const ByteView key = cell.flat_key();
    if (!previous_key_.empty() && Compare(previous_key_, key) > 0) {
      Add(offset, fmt::format("the cells are not in order: row '{}' follows row '{}'",
                              ToStringBinary(cell.row()), ToStringBinary(RowOf(previous_key_))));
    }
    const bool new_row = previous_key_.empty() || RowOf(previous_key_) != cell.row();
    if (new_row) {
      ++row_count_;
      CheckRow(cell.row());
    }
    if (!expectations_.family.empty() && cell.family() != expectations_.family) {
      Add(offset, fmt::format("a cell of family '{}' in a file of family '{}'",
                              ToStringBinary(cell.family()), expectations_.family));
    }
    CheckFilters(cell, new_row);
    CheckFacts(cell, offset);
    previous_key_.assign(key);
  }

  void CheckRow(ByteView row) {
    if (!expectations_.rows.has_value() || told_range_) return;
    const RowRange& rows = *expectations_.rows;
    if (row >= ByteView(rows.start) && (rows.stop.empty() || row < ByteView(rows.stop))) return;
    told_range_ = true;
    damages_->push_back(
        {std::nullopt,
         fmt::format("row '{}' is not of this region, which holds '{}' to '{}'",
                     ToStringBinary(row), ToStringBinary(rows.start), ToStringBinary(rows.stop)),
         true});
  }

  // A filter that denies what is there hides it from every read.
  void CheckFilters(const Cell& cell, bool new_row) {
    const bool new_column = new_row || previous_qualifier_ != cell.qualifier();
    previous_qualifier_.assign(cell.qualifier());
    if (unreadable_filter_) return;
    Result<bool> found = true;
    if (reader_->bloom_type() == BloomType::kRowCol) {
      if (new_column) found = reader_->MayContainRowCol(cell.row(), cell.qualifier());
    } else if (new_row) {
      found = reader_->MayContainRow(cell.row());
    }
    if (found.ok() && *found && IsFamilyMarker(cell.type())) {
      found = reader_->MayContainDeleteFamily(cell.row());
    }
    if (found.ok() && *found) return;
    unreadable_filter_ = true;
    if (!found.ok()) return Add(found.status());
    Add(std::nullopt,
        fmt::format("a bloom filter denies row '{}', which is there", ToStringBinary(cell.row())));
  }

  static bool IsFamilyMarker(CellType type) {
    return type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion;
  }

  void CheckFacts(const Cell& cell, uint64_t offset) {
    if (IsFamilyMarker(cell.type())) ++family_markers_;
    if (IsDelete(cell.type())) ++markers_;
    max_sequence_id_ = std::max(max_sequence_id_, cell.sequence_id);
    const auto range = reader_->time_range();
    if (range.has_value() && !told_time_ &&
        (cell.timestamp() < range->min || cell.timestamp() > range->max)) {
      told_time_ = true;
      Add(offset, fmt::format("a cell of time {} in a file whose TIMERANGE is {} to {}",
                              cell.timestamp(), range->min, range->max));
    }
  }

  // ---- what the file says of itself

  void Expect(std::string_view name, uint64_t said, uint64_t found) {
    if (said == found) return;
    Add(std::nullopt, fmt::format("{} says {}, the file holds {}", name, said, found));
  }
  void ExpectInfo(ByteView key, uint64_t found) {
    const auto said = reader_->Info(key);
    if (said.has_value() && said->size() == 8) Expect(key, LoadBE64(said->data()), found);
  }

  void CheckTotals() {
    Expect("the trailer's count of entries", reader_->entry_count(), cell_count_);
    Expect("the index", index_.size(), indexed_blocks_);
    if (Bytes(reader_->last_key()) != previous_key_) {
      Add(std::nullopt, "hfile.LASTKEY is not the key of the last cell");
    }
    const hfile::Trailer& trailer = reader_->trailer();
    if (!index_.empty() &&
        (trailer.first_data_block_offset != static_cast<int64_t>(index_.front().offset) ||
         trailer.last_data_block_offset != static_cast<int64_t>(index_.back().offset))) {
      Add(reader_->file_size() - hfile::kTrailerSize,
          "the trailer's offsets of the first and last data block are not those of the index");
    }
    if (reader_->includes_mvcc() && max_sequence_id_ > reader_->max_cell_sequence_id()) {
      Add(std::nullopt, fmt::format("MAX_MEMSTORE_TS_KEY says {}, a cell has {}",
                                    reader_->max_cell_sequence_id(), max_sequence_id_));
    }
    if (family_markers_ > 0 && reader_->Info(hfile::kInfoDeleteFamilyCount).has_value() &&
        reader_->delete_family_count() == 0) {
      Add(std::nullopt, "DELETE_FAMILY_COUNT says 0, yet there are family delete markers");
    }
    ExpectInfo(engine::kDeleteMarkerCountKey, markers_);
    ExpectInfo(engine::kRowCountKey, row_count_);
    if (const auto names = reader_->CompactedFiles(); !names.ok()) Add(names.status());
    if (!reader_->empty()) {
      if (const auto middle = reader_->MidKey(); !middle.ok()) Add(middle.status());
    }
  }

  void CheckMetaBlocks() {
    const hfile::IndexBlock& index = reader_->meta_index();
    for (uint32_t i = 0; i < index.entry_count(); ++i) {
      if (const auto content = reader_->ReadMetaBlock(index.key(i)); !content.ok()) {
        Add(content.status());
      }
    }
  }

  static ByteView RowOf(ByteView key) { return key.substr(2, LoadBE16(key.data())); }

  const std::shared_ptr<const hfile::Reader> reader_;
  const std::unique_ptr<RandomAccessFile> file_;
  const HFileExpectations& expectations_;
  uint64_t* const bytes_read_;
  std::vector<Damage>* const damages_;

  std::vector<IndexEntry> index_;  // of data blocks, in order
  size_t next_entry_ = 0;
  uint64_t indexed_blocks_ = 0;
  int64_t last_of_type_[hfile::kBlockTypeCount] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  Bytes previous_key_;
  Bytes previous_qualifier_;
  Bytes last_key_;  // of the data block before
  uint64_t cell_count_ = 0;
  uint64_t row_count_ = 0;
  uint64_t markers_ = 0;
  uint64_t family_markers_ = 0;
  uint64_t max_sequence_id_ = 0;
  bool unreadable_ = false;  // a part of the file: totals cannot agree
  bool unreadable_filter_ = false;
  bool told_range_ = false;
  bool told_time_ = false;
};

}  // namespace

Damage DamageOf(const Status& status, const std::string& path) {
  std::string_view text = status.message();
  Damage damage;
  const std::string prefix = "HFile " + path + " at offset ";
  if (text.starts_with(prefix)) {
    text.remove_prefix(prefix.size());
    uint64_t offset = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
    if (error == std::errc()) damage.offset = offset;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.starts_with(": ")) text.remove_prefix(2);
  }
  damage.what = text;
  return damage;
}

std::vector<Damage> CheckHFile(Env* env, const std::string& path,
                               const HFileExpectations& expectations, uint64_t* bytes_read) {
  std::vector<Damage> damages;
  // For the chunks of bloom filters, which are asked for each row; outlives the reader.
  hfile::BlockCache cache(kFilterCacheBytes);
  auto reader = hfile::Reader::Open(env, path, &cache);
  if (!reader.ok()) {
    damages.push_back(DamageOf(reader.status(), path));
    if (reader.status().code() == StatusCode::kNotSupported) {
      const auto readable = HasReadableBlock(env, path);
      damages.back().unsupported = readable.ok() && !*readable;
    }
    return damages;
  }
  auto file = env->OpenForRead(path);
  if (!file.ok()) {
    damages.push_back(DamageOf(file.status(), path));
    return damages;
  }
  FileCheck(std::move(reader).value(), std::move(file).value(), expectations, bytes_read, &damages)
      .Run();
  return damages;
}

}  // namespace bennu::check
