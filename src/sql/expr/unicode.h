// UTF-8 text by character: case as Java's toUpperCase and toLowerCase in the root locale
// (src/base/unicode_case.h) and in Turkish, and positions.
#ifndef BENNU_SRC_SQL_EXPR_UNICODE_H_
#define BENNU_SRC_SQL_EXPR_UNICODE_H_

#include <string>
#include <string_view>

namespace bennu::sql {

std::string UpperCase(std::string_view text);
std::string LowerCase(std::string_view text);
// Turkish and Azeri: i and İ, ı and I.
std::string UpperCaseTurkish(std::string_view text);
std::string LowerCaseTurkish(std::string_view text);
// A to Z alone, as ILIKE has it.
std::string LowerCaseAscii(std::string_view text);

// Bytes of the UTF-8 sequence that begins with 'c'; 1 for a byte that begins none.
inline size_t Utf8SequenceLength(char c) {
  const auto b = static_cast<uint8_t>(c);
  if (b < 0xc0) return 1;
  if (b < 0xe0) return 2;
  return b < 0xf0 ? 3 : 4;
}
// Characters of 'text' as Java counts them: two for those of four bytes.
size_t Utf16Length(std::string_view text);
// Byte offset behind 'count' characters, at most text.size().
size_t Utf8Advance(std::string_view text, size_t count);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_UNICODE_H_
