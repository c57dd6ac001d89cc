#include "src/hfile/inspect.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/hfile/cursor.h"

namespace bennu::hfile {

namespace {

std::string KeyText(ByteView flat_key) {
  Cell cell;
  cell.key = flat_key.data();
  cell.key_length = static_cast<uint32_t>(flat_key.size());
  return fmt::format("row={} family={} qualifier={} ts={} type={}", HexEncode(cell.row()),
                     cell.family(), HexEncode(cell.qualifier()), cell.timestamp(),
                     CellTypeText(cell.type()));
}

std::string CellLine(const Cell& cell) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", HexEncode(cell.row()), cell.family(),
                     HexEncode(cell.qualifier()), cell.timestamp(), CellTypeText(cell.type()),
                     cell.sequence_id, HexEncode(cell.tags_view()), HexEncode(cell.value_view()));
}

// As HBase's CompoundBloomFilter describes itself.
std::string BloomText(const BloomFilter& bloom) {
  const double filled = bloom.keys_max() == 0 ? 0.0
                                              : static_cast<double>(bloom.key_count()) /
                                                    static_cast<double>(bloom.keys_max());
  return fmt::format(
      "BloomSize: {}; No of Keys in bloom: {}; Max Keys for bloom: {}; Percentage filled: {:.0f}%; "
      "Number of chunks: {}; Comparator: {}",
      bloom.byte_size(), bloom.key_count(), bloom.keys_max(), std::nearbyint(100 * filled),
      bloom.chunk_count(), bloom.is_row_col() ? "CellComparatorImpl" : "ByteArrayComparator");
}

void TrailerLines(const Reader& reader, const LineSink& sink) {
  const Trailer& trailer = reader.trailer();
  const auto line = [&sink](std::string_view key, const auto& value) {
    sink(fmt::format("trailer.{}={}", key, value));
  };
  line("majorVersion", trailer.major_version);
  line("minorVersion", trailer.minor_version);
  line("size", kTrailerSize);
  line("fileInfoOffset", trailer.file_info_offset);
  line("loadOnOpenDataOffset", trailer.load_on_open_offset);
  line("uncompressedDataIndexSize", trailer.uncompressed_data_index_size);
  line("totalUncompressedBytes", trailer.total_uncompressed_bytes);
  line("dataIndexCount", trailer.data_index_count);
  line("metaIndexCount", trailer.meta_index_count);
  line("entryCount", trailer.entry_count);
  line("numDataIndexLevels", trailer.index_levels);
  line("firstDataBlockOffset", trailer.first_data_block_offset);
  line("lastDataBlockOffset", trailer.last_data_block_offset);
  line("compressionCodec", CompressionText(trailer.compression));
  line("comparatorClassName", ComparatorClassName(trailer.meta_order));
}

void ContextLines(const Reader& reader, const LineSink& sink) {
  sink(fmt::format("reader.dataBlockEncoding={}", EncodingText(reader.encoding())));
  sink(fmt::format("context.includesMvcc={}", reader.includes_mvcc()));
  sink(fmt::format("context.includesTags={}", reader.includes_tags()));
  sink(fmt::format("context.compressTags={}", reader.compresses_tags()));
  sink("context.useHBaseChecksum=true");
  // HBase's reader shows its own defaults here; what the file has stands with each block.
  sink("context.checksumType=CRC32C");
  sink("context.bytesPerChecksum=16384");
}

Status KeyLines(const Reader& reader, const LineSink& sink) {
  if (reader.empty()) {
    sink("key.error=java.io.IOException: HFile empty");
    return Status();
  }
  ASSIGN_OR_RETURN(const Bytes middle, reader.MidKey());
  sink("firstKey=" + KeyText(reader.first_key()));
  sink("lastKey=" + KeyText(reader.last_key()));
  sink("midKey=" + KeyText(middle));
  return Status();
}

Status MetaIndexLines(const Reader& reader, const LineSink& sink) {
  const IndexBlock& index = reader.meta_index();
  sink(fmt::format("metaIndex.rootCount={}", index.entry_count()));
  for (uint32_t i = 0; i < index.entry_count(); ++i) {
    const IndexBlock::Entry& entry = index.entry(i);
    sink(fmt::format("metaIndex.root.{}=offset:{},onDiskSize:{},key:{}", i, entry.offset,
                     entry.on_disk_size, ToStringBinary(index.key(i))));
  }
  for (uint32_t i = 0; i < index.entry_count(); ++i) {
    ASSIGN_OR_RETURN(const Bytes content, reader.ReadMetaBlock(index.key(i)));
    sink(fmt::format("metaBlock.{}=hex:{}", ToStringBinary(index.key(i)), HexEncode(content)));
  }
  return Status();
}

void RootIndexLines(const Reader& reader, const LineSink& sink) {
  const IndexBlock& index = reader.root_index();
  for (uint32_t i = 0; i < index.entry_count(); ++i) {
    const IndexBlock::Entry& entry = index.entry(i);
    sink(fmt::format("dataIndex.root.{}=offset:{},onDiskSize:{},key:{}", i, entry.offset,
                     entry.on_disk_size, HexEncode(index.key(i))));
  }
  sink("dataIndex.rootBlockTail=hex:" + HexEncode(index.tail()));
}

Status BlockLines(const Reader& reader, const LineSink& sink) {
  uint64_t offset = 0;
  uint64_t count = 0;
  while (offset < reader.file_size() - kTrailerSize) {
    ASSIGN_OR_RETURN(const RawBlock block, reader.ReadRawBlock(offset, 0));
    const BlockHeader& header = block.header;
    sink(fmt::format(
        "block.{}=offset:{},type:{},onDiskSizeWithHeader:{},"
        "uncompressedSizeWithoutHeader:{},prevBlockOffset:{},checksumType:{},"
        "bytesPerChecksum:{},onDiskDataSizeWithHeader:{}",
        count, offset, BlockTypeName(header.type), header.on_disk_size(), header.uncompressed_size,
        header.previous_offset, static_cast<int>(header.checksum_type), header.bytes_per_checksum,
        header.data_size_with_header));
    if (offset == reader.trailer().load_on_open_offset) RootIndexLines(reader, sink);
    offset += header.on_disk_size();
    ++count;
  }
  sink(fmt::format("block.count={}", count));
  return Status();
}

void BloomLines(const Reader& reader, const LineSink& sink) {
  if (const BloomFilter* bloom = reader.general_bloom(); bloom != nullptr) {
    sink(fmt::format("bloom.general.type={}", BloomTypeText(reader.bloom_type())));
    sink("bloom.general.toString=" + BloomText(*bloom));
    sink(fmt::format("bloom.general.totalKeyCount={}", bloom->key_count()));
    sink(fmt::format("bloom.general.totalByteSize={}", bloom->byte_size()));
    sink(fmt::format("bloom.general.hashCount={}", bloom->hash_count()));
    sink(fmt::format("bloom.general.hashType={}", static_cast<int>(bloom->hash_type())));
    sink(fmt::format("bloom.general.numChunks={}", bloom->chunk_count()));
    sink(fmt::format("bloom.general.totalMaxKeys={}", bloom->keys_max()));
  }
  if (const BloomFilter* bloom = reader.delete_family_bloom(); bloom != nullptr) {
    sink(fmt::format("bloom.deleteFamily.totalKeyCount={}", bloom->key_count()));
    sink(fmt::format("bloom.deleteFamily.totalByteSize={}", bloom->byte_size()));
    sink(fmt::format("bloom.deleteFamily.hashCount={}", bloom->hash_count()));
    sink(fmt::format("bloom.deleteFamily.numChunks={}", bloom->chunk_count()));
    sink("bloom.deleteFamily.toString=" + BloomText(*bloom));
  }
}

}  // namespace

std::string CellTypeText(CellType type) {
  switch (type) {
    case CellType::kMinimum: return "Minimum";
    case CellType::kMaximum: return "Maximum";
    default: return cell::TypeName(type);
  }
}

Status FormatCells(const std::shared_ptr<const Reader>& reader, const LineSink& sink) {
  sink("#row_hex\tfamily\tqualifier_hex\ttimestamp\ttype\tseqid\ttags_hex\tvalue_hex");
  Cursor cursor(reader, {.cache_blocks = false, .sequential = true});
  RETURN_IF_ERROR(cursor.SeekToFirst());
  while (cursor.Valid()) {
    sink(CellLine(cursor.cell()));
    RETURN_IF_ERROR(cursor.Next());
  }
  return Status();
}

Status FormatMeta(const Reader& reader, const LineSink& sink) {
  sink(fmt::format("file.length={}", reader.file_size()));
  TrailerLines(reader, sink);
  for (const auto& [key, value] : reader.file_info()) {
    sink(fmt::format("info.{}=hex:{}", ToStringBinary(key), HexEncode(value)));
  }
  ContextLines(reader, sink);
  RETURN_IF_ERROR(KeyLines(reader, sink));
  sink(fmt::format("dataIndex.rootCount={}", reader.root_index().entry_count()));
  RETURN_IF_ERROR(MetaIndexLines(reader, sink));
  RETURN_IF_ERROR(BlockLines(reader, sink));
  BloomLines(reader, sink);
  return Status();
}

}  // namespace bennu::hfile
