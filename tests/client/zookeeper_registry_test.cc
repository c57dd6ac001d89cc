// The registry in ZooKeeper, asked of a server in this process.
#include "src/client/zookeeper_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/client/connect.h"
#include "src/server/server.h"

namespace bennu::client {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr milliseconds kTimeout{20'000};

class ZooKeeperRegistryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_registry_" + std::to_string(Env::Default()->RandomU64()));
    // Ports that nobody is given who asks for any, since they are left and taken again.
    for (int i = 0; server_ == nullptr && i < 50; ++i) {
      port_ = static_cast<uint16_t>(20'000 + Env::Default()->RandomU64() % 12'000);
      Start();
    }
    ASSERT_NE(server_, nullptr);
    quorum_.servers = {{"127.0.0.1", port_}};
  }
  void TearDown() override {
    server_.reset();
    std::filesystem::remove_all(path_);
  }

  // ZooKeeper, the master and the region server are at port_ and the next two.
  void Start() {
    server::ServerOptions options;
    options.directory = path_;
    options.zookeeper_port = port_;
    options.master_port = static_cast<uint16_t>(port_ + 1);
    options.region_server_port = static_cast<uint16_t>(port_ + 2);
    options.http_port.reset();
    options.phoenix_port.reset();
    options.handler_threads = 2;
    auto server = server::Server::Start(options);
    if (server.ok()) server_ = std::move(server).value();
  }
  std::unique_ptr<ZooKeeperRegistry> Registry() const {
    return std::make_unique<ZooKeeperRegistry>(quorum_, kTimeout);
  }
  // What the master's address ends with, or the error.
  static std::string MasterOf(ZooKeeperRegistry* registry) {
    const auto master = registry->ActiveMaster();
    return master.ok() ? std::to_string(master->port) : master.status().ToString();
  }
  std::string MasterPort() const { return std::to_string(port_ + 1); }

  std::string path_;
  uint16_t port_ = 0;
  std::unique_ptr<server::Server> server_;
  ZooKeeperQuorum quorum_;
};

TEST_F(ZooKeeperRegistryTest, AnswersWhatMastersAnswer) {
  const auto registry = Registry();
  Channels channels("test", {});
  ClientOptions options;
  options.registry = {{"127.0.0.1", static_cast<uint16_t>(port_ + 1)}};
  const auto by_rpc = MakeRegistry(options, &channels);
  const auto id = registry->ClusterId();
  ASSERT_TRUE(id.ok()) << id.status().ToString();
  EXPECT_EQ(*id, by_rpc->ClusterId().value());
  const auto master = registry->ActiveMaster();
  ASSERT_TRUE(master.ok()) << master.status().ToString();
  EXPECT_EQ(*master, by_rpc->ActiveMaster().value());
  const auto meta = registry->MetaRegion();
  ASSERT_TRUE(meta.ok()) << meta.status().ToString();
  const auto expected = by_rpc->MetaRegion();
  ASSERT_TRUE(expected.ok());
  EXPECT_EQ(meta->name, expected->name);
  EXPECT_EQ(meta->server, expected->server);
  EXPECT_EQ(meta->info.EncodedName(), "1588230740");
}

TEST_F(ZooKeeperRegistryTest, AConnectionBeginsThere) {
  ClientOptions options;
  options.zookeeper = quorum_;
  options.user = "test";
  const auto connection = Connect(options);
  ASSERT_TRUE(connection.ok()) << connection.status().ToString();
  const auto exists = (*connection)->admin()->TableExists({"default", "none"});
  ASSERT_TRUE(exists.ok()) << exists.status().ToString();
  EXPECT_FALSE(*exists);
}

// Dead servers, whose names may be gone as well, are passed over, wherever they stand.
TEST_F(ZooKeeperRegistryTest, OneLivingServerIsEnough) {
  const Address living = quorum_.servers[0];
  quorum_.servers = {{"127.0.0.1", 1}, {"no-such-host.invalid", 2181}, living, {"127.0.0.1", 2}};
  // Who is asked first is a matter of chance.
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(MasterOf(Registry().get()), MasterPort());
  }
}

// A server that takes connections and says nothing, as behind a hung disk or a firewall, is left in
// time to ask the next.
TEST_F(ZooKeeperRegistryTest, ASilentServerIsLeft) {
  const int silent = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(silent, general, size), 0);
  ASSERT_EQ(listen(silent, 100), 0);
  ASSERT_EQ(getsockname(silent, general, &size), 0);
  quorum_.servers.push_back({"127.0.0.1", ntohs(address.sin_port)});
  // Who is asked first is a matter of chance.
  for (int i = 0; i < 6; ++i) {
    ZooKeeperRegistry registry(quorum_, milliseconds(3'000));
    EXPECT_EQ(MasterOf(&registry), MasterPort());
  }
  quorum_.servers.erase(quorum_.servers.begin());
  ZooKeeperRegistry registry(quorum_, milliseconds(1'000));
  EXPECT_THAT(MasterOf(&registry), HasSubstr("expected the client ports of ZooKeeper"));
  close(silent);
}

TEST_F(ZooKeeperRegistryTest, NobodyAnswers) {
  quorum_.servers = {{"127.0.0.1", 1}, {"127.0.0.1", 2}};
  const auto master = Registry()->ActiveMaster();
  EXPECT_EQ(master.status().code(), StatusCode::kIoError);
  EXPECT_THAT(master.status().message(),
              AllOf(HasSubstr("127.0.0.1:1,127.0.0.1:2"), HasSubstr("no server answers"),
                    HasSubstr("such as 2181")));
  quorum_.servers = {{"no-such-host.invalid", 2181}};
  EXPECT_THAT(MasterOf(Registry().get()), HasSubstr("no-such-host.invalid cannot be found"));
}

// The master's port takes the connection and does not know what it reads.
TEST_F(ZooKeeperRegistryTest, AnotherProtocol) {
  quorum_.servers = {{"127.0.0.1", static_cast<uint16_t>(port_ + 1)}};
  ZooKeeperRegistry registry(quorum_, milliseconds(2'000));
  EXPECT_THAT(MasterOf(&registry), HasSubstr("expected the client ports of ZooKeeper"));
}

TEST_F(ZooKeeperRegistryTest, AWrongParent) {
  quorum_.parent = "/hbase-unsecure";
  const auto master = Registry()->ActiveMaster();
  EXPECT_EQ(master.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      master.status().message(),
      AllOf(HasSubstr("no znode /hbase-unsecure"), HasSubstr("is zookeeper.znode.parent right?"),
            HasSubstr("The children of / are hbase, zookeeper")));
  // A znode that is there, and is not a cluster's.
  quorum_.parent = "/hbase/rs";
  const auto other = Registry()->ActiveMaster();
  EXPECT_EQ(other.status().code(), StatusCode::kAborted);
  EXPECT_THAT(other.status().message(), HasSubstr("no active master"));
  EXPECT_THAT(Registry()->MetaRegion().status().message(), HasSubstr("hbase:meta is on no server"));
}

TEST_F(ZooKeeperRegistryTest, AChroot) {
  quorum_.chroot = "/hbase";
  quorum_.parent = "/";
  EXPECT_EQ(MasterOf(Registry().get()), MasterPort());
  quorum_.chroot = "/none";
  EXPECT_THAT(MasterOf(Registry().get()), HasSubstr("there is no /none"));
}

TEST_F(ZooKeeperRegistryTest, AServerComesBack) {
  const auto registry = Registry();
  EXPECT_EQ(MasterOf(registry.get()), MasterPort());
  server_.reset();
  EXPECT_THAT(MasterOf(registry.get()), HasSubstr("no server answers"));
  Start();
  ASSERT_NE(server_, nullptr);
  EXPECT_EQ(MasterOf(registry.get()), MasterPort());
}

// The connection breaks between two questions, and the next one does not notice.
TEST_F(ZooKeeperRegistryTest, AConnectionIsMadeAgain) {
  const auto registry = Registry();
  EXPECT_EQ(MasterOf(registry.get()), MasterPort());
  server_.reset();
  Start();
  ASSERT_NE(server_, nullptr);
  EXPECT_EQ(MasterOf(registry.get()), MasterPort());
}

TEST_F(ZooKeeperRegistryTest, AnIdleSessionEnds) {
  quorum_.keep_alive = milliseconds(1);
  const auto registry = Registry();
  EXPECT_FALSE(registry->has_session());
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(MasterOf(registry.get()), MasterPort());
    for (int i = 0; registry->has_session() && i < 2'000; ++i) Env::Default()->SleepMicros(5'000);
    EXPECT_FALSE(registry->has_session());
  }
  quorum_.keep_alive = milliseconds(600'000);
  const auto kept = Registry();
  EXPECT_EQ(MasterOf(kept.get()), MasterPort());
  EXPECT_TRUE(kept->has_session());
}

TEST_F(ZooKeeperRegistryTest, ManyAskAtOnce) {
  quorum_.keep_alive = milliseconds(1);  // sessions end all the time
  const auto registry = Registry();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_EQ(MasterOf(registry.get()), MasterPort());
        if (round % 10 == 0) Env::Default()->SleepMicros(2'000);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace bennu::client
