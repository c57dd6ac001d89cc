#include "src/base/checksum_field.h"

#include <cstring>

#include "src/base/coding.h"  // the machine is little-endian, as protobuf's numbers are

namespace bennu {

void AppendChecksumField(Bytes* message, uint32_t checksum) {
  char value[sizeof(checksum)];
  std::memcpy(value, &checksum, sizeof(checksum));
  message->append(kChecksumTag);
  message->append(value, sizeof(value));
}

std::optional<uint32_t> ChecksumFieldOf(ByteView message) {
  if (message.size() < kChecksumFieldSize) return std::nullopt;
  const ByteView field = message.substr(message.size() - kChecksumFieldSize);
  if (!field.starts_with(kChecksumTag)) return std::nullopt;
  uint32_t checksum;
  std::memcpy(&checksum, field.data() + kChecksumTag.size(), sizeof(checksum));
  return checksum;
}

}  // namespace bennu
