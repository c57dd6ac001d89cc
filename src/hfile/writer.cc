#include "src/hfile/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "proto/hfile.pb.h"
#include "src/base/coding.h"
#include "src/base/failpoint.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/flat_key.h"
#include "src/hfile/block_encoder.h"
#include "src/hfile/block_writer.h"
#include "src/hfile/bloom.h"
#include "src/hfile/codec.h"
#include "src/hfile/index_writer.h"

namespace bennu::hfile {

namespace {

constexpr std::string_view kReservedInfoPrefix = "hfile.";

Bytes LongBytes(uint64_t value) {
  Bytes bytes;
  AppendBE64(&bytes, value);
  return bytes;
}
Bytes IntBytes(uint32_t value) {
  Bytes bytes;
  AppendBE32(&bytes, value);
  return bytes;
}
Bytes BoolBytes(bool value) { return Bytes(1, value ? '\xff' : '\0'); }

bool SharesOneFamily(DataBlockEncoding encoding) {
  return encoding == DataBlockEncoding::kPrefix || encoding == DataBlockEncoding::kDiff ||
         encoding == DataBlockEncoding::kFastDiff;
}

bool AreTagsWellFormed(ByteView tags) {
  while (!tags.empty()) {
    uint16_t length;
    ByteView tag;
    if (!ConsumeBE16(&tags, &length) || !ConsumeBytes(&tags, length, &tag)) return false;
  }
  return true;
}

Status CheckOptions(const WriterOptions& options) {
  RETURN_IF_ERROR(CheckCompression(options.compression));
  if (options.block_size_bytes == 0 || options.block_size_bytes > INT32_MAX) {
    return InvalidArgument("the block size of an HFile must be 1 to 2147483647 bytes");
  }
  if (options.bytes_per_checksum < kBlockHeaderSize || options.bytes_per_checksum > INT32_MAX) {
    return InvalidArgument(fmt::format("bytes per checksum must be at least {}", kBlockHeaderSize));
  }
  if (options.bloom == BloomType::kRowPrefixFixedLength && options.bloom_prefix_length <= 0) {
    return InvalidArgument("a ROWPREFIX_FIXED_LENGTH bloom filter needs a prefix length");
  }
  if (options.bloom_error_rate <= 0 || options.bloom_error_rate >= 1 ||
      options.bloom_chunk_size_bytes == 0 || options.bloom_chunk_size_bytes > INT32_MAX / 16) {
    return InvalidArgument("bloom error rate must lie between 0 and 1, chunk size below 128 MiB");
  }
  return Status();
}

DataBlockFormat FormatOf(const WriterOptions& options) {
  const bool compresses =
      options.include_tags && options.compress_tags && options.encoding != DataBlockEncoding::kNone;
  return {options.include_mvcc, options.include_tags, compresses, options.meta_order};
}

}  // namespace

class Writer::Impl {
 public:
  Impl(Env* env, std::unique_ptr<WritableFile> file, const WriterOptions& options)
      : env_(env),
        file_(std::move(file)),
        options_(options),
        blocks_(file_.get(), options.compression, options.checksum, options.bytes_per_checksum),
        encoder_(options.encoding, FormatOf(options)),
        index_(&blocks_, options.index_chunk_size_bytes, options.index_chunk_entries_min) {
    const bool row_col = options.bloom == BloomType::kRowCol;
    if (options.bloom != BloomType::kNone) {
      general_bloom_.emplace(options.bloom_chunk_size_bytes, options.bloom_error_rate, row_col);
    }
    if (options.delete_family_bloom && !row_col) {
      delete_family_bloom_.emplace(options.bloom_chunk_size_bytes, options.bloom_error_rate, false);
    }
    encoder_.Start();
    facts_.path = file_->path();
  }

  Status Append(const Cell& cell);
  Status AppendFileInfo(ByteView key, ByteView value);
  void AppendMetaBlock(ByteView name, ByteView content) { meta_blocks_[Bytes(name)] = content; }
  Result<FileFacts> Finish(const StoreFileFacts& store);

  uint64_t entry_count() const { return facts_.entry_count; }
  uint64_t bytes_written() const { return blocks_.position(); }
  uint64_t estimated_size() const { return blocks_.position() + encoder_.encoded_size(); }

 private:
  struct Order {
    int order;  // of the last key against this one
    bool same_row;
  };
  Order CompareWithLast(const Cell& cell) const;
  Status CheckCell(const Cell& cell, const Order& order) const;
  Status OutOfOrder(const Cell& cell) const;
  void AddToBlooms(const Cell& cell, const Order& order);
  void AddGeneralKey(ByteView key);
  void Track(const Cell& cell);
  void IncludeTimestamp(int64_t timestamp);
  Status FinishDataBlock();
  Status WriteInlineBlocks(bool closing);
  Status WriteReadyChunks(BloomWriter* bloom, bool closing);
  Status WriteMetaBlocks(IndexChunk* meta_index);
  void CompleteInfo(const StoreFileFacts& store);
  Result<uint64_t> WriteFileInfo();
  Status WriteBloomMetadata();
  Status WriteTail(const StoreFileFacts& store);

  Env* const env_;
  const std::unique_ptr<WritableFile> file_;
  const WriterOptions options_;
  BlockWriter blocks_;
  BlockEncoder encoder_;
  IndexWriter index_;
  std::optional<BloomWriter> general_bloom_;
  std::optional<BloomWriter> delete_family_bloom_;
  Bytes last_bloom_key_;
  Bytes bloom_key_;  // being built
  Bytes last_delete_family_row_;
  bool has_delete_family_row_ = false;

  Bytes last_key_;  // of the last cell appended
  Bytes first_key_of_block_;
  Bytes last_key_of_previous_block_;
  uint64_t total_key_length_ = 0;
  uint64_t total_value_length_ = 0;
  uint32_t max_tags_length_ = 0;
  int64_t first_data_block_offset_ = -1;
  int64_t last_data_block_offset_ = -1;
  std::map<Bytes, Bytes> info_;
  std::map<Bytes, Bytes> meta_blocks_;
  FileFacts facts_;
  Bytes payload_;  // of an index, info or bloom block being built
};

// ---- cells

Writer::Impl::Order Writer::Impl::CompareWithLast(const Cell& cell) const {
  if (last_key_.empty()) return {-1, false};
  const ByteView last_row(last_key_.data() + 2, LoadBE16(last_key_.data()));
  const ByteView row = cell.row();
  const int order =
      options_.meta_order ? cell::CompareMetaRows(last_row, row) : cell::CompareRows(last_row, row);
  if (order != 0) return {order, false};
  return {cell::CompareFlatKeysWithinRow(last_key_, cell.flat_key()), true};
}

Status Writer::Impl::OutOfOrder(const Cell& cell) const {
  return InvalidArgument(fmt::format(
      "HFile {}: cell of row '{}' comes after one of row '{}' but sorts before it; append cells in "
      "comparator order",
      file_->path(), ToStringBinary(cell.row()),
      ToStringBinary(ByteView(last_key_).substr(2, LoadBE16(last_key_.data())))));
}

Status Writer::Impl::CheckCell(const Cell& cell, const Order& order) const {
  if (order.order > 0) return OutOfOrder(cell);
  if (cell.value_length > INT32_MAX - cell.key_length ||
      (options_.include_tags && cell.tags_length > 0xffff)) {
    return InvalidArgument(fmt::format("HFile {}: cell of row '{}' is too big", file_->path(),
                                       ToStringBinary(cell.row())));
  }
  if (options_.include_tags && cell.tags_length > 0 && !AreTagsWellFormed(cell.tags_view())) {
    return InvalidArgument(fmt::format("HFile {}: tags of a cell of row '{}' are malformed",
                                       file_->path(), ToStringBinary(cell.row())));
  }
  if (SharesOneFamily(options_.encoding) && encoder_.cell_count() > 0 &&
      cell::KeyAsCell(last_key_).family() != cell.family()) {
    return InvalidArgument(fmt::format("HFile {}: encoding {} needs one family per file",
                                       file_->path(), EncodingText(options_.encoding)));
  }
  return Status();
}

void Writer::Impl::AddGeneralKey(ByteView key) {
  if (general_bloom_->key_count() > 0 && key == last_bloom_key_) return;
  general_bloom_->Add(key);
  last_bloom_key_.assign(key);
}

void Writer::Impl::AddToBlooms(const Cell& cell, const Order& order) {
  if (general_bloom_.has_value()) {
    switch (options_.bloom) {
      case BloomType::kNone: break;
      case BloomType::kRow:
        if (!order.same_row) AddGeneralKey(cell.row());
        break;
      case BloomType::kRowPrefixFixedLength:
        if (!order.same_row) {
          AddGeneralKey(cell.row().substr(0, static_cast<size_t>(options_.bloom_prefix_length)));
        }
        break;
      case BloomType::kRowCol:
        if (!order.same_row || cell::KeyAsCell(last_key_).qualifier() != cell.qualifier() ||
            cell::KeyAsCell(last_key_).family() != cell.family()) {
          BuildRowColKey(cell.row(), cell.qualifier(), &bloom_key_);
          AddGeneralKey(bloom_key_);
        }
        break;
    }
  }
  const CellType type = cell.type();
  if (type != CellType::kDeleteFamily && type != CellType::kDeleteFamilyVersion) return;
  ++facts_.delete_family_count;
  if (!delete_family_bloom_.has_value()) return;
  if (has_delete_family_row_ && last_delete_family_row_ == cell.row()) return;
  delete_family_bloom_->Add(cell.row());
  last_delete_family_row_.assign(cell.row());
  has_delete_family_row_ = true;
}

void Writer::Impl::IncludeTimestamp(int64_t timestamp) {
  facts_.min_timestamp = std::min(facts_.min_timestamp, timestamp);
  facts_.max_timestamp = std::max(facts_.max_timestamp, timestamp);
}

void Writer::Impl::Track(const Cell& cell) {
  const int64_t timestamp = cell.timestamp();
  const CellType type = cell.type();
  IncludeTimestamp(timestamp);
  // These hide everything older, so a range that begins before them needs this file too
  // (TimeRangeTracker).
  if (type == CellType::kDeleteColumn || type == CellType::kDeleteFamily) IncludeTimestamp(0);
  if (type == CellType::kPut) {
    facts_.earliest_put_timestamp = std::min(facts_.earliest_put_timestamp, timestamp);
  }
  facts_.max_cell_sequence_id = std::max(facts_.max_cell_sequence_id, cell.sequence_id);
  ++facts_.entry_count;
  total_key_length_ += cell.key_length;
  total_value_length_ += cell.value_length;
  max_tags_length_ = std::max(max_tags_length_, cell.tags_length);
}

Status Writer::Impl::Append(const Cell& cell) {
  if (!cell::IsWellFormedFlatKey(cell.flat_key())) {
    return InvalidArgument(fmt::format("HFile {}: a cell's key is malformed: {}", file_->path(),
                                       cell::CheckFlatKey(cell.flat_key()).message()));
  }
  const Order order = CompareWithLast(cell);
  RETURN_IF_ERROR(CheckCell(cell, order));
  // First, as in StoreFileWriter: a chunk that this cell fills stands before the cell's block.
  AddToBlooms(cell, order);
  // Equal keys are never split over blocks: a seek finds all of them in one.
  if (order.order != 0 && (encoder_.unencoded_size() >= options_.block_size_bytes ||
                           encoder_.encoded_size() >= options_.block_size_bytes)) {
    RETURN_IF_ERROR(FinishDataBlock());
    RETURN_IF_ERROR(WriteInlineBlocks(/*closing=*/false));
  }
  if (encoder_.cell_count() == 0) first_key_of_block_.assign(cell.flat_key());
  if (facts_.entry_count == 0) facts_.first_key.assign(cell.flat_key());
  encoder_.Add(cell);
  Track(cell);
  last_key_.assign(cell.flat_key());
  return Status();
}

// ---- blocks

Status Writer::Impl::FinishDataBlock() {
  if (encoder_.cell_count() == 0) return Status();
  ASSIGN_OR_RETURN(const BlockWriter::Place place,
                   blocks_.Write(encoder_.block_type(), encoder_.Finish()));
  encoder_.Start();
  payload_.clear();
  AppendSeparator(last_key_of_previous_block_, first_key_of_block_, options_.meta_order, &payload_);
  index_.AddDataBlock(payload_, place);
  last_key_of_previous_block_.assign(last_key_);
  last_data_block_offset_ = static_cast<int64_t>(place.offset);
  if (first_data_block_offset_ < 0) first_data_block_offset_ = last_data_block_offset_;
  return Status();
}

Status Writer::Impl::WriteInlineBlocks(bool closing) {
  RETURN_IF_ERROR(index_.WriteInline(closing));
  if (general_bloom_.has_value()) RETURN_IF_ERROR(WriteReadyChunks(&*general_bloom_, closing));
  if (delete_family_bloom_.has_value()) {
    RETURN_IF_ERROR(WriteReadyChunks(&*delete_family_bloom_, closing));
  }
  return Status();
}

Status Writer::Impl::WriteReadyChunks(BloomWriter* bloom, bool closing) {
  while (bloom->HasReadyChunk(closing)) {
    ASSIGN_OR_RETURN(const BlockWriter::Place place,
                     blocks_.Write(BlockType::kBloomChunk, bloom->ready_bits()));
    bloom->ChunkWritten(place.offset, place.on_disk_size);
  }
  return Status();
}

Status Writer::Impl::WriteMetaBlocks(IndexChunk* meta_index) {
  for (const auto& [name, content] : meta_blocks_) {
    ASSIGN_OR_RETURN(const BlockWriter::Place place, blocks_.Write(BlockType::kMeta, content));
    meta_index->Add(name, place.offset, place.on_disk_size);
  }
  return Status();
}

// ---- the end

Status Writer::Impl::AppendFileInfo(ByteView key, ByteView value) {
  if (key.substr(0, kReservedInfoPrefix.size()) == kReservedInfoPrefix) {
    return InvalidArgument(
        fmt::format("HFile {}: file info key {} is reserved", file_->path(), ToStringBinary(key)));
  }
  if (!info_.emplace(key, value).second) {
    return InvalidArgument(fmt::format("HFile {}: file info key {} is there already", file_->path(),
                                       ToStringBinary(key)));
  }
  return Status();
}

void Writer::Impl::CompleteInfo(const StoreFileFacts& store) {
  const auto set = [this](std::string_view key, Bytes value) {
    info_.insert_or_assign(Bytes(key), std::move(value));
  };
  const uint64_t count = std::max<uint64_t>(facts_.entry_count, 1);
  if (facts_.entry_count > 0) set(kInfoLastKey, last_key_);
  set(kInfoAvgKeyLength, IntBytes(static_cast<uint32_t>(total_key_length_ / count)));
  set(kInfoAvgValueLength, IntBytes(static_cast<uint32_t>(total_value_length_ / count)));
  const int64_t now = options_.create_time_ms >= 0 ? options_.create_time_ms : env_->NowMillis();
  set(kInfoCreateTime, LongBytes(static_cast<uint64_t>(now)));
  if (options_.include_tags) {
    set(kInfoMaxTagsLength, IntBytes(max_tags_length_));
    set(kInfoTagsCompressed, BoolBytes(FormatOf(options_).compresses_tags));
  }
  if (options_.include_mvcc) {
    set(kInfoKeyValueVersion, IntBytes(1));
    set(kInfoMaxMemstoreTs, LongBytes(facts_.max_cell_sequence_id));
  }
  if (options_.encoding != DataBlockEncoding::kNone) {
    set(kInfoDataBlockEncoding, Bytes(EncodingText(options_.encoding)));
  }
  if (general_bloom_.has_value() && general_bloom_->key_count() > 0) {
    set(kInfoBloomType, Bytes(BloomTypeText(options_.bloom)));
    set(kInfoLastBloomKey, last_bloom_key_);
    if (options_.bloom == BloomType::kRowPrefixFixedLength) {
      set(kInfoBloomParam, IntBytes(static_cast<uint32_t>(options_.bloom_prefix_length)));
    }
  }
  if (!options_.store_file) return;
  set(kInfoDeleteFamilyCount, LongBytes(facts_.delete_family_count));
  set(kInfoEarliestPutTs, LongBytes(static_cast<uint64_t>(facts_.earliest_put_timestamp)));
  Bytes range = LongBytes(static_cast<uint64_t>(facts_.min_timestamp));
  AppendBE64(&range, static_cast<uint64_t>(facts_.max_timestamp));
  set(kInfoTimeRange, std::move(range));
  set(kInfoMaxSequenceId, LongBytes(store.max_sequence_id));
  set(kInfoMajorCompaction, BoolBytes(store.major_compaction));
  set(kInfoHistorical, BoolBytes(false));
  pb::CompactionEventTracker compacted;
  for (const std::string& name : store.compacted_files) compacted.add_compacted_store_file(name);
  set(kInfoCompactionEvent, Bytes(kProtobufMagic) + compacted.SerializeAsString());
}

Result<uint64_t> Writer::Impl::WriteFileInfo() {
  pb::FileInfoProto proto;
  for (const auto& [key, value] : info_) {
    pb::BytesBytesPair* pair = proto.add_map_entry();
    pair->set_first(key);
    pair->set_second(value);
  }
  const std::string message = proto.SerializeAsString();
  payload_.assign(kProtobufMagic);
  AppendVarint(&payload_, message.size());
  payload_ += message;
  ASSIGN_OR_RETURN(const BlockWriter::Place place, blocks_.Write(BlockType::kFileInfo, payload_));
  return place.offset;
}

Status Writer::Impl::WriteBloomMetadata() {
  const auto write = [this](const std::optional<BloomWriter>& bloom, BlockType type) -> Status {
    if (!bloom.has_value() || bloom->key_count() == 0) return Status();
    payload_.clear();
    bloom->AppendMetadata(&payload_);
    return blocks_.Write(type, payload_).status();
  };
  RETURN_IF_ERROR(write(general_bloom_, BlockType::kGeneralBloomMeta));
  return write(delete_family_bloom_, BlockType::kDeleteFamilyBloomMeta);
}

Status Writer::Impl::WriteTail(const StoreFileFacts& store) {
  RETURN_IF_ERROR(FinishDataBlock());
  RETURN_IF_ERROR(WriteInlineBlocks(/*closing=*/true));
  IndexChunk meta_index;
  RETURN_IF_ERROR(WriteMetaBlocks(&meta_index));
  const uint64_t before_index = blocks_.total_uncompressed();
  ASSIGN_OR_RETURN(const BlockWriter::Place root, index_.Finish());
  // HBase leaves what the index writer wrote out of the sum.
  const uint64_t index_size = blocks_.total_uncompressed() - before_index;
  payload_.clear();
  meta_index.AppendRoot(&payload_);
  RETURN_IF_ERROR(blocks_.Write(BlockType::kRootIndex, payload_).status());
  CompleteInfo(store);
  Trailer trailer;
  ASSIGN_OR_RETURN(trailer.file_info_offset, WriteFileInfo());
  RETURN_IF_ERROR(WriteBloomMetadata());
  trailer.load_on_open_offset = root.offset;
  trailer.uncompressed_data_index_size = index_.uncompressed_size();
  trailer.total_uncompressed_bytes = blocks_.total_uncompressed() - index_size + kTrailerSize;
  trailer.data_index_count = static_cast<uint32_t>(index_.root_entry_count());
  trailer.meta_index_count = static_cast<uint32_t>(meta_index.entry_count());
  trailer.entry_count = facts_.entry_count;
  trailer.index_levels = index_.levels();
  trailer.first_data_block_offset = first_data_block_offset_;
  trailer.last_data_block_offset = last_data_block_offset_;
  trailer.meta_order = options_.meta_order;
  trailer.compression = options_.compression;
  return file_->Append(SerializeTrailer(trailer));
}

Result<FileFacts> Writer::Impl::Finish(const StoreFileFacts& store) {
  BENNU_FAILPOINT("hfile.finish");
  RETURN_IF_ERROR(WriteTail(store));
  RETURN_IF_ERROR(file_->Sync());
  facts_.size_bytes = file_->size();
  RETURN_IF_ERROR(file_->Close());
  facts_.last_key = last_key_;
  if (facts_.entry_count > 0) {
    facts_.first_row = Bytes(cell::KeyAsCell(facts_.first_key).row());
    facts_.last_row = Bytes(cell::KeyAsCell(facts_.last_key).row());
  }
  return std::move(facts_);
}

// ---- Writer

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::~Writer() = default;

Result<std::unique_ptr<Writer>> Writer::Create(Env* env, const std::string& path,
                                               const WriterOptions& options) {
  if (Status status = CheckOptions(options); !status.ok()) {
    return status.Annotate(fmt::format("HFile {}", path));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, env->CreateFile(path));
  return std::unique_ptr<Writer>(new Writer(std::make_unique<Impl>(env, std::move(file), options)));
}

Status Writer::Append(const Cell& cell) { return impl_->Append(cell); }
Status Writer::AppendFileInfo(ByteView key, ByteView value) {
  return impl_->AppendFileInfo(key, value);
}
void Writer::AppendMetaBlock(ByteView name, ByteView content) {
  impl_->AppendMetaBlock(name, content);
}
Result<FileFacts> Writer::Finish(const StoreFileFacts& facts) { return impl_->Finish(facts); }
uint64_t Writer::entry_count() const { return impl_->entry_count(); }
uint64_t Writer::bytes_written() const { return impl_->bytes_written(); }
uint64_t Writer::estimated_size() const { return impl_->estimated_size(); }

}  // namespace bennu::hfile
