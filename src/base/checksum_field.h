// A checksum within a protobuf message of HBase's: the last field of its bytes, number 1000, a
// fixed32. HBase has no field of that number and skips it. Pure functions, thread-safe.
#ifndef BENNU_SRC_BASE_CHECKSUM_FIELD_H_
#define BENNU_SRC_BASE_CHECKSUM_FIELD_H_

#include <cstdint>
#include <optional>

#include "bennu/bytes.h"

namespace bennu {

inline constexpr uint32_t kChecksumField = 1000;
inline constexpr ByteView kChecksumTag = "\xc5\x3e";  // 1000 << 3 | 5, as a varint
inline constexpr size_t kChecksumFieldSize = 6;       // tag and value

void AppendChecksumField(Bytes* message, uint32_t checksum);

// The checksum that the bytes end with, if they do. Bytes of another writer may look like one: of a
// message that is not always Bennu's, its fields tell.
std::optional<uint32_t> ChecksumFieldOf(ByteView message);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_CHECKSUM_FIELD_H_
