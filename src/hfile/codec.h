// Compression of block payloads, in the framings that Hadoop's codecs use.
//
//   GZ      one gzip member per block
//   SNAPPY, LZ4   Hadoop's block stream: `int raw length, (int compressed length, raw block)+`
//   until
//           the raw length is reached; may repeat
//   ZSTD    plain frames (Hadoop's own codec), which is what is written; on reading also the block
//           stream framing (HBase's Java codecs)
// Thread-safe; contexts are kept per thread.
#ifndef BENNU_SRC_HFILE_CODEC_H_
#define BENNU_SRC_HFILE_CODEC_H_

#include <cstddef>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"

namespace bennu::hfile {

// OK when Bennu reads and writes it; NotSupported, naming it, otherwise.
Status CheckCompression(Compression compression);

// The most bytes that 'compressed_size' bytes can hold; a header that claims more is damaged.
uint64_t UncompressedSizeMax(Compression compression, uint64_t compressed_size);

// Fills out[0, out_size). Corruption: the input is damaged or does not hold exactly that many
// bytes.
Status Decompress(Compression compression, ByteView in, char* out, size_t out_size);

// The same where nobody tells the size: appends what 'in' holds, 'size_max' bytes at most. GZ takes
// a zlib stream, too. Not for ZSTD.
Status DecompressUnsized(Compression compression, ByteView in, size_t size_max, Bytes* out);

// Appends the compressed form of 'in'. Internal: the library refused.
Status Compress(Compression compression, ByteView in, Bytes* out);

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_CODEC_H_
