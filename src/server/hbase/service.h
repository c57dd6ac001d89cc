// A service of HBase's RPC: methods by name.
#ifndef BENNU_SRC_SERVER_HBASE_SERVICE_H_
#define BENNU_SRC_SERVER_HBASE_SERVICE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/server/hbase/call.h"

namespace bennu::server::hbase {

// Where a method runs.
enum class RunOn {
  kLoop,     // on the connection's thread: it neither waits nor takes long
  kHandler,  // on a handler thread: it may wait for the disk or for others
};

struct Method {
  RunOn run_on = RunOn::kHandler;
  std::function<void(CallPtr)> run;
  std::shared_ptr<MethodMetrics> metrics = std::make_shared<MethodMetrics>();
};

// Thread-safe once its methods are added.
class Service {
 public:
  explicit Service(std::string name) : name_(std::move(name)) {}
  virtual ~Service() = default;

  const std::string& name() const { return name_; }
  const std::unordered_map<std::string, Method>& methods() const { return methods_; }
  // Null: no such method.
  const Method* Find(const std::string& method) const {
    const auto found = methods_.find(method);
    return found == methods_.end() ? nullptr : &found->second;
  }

 protected:
  void Add(std::string method, RunOn run_on, std::function<void(CallPtr)> run) {
    Method& added = methods_[std::move(method)];
    added.run_on = run_on;
    added.run = std::move(run);
  }
  // A method whose answer is a message without cells: body(request, &response).
  template <typename Request, typename Response>
  void AddUnary(std::string method, RunOn run_on,
                std::function<CallError(const Request&, Response*)> body) {
    Add(std::move(method), run_on, [body = std::move(body)](CallPtr call) {
      Request request;
      if (const Status status = call->Parse(&request); !status.ok()) {
        return call->Fail(rpc::RemoteError(status));
      }
      Response response;
      const CallError error = body(request, &response);
      if (error.has_value()) return call->Fail(*error);
      call->Respond(response);
    });
  }

 private:
  const std::string name_;
  std::unordered_map<std::string, Method> methods_;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_SERVICE_H_
