#include "src/check/salvage.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/engine/store/store_file.h"
#include "src/hfile/codec.h"
#include "src/hfile/data_block.h"
#include "src/hfile/raw_block.h"
#include "src/hfile/reader.h"
#include "src/hfile/writer.h"
#include "src/wal/wal_reader.h"
#include "src/wal/wal_writer.h"

namespace bennu::check {

namespace {

constexpr uint64_t kSearchStep = 1 << 20;

// In the order in which they are tried on a file that cannot tell.
constexpr Compression kCompressions[] = {Compression::kNone, Compression::kSnappy,
                                         Compression::kLz4, Compression::kZstd, Compression::kGz};

// The data blocks of a file, front to back, found by their magic and their checksum alone.
class BlockFinder {
 public:
  BlockFinder(const RandomAccessFile& file, uint64_t end, std::optional<Compression> compression)
      : file_(file), end_(end), compression_(compression) {}

  // The next block of any type that is sound; nothing at the end. '*skipped' is set when bytes
  // before it are no block.
  Result<std::optional<hfile::RawBlock>> Next(bool* skipped) {
    while (offset_ < end_) {
      auto block = ReadAt(offset_);
      if (block.ok()) {
        offset_ += block->header.on_disk_size();
        return std::optional<hfile::RawBlock>(std::move(block).value());
      }
      if (block.status().code() == StatusCode::kIoError) return std::move(block).status();
      *skipped = true;
      ASSIGN_OR_RETURN(offset_, FindMagic(offset_ + 1));
    }
    return std::optional<hfile::RawBlock>();
  }

  Compression compression() const { return compression_.value_or(Compression::kNone); }

 private:
  Result<hfile::RawBlock> ReadAt(uint64_t offset) {
    if (end_ - offset < hfile::kBlockHeaderSize) return Corruption("too short");
    char bytes[hfile::kBlockHeaderSize];
    RETURN_IF_ERROR(file_.ReadExact(offset, sizeof(bytes), bytes));
    ASSIGN_OR_RETURN(const hfile::BlockHeader header,
                     hfile::ParseBlockHeader(ByteView(bytes, sizeof(bytes))));
    if (header.on_disk_size() > end_ - offset) return Corruption("too long");
    if (compression_.has_value()) return Decode(offset, header.on_disk_size(), *compression_);
    for (const Compression compression : kCompressions) {
      auto block = Decode(offset, header.on_disk_size(), compression);
      if (!block.ok()) continue;
      // Some small blocks fit several; one with data decides.
      if (block->payload.size() >= 64) compression_ = compression;
      return block;
    }
    return Corruption("no compression fits");
  }

  Result<hfile::RawBlock> Decode(uint64_t offset, uint64_t size, Compression compression) const {
    std::unique_ptr<char[]> bytes(new char[size]);
    RETURN_IF_ERROR(file_.ReadExact(offset, size, bytes.get()));
    return hfile::DecodeRawBlock(std::move(bytes), size, offset, compression, /*verify=*/true);
  }

  Result<uint64_t> FindMagic(uint64_t from) const {
    while (from + hfile::kMagicSize <= end_) {
      Bytes window(std::min(kSearchStep, end_ - from), '\0');
      RETURN_IF_ERROR(file_.ReadExact(from, window.size(), window.data()));
      for (size_t i = 0; i + hfile::kMagicSize <= window.size(); ++i) {
        if (hfile::BlockTypeOfMagic(ByteView(window).substr(i, hfile::kMagicSize))) return from + i;
      }
      from += window.size() - hfile::kMagicSize + 1;
    }
    return end_;
  }

  const RandomAccessFile& file_;
  const uint64_t end_;  // where the trailer begins, or would
  std::optional<Compression> compression_;
  uint64_t offset_ = 0;
};

// How cells are laid out in a file whose file info is lost: tried until the blocks parse.
std::vector<hfile::DataBlockFormat> LikelyFormats(bool meta_order) {
  std::vector<hfile::DataBlockFormat> formats;
  for (const bool mvcc : {true, false}) {
    formats.push_back({mvcc, false, false, meta_order});
    formats.push_back({mvcc, true, false, meta_order});
    formats.push_back({mvcc, true, true, meta_order});
  }
  return formats;
}

uint64_t EndOfBlocks(const RandomAccessFile& file) {
  return file.size() >= hfile::kTrailerSize ? file.size() - hfile::kTrailerSize : file.size();
}

bool IsData(hfile::BlockType type) {
  return type == hfile::BlockType::kData || type == hfile::BlockType::kEncodedData;
}

class HFileSalvage {
 public:
  HFileSalvage(Env* env, const std::string& from, const std::string& to,
               const SalvageOptions& options)
      : env_(env), from_(from), to_(to), options_(options) {}

  Result<Salvaged> Run() {
    const auto opened = env_->OpenForRead(from_);
    if (opened.status().code() == StatusCode::kCorruption) {  // no file at all (shape_env.h)
      result_.lost.emplace_back("cells, all of the file");
      return result_;
    }
    RETURN_IF_ERROR(opened.status());
    const auto& file = *opened;
    RETURN_IF_ERROR(LearnFacts(*file));
    BlockFinder finder(*file, EndOfBlocks(*file), compression_);
    while (true) {
      ASSIGN_OR_RETURN(auto block, finder.Next(&gap_));
      if (!block.has_value()) break;
      if (!IsData(block->header.type)) continue;
      RETURN_IF_ERROR(TakeBlock(std::move(block).value(), finder.compression()));
    }
    return Finish();
  }

 private:
  // What the file still tells of itself.
  Status LearnFacts(const RandomAccessFile& file) {
    facts_.max_sequence_id = options_.max_sequence_id;
    writer_options_.meta_order = options_.meta_order;
    writer_options_.bloom = options_.meta_order ? BloomType::kRowCol : BloomType::kRow;
    formats_ = LikelyFormats(options_.meta_order);
    if (file.size() >= hfile::kTrailerSize) {
      Bytes bytes(hfile::kTrailerSize, '\0');
      RETURN_IF_ERROR(
          file.ReadExact(file.size() - hfile::kTrailerSize, bytes.size(), bytes.data()));
      if (const auto trailer = hfile::ParseTrailer(bytes, file.size()); trailer.ok()) {
        // One that is not here is tried as if it were not told.
        if (hfile::CheckCompression(trailer->compression).ok()) {
          compression_ = trailer->compression;
        }
        entry_count_ = trailer->entry_count;
      }
    }
    const auto opened = hfile::Reader::Open(env_, from_, nullptr);
    if (!opened.ok()) return Status::Ok();
    const hfile::Reader& reader = **opened;
    formats_ = {{reader.includes_mvcc(), reader.includes_tags(), reader.compresses_tags(),
                 options_.meta_order}};
    if (reader.max_sequence_id() != 0) facts_.max_sequence_id = reader.max_sequence_id();
    facts_.major_compaction = reader.is_major_compaction();
    writer_options_.include_mvcc = reader.includes_mvcc();
    writer_options_.bloom = reader.bloom_type();
    writer_options_.bloom_prefix_length = reader.bloom_prefix_length();
    if (const auto time = reader.Info(hfile::kInfoBulkLoadTime)) bulk_load_time_ = Bytes(*time);
    return Status::Ok();
  }

  Result<std::shared_ptr<const hfile::Block>> Decode(const hfile::RawBlock& raw) {
    Status problem;
    for (size_t i = 0; i < formats_.size(); ++i) {
      hfile::RawBlock copy;
      copy.header = raw.header;
      copy.offset = raw.offset;
      copy.buffer = std::unique_ptr<char[]>(new char[raw.payload.size() + 1]);
      std::copy(raw.payload.begin(), raw.payload.end(), copy.buffer.get());
      copy.payload = ByteView(copy.buffer.get(), raw.payload.size());
      auto block = hfile::DecodeDataBlock(std::move(copy), formats_[i]);
      if (block.ok()) {
        formats_ = {formats_[i]};
        return block;
      }
      problem = block.status();
    }
    return problem;
  }

  Status TakeBlock(hfile::RawBlock raw, Compression compression) {
    const DataBlockEncoding encoding = EncodingOf(raw);
    const auto block = Decode(raw);
    if (!block.ok() || !Follows((*block)->KeyAt(0))) {
      gap_ = true;
      return Status::Ok();
    }
    if (writer_ == nullptr) {
      writer_options_.encoding = encoding;
      writer_options_.compression = compression;
      writer_options_.include_mvcc = formats_.front().includes_mvcc;
      writer_options_.include_tags = formats_.front().includes_tags;
      writer_options_.compress_tags = formats_.front().compresses_tags;
      writer_options_.create_time_ms = env_->NowMillis();
      ASSIGN_OR_RETURN(writer_, hfile::Writer::Create(env_, to_, writer_options_));
    }
    const hfile::Block& cells = **block;
    if (std::exchange(gap_, false)) gaps_.push_back({last_row_, Bytes(cells.RowAt(0))});
    for (uint32_t i = 0; i < cells.cell_count(); ++i) RETURN_IF_ERROR(Take(cells.CellAt(i)));
    last_key_.assign(cells.KeyAt(cells.cell_count() - 1));
    last_row_.assign(cells.RowAt(cells.cell_count() - 1));
    return Status::Ok();
  }

  static DataBlockEncoding EncodingOf(const hfile::RawBlock& raw) {
    if (raw.header.type != hfile::BlockType::kEncodedData || raw.payload.size() < 2) {
      return DataBlockEncoding::kNone;
    }
    return static_cast<DataBlockEncoding>(LoadBE16(raw.payload.data()));
  }

  bool Follows(ByteView key) const {
    if (last_key_.empty()) return true;
    return (options_.meta_order ? cell::CompareMetaFlatKeys(last_key_, key)
                                : cell::CompareFlatKeys(last_key_, key)) <= 0;
  }

  Status Take(const Cell& cell) {
    if (options_.rows.has_value()) {
      const RowRange& rows = *options_.rows;
      if (cell.row() < ByteView(rows.start) ||
          (!rows.stop.empty() && cell.row() >= ByteView(rows.stop))) {
        ++outside_;
        return Status::Ok();
      }
    }
    ++result_.cells;
    markers_ += IsDelete(cell.type()) ? 1 : 0;
    if (rows_ == 0 || counted_row_ != cell.row()) {
      ++rows_;
      counted_row_.assign(cell.row());
    }
    facts_.max_sequence_id = std::max(facts_.max_sequence_id, cell.sequence_id);
    return writer_->Append(cell);
  }

  Result<Salvaged> Finish() {
    if (gap_) gaps_.push_back({last_row_, Bytes()});
    TellLosses();
    if (writer_ == nullptr) return result_;
    if (result_.cells == 0) {
      writer_.reset();
      RETURN_IF_ERROR(env_->RemoveFile(to_));
      return result_;
    }
    Bytes number;
    AppendBE64(&number, markers_);
    RETURN_IF_ERROR(writer_->AppendFileInfo(engine::kDeleteMarkerCountKey, number));
    number.clear();
    AppendBE64(&number, rows_);
    RETURN_IF_ERROR(writer_->AppendFileInfo(engine::kRowCountKey, number));
    if (!bulk_load_time_.empty()) {
      RETURN_IF_ERROR(writer_->AppendFileInfo(hfile::kInfoBulkLoadTime, bulk_load_time_));
    }
    RETURN_IF_ERROR(writer_->Finish(facts_).status());
    result_.has_file = true;
    return result_;
  }

  void TellLosses() {
    if (outside_ > 0) {
      result_.lost.push_back(fmt::format("{} cells of rows that are not the region's", outside_));
    }
    const uint64_t read = result_.cells + outside_;
    if (entry_count_.has_value() && *entry_count_ <= read) return;  // a gap in other blocks
    const std::string count =
        entry_count_.has_value()
            ? fmt::format("{} of {} cells", *entry_count_ - read, *entry_count_)
            : std::string("cells");
    if (read == 0) {
      result_.lost.push_back(count + ", all of the file");
      return;
    }
    for (const auto& [after, before] : gaps_) {
      if (!entry_count_.has_value() && before.empty()) continue;  // as likely the index
      std::string range =
          after.empty() ? "from the file's start" : "from row '" + ToStringBinary(after) + "' on";
      range +=
          before.empty() ? " to the file's end" : ", up to row '" + ToStringBinary(before) + "'";
      result_.lost.push_back(fmt::format("{}, {}", count, range));
    }
  }

  Env* const env_;
  const std::string from_;
  const std::string to_;
  const SalvageOptions& options_;
  std::optional<Compression> compression_;
  std::optional<uint64_t> entry_count_;
  std::vector<hfile::DataBlockFormat> formats_;
  hfile::WriterOptions writer_options_;
  hfile::StoreFileFacts facts_;
  Bytes bulk_load_time_;
  std::unique_ptr<hfile::Writer> writer_;
  Salvaged result_;
  std::vector<std::pair<Bytes, Bytes>> gaps_;  // the last row before, the first after
  bool gap_ = false;
  Bytes last_key_;
  Bytes last_row_;
  Bytes counted_row_;
  uint64_t rows_ = 0;
  uint64_t markers_ = 0;
  uint64_t outside_ = 0;
};

}  // namespace

Result<Salvaged> SalvageHFile(Env* env, const std::string& from, const std::string& to,
                              const SalvageOptions& options) {
  return HFileSalvage(env, from, to, options).Run();
}

Result<bool> HasReadableBlock(Env* env, const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, env->OpenForRead(path));
  BlockFinder finder(*file, EndOfBlocks(*file), std::nullopt);
  bool skipped = false;
  while (true) {
    ASSIGN_OR_RETURN(const auto block, finder.Next(&skipped));
    if (!block.has_value()) return false;
    if (IsData(block->header.type)) return true;
  }
}

Result<SalvagedLog> SalvageLog(Env* env, const std::string& from, const std::string& to) {
  wal::WalReadOptions options;
  options.skip_damage = true;
  SalvagedLog result;
  auto reader = wal::WalReader::Open(env, from, options);
  if (!reader.ok()) {
    // Not even a header: nothing of it can be read.
    if (reader.status().code() != StatusCode::kCorruption) return std::move(reader).status();
    ASSIGN_OR_RETURN(result.skipped_bytes, env->FileSize(from));
    return result;
  }
  ASSIGN_OR_RETURN(auto writer, wal::WalFileWriter::Create(env, to));
  wal::WalEntry entry;
  Bytes bytes;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, (*reader)->Next(&entry));
    if (!more) break;
    bytes.clear();
    wal::AppendWalEntry(&bytes, entry.key, entry.cells, entry.cell_count);
    RETURN_IF_ERROR(writer->Append(bytes));
    ++result.entries;
  }
  result.skipped_bytes = (*reader)->skipped_bytes();
  RETURN_IF_ERROR(writer->Close());
  return result;
}

}  // namespace bennu::check
