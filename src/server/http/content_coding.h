// Compression of bodies. Source: RFC 9110, sections 8.4 and 12.5.3.
#ifndef BENNU_SRC_SERVER_HTTP_CONTENT_CODING_H_
#define BENNU_SRC_SERVER_HTTP_CONTENT_CODING_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "src/server/http/message.h"
#include "src/server/net/wire_memory.h"

namespace bennu::server::http {

// Whether the value of Accept-Encoding lets an answer be gzip.
bool AcceptsGzip(std::string_view accept_encoding);

// Makes the body gzip, and says so in the headers, where that makes it smaller.
void CompressIfWorthwhile(Response* response);

// Makes of a body in the coding what it was before. Nothing: that was done, and 'charge' has its
// memory. Otherwise the answer to a coding that is not known, a damaged body, one of more than
// 'bytes_max' bytes, or one for which there is no room.
std::optional<Response> Uncompress(std::string_view coding, size_t bytes_max,
                                   net::WireCharge* charge, std::string* body);

}  // namespace bennu::server::http

#endif  // BENNU_SRC_SERVER_HTTP_CONTENT_CODING_H_
