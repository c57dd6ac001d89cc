// The bytes of an HFile: block header, block types, trailer. Pure functions.
//
// A file is a row of blocks and a trailer of 4096 bytes:
//   scanned        data blocks, with leaf index and bloom chunk blocks between them
//   non-scanned    meta blocks, intermediate index blocks
//   load-on-open   root index of data, root index of meta, file info, bloom metadata
//   trailer
//
// Block header, 33 bytes, big-endian                      (HBase 2.5 HFileBlock.Header)
//   OFFSET SIZE
//        0    8  magic, such as "DATABLK*"
//        8    4  on-disk size without header, checksums included
//       12    4  uncompressed size without header, checksums excluded
//       16    8  offset of the previous block of this type, -1 if none
//       24    1  checksum type
//       25    4  bytes per checksum chunk
//       29    4  on-disk size with header, checksums excluded
// then the payload (compressed), then one 4-byte checksum per chunk of header and payload.
#ifndef BENNU_SRC_HFILE_FORMAT_H_
#define BENNU_SRC_HFILE_FORMAT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"

namespace bennu::hfile {

inline constexpr size_t kBlockHeaderSize = 33;
inline constexpr size_t kTrailerSize = 4096;
inline constexpr size_t kMagicSize = 8;
inline constexpr size_t kChecksumSize = 4;
inline constexpr uint32_t kIndexLevelsMax = 16;
// Before a protobuf message, as in the file info.
inline constexpr std::string_view kProtobufMagic = "PBUF";

enum class ChecksumType : uint8_t { kNull = 0, kCrc32 = 1, kCrc32c = 2 };
std::string_view ChecksumTypeName(ChecksumType type);  // "CRC32C" …

// As HBase writes them, such as "GZ", "FAST_DIFF", "ROWCOL".
std::string_view CompressionText(Compression compression);
std::string_view EncodingText(DataBlockEncoding encoding);
std::string_view BloomTypeText(BloomType type);
std::optional<DataBlockEncoding> EncodingOfText(std::string_view text);
std::optional<BloomType> BloomTypeOfText(std::string_view text);

enum class BlockType : uint8_t {
  kData,
  kEncodedData,
  kLeafIndex,
  kBloomChunk,
  kMeta,
  kIntermediateIndex,
  kRootIndex,
  kFileInfo,
  kGeneralBloomMeta,
  kDeleteFamilyBloomMeta,
};
inline constexpr size_t kBlockTypeCount = 10;
std::string_view BlockTypeName(BlockType type);  // "ENCODED_DATA" …
std::string_view BlockMagic(BlockType type);     // 8 bytes
std::optional<BlockType> BlockTypeOfMagic(ByteView magic);

struct BlockHeader {
  BlockType type = BlockType::kData;
  uint32_t on_disk_size_without_header = 0;  // checksums included
  uint32_t uncompressed_size = 0;            // of the payload
  int64_t previous_offset = -1;              // of the block of the same type before, -1 if none
  ChecksumType checksum_type = ChecksumType::kCrc32c;
  uint32_t bytes_per_checksum = 16384;
  uint32_t data_size_with_header = 0;  // header and payload on disk, no checksums

  uint32_t on_disk_size() const {
    return static_cast<uint32_t>(kBlockHeaderSize) + on_disk_size_without_header;
  }
};

// Reads 33 bytes and checks that the sizes agree with each other. Corruption otherwise; the message
// does not name the file, which the caller adds.
Result<BlockHeader> ParseBlockHeader(ByteView bytes);
void StoreBlockHeader(const BlockHeader& header, char* out);

// Count of checksums after 'data_size' bytes of header and payload.
inline size_t ChecksumCount(size_t data_size, size_t bytes_per_checksum) {
  return (data_size + bytes_per_checksum - 1) / bytes_per_checksum;
}
// Appends the checksums of 'data' (header and payload).
void AppendChecksums(ByteView data, ChecksumType type, uint32_t bytes_per_checksum, Bytes* out);
// 'block' is the whole block with checksums, 'header' its parsed header. Corruption: a chunk does
// not have its checksum; the message tells the chunk's offset in the block.
Status VerifyChecksums(const BlockHeader& header, ByteView block);

// A block's header and its payload, uncompressed.
struct RawBlock {
  BlockHeader header;
  std::unique_ptr<char[]> buffer;  // owns what payload points into
  ByteView payload;
  uint64_t offset = 0;  // in the file
};

struct Trailer {
  uint32_t major_version = 3;
  uint32_t minor_version = 3;
  uint64_t file_info_offset = 0;
  uint64_t load_on_open_offset = 0;
  uint64_t uncompressed_data_index_size = 0;
  uint64_t total_uncompressed_bytes = 0;
  uint32_t data_index_count = 0;  // root entries
  uint32_t meta_index_count = 0;
  uint64_t entry_count = 0;
  uint32_t index_levels = 1;
  int64_t first_data_block_offset = -1;  // -1: no data blocks
  int64_t last_data_block_offset = -1;
  std::string comparator;  // as stored
  bool meta_order = false;
  Compression compression = Compression::kNone;
};

// 'bytes' are the last 4096 of a file of 'file_size' bytes. Corruption: magic, version, offsets or
// counts that cannot be, an unknown comparator. NotSupported: encrypted, or another major version.
Result<Trailer> ParseTrailer(ByteView bytes, uint64_t file_size);
// Returns kTrailerSize bytes. 'comparator' is chosen by meta_order.
Bytes SerializeTrailer(const Trailer& trailer);

// Today's class name for a stored comparator name, as HBase reports it.
std::string_view ComparatorClassName(bool meta_order);

// File info keys.
inline constexpr std::string_view kInfoLastKey = "hfile.LASTKEY";
inline constexpr std::string_view kInfoAvgKeyLength = "hfile.AVG_KEY_LEN";
inline constexpr std::string_view kInfoAvgValueLength = "hfile.AVG_VALUE_LEN";
inline constexpr std::string_view kInfoCreateTime = "hfile.CREATE_TIME_TS";
inline constexpr std::string_view kInfoMaxTagsLength = "hfile.MAX_TAGS_LEN";
inline constexpr std::string_view kInfoTagsCompressed = "hfile.TAGS_COMPRESSED";
inline constexpr std::string_view kInfoKeyValueVersion = "KEY_VALUE_VERSION";
inline constexpr std::string_view kInfoMaxMemstoreTs = "MAX_MEMSTORE_TS_KEY";
inline constexpr std::string_view kInfoDataBlockEncoding = "DATA_BLOCK_ENCODING";
inline constexpr std::string_view kInfoMaxSequenceId = "MAX_SEQ_ID_KEY";
inline constexpr std::string_view kInfoMajorCompaction = "MAJOR_COMPACTION_KEY";
inline constexpr std::string_view kInfoTimeRange = "TIMERANGE";
inline constexpr std::string_view kInfoEarliestPutTs = "EARLIEST_PUT_TS";
inline constexpr std::string_view kInfoCompactionEvent = "COMPACTION_EVENT_KEY";
inline constexpr std::string_view kInfoBloomType = "BLOOM_FILTER_TYPE";
inline constexpr std::string_view kInfoBloomParam = "BLOOM_FILTER_PARAM";
inline constexpr std::string_view kInfoLastBloomKey = "LAST_BLOOM_KEY";
inline constexpr std::string_view kInfoDeleteFamilyCount = "DELETE_FAMILY_COUNT";
inline constexpr std::string_view kInfoHistorical = "HISTORICAL";
inline constexpr std::string_view kInfoBulkLoadTime = "BULKLOAD_TIMESTAMP";
inline constexpr std::string_view kInfoBulkLoadTask = "BULKLOAD_SOURCE_TASK";
inline constexpr std::string_view kInfoSkipResetSequenceId = "SKIP_RESET_SEQ_ID";

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_FORMAT_H_
