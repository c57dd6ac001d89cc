// Many calls on one connection, whose server reads slowly.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "proto/client.pb.h"
#include "src/base/mutex.h"
#include "src/client/channel.h"
#include "src/client/pending_call.h"
#include "tests/client/scripted_server.h"

namespace bennu::client {
namespace {

constexpr std::chrono::seconds kTimeout{60};

// A row whose bytes tell where each of them belongs.
Bytes RowOfCall(int caller, int call, size_t size) {
  Bytes row = std::to_string(caller) + "/" + std::to_string(call) + "/";
  while (row.size() < size) row += static_cast<char>('a' + (row.size() + call) % 26);
  return row;
}

// The system takes a part of what is to be sent; the rest goes later, and before all else.
TEST(ChannelTest, FramesStayWholeWhenTheServerReadsSlowly) {
  constexpr int kCallers = 4;
  constexpr int kCalls = 100;
  Mutex mu;
  CondVar changed;
  bool reads = false;
  std::map<Bytes, int> received;
  ScriptedServer server([&](const Received& call) {
    MutexLock lock(&mu);
    while (!reads) changed.Wait(&mu);  // nor is anything read meanwhile
    ++received[call.Parse<pb::GetRequest>().get().row()];
    return Reply::Of(pb::GetResponse());
  });
  Channels channels("test", {});
  const auto channel = channels.Get({"127.0.0.1", server.port()}, "ClientService", kTimeout);
  std::atomic<int> started = 0;
  std::atomic<int> answered = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      std::vector<PendingCall> calls(kCalls);
      for (int i = 0; i < kCalls; ++i) {
        pb::GetRequest request;
        request.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
        request.mutable_region()->set_value("t,,1.");
        const size_t size = i % 10 == 9 ? 100'000 : 50'000 + static_cast<size_t>(i);
        request.mutable_get()->set_row(RowOfCall(caller, i, size));
        channel->Start("Get", request, {}, kTimeout, calls[static_cast<size_t>(i)].done());
        ++started;
      }
      for (PendingCall& call : calls) answered += call.Wait().status.ok() ? 1 : 0;
    });
  }
  while (started < kCallers * kCalls) std::this_thread::yield();
  {
    MutexLock lock(&mu);
    reads = true;
    changed.SignalAll();
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(answered, kCallers * kCalls);
  MutexLock lock(&mu);
  EXPECT_EQ(received.size(), size_t{kCallers} * kCalls);
  for (int caller = 0; caller < kCallers; ++caller) {
    for (int i = 0; i < kCalls; ++i) {
      const size_t size = i % 10 == 9 ? 100'000 : 50'000 + static_cast<size_t>(i);
      EXPECT_EQ(received.count(RowOfCall(caller, i, size)), 1U) << caller << " " << i;
    }
  }
}

// A call whose caller has given up while a part of its frame was sent.
TEST(ChannelTest, ACallThatIsLateIsStillSentToItsEnd) {
  Mutex mu;
  CondVar changed;
  bool reads = false;
  std::atomic<int> whole = 0;
  ScriptedServer server([&](const Received& call) {
    MutexLock lock(&mu);
    while (!reads) changed.Wait(&mu);
    const Bytes row = call.Parse<pb::GetRequest>().get().row();
    whole += row.substr(row.size() - 4) == "last" ? 1 : 0;
    return Reply::Of(pb::GetResponse());
  });
  Channels channels("test", {});
  const auto channel = channels.Get({"127.0.0.1", server.port()}, "ClientService", kTimeout);
  const auto start = [&](std::chrono::milliseconds timeout) {
    pb::GetRequest request;
    request.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
    request.mutable_region()->set_value("t,,1.");
    request.mutable_get()->set_row(Bytes(40'000, 'x') + "last");
    PendingCall call;
    channel->Start("Get", request, {}, timeout, call.done());
    return call;
  };
  start(kTimeout).Leave([](const CallOutcome&) {});  // the server hangs at it
  std::vector<PendingCall> late;
  for (int i = 0; i < 400; ++i) late.push_back(start(std::chrono::milliseconds(200)));
  for (PendingCall& call : late) EXPECT_EQ(call.Wait().status.code(), StatusCode::kTimedOut);
  {
    MutexLock lock(&mu);
    reads = true;
    changed.SignalAll();
  }
  PendingCall last = start(kTimeout);
  EXPECT_TRUE(last.Wait().status.ok());
  EXPECT_GT(whole, 2);
}

// Callers send by themselves while the thread that reads finds that the connection is lost.
TEST(ChannelTest, EveryCallEndsWhenTheConnectionIsLostUnderItsCallers) {
  constexpr int kRounds = 40;
  constexpr int kCallers = 4;
  std::atomic<int> calls = 0;
  ScriptedServer server([&](const Received&) {
    return ++calls % 50 == 0 ? Reply::Drop() : Reply::Of(pb::GetResponse());
  });
  Channels channels("test", {});
  for (int round = 0; round < kRounds; ++round) {
    const auto channel = channels.Get({"127.0.0.1", server.port()}, "ClientService", kTimeout);
    std::atomic<int> lost = 0;
    std::vector<std::thread> callers;
    for (int caller = 0; caller < kCallers; ++caller) {
      callers.emplace_back([&, caller] {
        pb::GetRequest request;
        request.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
        request.mutable_region()->set_value("t,,1.");
        request.mutable_get()->set_row(RowOfCall(caller, 0, 2000));
        CallOutcome outcome;
        while (outcome.status.ok()) outcome = channel->Call("Get", request, {}, kTimeout);
        lost += outcome.lost_server ? 1 : 0;
        EXPECT_FALSE(channel->Call("Get", request, {}, kTimeout).status.ok());
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(lost, kCallers);
    EXPECT_TRUE(channel->broken());
  }
  EXPECT_EQ(server.connections(), kRounds);
}

}  // namespace
}  // namespace bennu::client
