// Sockets: what a peer sends comes in whole and in order, and what it does not fetch costs little.
#include "src/server/net/io_loops.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "src/server/net/address_counts.h"

namespace bennu::server::net {
namespace {

// Sends back what comes in; "quit" ends the connection.
class EchoSession : public Session {
 public:
  explicit EchoSession(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
  Result<size_t> Receive(ByteView bytes) override {
    if (bytes.starts_with("fail")) return Corruption("asked to fail");
    channel_->Send(bytes);
    if (bytes.starts_with("quit")) channel_->Close();
    return bytes.size();
  }

 private:
  const std::shared_ptr<Channel> channel_;
};

class Client {
 public:
  explicit Client(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(0, connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)));
  }
  ~Client() { close(socket_); }
  void Send(ByteView bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ASSERT_GT(sent, 0);
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  // Up to 'size' bytes; fewer when the server ends the connection.
  Bytes Receive(size_t size) const {
    Bytes all;
    Bytes part(64 << 10, '\0');
    while (all.size() < size) {
      const ssize_t got = recv(socket_, part.data(), std::min(part.size(), size - all.size()), 0);
      if (got <= 0) break;
      all.append(part, 0, static_cast<size_t>(got));
    }
    return all;
  }
  Bytes ReceiveWhatIsThere() const {
    Bytes part(64 << 10, '\0');
    const ssize_t got = recv(socket_, part.data(), part.size(), MSG_DONTWAIT);
    part.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return part;
  }

 private:
  const int socket_;
};

class IoLoopsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto port = loops_.Bind({});
    ASSERT_TRUE(port.ok()) << port.status().ToString();
    port_ = *port;
    loops_.Serve(port_, [this](std::shared_ptr<Channel> channel) {
      last_channel_.store(channel);
      return std::make_unique<EchoSession>(std::move(channel));
    });
  }
  void AwaitConnections(size_t count) const {
    for (int i = 0; i < 10'000 && loops_.connection_count() != count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(count, loops_.connection_count());
  }

  IoLoops loops_{2};
  uint16_t port_ = 0;
  std::atomic<std::shared_ptr<Channel>> last_channel_;
};

TEST_F(IoLoopsTest, EchoesInOrder) {
  const Client client(port_);
  for (int i = 0; i < 100; ++i) {
    const Bytes text = "message " + std::to_string(i);
    client.Send(text);
    EXPECT_EQ(text, client.Receive(text.size()));
  }
}

TEST_F(IoLoopsTest, CarriesMoreThanAnyBuffer) {
  const Client client(port_);
  Bytes large(20 << 20, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7 + i / 251);
  std::thread sender([&] { client.Send(large); });
  const Bytes echoed = client.Receive(large.size());
  sender.join();
  EXPECT_TRUE(large == echoed);
}

// Two threads send lines on one connection, whose loop echoes dots meanwhile. Each sender's bytes
// stay in order, and none is lost.
TEST_F(IoLoopsTest, OtherThreadsSendBesideTheLoop) {
  constexpr int kLines = 3000;
  constexpr size_t kLong = 40'000;
  constexpr size_t kDots = 20'000;
  const Client client(port_);
  client.Send(".");
  ASSERT_EQ(".", client.Receive(1));
  const std::shared_ptr<Channel> channel = last_channel_.load();
  const auto line = [](char sender, int i) {
    const size_t length = i % 50 == 0 ? kLong : static_cast<size_t>(i % 40);
    return std::string(1, sender) + std::to_string(i) + ":" + std::string(length, sender) + "\n";
  };
  std::vector<std::thread> senders;
  for (const char sender : {'a', 'b'}) {
    senders.emplace_back([&, sender] {
      for (int i = 0; i < kLines; ++i) {
        while (channel->unsent() > 1 << 20) std::this_thread::yield();
        sender == 'a' ? channel->Send(line(sender, i)) : channel->SendOwned(line(sender, i));
      }
    });
  }
  senders.emplace_back([&] {
    for (size_t i = 0; i < kDots; ++i) client.Send(".");
  });
  std::map<char, int> next;
  Bytes rest;
  size_t dots = 0;
  while (next['a'] < kLines || next['b'] < kLines || dots < kDots) {
    Bytes part = client.Receive(1);
    ASSERT_FALSE(part.empty());
    part += client.ReceiveWhatIsThere();
    dots += std::erase(part, '.');
    rest += part;
    size_t begin = 0;
    for (size_t end = rest.find('\n'); end != Bytes::npos; end = rest.find('\n', begin)) {
      const char sender = rest[begin];
      ASSERT_EQ(line(sender, next[sender]++), rest.substr(begin, end + 1 - begin));
      begin = end + 1;
    }
    rest.erase(0, begin);
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ("", rest);
  EXPECT_EQ(kDots, dots);
}

TEST_F(IoLoopsTest, EndsWhenAskedAfterWhatWasSent) {
  const Client client(port_);
  client.Send("quit");
  EXPECT_EQ("quit", client.Receive(100));
  AwaitConnections(0);
}

TEST_F(IoLoopsTest, AFailedSessionEndsItsConnectionOnly) {
  const Client good(port_);
  const Client bad(port_);
  AwaitConnections(2);
  bad.Send("fail");
  EXPECT_EQ("", bad.Receive(100));
  AwaitConnections(1);
  good.Send("still");
  EXPECT_EQ("still", good.Receive(5));
}

TEST(AddressCountsTest, AnAddressHasSoManyPlaces) {
  const auto counts = std::make_shared<AddressCounts>();
  auto first = counts->TryEnter("10.0.0.1", 2);
  const auto second = counts->TryEnter("10.0.0.1", 2);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(counts->TryEnter("10.0.0.1", 2), nullptr);
  EXPECT_NE(counts->TryEnter("10.0.0.2", 2), nullptr) << "another one's";
  first.reset();
  EXPECT_NE(counts->TryEnter("10.0.0.1", 2), nullptr);
}

TEST_F(IoLoopsTest, StopEndsAll) {
  const Client client(port_);
  AwaitConnections(1);
  loops_.Stop();
  EXPECT_EQ("", client.Receive(1));
  EXPECT_EQ(0u, loops_.connection_count());
}

// Takes lines; what is not a whole one waits.
class LineSession : public Session {
 public:
  explicit LineSession(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
  Result<size_t> Receive(ByteView bytes) override {
    const size_t end = bytes.find('\n');
    if (end == ByteView::npos) return 0;
    channel_->Send(bytes.substr(0, end + 1));
    return end + 1;
  }

 private:
  const std::shared_ptr<Channel> channel_;
};

// Who sends a byte now and then is cut off; who sends whole messages, or nothing, is not.
TEST_F(IoLoopsTest, SlowMessagesEndTheirConnection) {
  ListenOptions options;
  options.message_time_max = std::chrono::seconds(1);
  const auto port = loops_.Bind(options);
  ASSERT_TRUE(port.ok()) << port.status().ToString();
  loops_.Serve(*port, [](std::shared_ptr<Channel> channel) {
    return std::make_unique<LineSession>(std::move(channel));
  });
  const Client slow(*port), silent(*port), whole(*port);
  whole.Send("one\n");
  EXPECT_EQ(whole.Receive(4), "one\n");
  slow.Send("no en");
  AwaitConnections(2);  // the slow one is gone
  EXPECT_EQ(slow.Receive(1), "");
  whole.Send("two\n");
  EXPECT_EQ(whole.Receive(4), "two\n");
  silent.Send("three\n");
  EXPECT_EQ(silent.Receive(6), "three\n");
}

// A client that fetches nothing holds memory that others want; one that fetches slowly stays.
TEST_F(IoLoopsTest, WhoFetchesNothingGoesWhenMemoryIsScarce) {
  WireMemory memory{4u << 20};
  ListenOptions options;
  options.memory = &memory;
  const auto port = loops_.Bind(options);
  ASSERT_TRUE(port.ok()) << port.status().ToString();
  std::atomic<std::shared_ptr<Channel>> channel;
  loops_.Serve(*port, [&channel](std::shared_ptr<Channel> opened) {
    channel.store(opened);
    return std::make_unique<EchoSession>(std::move(opened));
  });
  const auto connected = [&](const Client& client) {
    client.Send("hello");
    EXPECT_EQ(client.Receive(5), "hello");
    return channel.exchange(nullptr);
  };
  const Client stalled(*port);
  const auto to_stalled = connected(stalled);
  const Client slow(*port);
  const auto to_slow = connected(slow);
  const Client idle(*port);
  const auto to_idle = connected(idle);
  to_stalled->Send(Bytes(8u << 20, 'x'));
  to_slow->Send(Bytes(32u << 20, 'y'));
  EXPECT_TRUE(to_idle->HasRoomFor(60'000));  // of who has fetched everything
  EXPECT_FALSE(to_idle->HasRoomFor(70'000));
  EXPECT_FALSE(to_slow->HasRoomFor(1000));
  for (int i = 0; i < 100 && loops_.connection_count() > 2; ++i) {
    slow.Receive(100'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  AwaitConnections(2);
  EXPECT_GT(to_slow->unsent(), 0u);
  idle.Send("still there");
  EXPECT_EQ(idle.Receive(11), "still there");
  loops_.Stop();  // before what the connections use goes
}

TEST_F(IoLoopsTest, ATakenPortIsTold) {
  const auto again = loops_.Bind({.address = "127.0.0.1", .port = port_});
  ASSERT_FALSE(again.ok());
  EXPECT_NE(std::string::npos, again.status().message().find(std::to_string(port_)));
  EXPECT_FALSE(loops_.Bind({.address = "not an address"}).ok());
}

}  // namespace
}  // namespace bennu::server::net
