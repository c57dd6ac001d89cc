// A dialogue: what clients asked the servers of a cluster, and what these answered, as bytes. The
// tests of this folder record dialogues with a real HBase and replay them.
#ifndef BENNU_TESTS_CLIENT_DIALOGUE_H_
#define BENNU_TESTS_CLIENT_DIALOGUE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::client {

// What is asked, without that which differs each time: see dialogue_wire.h.
struct Question {
  std::string server;  // "localhost:16020"; "zookeeper"
  std::string service;
  std::string method;
  Bytes parameter;
  Bytes cells;
  Bytes more;  // of the request's header; as a rule nothing

  friend auto operator<=>(const Question&, const Question&) = default;
};

// A question and its answer, byte for byte but for the call id.
struct Exchange {
  Question question;
  Bytes header;  // of the answer, what follows the call id
  Bytes body;    // what follows the header: the length of the result, the result, cells

  friend auto operator<=>(const Exchange&, const Exchange&) = default;
};

struct Dialogue {
  std::string registry;                    // the master's address
  std::map<std::string, Bytes> greetings;  // how a connection to a service begins
  std::vector<Exchange> exchanges;         // in the order in which they were asked

  friend bool operator==(const Dialogue&, const Dialogue&) = default;
};

// As a file, which says itself what its lines are.
std::string DialogueToText(const Dialogue& dialogue);
// Corruption: names the line with what is wrong there.
Result<Dialogue> DialogueFromText(std::string_view text);

// Bytes for people, cut short.
std::string Excerpt(ByteView bytes, size_t begin = 0);

}  // namespace bennu::client

#endif  // BENNU_TESTS_CLIENT_DIALOGUE_H_
