// What a server refused, as its client understands it.
// Source: hbase-rpc spec section 3; ClientExceptionsUtil of HBase.
#ifndef BENNU_SRC_RPC_REMOTE_FAILURE_H_
#define BENNU_SRC_RPC_REMOTE_FAILURE_H_

#include <chrono>
#include <cstdint>
#include <optional>
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
  kAtOnce,    // the same again, without a pause: the answer had no more room
  kReopen,    // the server has this scanner no more: another one behind the last row
};

// Where a server listens. 'port' is not 0 and 'host' not empty.
struct Place {
  std::string host;
  uint16_t port = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

// A value.
struct RemoteFailure {
  Status status;  // by the class; its message is the server's without class and stack
  Remedy remedy = Remedy::kNone;
  bool overloaded = false;             // the server has more to do than it can: wait longer
  bool in_doubt = false;               // the call may have been carried out all the same
  std::chrono::milliseconds wait{0};   // how long the server asks to wait; 0: it does not say
  std::optional<Place> moved_to = {};  // the server that has the region now, as this one says
};

// 'java_class' in full; 'text' is Java's: "class: message", maybe with a stack trace. Untrusted
// bytes. What is not known is tried again, as HBase's clients do with every IOException that is no
// DoNotRetryIOException.
RemoteFailure FailureOf(std::string_view java_class, std::string_view text);
// What the server marks as not to be tried again is not.
RemoteFailure FailureOf(const pb::ExceptionResponse& exception);
RemoteFailure FailureOf(const pb::NameBytesPair& exception);
// Of a procedure, which is over.
RemoteFailure FailureOf(const pb::ForeignExceptionMessage& exception);

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_REMOTE_FAILURE_H_
