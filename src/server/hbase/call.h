// One call of a client, from its frame to its answer.
#ifndef BENNU_SRC_SERVER_HBASE_CALL_H_
#define BENNU_SRC_SERVER_HBASE_CALL_H_

#include <google/protobuf/message_lite.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/rpc/block_codec.h"
#include "src/rpc/cell_codec.h"
#include "src/rpc/exceptions.h"
#include "src/rpc/frame.h"
#include "src/server/hbase/rpc_metrics.h"
#include "src/server/net/channel.h"

namespace bennu::server::hbase {

// What a connection's header said.
struct ClientConnection {
  std::string service;
  std::string user;
  rpc::CellCodec codec = rpc::CellCodec::kNone;
  rpc::BlockCompression compression = rpc::BlockCompression::kNone;  // of cell blocks
  RpcMetrics* metrics = nullptr;  // may be null; outlives the calls
  bool has_version = false;       // clients too old to tell get results within messages
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
  // until DecompressCells is.
  Call(std::shared_ptr<net::Channel> channel, std::shared_ptr<const ClientConnection> connection,
       const pb::RequestHeader& header, const rpc::RequestParts& parts);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const std::string& method() const { return method_; }
  const ClientConnection& connection() const { return *connection_; }
  ByteView cells() const { return parts_.cells; }
  net::Channel* channel() const { return channel_.get(); }
  // How cells of the answer are to be sent.
  rpc::CellCodec result_codec() const;
  // When the client stops waiting; unset: never.
  std::optional<std::chrono::nanoseconds> deadline() const { return deadline_; }

  // Of a compressed connection. Corruption: the cells are damaged, or more than 'size_max' bytes.
  Status DecompressCells(size_t size_max);
  // Copies what was received, so that the call may outlive the handling of its frame.
  void Keep();
  // What it is about, for the log of slow calls, where the parameter does not tell or may be gone
  // when the call is answered. 'row' must stay as long as the call.
  void SetSubject(std::shared_ptr<const ServedRegion> region, ByteView row);
  // The call begins to be worked on, after it waited; 'metrics' are its method's, null: as before.
  void Begin(MethodMetrics* metrics);
  // InvalidArgument: the parameter is not such a message.
  Status Parse(google::protobuf::MessageLite* parameter) const;

  void Respond(const google::protobuf::MessageLite& result, ByteView cells = {});
  void Fail(const rpc::RemoteError& error);
  // No answer: nobody waits for one.
  void Drop() { answered_ = true; }
  // Bytes of what was received.
  size_t size() const { return parts_.parameter.size() + parts_.cells.size(); }

 private:
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
  Bytes cells_;  // decompressed
  const std::chrono::nanoseconds received_;
  std::chrono::nanoseconds begun_;
  MethodMetrics* method_metrics_ = nullptr;
  std::shared_ptr<const ServedRegion> region_;  // of SetSubject
  ByteView row_;
  bool answered_ = false;
};

using CallPtr = std::unique_ptr<Call>;

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_CALL_H_
