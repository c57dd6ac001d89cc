// Characters of ASCII, whatever the process's locale.
#ifndef BENNU_SRC_BASE_ASCII_H_
#define BENNU_SRC_BASE_ASCII_H_

namespace bennu {

inline constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace bennu

#endif  // BENNU_SRC_BASE_ASCII_H_
