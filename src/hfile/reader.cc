#include "src/hfile/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proto/hfile.pb.h"
#include "src/base/coding.h"
#include "src/base/crc32.h"
#include "src/base/hex.h"
#include "src/base/mapped_file.h"
#include "src/base/no_wait.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/flat_key.h"
#include "src/hfile/codec.h"
#include "src/hfile/raw_block.h"

namespace bennu::hfile {

namespace {

// Of a root index above other levels: leaf's offset and size, entry in the leaf.
constexpr size_t kMidKeyMetadataSize = 16;

ByteView RowOfKey(ByteView flat_key) {
  if (flat_key.empty()) return ByteView();
  return ByteView(flat_key.data() + 2, LoadBE16(flat_key.data()));
}

// Of an outline in the cache: a place within the block's header, where nothing else begins.
uint64_t OutlineKey(uint64_t block_offset) { return block_offset + 1; }
// The same for its columns, and for those of the blocks from it on.
uint64_t ColumnsKey(uint64_t block_offset) { return block_offset + 2; }
uint64_t ColumnGroupKey(uint64_t block_offset) { return block_offset + 3; }
// Rows of columns that belong together: about as many as are worked on at a time, so that what is
// done once for all of them does not show.
constexpr uint32_t kColumnGroupRows = 4096;
constexpr uint32_t kColumnGroupBlocksMax = 32;
// Of the cells of such blocks: what has to be in memory while the columns are made. And what part
// of the cache they would be: one that cannot keep the columns would have them made again and
// again.
constexpr uint64_t kColumnGroupBytesMax = 4 << 20;
constexpr uint64_t kColumnGroupCacheShare = 32;

std::unique_ptr<char[]> Allocate(size_t size) {
  return std::unique_ptr<char[]>(new char[size == 0 ? 1 : size]);
}

}  // namespace

Result<std::shared_ptr<const Reader>> Reader::Open(Env* env, const std::string& path,
                                                   BlockCache* cache,
                                                   const ReaderOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                   options.map_file ? OpenMapped(env, path) : env->OpenForRead(path));
  std::shared_ptr<Reader> reader(new Reader(std::move(file), cache, options));
  RETURN_IF_ERROR(reader->Load());
  return std::shared_ptr<const Reader>(std::move(reader));
}

Reader::Reader(std::unique_ptr<RandomAccessFile> file, BlockCache* cache,
               const ReaderOptions& options)
    : file_(std::move(file)),
      cache_(cache),
      options_(options),
      in_memory_(options.in_memory),
      file_id_(BlockCache::NewFileId()) {}

Reader::~Reader() {
  if (cache_ != nullptr) cache_->EraseFile(file_id_);
}

size_t Reader::DropCachedBlocks() const {
  return cache_ == nullptr ? 0 : cache_->EraseFile(file_id_);
}

void Reader::SetInMemory(bool in_memory) const {
  if (in_memory_.exchange(in_memory) == in_memory || cache_ == nullptr) return;
  cache_->EraseFile(file_id_);
}

// Adds the place to an error. Errors of the file system name the file themselves.
Status Reader::At(const Status& status, uint64_t offset) const {
  if (status.ok() || status.code() == StatusCode::kIoError) return status;
  return status.Annotate(fmt::format("HFile {} at offset {}", file_->path(), offset));
}

Status Reader::Load() {
  RETURN_IF_ERROR(LoadTrailer());
  RETURN_IF_ERROR(At(CheckCompression(trailer_.compression), file_->size() - kTrailerSize));
  uint64_t offset = trailer_.load_on_open_offset;
  const uint64_t size = file_->size();
  const size_t mid_key_size = trailer_.index_levels > 1 ? kMidKeyMetadataSize : 0;
  uint64_t start = offset;
  ASSIGN_OR_RETURN(root_index_, LoadRootIndex(&offset, trailer_.data_index_count, mid_key_size));
  RETURN_IF_ERROR(At(root_index_->CheckCellKeys(), start));
  ASSIGN_OR_RETURN(meta_index_, LoadRootIndex(&offset, trailer_.meta_index_count, 0));
  if (offset != trailer_.file_info_offset) {
    return At(Corruption(fmt::format("the trailer expects the file info at {}, not here",
                                     trailer_.file_info_offset)),
              offset);
  }
  start = offset;
  ASSIGN_OR_RETURN(RawBlock info, ReadLoadOnOpenBlock(&offset));
  if (info.header.type != BlockType::kFileInfo) {
    return At(Corruption(fmt::format("a {} block where the file info was expected",
                                     BlockTypeName(info.header.type))),
              start);
  }
  RETURN_IF_ERROR(At(LoadFileInfo(info.payload), start));
  RETURN_IF_ERROR(At(InterpretInfo(), start));
  return LoadBlooms(offset, size - kTrailerSize);
}

Result<std::shared_ptr<const IndexBlock>> Reader::LoadRootIndex(uint64_t* offset,
                                                                uint32_t entry_count,
                                                                size_t tail_size) const {
  const uint64_t start = *offset;
  ASSIGN_OR_RETURN(RawBlock raw, ReadLoadOnOpenBlock(offset));
  if (raw.header.type != BlockType::kRootIndex) {
    return At(Corruption(fmt::format("a {} block where a root index was expected",
                                     BlockTypeName(raw.header.type))),
              start);
  }
  auto index = IndexBlock::ParseRoot(std::move(raw), entry_count, file_->size());
  if (!index.ok()) return At(index.status(), start);
  if ((*index)->tail().size() != tail_size) {
    return At(Corruption(fmt::format("{} bytes after the {} entries of a root index, not {}",
                                     (*index)->tail().size(), entry_count, tail_size)),
              start);
  }
  return index;
}

Status Reader::LoadTrailer() {
  const uint64_t size = file_->size();
  Bytes bytes;
  if (size >= kTrailerSize) {
    bytes.resize(kTrailerSize);
    RETURN_IF_ERROR(file_->ReadExact(size - kTrailerSize, kTrailerSize, bytes.data()));
  }
  auto trailer = ParseTrailer(bytes, size);
  if (!trailer.ok()) return At(trailer.status(), size >= kTrailerSize ? size - kTrailerSize : 0);
  trailer_ = std::move(trailer).value();
  return Status();
}

Result<RawBlock> Reader::ReadLoadOnOpenBlock(uint64_t* offset) const {
  ASSIGN_OR_RETURN(RawBlock block, ReadRawBlock(*offset, 0));
  *offset += block.header.on_disk_size();
  return block;
}

Status Reader::LoadFileInfo(ByteView payload) {
  uint32_t length;
  ByteView message;
  pb::FileInfoProto proto;
  if (payload.substr(0, kProtobufMagic.size()) != kProtobufMagic) {
    return Corruption("the file info does not start with PBUF");
  }
  payload.remove_prefix(kProtobufMagic.size());
  if (!ConsumeVarint32(&payload, &length) || !ConsumeBytes(&payload, length, &message) ||
      !proto.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    return Corruption("the file info does not parse");
  }
  for (const pb::BytesBytesPair& pair : proto.map_entry()) {
    file_info_[pair.first()] = pair.second();
  }
  return Status();
}

std::optional<ByteView> Reader::Info(ByteView key) const {
  const auto found = file_info_.find(Bytes(key));
  if (found == file_info_.end()) return std::nullopt;
  return ByteView(found->second);
}

namespace {

// Fixed-width file info values; 'fallback' when the entry is absent or of another width.
uint64_t LongInfo(std::optional<ByteView> value, uint64_t fallback) {
  return value.has_value() && value->size() == 8 ? LoadBE64(value->data()) : fallback;
}
uint32_t IntInfo(std::optional<ByteView> value, uint32_t fallback) {
  return value.has_value() && value->size() == 4 ? LoadBE32(value->data()) : fallback;
}
bool BoolInfo(std::optional<ByteView> value) {
  return value.has_value() && value->size() == 1 && (*value)[0] != '\0';
}

std::optional<Reader::TimeRange> ParseTimeRange(ByteView value) {
  if (value.size() == 16 && value.substr(0, 4) != kProtobufMagic) {
    return Reader::TimeRange{static_cast<int64_t>(LoadBE64(value.data())),
                             static_cast<int64_t>(LoadBE64(value.data() + 8))};
  }
  pb::TimeRangeTracker proto;
  if (value.substr(0, 4) != kProtobufMagic ||
      !proto.ParseFromArray(value.data() + 4, static_cast<int>(value.size() - 4))) {
    return std::nullopt;
  }
  return Reader::TimeRange{static_cast<int64_t>(proto.from()), static_cast<int64_t>(proto.to())};
}

}  // namespace

Status Reader::InterpretInfo() {
  if (const auto name = Info(kInfoDataBlockEncoding); name.has_value()) {
    const auto encoding = EncodingOfText(*name);
    if (!encoding.has_value()) {
      return NotSupported(fmt::format("data block encoding {}; rewrite the file with a known one",
                                      ToStringBinary(*name)));
    }
    encoding_ = *encoding;
  }
  includes_mvcc_ = IntInfo(Info(kInfoKeyValueVersion), 0) == 1;
  includes_tags_ = Info(kInfoMaxTagsLength).has_value();
  compresses_tags_ = includes_tags_ && BoolInfo(Info(kInfoTagsCompressed));
  major_compaction_ = BoolInfo(Info(kInfoMajorCompaction));
  bulk_loaded_ = Info(kInfoBulkLoadTime).has_value();
  max_sequence_id_ = LongInfo(Info(kInfoMaxSequenceId), 0);
  max_cell_sequence_id_ = LongInfo(Info(kInfoMaxMemstoreTs), 0);
  delete_family_count_ = LongInfo(Info(kInfoDeleteFamilyCount), 0);
  earliest_put_timestamp_ =
      static_cast<int64_t>(LongInfo(Info(kInfoEarliestPutTs), static_cast<uint64_t>(0)));
  if (const auto range = Info(kInfoTimeRange); range.has_value()) {
    time_range_ = ParseTimeRange(*range);
  }
  if (const auto name = Info(kInfoBloomType); name.has_value()) {
    bloom_type_ = BloomTypeOfText(*name).value_or(BloomType::kNone);
  }
  bloom_prefix_length_ = static_cast<int32_t>(IntInfo(Info(kInfoBloomParam), 0));
  if (empty()) return Status();
  last_key_ = Bytes(Info(kInfoLastKey).value_or(ByteView()));
  if (!cell::IsWellFormedFlatKey(last_key_)) {
    return Corruption("the file info has no well-formed hfile.LASTKEY");
  }
  return Status();
}

Status Reader::LoadBlooms(uint64_t offset, uint64_t end) {
  while (offset < end) {
    const uint64_t start = offset;
    ASSIGN_OR_RETURN(RawBlock block, ReadLoadOnOpenBlock(&offset));
    const BlockType type = block.header.type;
    if (type != BlockType::kGeneralBloomMeta && type != BlockType::kDeleteFamilyBloomMeta) {
      return At(Corruption(fmt::format("a {} block after the file info", BlockTypeName(type))),
                start);
    }
    auto filter = BloomFilter::Parse(std::move(block), file_->size());
    if (!filter.ok()) return At(filter.status(), start);
    (type == BlockType::kGeneralBloomMeta ? general_bloom_ : delete_family_bloom_) =
        std::move(filter).value();
  }
  // A filter of a kind that Bennu does not know, or of the wrong kind of keys, answers nothing.
  if (general_bloom_ != nullptr &&
      general_bloom_->is_row_col() != (bloom_type_ == BloomType::kRowCol)) {
    bloom_type_ = BloomType::kNone;
  }
  if (general_bloom_ == nullptr) bloom_type_ = BloomType::kNone;
  return Status();
}

ByteView Reader::last_row() const { return RowOfKey(last_key_); }
ByteView Reader::first_key() const {
  return root_index_->entry_count() == 0 ? ByteView() : root_index_->key(0);
}
ByteView Reader::first_row() const { return RowOfKey(first_key()); }

Result<std::vector<std::string>> Reader::CompactedFiles() const {
  std::vector<std::string> names;
  const auto value = Info(kInfoCompactionEvent);
  if (!value.has_value()) return names;
  pb::CompactionEventTracker proto;
  if (value->substr(0, 4) != kProtobufMagic ||
      !proto.ParseFromArray(value->data() + 4, static_cast<int>(value->size() - 4))) {
    return At(Corruption("COMPACTION_EVENT_KEY does not parse"), trailer_.file_info_offset);
  }
  names.assign(proto.compacted_store_file().begin(), proto.compacted_store_file().end());
  return names;
}

// ---- blooms

Result<bool> Reader::ProbeBloom(const BloomFilter& bloom, ByteView key) const {
  const IndexBlock::Entry* entry = bloom.FindChunk(key, meta_order());
  bool maybe = false;
  if (entry != nullptr) {
    ASSIGN_OR_RETURN(const std::shared_ptr<const BloomChunk> chunk,
                     ReadBloomChunk(entry->offset, entry->on_disk_size));
    maybe = BloomContains(chunk->bits(), bloom.hash_count(), bloom.hash_type(), key);
  }
  if (!maybe) counters_.bloom_negatives.fetch_add(1, std::memory_order_relaxed);
  return maybe;
}

Result<bool> Reader::MayContainRow(ByteView row) const {
  if (empty()) return false;
  switch (bloom_type_) {
    case BloomType::kRow: return ProbeBloom(*general_bloom_, row);
    case BloomType::kRowPrefixFixedLength:
      return ProbeBloom(*general_bloom_, row.substr(0, static_cast<size_t>(bloom_prefix_length_)));
    default: return true;
  }
}

Result<bool> Reader::MayContainRowCol(ByteView row, ByteView qualifier) const {
  if (bloom_type_ != BloomType::kRowCol || empty()) return MayContainRow(row);
  thread_local Bytes key;
  BuildRowColKey(row, qualifier, &key);
  return ProbeBloom(*general_bloom_, key);
}

Result<bool> Reader::MayContainRowPrefix(ByteView prefix) const {
  const size_t length = static_cast<size_t>(bloom_prefix_length_);
  if (empty()) return false;
  if (bloom_type_ != BloomType::kRowPrefixFixedLength || prefix.size() < length) return true;
  return ProbeBloom(*general_bloom_, prefix.substr(0, length));
}

Result<bool> Reader::MayContainDeleteFamily(ByteView row) const {
  if (empty()) return false;
  if (Info(kInfoDeleteFamilyCount).has_value() && delete_family_count_ == 0) return false;
  if (delete_family_bloom_ != nullptr) return ProbeBloom(*delete_family_bloom_, row);
  // The markers have an empty qualifier, so a ROWCOL filter knows them.
  if (bloom_type_ == BloomType::kRowCol) return MayContainRowCol(row, ByteView());
  return true;
}

// ---- the index

Status Reader::ForEachBlock(
    const std::function<bool(ByteView key, uint64_t offset, uint32_t on_disk_size)>& visit) const {
  struct Level {
    std::shared_ptr<const IndexBlock> block;
    uint32_t position;
  };
  std::vector<Level> path = {{root_index_, 0}};
  int64_t before = -1;  // offset of the block visited last; they ascend, so that the walk ends
  while (!path.empty()) {
    Level& level = path.back();
    if (level.position == level.block->entry_count()) {
      path.pop_back();
      continue;
    }
    const IndexBlock::Entry entry = level.block->entry(level.position);
    if (path.size() == trailer_.index_levels) {
      if (static_cast<int64_t>(entry.offset) <= before) {
        return At(Corruption("the index lists data blocks out of order"), entry.offset);
      }
      before = static_cast<int64_t>(entry.offset);
      if (!visit(level.block->key(level.position), entry.offset, entry.on_disk_size)) break;
      ++level.position;
      continue;
    }
    ++level.position;
    ASSIGN_OR_RETURN(std::shared_ptr<const IndexBlock> child,
                     ReadIndexBlock(entry.offset, entry.on_disk_size));
    path.push_back({std::move(child), 0});
  }
  return Status();
}

Result<Bytes> Reader::MidKey() const {
  if (root_index_->entry_count() == 0) {
    return NotFound(fmt::format("HFile {} is empty and has no middle key", path()));
  }
  const ByteView tail = root_index_->tail();
  if (tail.size() != kMidKeyMetadataSize) {
    return Bytes(root_index_->key(root_index_->entry_count() / 2));
  }
  const uint64_t offset = LoadBE64(tail.data());
  const uint32_t entry = LoadBE32(tail.data() + 12);
  ASSIGN_OR_RETURN(const std::shared_ptr<const IndexBlock> leaf,
                   ReadIndexBlock(offset, LoadBE32(tail.data() + 8)));
  if (entry >= leaf->entry_count()) {
    return At(Corruption("the mid-key metadata points past its leaf"),
              trailer_.load_on_open_offset);
  }
  return Bytes(leaf->key(entry));
}

Result<std::vector<Bytes>> Reader::SplitRows(size_t count, ByteView start_row,
                                             ByteView stop_row) const {
  std::vector<Bytes> rows;
  if (count < 2 || empty()) return rows;
  std::vector<Bytes> keys;
  const auto less = [this](ByteView left, ByteView right) {
    return (meta_order() ? cell::CompareMetaRows(left, right) : cell::CompareRows(left, right)) < 0;
  };
  RETURN_IF_ERROR(ForEachBlock([&](ByteView key, uint64_t, uint32_t) {
    const ByteView row = RowOfKey(key);
    if (!stop_row.empty() && !less(row, stop_row)) return false;
    if (start_row.empty() || less(start_row, row)) keys.emplace_back(row);
    return true;
  }));
  // keys[0] may be the file's first row, which cuts nothing off; it is harmless and kept out.
  for (size_t i = 1; i < count; ++i) {
    const size_t at = keys.size() * i / count;
    if (at == 0 || at >= keys.size()) continue;
    if (rows.empty() || less(rows.back(), keys[at])) rows.push_back(keys[at]);
  }
  return rows;
}

// ---- blocks

Result<RawBlock> Reader::ReadRawBlock(uint64_t offset, uint32_t on_disk_size) const {
  if (NoWaitScope::Refuses()) return WouldWait();
  const uint64_t end = file_->size() - kTrailerSize;
  if (offset > end || end - offset < kBlockHeaderSize) {
    return At(Corruption("a block was expected here, but the blocks end before"), offset);
  }
  uint64_t size = on_disk_size;
  if (size == 0) {
    char header_bytes[kBlockHeaderSize];
    RETURN_IF_ERROR(file_->ReadExact(offset, kBlockHeaderSize, header_bytes));
    const auto header = ParseBlockHeader(ByteView(header_bytes, kBlockHeaderSize));
    if (!header.ok()) return At(header.status(), offset);
    size = header->on_disk_size();
  }
  if (size > end - offset || size < kBlockHeaderSize) {
    return At(Corruption(fmt::format("a block of {} bytes does not fit before the trailer", size)),
              offset);
  }
  std::unique_ptr<char[]> bytes = Allocate(size);
  RETURN_IF_ERROR(file_->ReadExact(offset, size, bytes.get()));
  counters_.blocks_read.fetch_add(1, std::memory_order_relaxed);
  counters_.bytes_read.fetch_add(size, std::memory_order_relaxed);
  auto raw = DecodeRawBlock(std::move(bytes), size, offset, trailer_.compression,
                            options_.verify_checksums);
  if (!raw.ok()) return At(raw.status(), offset);
  return raw;
}

template <typename T>
Result<std::shared_ptr<const T>> Reader::Lookup(uint64_t offset) const {
  if (cache_ == nullptr) return std::shared_ptr<const T>();
  std::shared_ptr<const CachedBlock> found = cache_->Lookup({file_id_, offset});
  if (found == nullptr) return std::shared_ptr<const T>();
  if (found->kind() != T::kKind) {
    return At(Corruption("two indexes disagree on the type of a block"), offset);
  }
  counters_.blocks_from_cache.fetch_add(1, std::memory_order_relaxed);
  return std::static_pointer_cast<const T>(std::move(found));
}

template <typename T>
std::shared_ptr<const T> Reader::Insert(uint64_t offset, std::shared_ptr<const T> block) const {
  if (cache_ == nullptr) return block;
  std::shared_ptr<const CachedBlock> kept =
      cache_->Insert({file_id_, offset}, block, in_memory_.load(std::memory_order_relaxed));
  if (kept->kind() != T::kKind) return block;
  return std::static_pointer_cast<const T>(std::move(kept));
}

template <typename T, typename Make>
Result<std::shared_ptr<const T>> Reader::Cached(uint64_t offset, Make make) const {
  ASSIGN_OR_RETURN(std::shared_ptr<const T> found, Lookup<T>(offset));
  if (found != nullptr) return found;
  ASSIGN_OR_RETURN(std::shared_ptr<const T> made, make());
  return Insert<T>(offset, std::move(made));
}

DataBlockFormat Reader::data_block_format() const {
  return {includes_mvcc_, includes_tags_, compresses_tags_, meta_order()};
}

Result<std::shared_ptr<const Block>> Reader::CachedDataBlock(uint64_t offset) const {
  return Lookup<Block>(offset);
}

Result<std::shared_ptr<const BlockOutline>> Reader::CachedOutline(uint64_t offset) const {
  return Lookup<BlockOutline>(OutlineKey(offset));
}

Result<std::shared_ptr<const Block>> Reader::LoadDataBlock(uint64_t offset, uint32_t on_disk_size,
                                                           Keep keep) const {
  ASSIGN_OR_RETURN(RawBlock raw, ReadRawBlock(offset, on_disk_size));
  auto block = DecodeDataBlock(std::move(raw), data_block_format());
  if (!block.ok()) return At(block.status(), offset);
  if (keep == Keep::kNothing || cache_ == nullptr) return block;
  if (keep == Keep::kBesideColumns) {
    if (cache_->used_bytes() < cache_->capacity_bytes() / 2) {
      cache_->InsertIfRoom({file_id_, offset}, *block);
    }
    return block;
  }
  // Of an IN_MEMORY family the whole block is wanted there.
  if (keep == Keep::kOutline && !in_memory_.load(std::memory_order_relaxed)) {
    if (auto outline = BlockOutline::Make(**block); outline != nullptr) {
      Insert<BlockOutline>(OutlineKey(offset), std::move(outline));
      cache_->InsertIfRoom({file_id_, offset}, *block);
      return block;
    }
  }
  return Insert<Block>(offset, std::move(block).value());
}

Result<std::shared_ptr<const ColumnBlock>> Reader::CachedColumns(uint64_t offset) const {
  return Lookup<ColumnBlock>(ColumnsKey(offset));
}

std::shared_ptr<const ColumnBlock> Reader::KeepColumns(
    uint64_t offset, std::shared_ptr<const ColumnBlock> columns) const {
  if (columns->simple()) ChooseColumnGroups(*columns);
  return Insert<ColumnBlock>(ColumnsKey(offset), std::move(columns));
}

void Reader::ChooseColumnGroups(const ColumnBlock& columns) const {
  if (column_group_blocks() > 0) return;
  const uint64_t bytes = std::max<uint64_t>(columns.cell_bytes(), 1);
  const uint64_t bytes_max =
      std::min(kColumnGroupBytesMax, cache_capacity_bytes() / kColumnGroupCacheShare);
  const uint64_t most = std::min<uint64_t>(kColumnGroupBlocksMax, bytes_max / bytes);
  const uint64_t blocks =
      std::clamp<uint64_t>(kColumnGroupRows / columns.row_count(), 1, std::max<uint64_t>(most, 1));
  uint32_t none = 0;
  column_group_blocks_.compare_exchange_strong(none, static_cast<uint32_t>(blocks));
}

Result<std::shared_ptr<const ColumnBlock>> Reader::CachedColumnGroup(uint64_t offset) const {
  return Lookup<ColumnBlock>(ColumnGroupKey(offset));
}

std::shared_ptr<const ColumnBlock> Reader::KeepColumnGroup(
    uint64_t offset, std::shared_ptr<const ColumnBlock> columns) const {
  return Insert<ColumnBlock>(ColumnGroupKey(offset), std::move(columns));
}

void Reader::KeepBlock(uint64_t offset, std::shared_ptr<const Block> block) const {
  Insert<Block>(offset, std::move(block));
}

Result<std::shared_ptr<const Block>> Reader::ReadDataBlock(uint64_t offset, uint32_t on_disk_size,
                                                           bool cache_blocks) const {
  ASSIGN_OR_RETURN(std::shared_ptr<const Block> found, Lookup<Block>(offset));
  if (found != nullptr) return found;
  return LoadDataBlock(offset, on_disk_size, cache_blocks ? Keep::kBlock : Keep::kNothing);
}

Result<std::shared_ptr<const Block>> Reader::ReadPiece(uint64_t offset,
                                                       const BlockOutline::Piece& piece,
                                                       bool* was_cached) const {
  const uint64_t begin = offset + piece.begin;
  ASSIGN_OR_RETURN(std::shared_ptr<const Block> found, Lookup<Block>(begin));
  *was_cached = found != nullptr;
  if (*was_cached) return found;
  if (NoWaitScope::Refuses()) return WouldWait();
  std::unique_ptr<char[]> bytes = Allocate(piece.size);
  RETURN_IF_ERROR(file_->ReadExact(begin, piece.size, bytes.get()));
  counters_.blocks_read.fetch_add(1, std::memory_order_relaxed);
  counters_.bytes_read.fetch_add(piece.size, std::memory_order_relaxed);
  if (options_.verify_checksums && Crc32c(ByteView(bytes.get(), piece.size)) != piece.checksum) {
    return At(
        Corruption(fmt::format("{} bytes of the data block at {} have changed since they were "
                               "read first; the file is damaged, take it from a backup or a "
                               "replica",
                               piece.size, offset)),
        begin);
  }
  auto block = DecodePiece(std::move(bytes), piece.size, begin, data_block_format());
  if (!block.ok()) return At(block.status(), begin);
  return Insert<Block>(begin, std::move(block).value());
}

Result<std::shared_ptr<const IndexBlock>> Reader::ReadIndexBlock(uint64_t offset,
                                                                 uint32_t on_disk_size) const {
  return Cached<IndexBlock>(offset, [&]() -> Result<std::shared_ptr<const IndexBlock>> {
    auto raw = ReadRawBlock(offset, on_disk_size);
    if (!raw.ok()) return raw.status();
    if (raw->header.type != BlockType::kLeafIndex &&
        raw->header.type != BlockType::kIntermediateIndex) {
      return At(Corruption(fmt::format("a {} block where an index block was expected",
                                       BlockTypeName(raw->header.type))),
                offset);
    }
    auto index = IndexBlock::ParseNonRoot(std::move(raw).value(), file_->size());
    if (!index.ok()) return At(index.status(), offset);
    return index;
  });
}

Result<std::shared_ptr<const BloomChunk>> Reader::ReadBloomChunk(uint64_t offset,
                                                                 uint32_t on_disk_size) const {
  return Cached<BloomChunk>(offset, [&]() -> Result<std::shared_ptr<const BloomChunk>> {
    auto raw = ReadRawBlock(offset, on_disk_size);
    if (!raw.ok()) return raw.status();
    if (raw->header.type != BlockType::kBloomChunk ||
        raw->payload.size() > static_cast<size_t>(INT32_MAX) / 8) {
      return At(Corruption(fmt::format("a {} block where a bloom chunk was expected",
                                       BlockTypeName(raw->header.type))),
                offset);
    }
    return std::shared_ptr<const BloomChunk>(std::make_shared<BloomChunk>(std::move(raw).value()));
  });
}

Status Reader::CacheBlooms() const {
  for (const BloomFilter* const filter : {general_bloom(), delete_family_bloom()}) {
    for (uint32_t i = 0; filter != nullptr && i < filter->chunk_count(); ++i) {
      const IndexBlock::Entry& chunk = filter->chunk(i);
      RETURN_IF_ERROR(ReadBloomChunk(chunk.offset, chunk.on_disk_size).status());
    }
  }
  return Status();
}

Result<Bytes> Reader::ReadMetaBlock(ByteView name) const {
  const int64_t index = meta_index_->FloorBytes(name);
  if (index < 0 || meta_index_->key(static_cast<uint32_t>(index)) != name) {
    return NotFound(fmt::format("HFile {} has no meta block {}", path(), ToStringBinary(name)));
  }
  const IndexBlock::Entry& entry = meta_index_->entry(static_cast<uint32_t>(index));
  ASSIGN_OR_RETURN(const RawBlock block, ReadRawBlock(entry.offset, entry.on_disk_size));
  return Bytes(block.payload);
}

}  // namespace bennu::hfile
