// Characters of ASCII, whatever the process's locale.
#ifndef BENNU_SRC_BASE_ASCII_H_
#define BENNU_SRC_BASE_ASCII_H_

#include <string>
#include <string_view>

namespace bennu {

inline constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Letters in upper (lower) case, other bytes as they are.
inline std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}
inline std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace bennu

#endif  // BENNU_SRC_BASE_ASCII_H_
