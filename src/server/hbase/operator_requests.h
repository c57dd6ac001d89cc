// What clients may ask of the process as a whole.
#ifndef BENNU_SRC_SERVER_HBASE_OPERATOR_REQUESTS_H_
#define BENNU_SRC_SERVER_HBASE_OPERATOR_REQUESTS_H_

#include <functional>
#include <string>

#include "src/base/log.h"
#include "src/server/hbase/call.h"

namespace bennu::server::hbase {

// Each returns at once; an empty one is refused. Called from any thread.
struct OperatorRequests {
  std::function<void()> stop;
  std::function<void()> reload;

  // 'who' and 'why' stand in the log.
  CallError Stop(const std::string& who, const std::string& why) const {
    if (!stop) return Refusal();
    LogWarning("{} asks the server to stop: {}", who, why);
    stop();
    return std::nullopt;
  }
  CallError Reload() const {
    if (!reload) return Refusal();
    reload();
    return std::nullopt;
  }

 private:
  static rpc::RemoteError Refusal() {
    return {rpc::exceptions::kDoNotRetry, "the program that runs this server does not take that"};
  }
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_OPERATOR_REQUESTS_H_
