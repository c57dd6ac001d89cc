// Bytes as text for people: hex, and HBase's printable form. Pure functions.
#ifndef BENNU_SRC_BASE_HEX_H_
#define BENNU_SRC_BASE_HEX_H_

#include <string>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu {

// Returns two lower-case digits per byte.
std::string HexEncode(ByteView bytes);

// Takes digits of either case. InvalidArgument: an odd count of digits, or another character.
Result<Bytes> HexDecode(std::string_view text);

// Returns the form of HBase's Bytes.toStringBinary: bytes 0x20 to 0x7E stand for themselves but for
// the backslash; every other byte is \xHH with upper-case digits.
std::string ToStringBinary(ByteView bytes);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_HEX_H_
