// DialoguePlayer: answers as the servers of a dialogue did, and finds fault with every question
// that these were not asked.
#ifndef BENNU_TESTS_CLIENT_DIALOGUE_PLAYER_H_
#define BENNU_TESTS_CLIENT_DIALOGUE_PLAYER_H_

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/client/dialogue.h"
#include "tests/client/dialogue_partner.h"
#include "tests/client/dialogue_wire.h"

namespace bennu::client {

// A question gets the first answer to it that was not given yet, whatever was asked before it at
// other servers: so calls may overtake each other.
class DialoguePlayer final : public DialoguePartner {
 public:
  explicit DialoguePlayer(Dialogue dialogue);
  ~DialoguePlayer() override { EndConnections(); }

  Address registry() const override;
  bool Answered(std::string_view bytes) const override;
  // Also what was recorded and was not asked.
  std::vector<std::string> Finish() override;

 private:
  void Serve(const std::string& server, int socket) override;
  void ServeRpc(const std::string& server, int socket);
  void ServeZooKeeper(int socket);
  // False: not as it was recorded.
  bool TakeGreeting(const std::string& server, ByteView greeting, const std::string& service);
  RpcAnswer Answer(const RpcRequest& request);
  // Null: there is no such answer any more, which is a problem.
  const Exchange* Take(const Question& question);
  void CloseScanner(const std::string& server, uint64_t id);
  std::string WhyUnknown(const Question& question) const REQUIRES(mu_);
  void AddProblem(std::string problem);

  const Dialogue dialogue_;
  std::map<Question, std::deque<size_t>> left_ GUARDED_BY(mu_);  // exchanges, by their questions
  std::set<size_t> given_ GUARDED_BY(mu_);
  std::set<std::pair<std::string, uint64_t>> scanners_ GUARDED_BY(mu_);  // of a server
};

}  // namespace bennu::client

#endif  // BENNU_TESTS_CLIENT_DIALOGUE_PLAYER_H_
