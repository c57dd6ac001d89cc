// Case of UTF-8 text, as Java's toUpperCase and toLowerCase in the root locale, for the scripts
// that have two cases in the two-byte range (Latin, Greek, Cyrillic, Armenian) and the common
// special cases (ß, İ). Other characters stay as they are.
#ifndef BENNU_SRC_SQL_FUNCTIONS_UNICODE_H_
#define BENNU_SRC_SQL_FUNCTIONS_UNICODE_H_

#include <string>
#include <string_view>

namespace bennu::sql {

std::string UpperCase(std::string_view text);
std::string LowerCase(std::string_view text);
// Turkish and Azeri: i and İ, ı and I.
std::string UpperCaseTurkish(std::string_view text);
std::string LowerCaseTurkish(std::string_view text);

// Bytes of the UTF-8 sequence that begins with 'c'; 1 for a byte that begins none.
inline size_t Utf8SequenceLength(char c) {
  const auto b = static_cast<uint8_t>(c);
  if (b < 0xc0) return 1;
  if (b < 0xe0) return 2;
  return b < 0xf0 ? 3 : 4;
}
// Byte offset behind 'count' characters, at most text.size().
size_t Utf8Advance(std::string_view text, size_t count);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_FUNCTIONS_UNICODE_H_
