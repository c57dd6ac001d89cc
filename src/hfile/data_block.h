// Data blocks on disk to Block: the five encodings, read.
//
// Payload of a block of type DATA                        (encoding NONE)
//   cells of `int key length, int value length, key, value`, then the tail
// Payload of a block of type ENCODED_DATA
//   short encoding id, then by encoding
//   PREFIX 2     `int unencoded size`, cells of `varint key length - common, varint value length,
//                varint common, key from common on, value`, tail
//   DIFF 3       `int unencoded size, byte family length, family`, cells of `byte flags, [varint
//   key
//                length], [varint value length], varint common, rest of row and qualifier,
//                timestamp or its difference (1..8 bytes, little-endian), [byte type], value`, tail
//   FAST_DIFF 4  `int unencoded size`, cells of `byte flags, [varint key length], [varint value
//                length], varint common, rest of row and qualifier, last 8 - p bytes of the
//                timestamp, [byte type], [value]`, tail
//   ROW_INDEX_V1 7   cells as NONE, `int rows, int row offset[rows], int bytes of cells`
// Tail: tags if the file has them (NONE, ROW_INDEX_V1: short length, bytes; others: varint length,
// bytes or dictionary references), then `vlong sequence id` if the file has them.
// Source: HBase 2.5 NoOpDataBlockEncoder and org.apache.hadoop.hbase.io.encoding.
#ifndef BENNU_SRC_HFILE_DATA_BLOCK_H_
#define BENNU_SRC_HFILE_DATA_BLOCK_H_

#include <memory>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/hfile/block.h"
#include "src/hfile/format.h"

namespace bennu::hfile {

// DIFF's flags.
inline constexpr uint8_t kDiffSameKeyLength = 0x01;
inline constexpr uint8_t kDiffSameValueLength = 0x02;
inline constexpr uint8_t kDiffSameType = 0x04;
inline constexpr uint8_t kDiffTimestampIsDiff = 0x08;
inline constexpr uint8_t kDiffTimestampLengthMask = 0x70;
inline constexpr int kDiffTimestampLengthShift = 4;
inline constexpr uint8_t kDiffTimestampNegated = 0x80;
// FAST_DIFF's flags.
inline constexpr uint8_t kFastDiffTimestampPrefixMask = 0x07;
inline constexpr uint8_t kFastDiffSameKeyLength = 0x08;
inline constexpr uint8_t kFastDiffSameValueLength = 0x10;
inline constexpr uint8_t kFastDiffSameType = 0x20;
inline constexpr uint8_t kFastDiffSameValue = 0x40;

struct DataBlockFormat {
  bool includes_mvcc = false;
  bool includes_tags = false;
  bool compresses_tags = false;
  bool meta_order = false;
};

// Takes an uncompressed block of type DATA or ENCODED_DATA. Corruption: it does not parse, or a key
// in it is malformed; the message tells where in the block.
Result<std::shared_ptr<const Block>> DecodeDataBlock(RawBlock raw, const DataBlockFormat& format);

// Takes a piece of a block whose cells stand on disk as in memory: 'size' bytes from 'offset' of
// the file on, whole cells.
Result<std::shared_ptr<const Block>> DecodePiece(std::unique_ptr<char[]> bytes, size_t size,
                                                 uint64_t offset, const DataBlockFormat& format);

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_DATA_BLOCK_H_
