// The hash functions of HBase's bloom filters (bit for bit, quirks included) and of Bytes.hashCode.
// Pure functions. Source: HBase 2.5 MurmurHash, MurmurHash3, JenkinsHash.
#ifndef BENNU_SRC_ENCODING_HASH_H_
#define BENNU_SRC_ENCODING_HASH_H_

#include <cstdint>

#include "bennu/bytes.h"

namespace bennu::encoding {

// MurmurHash2, but with the last 1 to 3 bytes taken as signed: what HBase's files were made with.
uint32_t MurmurHash(ByteView bytes, uint32_t seed);
// MurmurHash3_x86_32.
uint32_t Murmur3Hash(ByteView bytes, uint32_t seed);
// Bob Jenkins' lookup3, "hashlittle".
uint32_t JenkinsHash(ByteView bytes, uint32_t seed);

// h = 31 h + byte (signed), from 1.
uint32_t JavaHashCode(ByteView bytes);

}  // namespace bennu::encoding

#endif  // BENNU_SRC_ENCODING_HASH_H_
