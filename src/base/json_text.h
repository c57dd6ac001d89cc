// Strings as JSON writes them (RFC 8259).
#ifndef BENNU_SRC_BASE_JSON_TEXT_H_
#define BENNU_SRC_BASE_JSON_TEXT_H_

#include <string>
#include <string_view>

namespace bennu {

// Appends 'text' in quotation marks. Bytes that are no UTF-8 become U+FFFD, one for each.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_JSON_TEXT_H_
