#include "src/hfile/format.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "proto/hfile.pb.h"
#include "src/base/coding.h"
#include "src/base/crc32.h"
#include "src/base/status_macros.h"

namespace bennu::hfile {

namespace {

struct BlockTypeFacts {
  std::string_view name;
  std::string_view magic;
};

// In the order of BlockType.
constexpr std::array<BlockTypeFacts, kBlockTypeCount> kBlockTypes = {{
    {"DATA", "DATABLK*"},
    {"ENCODED_DATA", "DATABLKE"},
    {"LEAF_INDEX", "IDXLEAF2"},
    {"BLOOM_CHUNK", "BLMFBLK2"},
    {"META", "METABLKc"},
    {"INTERMEDIATE_INDEX", "IDXINTE2"},
    {"ROOT_INDEX", "IDXROOT2"},
    {"FILE_INFO", "FILEINF2"},
    {"GENERAL_BLOOM_META", "BLMFMET2"},
    {"DELETE_FAMILY_BLOOM_META", "DFBLMET2"},
}};

constexpr std::string_view kTrailerMagic = "TRABLK\"$";

// Names under which HBase 2 finds the two orders of cells; the first of each is what it writes.
constexpr std::array<std::string_view, 3> kNormalComparators = {
    "org.apache.hadoop.hbase.KeyValue$KVComparator", "org.apache.hadoop.hbase.CellComparatorImpl",
    "org.apache.hadoop.hbase.KeyValue$KeyComparator"};
constexpr std::array<std::string_view, 4> kMetaComparators = {
    "org.apache.hadoop.hbase.KeyValue$MetaComparator", "org.apache.hadoop.hbase.MetaCellComparator",
    "org.apache.hadoop.hbase.CellComparatorImpl$MetaCellComparator",
    "org.apache.hadoop.hbase.KeyValue$MetaKeyComparator"};

template <size_t N>
bool Contains(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::string_view known : names) {
    if (known == name) return true;
  }
  return false;
}

uint32_t Checksum(ByteView chunk, ChecksumType type) {
  switch (type) {
    case ChecksumType::kNull: return 0;
    case ChecksumType::kCrc32: return Crc32(chunk);
    case ChecksumType::kCrc32c: return Crc32c(chunk);
  }
  return 0;
}

}  // namespace

std::string_view ChecksumTypeName(ChecksumType type) {
  switch (type) {
    case ChecksumType::kNull: return "NULL";
    case ChecksumType::kCrc32: return "CRC32";
    case ChecksumType::kCrc32c: return "CRC32C";
  }
  return "?";
}

std::string_view CompressionText(Compression compression) {
  constexpr std::array<std::string_view, 9> kNames = {"LZO",   "GZ",   "NONE", "SNAPPY", "LZ4",
                                                      "BZIP2", "ZSTD", "LZMA", "BROTLI"};
  const size_t id = static_cast<size_t>(compression);
  return id < kNames.size() ? kNames[id] : "?";
}

std::string_view EncodingText(DataBlockEncoding encoding) {
  switch (encoding) {
    case DataBlockEncoding::kNone: return "NONE";
    case DataBlockEncoding::kPrefix: return "PREFIX";
    case DataBlockEncoding::kDiff: return "DIFF";
    case DataBlockEncoding::kFastDiff: return "FAST_DIFF";
    case DataBlockEncoding::kRowIndexV1: return "ROW_INDEX_V1";
  }
  return "?";
}

std::string_view BloomTypeText(BloomType type) {
  switch (type) {
    case BloomType::kNone: return "NONE";
    case BloomType::kRow: return "ROW";
    case BloomType::kRowCol: return "ROWCOL";
    case BloomType::kRowPrefixFixedLength: return "ROWPREFIX_FIXED_LENGTH";
  }
  return "?";
}

std::optional<DataBlockEncoding> EncodingOfText(std::string_view text) {
  for (const DataBlockEncoding encoding :
       {DataBlockEncoding::kNone, DataBlockEncoding::kPrefix, DataBlockEncoding::kDiff,
        DataBlockEncoding::kFastDiff, DataBlockEncoding::kRowIndexV1}) {
    if (EncodingText(encoding) == text) return encoding;
  }
  return std::nullopt;
}

std::optional<BloomType> BloomTypeOfText(std::string_view text) {
  for (const BloomType type :
       {BloomType::kNone, BloomType::kRow, BloomType::kRowCol, BloomType::kRowPrefixFixedLength}) {
    if (BloomTypeText(type) == text) return type;
  }
  return std::nullopt;
}

std::string_view BlockTypeName(BlockType type) {
  return kBlockTypes[static_cast<size_t>(type)].name;
}

std::string_view BlockMagic(BlockType type) { return kBlockTypes[static_cast<size_t>(type)].magic; }

std::optional<BlockType> BlockTypeOfMagic(ByteView magic) {
  for (size_t i = 0; i < kBlockTypes.size(); ++i) {
    if (kBlockTypes[i].magic == magic) return static_cast<BlockType>(i);
  }
  return std::nullopt;
}

Result<BlockHeader> ParseBlockHeader(ByteView bytes) {
  if (bytes.size() < kBlockHeaderSize) {
    return Corruption(fmt::format("{} bytes are too few for a block header", bytes.size()));
  }
  const std::optional<BlockType> type = BlockTypeOfMagic(bytes.substr(0, kMagicSize));
  if (!type.has_value()) return Corruption("no block starts here: unknown magic");
  BlockHeader header;
  header.type = *type;
  header.on_disk_size_without_header = LoadBE32(bytes.data() + 8);
  header.uncompressed_size = LoadBE32(bytes.data() + 12);
  header.previous_offset = static_cast<int64_t>(LoadBE64(bytes.data() + 16));
  const uint8_t checksum_type = static_cast<uint8_t>(bytes[24]);
  header.bytes_per_checksum = LoadBE32(bytes.data() + 25);
  header.data_size_with_header = LoadBE32(bytes.data() + 29);
  if (checksum_type > static_cast<uint8_t>(ChecksumType::kCrc32c)) {
    return Corruption(fmt::format("unknown checksum type {} in the block header", checksum_type));
  }
  header.checksum_type = static_cast<ChecksumType>(checksum_type);
  constexpr uint32_t kSizeMax = INT32_MAX;
  const uint64_t data_size = header.data_size_with_header;
  if (header.bytes_per_checksum < kBlockHeaderSize || header.bytes_per_checksum > kSizeMax ||
      data_size < kBlockHeaderSize || data_size > kSizeMax || header.uncompressed_size > kSizeMax ||
      uint64_t{header.on_disk_size_without_header} + kBlockHeaderSize !=
          data_size + kChecksumSize * ChecksumCount(data_size, header.bytes_per_checksum)) {
    return Corruption(
        fmt::format("sizes in the block header disagree: on disk {}, uncompressed {}, with header "
                    "{}, bytes per "
                    "checksum {}",
                    header.on_disk_size_without_header, header.uncompressed_size,
                    header.data_size_with_header, header.bytes_per_checksum));
  }
  return header;
}

void StoreBlockHeader(const BlockHeader& header, char* out) {
  std::memcpy(out, BlockMagic(header.type).data(), kMagicSize);
  StoreBE32(out + 8, header.on_disk_size_without_header);
  StoreBE32(out + 12, header.uncompressed_size);
  StoreBE64(out + 16, static_cast<uint64_t>(header.previous_offset));
  out[24] = static_cast<char>(header.checksum_type);
  StoreBE32(out + 25, header.bytes_per_checksum);
  StoreBE32(out + 29, header.data_size_with_header);
}

void AppendChecksums(ByteView data, ChecksumType type, uint32_t bytes_per_checksum, Bytes* out) {
  for (size_t start = 0; start < data.size(); start += bytes_per_checksum) {
    AppendBE32(out, Checksum(data.substr(start, bytes_per_checksum), type));
  }
}

// A block without checksums has zeros in their place. Others mean that it has some, and the type is
// what changed.
Status VerifyChecksums(const BlockHeader& header, ByteView block) {
  const ByteView data = block.substr(0, header.data_size_with_header);
  const char* stored = block.data() + header.data_size_with_header;
  for (size_t start = 0; start < data.size(); start += header.bytes_per_checksum) {
    const uint32_t computed =
        Checksum(data.substr(start, header.bytes_per_checksum), header.checksum_type);
    if (computed != LoadBE32(stored)) {
      return Corruption(fmt::format(
          "{} of the {} block does not match at byte {} of it: stored {:08x}, computed {:08x}; the "
          "file is damaged, take it from a backup or a replica",
          ChecksumTypeName(header.checksum_type), BlockTypeName(header.type), start,
          LoadBE32(stored), computed));
    }
    stored += kChecksumSize;
  }
  return Status();
}

std::string_view ComparatorClassName(bool meta_order) {
  return meta_order ? kMetaComparators[1] : kNormalComparators[1];
}

namespace {

Status CheckVersion(uint32_t version) {
  const uint32_t major = version & 0xffffff;
  const uint32_t minor = version >> 24;
  if (major == 3 && minor <= 3) return Status();
  // Not one of HBase 2; a damaged number would hardly be so near.
  if (major > 3 && major < 16) {
    return NotSupported(fmt::format(
        "HFile version {}.{}, which is later than 3; rewrite the file as version 3 with "
        "the program that wrote it",
        major, minor));
  }
  if (major == 0 || major > 3 || minor > 3) {
    return Corruption(fmt::format("unknown HFile version {}.{}", major, minor));
  }
  return NotSupported(fmt::format(
      "HFile version {}.{}; rewrite the file with HBase 1.0 or later (major compaction)", major,
      minor));
}

Status CheckOffsets(const Trailer& trailer, uint64_t file_size) {
  const uint64_t end = file_size - kTrailerSize;
  const bool has_data = trailer.first_data_block_offset >= 0;
  if (trailer.load_on_open_offset > end || trailer.file_info_offset > end ||
      trailer.file_info_offset < trailer.load_on_open_offset || trailer.index_levels < 1 ||
      trailer.index_levels > kIndexLevelsMax ||
      (has_data &&
       (trailer.last_data_block_offset < trailer.first_data_block_offset ||
        static_cast<uint64_t>(trailer.last_data_block_offset) >= trailer.load_on_open_offset)) ||
      has_data != (trailer.entry_count > 0) || has_data != (trailer.data_index_count > 0)) {
    return Corruption("offsets or counts in the trailer are impossible");
  }
  return Status();
}

Status TakeProto(const pb::FileTrailerProto& proto, Trailer* trailer) {
  trailer->file_info_offset = proto.file_info_offset();
  trailer->load_on_open_offset = proto.load_on_open_data_offset();
  trailer->uncompressed_data_index_size = proto.uncompressed_data_index_size();
  trailer->total_uncompressed_bytes = proto.total_uncompressed_bytes();
  trailer->data_index_count = proto.data_index_count();
  trailer->meta_index_count = proto.meta_index_count();
  trailer->entry_count = proto.entry_count();
  trailer->index_levels = proto.num_data_index_levels();
  trailer->first_data_block_offset = static_cast<int64_t>(proto.first_data_block_offset());
  trailer->last_data_block_offset = static_cast<int64_t>(proto.last_data_block_offset());
  trailer->comparator = proto.comparator_class_name();
  if (proto.has_encryption_key() && !proto.encryption_key().empty()) {
    return NotSupported("the file is encrypted; rewrite it unencrypted with HBase");
  }
  const uint32_t codec = proto.has_compression_codec() ? proto.compression_codec()
                                                       : static_cast<uint32_t>(Compression::kNone);
  if (codec > static_cast<uint32_t>(Compression::kBrotli)) {
    return Corruption(fmt::format("unknown compression {} in the trailer", codec));
  }
  trailer->compression = static_cast<Compression>(codec);
  trailer->meta_order = Contains(kMetaComparators, trailer->comparator);
  if (!trailer->meta_order && !Contains(kNormalComparators, trailer->comparator)) {
    return Corruption(fmt::format("unknown comparator '{}' in the trailer", trailer->comparator));
  }
  return Status();
}

}  // namespace

Result<Trailer> ParseTrailer(ByteView bytes, uint64_t file_size) {
  if (bytes.size() != kTrailerSize || file_size < kTrailerSize) {
    return Corruption("shorter than a trailer: no HFile, or one that was not completed");
  }
  const uint32_t version = LoadBE32(bytes.data() + kTrailerSize - 4);
  if (bytes.substr(0, kMagicSize) != kTrailerMagic) {
    return Corruption(
        "no trailer at the end: no HFile of version 3, or one that was not completed");
  }
  RETURN_IF_ERROR(CheckVersion(version));
  ByteView rest = bytes.substr(kMagicSize, kTrailerSize - kMagicSize - 4);
  uint32_t length;
  ByteView message;
  pb::FileTrailerProto proto;
  if (!ConsumeVarint32(&rest, &length) || !ConsumeBytes(&rest, length, &message) ||
      !proto.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    return Corruption("the trailer's message does not parse");
  }
  Trailer trailer;
  trailer.major_version = version & 0xffffff;
  trailer.minor_version = version >> 24;
  RETURN_IF_ERROR(TakeProto(proto, &trailer));
  RETURN_IF_ERROR(CheckOffsets(trailer, file_size));
  return trailer;
}

Bytes SerializeTrailer(const Trailer& trailer) {
  pb::FileTrailerProto proto;
  proto.set_file_info_offset(trailer.file_info_offset);
  proto.set_load_on_open_data_offset(trailer.load_on_open_offset);
  proto.set_uncompressed_data_index_size(trailer.uncompressed_data_index_size);
  proto.set_total_uncompressed_bytes(trailer.total_uncompressed_bytes);
  proto.set_data_index_count(trailer.data_index_count);
  proto.set_meta_index_count(trailer.meta_index_count);
  proto.set_entry_count(trailer.entry_count);
  proto.set_num_data_index_levels(trailer.index_levels);
  proto.set_first_data_block_offset(static_cast<uint64_t>(trailer.first_data_block_offset));
  proto.set_last_data_block_offset(static_cast<uint64_t>(trailer.last_data_block_offset));
  proto.set_comparator_class_name(
      std::string(trailer.meta_order ? kMetaComparators[0] : kNormalComparators[0]));
  proto.set_compression_codec(static_cast<uint32_t>(trailer.compression));
  const std::string message = proto.SerializeAsString();
  Bytes out(kTrailerMagic);
  AppendVarint(&out, message.size());
  out += message;
  out.resize(kTrailerSize - 4, '\0');
  AppendBE32(&out, (trailer.minor_version << 24) | trailer.major_version);
  return out;
}

}  // namespace bennu::hfile
