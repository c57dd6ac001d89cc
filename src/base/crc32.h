// The two checksums of HBase's formats. Pure functions, thread-safe.
//
// Both take the checksum of the bytes before as 'seed', so that a run of buffers can be summed
// piece by piece: Crc32c(b, Crc32c(a)) == Crc32c(a + b).
#ifndef BENNU_SRC_BASE_CRC32_H_
#define BENNU_SRC_BASE_CRC32_H_

#include <cstdint>

#include "bennu/bytes.h"

namespace bennu {

// CRC-32C (Castagnoli), HFile's ChecksumType.CRC32C. Uses the processor's instruction if there is
// one.
uint32_t Crc32c(ByteView data, uint32_t seed = 0);

// CRC-32 as in zlib and java.util.zip.CRC32, HFile's ChecksumType.CRC32.
uint32_t Crc32(ByteView data, uint32_t seed = 0);

namespace internal {
// The table-driven form of Crc32c, for tests that compare the two.
uint32_t Crc32cPortable(ByteView data, uint32_t seed);
}  // namespace internal

}  // namespace bennu

#endif  // BENNU_SRC_BASE_CRC32_H_
