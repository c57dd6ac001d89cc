// Byte strings and views of them, the currency of every layer.
//
// Order is unsigned lexicographic, a proper prefix before the longer string, as in HBase's
// Bytes.compareTo. std::char_traits<char> compares that way, so '<' on both types is key order.
#ifndef BENNU_BYTES_H_
#define BENNU_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace bennu {

// Owns its bytes. May hold zero bytes and need not be UTF-8.
using Bytes = std::string;

// Does not own: whoever hands one out says what it points into and until when.
using ByteView = std::string_view;

}  // namespace bennu

#endif  // BENNU_BYTES_H_
