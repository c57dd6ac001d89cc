#include "tests/client/dialogue_player.h"

#include <fmt/format.h>

#include <algorithm>

#include "proto/client.pb.h"
#include "src/base/coding.h"
#include "src/rpc/frame.h"

namespace bennu::client {

namespace {

constexpr size_t kUnaskedMax = 5;  // that are told of
constexpr size_t kBeforeDifference = 40;
constexpr int32_t kBadArguments = -8;  // ZooKeeper's

size_t FirstDifference(ByteView left, ByteView right) {
  const auto [at, other] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return static_cast<size_t>(at - left.begin());
}

// One part of two questions, if it differs.
std::string Difference(const char* part, ByteView asked, ByteView recorded) {
  if (asked == recorded) return "";
  const size_t at = FirstDifference(asked, recorded);
  const size_t begin = at < kBeforeDifference ? 0 : at - kBeforeDifference;
  return fmt::format("\n  {} differs at byte {}\n    asked:    {}\n    recorded: {}", part, at,
                     Excerpt(asked, begin), Excerpt(recorded, begin));
}

size_t Likeness(const Question& left, const Question& right) {
  return FirstDifference(left.parameter, right.parameter) +
         FirstDifference(left.cells, right.cells);
}

}  // namespace

DialoguePlayer::DialoguePlayer(Dialogue dialogue) : dialogue_(std::move(dialogue)) {
  MutexLock lock(&mu_);
  for (size_t i = 0; i < dialogue_.exchanges.size(); ++i) {
    left_[dialogue_.exchanges[i].question].push_back(i);
  }
}

Address DialoguePlayer::registry() const {
  const auto parsed = ParseAddress(dialogue_.registry);
  return parsed.ok() ? *parsed : Address{"no.address.in.the.dialogue", 1};
}

bool DialoguePlayer::Answered(std::string_view bytes) const {
  MutexLock lock(&mu_);
  return std::any_of(given_.begin(), given_.end(), [&](size_t i) {
    const Exchange& exchange = dialogue_.exchanges[i];
    return exchange.header.find(bytes) != Bytes::npos || exchange.body.find(bytes) != Bytes::npos;
  });
}

std::vector<std::string> DialoguePlayer::Finish() {
  FinishConnections();
  MutexLock lock(&mu_);
  std::vector<std::string> problems = problems_;
  size_t unasked = 0;
  for (size_t i = 0; i < dialogue_.exchanges.size(); ++i) {
    if (given_.count(i) > 0 || ++unasked > kUnaskedMax) continue;
    const Question& question = dialogue_.exchanges[i].question;
    problems.push_back(fmt::format("{} was not asked {}.{}, as it was recorded (call {} of {}): {}",
                                   question.server, question.service, question.method, i + 1,
                                   dialogue_.exchanges.size(), Excerpt(question.parameter)));
  }
  if (unasked > kUnaskedMax) {
    problems.push_back(fmt::format("… and {} more questions", unasked - kUnaskedMax));
  }
  return problems;
}

void DialoguePlayer::Serve(const std::string& server, int socket) {
  if (server == kZooKeeper) return ServeZooKeeper(socket);
  ServeRpc(server, socket);
}

void DialoguePlayer::ServeRpc(const std::string& server, int socket) {
  Bytes preamble(rpc::kPreambleSize, '\0');
  Bytes frame;
  if (!ReadAll(socket, preamble.data(), preamble.size()) || !ReadFrame(socket, &frame)) return;
  const auto service = ServiceOfGreeting(frame);
  if (!service.ok()) return AddProblem(fmt::format("{}: {}", server, service.status().message()));
  if (!TakeGreeting(server, preamble + WithLength(frame), *service)) return;
  while (ReadFrame(socket, &frame)) {
    const auto request = ReadRpcRequest(server, *service, frame);
    if (!request.ok()) return AddProblem(fmt::format("{}: {}", server, request.status().message()));
    if (!WriteAll(socket, RpcAnswerFrame(Answer(*request)))) return;
  }
}

bool DialoguePlayer::TakeGreeting(const std::string& server, ByteView greeting,
                                  const std::string& service) {
  const auto recorded = dialogue_.greetings.find(service);
  if (recorded == dialogue_.greetings.end()) {
    AddProblem(fmt::format("{} was greeted for {}, which nobody was when it was recorded", server,
                           service));
    return false;
  }
  const std::string difference = Difference("the greeting", greeting, recorded->second);
  if (!difference.empty()) AddProblem(fmt::format("{} {}:{}", server, service, difference));
  return difference.empty();
}

RpcAnswer DialoguePlayer::Answer(const RpcRequest& request) {
  const Question& question = request.question;
  if (const auto scanner = ScannerToClose(question); scanner.has_value()) {
    CloseScanner(question.server, *scanner);
    Bytes body;
    AppendVarint(&body, 0);
    return {request.call_id, {}, body};
  }
  const Exchange* const exchange = Take(question);
  if (exchange == nullptr) {
    return RpcRefusal(request.call_id, fmt::format("the dialogue has no answer to this question "
                                                   "of {}",
                                                   question.method));
  }
  return {request.call_id, exchange->header, exchange->body};
}

const Exchange* DialoguePlayer::Take(const Question& question) {
  MutexLock lock(&mu_);
  const auto found = left_.find(question);
  if (found == left_.end() || found->second.empty()) {
    problems_.push_back(fmt::format("{} was asked {}.{}, {}", question.server, question.service,
                                    question.method, WhyUnknown(question)));
    return nullptr;
  }
  const size_t index = found->second.front();
  found->second.pop_front();
  given_.insert(index);
  const Exchange& exchange = dialogue_.exchanges[index];
  if (const auto scanner = ScannerOf(exchange); scanner.has_value()) {
    scanners_.emplace(question.server, *scanner);
  }
  return &exchange;
}

std::string DialoguePlayer::WhyUnknown(const Question& question) const {
  if (left_.count(question) > 0) {
    return "once more than it was recorded: " + Excerpt(question.parameter);
  }
  const Question* nearest = nullptr;
  for (const auto& [other, indexes] : left_) {
    Question there = other;
    there.server = question.server;
    if (there == question) return fmt::format("which was recorded for {}", other.server);
    const bool comparable = other.server == question.server && other.method == question.method &&
                            other.service == question.service && !indexes.empty();
    if (!comparable) continue;
    if (nearest == nullptr || Likeness(question, other) > Likeness(question, *nearest)) {
      nearest = &other;
    }
  }
  if (nearest == nullptr) {
    return "and no such call is left of what was recorded: " + Excerpt(question.parameter);
  }
  return "which was not recorded; the nearest that was:" +
         Difference("the parameter", question.parameter, nearest->parameter) +
         Difference("what the cells are", question.cells, nearest->cells) +
         Difference("the header", question.more, nearest->more);
}

void DialoguePlayer::CloseScanner(const std::string& server, uint64_t id) {
  MutexLock lock(&mu_);
  if (scanners_.count({server, id}) > 0) return;
  problems_.push_back(
      fmt::format("{} was asked to close scanner {}, which is none of its scanners", server, id));
}

void DialoguePlayer::ServeZooKeeper(int socket) {
  Bytes frame;
  for (bool first = true; ReadFrame(socket, &frame); first = false) {
    const auto request = ReadZooKeeperRequest(frame, first);
    if (!request.ok()) return AddProblem(request.status().message());
    Bytes body = ZooKeeperOutcome(0);
    if (!request->ping && !request->close) {
      const Exchange* const exchange = Take(request->question);
      body = exchange != nullptr ? exchange->body : ZooKeeperOutcome(kBadArguments);
      if (exchange == nullptr && first) return;
    }
    if (!WriteAll(socket, ZooKeeperAnswerFrame(request->id, body, first))) return;
  }
}

void DialoguePlayer::AddProblem(std::string problem) {
  MutexLock lock(&mu_);
  problems_.push_back(std::move(problem));
}

}  // namespace bennu::client
