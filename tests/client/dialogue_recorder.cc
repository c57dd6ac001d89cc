#include "tests/client/dialogue_recorder.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>

#include "src/base/coding.h"
#include "src/client/deadline.h"
#include "src/rpc/frame.h"

namespace bennu::client {

namespace {

constexpr std::chrono::seconds kAnswersMax{10};
// Of what ZooKeeper is asked first on a connection; others are positive.
constexpr uint32_t kConnectId = 0;

}  // namespace

DialogueRecorder::DialogueRecorder(Address master, Address zookeeper)
    : master_(std::move(master)), zookeeper_(std::move(zookeeper)) {
  MutexLock lock(&mu_);
  dialogue_.registry = master_.ToString();
}

bool DialogueRecorder::Answered(std::string_view bytes) const {
  MutexLock lock(&mu_);
  for (const Exchange& exchange : dialogue_.exchanges) {
    if (exchange.header.find(bytes) != Bytes::npos || exchange.body.find(bytes) != Bytes::npos) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> DialogueRecorder::Finish() {
  FinishConnections();
  MutexLock lock(&mu_);
  for (const Exchange& exchange : dialogue_.exchanges) {
    if (!exchange.header.empty() || !exchange.body.empty()) continue;
    problems_.push_back(
        fmt::format("{} did not answer {}", exchange.question.server, exchange.question.method));
  }
  return problems_;
}

Dialogue DialogueRecorder::TakeDialogue() {
  MutexLock lock(&mu_);
  std::map<Question, std::vector<size_t>> polls;
  for (size_t i = 0; i < dialogue_.exchanges.size(); ++i) {
    const Question& question = dialogue_.exchanges[i].question;
    if (IsPoll(question)) polls[question].push_back(i);
  }
  Dialogue kept;
  kept.registry = dialogue_.registry;
  kept.greetings = dialogue_.greetings;
  for (size_t i = 0; i < dialogue_.exchanges.size(); ++i) {
    const auto poll = polls.find(dialogue_.exchanges[i].question);
    const bool between =
        poll != polls.end() && i != poll->second.front() && i != poll->second.back();
    if (!between) kept.exchanges.push_back(dialogue_.exchanges[i]);
  }
  return kept;
}

void DialogueRecorder::Serve(const std::string& server, int socket) {
  Pair pair = {server, socket, -1, {}};
  const auto address = server == kZooKeeper ? Result<Address>(zookeeper_) : ParseAddress(server);
  if (address.ok()) pair.upstream = ConnectToLoopback(address->port);
  if (pair.upstream < 0) return AddProblem(fmt::format("{} cannot be reached", server));
  std::thread answers([&] { ReadAnswers(&pair); });
  ReadRequests(&pair);
  AwaitAnswers(&pair);
  shutdown(pair.upstream, SHUT_RDWR);
  answers.join();
  close(pair.upstream);
}

void DialogueRecorder::ReadRequests(Pair* pair) {
  if (pair->server == kZooKeeper) return ReadZooKeeperRequests(pair);
  ReadRpcRequests(pair);
}

void DialogueRecorder::ReadRpcRequests(Pair* pair) {
  Bytes preamble(rpc::kPreambleSize, '\0');
  Bytes frame;
  if (!ReadAll(pair->client, preamble.data(), preamble.size()) ||
      !ReadFrame(pair->client, &frame)) {
    return;
  }
  const auto service = ServiceOfGreeting(frame);
  if (!service.ok()) return AddProblem(service.status().message());
  {
    MutexLock lock(&mu_);
    dialogue_.greetings[*service] = preamble + WithLength(frame);
  }
  if (!WriteAll(pair->upstream, preamble + WithLength(frame))) return;
  while (ReadFrame(pair->client, &frame)) {
    const auto request = ReadRpcRequest(pair->server, *service, frame);
    if (!request.ok()) return AddProblem(request.status().message());
    if (!ScannerToClose(request->question).has_value()) {
      Ask(pair, request->call_id, request->question);
    }
    if (!WriteAll(pair->upstream, WithLength(frame))) return;
  }
}

void DialogueRecorder::ReadZooKeeperRequests(Pair* pair) {
  Bytes frame;
  for (bool first = true; ReadFrame(pair->client, &frame); first = false) {
    const auto request = ReadZooKeeperRequest(frame, first);
    if (!request.ok()) return AddProblem(request.status().message());
    if (!request->ping && !request->close) {
      Ask(pair, first ? kConnectId : static_cast<uint32_t>(request->id), request->question);
    }
    if (!WriteAll(pair->upstream, WithLength(frame))) return;
  }
}

void DialogueRecorder::ReadAnswers(Pair* pair) {
  Bytes frame;
  for (bool first = true; ReadFrame(pair->upstream, &frame); first = false) {
    TakeAnswer(pair, frame, first);
    WriteAll(pair->client, WithLength(frame));  // it may have gone
  }
  shutdown(pair->client, SHUT_RDWR);
}

void DialogueRecorder::TakeAnswer(Pair* pair, ByteView frame, bool first) {
  if (pair->server != kZooKeeper) {
    auto answer = ReadRpcAnswer(frame);
    if (!answer.ok()) return AddProblem(answer.status().message());
    return SetAnswer(pair, answer->call_id, std::move(answer->header), std::move(answer->body));
  }
  if (first) return SetAnswer(pair, kConnectId, {}, Bytes(frame));
  if (frame.size() < sizeof(uint32_t)) return AddProblem("an answer of ZooKeeper is too short");
  SetAnswer(pair, LoadBE32(frame.data()), {}, Bytes(frame.substr(sizeof(uint32_t))));
}

void DialogueRecorder::Ask(Pair* pair, uint32_t id, const Question& question) {
  MutexLock lock(&mu_);
  pair->waiting[id] = dialogue_.exchanges.size();
  dialogue_.exchanges.push_back({question, {}, {}});
}

void DialogueRecorder::SetAnswer(Pair* pair, uint32_t id, Bytes header, Bytes body) {
  MutexLock lock(&mu_);
  const auto waiting = pair->waiting.find(id);
  if (waiting == pair->waiting.end()) return;  // to what is not recorded
  Exchange& exchange = dialogue_.exchanges[waiting->second];
  exchange.header = std::move(header);
  exchange.body = std::move(body);
  pair->waiting.erase(waiting);
  answered_.SignalAll();
}

void DialogueRecorder::AwaitAnswers(Pair* pair) {
  const Deadline deadline(kAnswersMax);
  MutexLock lock(&mu_);
  while (!pair->waiting.empty() && deadline.Left().count() > 0) {
    answered_.WaitFor(&mu_, deadline.Left());
  }
}

void DialogueRecorder::AddProblem(std::string problem) {
  MutexLock lock(&mu_);
  problems_.push_back(std::move(problem));
}

}  // namespace bennu::client
