// Servers that are reached somewhere else than they say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "proto/registry.pb.h"
#include "src/client/channel.h"
#include "tests/client/scripted_server.h"

namespace bennu::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DetourTest, ErrorsKeepTheServersOwnAddress) {
  constexpr std::chrono::seconds kTimeout{60};
  const Address known_as = {"rs.example.com", 16020};
  ScriptedServer server([](const Received&) { return Reply::Of(pb::GetClusterIdResponse()); });
  uint16_t port = server.port();
  std::vector<Address> asked;
  Channels channels("test", {}, [&](const Address& address) {
    asked.push_back(address);
    return Address{"127.0.0.1", port};
  });
  const auto call = [&] {
    return channels.Get(known_as, "ClientMetaService", kTimeout)
        ->Call("GetClusterId", pb::GetClusterIdRequest(), {}, kTimeout);
  };
  EXPECT_TRUE(call().status.ok());
  EXPECT_TRUE(call().status.ok());
  EXPECT_THAT(asked, ElementsAre(known_as)) << "once for a connection";

  port = 1;  // where nobody listens
  server.DropConnections();
  CallOutcome outcome = call();
  if (asked.size() == 1) outcome = call();  // the first may still have gone to the lost connection
  EXPECT_FALSE(outcome.status.ok());
  EXPECT_THAT(outcome.status.message(), HasSubstr("rs.example.com:16020 cannot be reached"));
  EXPECT_THAT(asked, ElementsAre(known_as, known_as));
}

}  // namespace
}  // namespace bennu::client
