// Case of UTF-8 text in every script, as Java's toUpperCase and toLowerCase have it in the root
// locale. Thread safe; the tables are constant.
// Source: UnicodeData.txt and SpecialCasing.txt of Unicode 13, which Java 17 follows.
#ifndef BENNU_SRC_BASE_UNICODE_CASE_H_
#define BENNU_SRC_BASE_UNICODE_CASE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace bennu {

// The one character that 'c' becomes; 'c' where that is several (ß) or none.
uint32_t UpperCharacter(uint32_t c);
uint32_t LowerCharacter(uint32_t c);

// Appends 'text' in the other case: ß becomes SS, and Σ at the end of a word ς. Malformed bytes are
// copied.
void AppendUpperCase(std::string_view text, std::string* out);
void AppendLowerCase(std::string_view text, std::string* out);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_UNICODE_CASE_H_
