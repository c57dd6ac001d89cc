// One call of a client, from its frame to its answer.
#ifndef BENNU_SRC_SERVER_HBASE_CALL_H_
#define BENNU_SRC_SERVER_HBASE_CALL_H_

#include <google/protobuf/message_lite.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/status.h"
#include "src/rpc/block_codec.h"
#include "src/rpc/cell_codec.h"
#include "src/rpc/exceptions.h"
#include "src/rpc/frame.h"
#include "src/server/hbase/rpc_metrics.h"
#include "src/server/net/channel.h"
#include "src/server/net/wire_memory.h"

namespace bennu::server::hbase {

// What a connection's header said.
struct ClientConnection {
  std::string service;
  std::string user;
  rpc::CellCodec codec = rpc::CellCodec::kNone;
  rpc::BlockCompression compression = rpc::BlockCompression::kNone;  // of cell blocks
  RpcMetrics* metrics = nullptr;        // may be null; outlives the calls
  net::WireMemory* memory = nullptr;    // the same
  size_t cells_bytes_max = 256u << 20;  // of a block that came compressed
  bool has_version = false;  // clients too old to tell get results of Gets within messages
};

// Sends one frame, and returns its size. 'result' may be null; 'cells' are its cells.
size_t SendResponse(net::Channel* channel, pb::ResponseHeader* header,
                    const google::protobuf::MessageLite* result, ByteView cells = {});

struct ServedRegion;  // of regions.h

// What a handler ends with: nothing, or the error that the client gets.
using CallError = std::optional<rpc::RemoteError>;

// Answered exactly once, by Respond or Fail, on any thread; the handler that has it is its only
// user. A call that is dropped without an answer fails with an IOException.
class Call {
 public:
  // 'parts' point into the connection's buffer until Keep is called; their cells may be compressed
  // until Inflate is.
  Call(std::shared_ptr<net::Channel> channel, std::shared_ptr<const ClientConnection> connection,
       const pb::RequestHeader& header, const rpc::RequestParts& parts);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const std::string& method() const { return method_; }
  const ClientConnection& connection() const { return *connection_; }
  ByteView cells() const { return parts_.cells; }
  net::Channel* channel() const { return channel_.get(); }
  // How cells of the answer are to be sent; to a Get otherwise, as in HBase.
  rpc::CellCodec result_codec() const { return connection_->codec; }
  rpc::CellCodec get_codec() const;
  // When the client stops waiting; unset: never.
  std::optional<std::chrono::nanoseconds> deadline() const { return deadline_; }

  // Whether there are cells that Inflate has to be called for.
  bool is_compressed() const;
  // Of a compressed connection; not on its thread. Corruption: the cells are damaged, or larger
  // than the connection may send. ResourceExhausted: there is no memory for them.
  Status Inflate();
  // Copies what was received, so that the call may outlive the handling of its frame.
  void Keep();
  // What it is about, for the log of slow calls, where the parameter does not tell or may be gone
  // when the call is answered. 'row' must stay as long as the call.
  void SetSubject(std::shared_ptr<const ServedRegion> region, ByteView row);
  // The call begins to be worked on, after it waited; 'metrics' are its method's, null: as before.
  void Begin(MethodMetrics* metrics);
  // InvalidArgument: the parameter is not such a message. ResourceExhausted: it would take more
  // memory than there is for requests.
  Status Parse(google::protobuf::MessageLite* parameter);

  // Takes memory for cells that are about to be copied into the answer. An error: there is none.
  // Freed when the call is answered.
  CallError ReserveAnswer(const Cell* cells, size_t count);
  void Respond(const google::protobuf::MessageLite& result, ByteView cells = {});
  void Fail(const rpc::RemoteError& error);
  // No answer: nobody waits for one.
  void Drop() { answered_ = true; }
  // Bytes of what was received.
  size_t size() const { return parts_.parameter.size() + parts_.cells.size(); }

 private:
  // Whether an answer of so many bytes can be sent.
  CallError CheckAnswerSize(size_t bytes) const;
  void Count(size_t response_bytes);
  void LogCall(uint64_t queue_micros, uint64_t process_micros, size_t response_bytes);

  const std::shared_ptr<net::Channel> channel_;
  const std::shared_ptr<const ClientConnection> connection_;
  const uint32_t id_;
  const std::string method_;
  const std::string trace_id_;  // of the client's trace, empty: none
  std::optional<std::chrono::nanoseconds> deadline_;
  rpc::RequestParts parts_;
  Bytes kept_;
  Bytes cells_;  // inflated
  bool inflated_ = false;
  net::WireCharge charge_;  // of what is made of the request
  const std::chrono::nanoseconds received_;
  std::chrono::nanoseconds begun_;
  MethodMetrics* method_metrics_ = nullptr;
  std::shared_ptr<const ServedRegion> region_;  // of SetSubject
  ByteView row_;
  bool answered_ = false;
};

using CallPtr = std::unique_ptr<Call>;

// On a handler's thread: runs the call, unless its client has too much to fetch already or there is
// no memory for it, in which case it fails.
void PrepareAndRun(CallPtr call, const std::function<void(CallPtr)>& run);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_CALL_H_
