// Frames: what stands between the length prefixes of a connection.
//
//   request:   int32 total | varint n, RequestHeader (n bytes) | varint m, parameter | cell block
//   response:  int32 total | varint n, ResponseHeader | varint m, result | cell block
//
// 'total' counts what follows it. A response with an exception has no result. Source: hbase-rpc
// spec section 2.
#ifndef BENNU_SRC_RPC_FRAME_H_
#define BENNU_SRC_RPC_FRAME_H_

#include <google/protobuf/message_lite.h>

#include <cstddef>
#include <cstdint>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "proto/rpc.pb.h"

namespace bennu::rpc {

inline constexpr size_t kFrameLengthSize = 4;
// "HBas", the version and how the client authenticates.
inline constexpr size_t kPreambleSize = 6;
inline constexpr ByteView kPreambleMagic = "HBas";
inline constexpr char kPreambleVersion = 0;
inline constexpr char kAuthSimple = 0x50;
inline constexpr char kAuthKerberos = 0x51;
inline constexpr char kAuthDigest = 0x52;
// The call id of answers that belong to no call.
inline constexpr uint32_t kNoCallId = 0xffffffff;

// The parts of a request; views into the frame.
struct RequestParts {
  ByteView parameter;
  ByteView cells;  // as they came, maybe compressed
};
// 'frame' without its length. Reads the header into *header (whose memory is reused) and finds the
// rest. Corruption: not such a frame. Untrusted bytes.
Status ParseRequest(ByteView frame, pb::RequestHeader* header, RequestParts* parts);

// What follows the header of a response; views into the frame.
struct ResponseParts {
  ByteView result;  // empty with an exception
  ByteView cells;   // as they came, maybe compressed
};
// The same as ParseRequest, for the client's end.
Status ParseResponse(ByteView frame, pb::ResponseHeader* header, ResponseParts* parts);

// Adds a whole frame, length and all. 'result' may be null; its cells are in 'cells', and the
// header's cell_block_meta is set from their length.
void AppendResponse(pb::ResponseHeader* header, const google::protobuf::MessageLite* result,
                    ByteView cells, Bytes* out);
// The same for the client's end.
void AppendRequest(pb::RequestHeader* header, const google::protobuf::MessageLite& parameter,
                   ByteView cells, Bytes* out);

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_FRAME_H_
