// DialogueRecorder: stands between clients and the servers of a real cluster, and writes down what
// they say to each other.
#ifndef BENNU_TESTS_CLIENT_DIALOGUE_RECORDER_H_
#define BENNU_TESTS_CLIENT_DIALOGUE_RECORDER_H_

#include <map>
#include <string>
#include <vector>

#include "tests/client/dialogue.h"
#include "tests/client/dialogue_partner.h"
#include "tests/client/dialogue_wire.h"

namespace bennu::client {

class DialogueRecorder final : public DialoguePartner {
 public:
  // Of a cluster on this machine.
  DialogueRecorder(Address master, Address zookeeper);
  ~DialogueRecorder() override { EndConnections(); }

  Address registry() const override { return master_; }
  bool Answered(std::string_view bytes) const override;
  std::vector<std::string> Finish() override;
  // What was said, once it is finished. Of the polls for one thing the first and the last.
  Dialogue TakeDialogue();

 private:
  // A connection of a client, the one to the server that belongs to it, and the numbers of
  // exchanges that were not answered yet, by the ids of the calls.
  struct Pair {
    std::string server;
    int client;
    int upstream;
    std::map<uint32_t, size_t> waiting;  // guarded by mu_
  };

  void Serve(const std::string& server, int socket) override;
  void ReadRequests(Pair* pair);
  void ReadRpcRequests(Pair* pair);
  void ReadZooKeeperRequests(Pair* pair);
  void ReadAnswers(Pair* pair);
  void TakeAnswer(Pair* pair, ByteView frame, bool first);
  void Ask(Pair* pair, uint32_t id, const Question& question);
  void SetAnswer(Pair* pair, uint32_t id, Bytes header, Bytes body);
  // Waits a while for what is still to be answered.
  void AwaitAnswers(Pair* pair);
  void AddProblem(std::string problem);

  const Address master_;
  const Address zookeeper_;
  CondVar answered_;
  Dialogue dialogue_ GUARDED_BY(mu_);
};

}  // namespace bennu::client

#endif  // BENNU_TESTS_CLIENT_DIALOGUE_RECORDER_H_
