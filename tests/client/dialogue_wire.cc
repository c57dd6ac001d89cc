#include "tests/client/dialogue_wire.h"

#include <fmt/format.h>

#include <utility>

#include "proto/client.pb.h"
#include "proto/master.pb.h"
#include "proto/rpc.pb.h"
#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/rpc/frame.h"

namespace bennu::client {

namespace {

constexpr char kCallIdTag = 0x08;  // field 1, a varint

constexpr int32_t kPingId = -2;
constexpr int32_t kGetData = 4;
constexpr int32_t kGetChildren = 8;
constexpr int32_t kClose = -11;
constexpr size_t kZooKeeperIdSize = 4;
constexpr size_t kZooKeeperHeadSize = 8;  // of a request: its id and its type

template <typename Message>
bool Normalize(Bytes* parameter) {
  Message message;
  if (!message.ParseFromString(*parameter)) return false;
  if (message.has_nonce_group()) message.set_nonce_group(1);
  if (message.has_nonce()) message.set_nonce(1);
  *parameter = message.SerializeAsString();
  return true;
}

bool NormalizeMulti(Bytes* parameter) {
  pb::MultiRequest message;
  if (!message.ParseFromString(*parameter)) return false;
  if (message.has_noncegroup()) message.set_noncegroup(1);
  for (pb::RegionAction& region : *message.mutable_regionaction()) {
    for (pb::Action& action : *region.mutable_action()) {
      if (action.mutation().has_nonce()) action.mutable_mutation()->set_nonce(1);
    }
  }
  *parameter = message.SerializeAsString();
  return true;
}

// The calls that carry nonces.
struct CallWithNonce {
  std::string_view method;
  bool (*normalize)(Bytes*);  // false: the bytes are no such message
};
constexpr CallWithNonce kWithNonces[] = {
    {"CreateNamespace", &Normalize<pb::CreateNamespaceRequest>},
    {"CreateTable", &Normalize<pb::CreateTableRequest>},
    {"DeleteNamespace", &Normalize<pb::DeleteNamespaceRequest>},
    {"DeleteTable", &Normalize<pb::DeleteTableRequest>},
    {"DisableTable", &Normalize<pb::DisableTableRequest>},
    {"EnableTable", &Normalize<pb::EnableTableRequest>},
    {"MergeTableRegions", &Normalize<pb::MergeTableRegionsRequest>},
    {"ModifyNamespace", &Normalize<pb::ModifyNamespaceRequest>},
    {"ModifyTable", &Normalize<pb::ModifyTableRequest>},
    {"Multi", &NormalizeMulti},
    {"RestoreSnapshot", &Normalize<pb::RestoreSnapshotRequest>},
    {"Snapshot", &Normalize<pb::SnapshotRequest>},
    {"SplitRegion", &Normalize<pb::SplitTableRegionRequest>},
    {"truncateTable", &Normalize<pb::TruncateTableRequest>},
};

}  // namespace

Bytes WithLength(ByteView frame) {
  Bytes bytes;
  AppendBE32(&bytes, static_cast<uint32_t>(frame.size()));
  bytes += frame;
  return bytes;
}

Result<RpcRequest> ReadRpcRequest(const std::string& server, const std::string& service,
                                  ByteView frame) {
  pb::RequestHeader header;
  rpc::RequestParts parts;
  RETURN_IF_ERROR(rpc::ParseRequest(frame, &header, &parts));
  RpcRequest request = {
      header.call_id(),
      {server, service, header.method_name(), Bytes(parts.parameter), Bytes(parts.cells), {}}};
  if (!header.has_call_id() || !header.request_param() || header.method_name().empty()) {
    return Corruption("a request without a call id, a method or a parameter");
  }
  header.clear_call_id();
  header.clear_method_name();
  header.clear_request_param();
  header.clear_cell_block_meta();
  header.clear_timeout();
  request.question.more = header.SerializeAsString();
  for (const CallWithNonce& known : kWithNonces) {
    if (known.method != request.question.method) continue;
    if (!known.normalize(&request.question.parameter)) {
      return Corruption(fmt::format("the parameter of {} is not its message", known.method));
    }
  }
  return request;
}

Result<RpcAnswer> ReadRpcAnswer(ByteView frame) {
  uint32_t header_size = 0;
  if (!ConsumeVarint32(&frame, &header_size) || header_size > frame.size()) {
    return Corruption("an answer without a header");
  }
  ByteView header = frame.substr(0, header_size);
  frame.remove_prefix(header_size);
  RpcAnswer answer;
  if (header.empty() || header[0] != kCallIdTag) return Corruption("an answer without a call id");
  header.remove_prefix(1);
  if (!ConsumeVarint32(&header, &answer.call_id)) return Corruption("an answer without a call id");
  answer.header = header;
  answer.body = frame;
  return answer;
}

Bytes RpcAnswerFrame(const RpcAnswer& answer) {
  Bytes header(1, kCallIdTag);
  AppendVarint(&header, answer.call_id);
  header += answer.header;
  Bytes frame;
  AppendVarint(&frame, header.size());
  return WithLength(frame + header + answer.body);
}

RpcAnswer RpcRefusal(uint32_t call_id, const std::string& text) {
  constexpr char kClass[] = "org.apache.hadoop.hbase.DoNotRetryIOException";
  pb::ResponseHeader header;
  header.mutable_exception()->set_exception_class_name(kClass);
  header.mutable_exception()->set_stack_trace(fmt::format("{}: {}", kClass, text));
  header.mutable_exception()->set_do_not_retry(true);
  return {call_id, header.SerializeAsString(), {}};
}

Result<std::string> ServiceOfGreeting(ByteView header) {
  pb::ConnectionHeader message;
  if (!message.ParseFromArray(header.data(), static_cast<int>(header.size())) ||
      message.service_name().empty()) {
    return Corruption("a connection does not begin as HBase's do");
  }
  return message.service_name();
}

bool IsPoll(const Question& question) {
  return question.method == "getProcedureResult" || question.method == "IsSnapshotDone";
}

std::optional<uint64_t> ScannerToClose(const Question& question) {
  pb::ScanRequest request;
  if (question.method != "Scan" || !request.ParseFromString(question.parameter)) return {};
  if (!request.close_scanner() || !request.has_scanner_id() || request.number_of_rows() > 0) {
    return {};
  }
  return request.scanner_id();
}

std::optional<uint64_t> ScannerOf(const Exchange& exchange) {
  if (exchange.question.method != "Scan") return {};
  ByteView rest = exchange.body;
  uint32_t size = 0;
  pb::ScanResponse response;
  if (!ConsumeVarint32(&rest, &size) || size > rest.size() ||
      !response.ParseFromArray(rest.data(), static_cast<int>(size)) || !response.has_scanner_id()) {
    return {};
  }
  return response.scanner_id();
}

Result<ZooKeeperRequest> ReadZooKeeperRequest(ByteView frame, bool first) {
  ZooKeeperRequest request;
  request.question.server = kZooKeeper;
  request.question.service = "ZooKeeper";
  if (first) {
    request.question.method = "connect";
    request.question.parameter = frame;
    return request;
  }
  if (frame.size() < kZooKeeperHeadSize) return Corruption("a request to ZooKeeper is too short");
  request.id = static_cast<int32_t>(LoadBE32(frame.data()));
  const auto type = static_cast<int32_t>(LoadBE32(frame.data() + kZooKeeperIdSize));
  request.ping = request.id == kPingId;
  request.close = type == kClose;
  request.question.method = type == kGetData       ? "getData"
                            : type == kGetChildren ? "getChildren"
                                                   : std::to_string(type);
  request.question.parameter = frame.substr(kZooKeeperHeadSize);
  return request;
}

Bytes ZooKeeperAnswerFrame(int32_t id, ByteView body, bool first) {
  Bytes frame;
  if (!first) AppendBE32(&frame, static_cast<uint32_t>(id));
  frame += body;
  return WithLength(frame);
}

Bytes ZooKeeperOutcome(int32_t code) {
  Bytes body;
  AppendBE64(&body, 0);  // the number of the last change
  AppendBE32(&body, static_cast<uint32_t>(code));
  return body;
}

}  // namespace bennu::client
