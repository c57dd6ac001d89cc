// %XX in URLs. Source: RFC 3986, section 2.1.
#ifndef BENNU_SRC_BASE_PERCENT_H_
#define BENNU_SRC_BASE_PERCENT_H_

#include <string>
#include <string_view>

namespace bennu {

// The text with each %XX as its byte; what is no such thing stays as it is.
std::string PercentDecoded(std::string_view text);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_PERCENT_H_
