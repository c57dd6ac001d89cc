// Bytes of cells as text, as Java decodes them: for the comparators that look into text.
#ifndef BENNU_SRC_FILTER_TEXT_H_
#define BENNU_SRC_FILTER_TEXT_H_

#include <cstdint>
#include <string_view>

#include "bennu/bytes.h"

namespace bennu::filter {

enum class Charset : uint8_t { kUtf8, kLatin1, kAscii };

// What malformed UTF-8 is read as.
inline constexpr uint32_t kReplacement = 0xfffd;

// Reads the UTF-8 character at *position, which is in 'bytes', and moves behind it. Malformed:
// kReplacement, behind the bytes that could still have begun a character (what Java's decoder and
// the Unicode standard do).
uint32_t NextCharacter(ByteView bytes, size_t* position);

// Whether 'bytes' are well-formed UTF-8.
bool IsUtf8(ByteView bytes);

// Appends 'bytes' as well-formed UTF-8. What is malformed becomes U+FFFD, as in Java's
// new String(bytes, charset).
void AppendDecoded(ByteView bytes, Charset charset, Bytes* out);

// Appends the UTF-8 text in lower case (String.toLowerCase in the root locale). Malformed bytes
// become U+FFFD.
void AppendLowerCase(ByteView text, Bytes* out);

}  // namespace bennu::filter

#endif  // BENNU_SRC_FILTER_TEXT_H_
