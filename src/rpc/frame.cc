#include "src/rpc/frame.h"

#include "src/base/coding.h"
#include "src/base/status_macros.h"

namespace bennu::rpc {

namespace {

// 'what' names the frame and the part of it.
Status TakeDelimited(ByteView* rest, ByteView* bytes, const char* what) {
  uint64_t size = 0;
  const size_t used = DecodeVarint64(*rest, &size);
  if (used == 0 || size > rest->size() - used) {
    return Corruption(std::string("the frame of ") + what + " ends within it");
  }
  *bytes = rest->substr(used, size);
  rest->remove_prefix(used + size);
  return Status::Ok();
}

void AppendDelimited(const google::protobuf::MessageLite& message, size_t size, Bytes* out) {
  AppendVarint(out, size);
  message.AppendPartialToString(out);
}

// 'body' may be null.
template <typename Header>
void AppendFrame(Header* header, const google::protobuf::MessageLite* body, ByteView cells,
                 Bytes* out) {
  if (!cells.empty()) {
    header->mutable_cell_block_meta()->set_length(static_cast<uint32_t>(cells.size()));
  }
  const size_t header_size = header->ByteSizeLong();
  size_t total = VarintSize(header_size) + header_size + cells.size();
  size_t body_size = 0;
  if (body != nullptr) {
    body_size = body->ByteSizeLong();
    total += VarintSize(body_size) + body_size;
  }
  out->reserve(out->size() + kFrameLengthSize + total);
  AppendBE32(out, static_cast<uint32_t>(total));
  AppendDelimited(*header, header_size, out);
  if (body != nullptr) AppendDelimited(*body, body_size, out);
  out->append(cells);
}

}  // namespace

Status ParseRequest(ByteView frame, pb::RequestHeader* header, RequestParts* parts) {
  ByteView bytes;
  RETURN_IF_ERROR(TakeDelimited(&frame, &bytes, "a request's header"));
  if (!header->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Corruption("a request whose header is not a message");
  }
  *parts = RequestParts();
  if (header->request_param())
    RETURN_IF_ERROR(TakeDelimited(&frame, &parts->parameter, "a request's parameter"));
  const uint64_t length = header->has_cell_block_meta() ? header->cell_block_meta().length() : 0;
  if (length != frame.size()) {
    return Corruption("a request whose cell block has another length than its header says");
  }
  parts->cells = frame;
  return Status::Ok();
}

Status ParseResponse(ByteView frame, pb::ResponseHeader* header, ResponseParts* parts) {
  ByteView bytes;
  RETURN_IF_ERROR(TakeDelimited(&frame, &bytes, "a response's header"));
  if (!header->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Corruption("a response whose header is not a message");
  }
  *parts = ResponseParts();
  if (header->has_exception()) return Status::Ok();
  RETURN_IF_ERROR(TakeDelimited(&frame, &parts->result, "a response's result"));
  const uint64_t length = header->has_cell_block_meta() ? header->cell_block_meta().length() : 0;
  if (length != frame.size()) {
    return Corruption("a response whose cell block has another length than its header says");
  }
  parts->cells = frame;
  return Status::Ok();
}

void AppendResponse(pb::ResponseHeader* header, const google::protobuf::MessageLite* result,
                    ByteView cells, Bytes* out) {
  AppendFrame(header, result, cells, out);
}

void AppendRequest(pb::RequestHeader* header, const google::protobuf::MessageLite& parameter,
                   ByteView cells, Bytes* out) {
  header->set_request_param(true);
  AppendFrame(header, &parameter, cells, out);
}

}  // namespace bennu::rpc
