// What a server refused, as its client understands it.
// Source: hbase-rpc spec section 3; ClientExceptionsUtil of HBase.
#ifndef BENNU_SRC_RPC_REMOTE_FAILURE_H_
#define BENNU_SRC_RPC_REMOTE_FAILURE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "proto/procedure.pb.h"
#include "proto/region.pb.h"
#include "proto/rpc.pb.h"

namespace bennu::rpc {

// What a client can do about a failed call.
enum class Remedy : uint8_t {
  kNone,      // tell whoever asked
  kRelocate,  // the region or server is not there (any more): look it up again
  kWait,      // the same again, later
};

// A value.
struct RemoteFailure {
  Status status;  // by the class; its message is the server's without class and stack
  Remedy remedy = Remedy::kNone;
};

// 'java_class' in full; 'text' is Java's: "class: message", maybe with a stack trace.
RemoteFailure FailureOf(std::string_view java_class, std::string_view text);
RemoteFailure FailureOf(const pb::ExceptionResponse& exception);
RemoteFailure FailureOf(const pb::NameBytesPair& exception);
RemoteFailure FailureOf(const pb::ForeignExceptionMessage& exception);

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_REMOTE_FAILURE_H_
