// Requests and answers on the wire, as the parts of a dialogue.
//
// Left out of a question is what differs each time it is asked: the call id, how long the client
// waits, and nonces, which become 1. Some questions come of their own time: polls, which come until
// what is waited for is done; and the closing of a scanner, which nobody waits for.
#ifndef BENNU_TESTS_CLIENT_DIALOGUE_WIRE_H_
#define BENNU_TESTS_CLIENT_DIALOGUE_WIRE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "tests/client/dialogue.h"

namespace bennu::client {

// Of all errors: Corruption, the bytes are not such a frame.

// A frame as it is sent, its length before it.
Bytes WithLength(ByteView frame);

// ---- HBase's RPC; frames without their lengths

struct RpcRequest {
  uint32_t call_id = 0;
  Question question;
};
Result<RpcRequest> ReadRpcRequest(const std::string& server, const std::string& service,
                                  ByteView frame);
struct RpcAnswer {
  uint32_t call_id = 0;
  Bytes header;
  Bytes body;
};
Result<RpcAnswer> ReadRpcAnswer(ByteView frame);
// With its length.
Bytes RpcAnswerFrame(const RpcAnswer& answer);
// That the call failed for good.
RpcAnswer RpcRefusal(uint32_t call_id, const std::string& text);
// The service that the frame after the preamble asks for.
Result<std::string> ServiceOfGreeting(ByteView header);

bool IsPoll(const Question& question);
// The scanner that the question closes, without asking anything else.
std::optional<uint64_t> ScannerToClose(const Question& question);
// The scanner that an answer to Scan has opened or goes on with.
std::optional<uint64_t> ScannerOf(const Exchange& exchange);

// ---- ZooKeeper's; frames without their lengths. The first of a connection has no id.

inline constexpr char kZooKeeper[] = "zookeeper";  // the server's name in a dialogue
struct ZooKeeperRequest {
  int32_t id = 0;
  bool ping = false;   // keeps the session
  bool close = false;  // ends it
  Question question;
};
Result<ZooKeeperRequest> ReadZooKeeperRequest(ByteView frame, bool first);
// With its length. 'body': what follows the id.
Bytes ZooKeeperAnswerFrame(int32_t id, ByteView body, bool first);
// That it was done (0), or was not.
Bytes ZooKeeperOutcome(int32_t code);

}  // namespace bennu::client

#endif  // BENNU_TESTS_CLIENT_DIALOGUE_WIRE_H_
