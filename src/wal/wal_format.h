// Constants of the file format, shared by reader and writer. Source: hbase-wal spec section 2.
#ifndef BENNU_SRC_WAL_WAL_FORMAT_H_
#define BENNU_SRC_WAL_WAL_FORMAT_H_

#include "bennu/bytes.h"

namespace bennu::wal {

inline constexpr ByteView kMagic = "PWAL";
inline constexpr ByteView kTrailerMagic = "LAWP";
inline constexpr size_t kTrailerTailSize = 8;  // int32 length of the message, magic

// HBase's readers refuse logs that name any other writer.
inline constexpr const char* kWriterClass = "ProtobufLogWriter";
inline constexpr const char* kAsyncWriterClass = "AsyncProtobufLogWriter";
inline constexpr const char* kCellCodecClass =
    "org.apache.hadoop.hbase.regionserver.wal.WALCellCodec";
// Phoenix's, whose cells have the same bytes.
inline constexpr const char* kIndexedCellCodecClass =
    "org.apache.hadoop.hbase.regionserver.wal.IndexedWALEditCodec";

// Larger keys and headers are taken for damage: a key holds a region, a table and a few numbers.
inline constexpr uint64_t kKeySizeMax = 1 << 20;
inline constexpr uint64_t kHeaderSizeMax = 1 << 20;

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_WAL_FORMAT_H_
