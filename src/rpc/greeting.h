// What a client says first on a connection: preamble and connection header.
// Source: hbase-rpc spec sections 1.1 and 1.2.
#ifndef BENNU_SRC_RPC_GREETING_H_
#define BENNU_SRC_RPC_GREETING_H_

#include <string>

#include "bennu/bytes.h"
#include "src/rpc/cell_codec.h"

namespace bennu::rpc {

// How cells travel after it, both ways.
inline constexpr CellCodec kGreetingCodec = CellCodec::kKeyValueWithTags;

// "HBas", the version, no authentication, and who ('user') talks to which service.
Bytes Greeting(const std::string& user, const std::string& service);

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_GREETING_H_
