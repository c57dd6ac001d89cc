// Nodes recorded from HBase 2.5.13, and bytes put together by hand from its layout (FF, name, PBUF)
// and ZooKeeper.proto.
#include "src/client/znode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/hex.h"

namespace bennu::client {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

// FF, 20, "master:17000" and 8 random bytes: who wrote it.
const Bytes kWriter = "\xff\x00\x00\x00\x14master:17000\x01\x02\x03\x04\x05\x06\x07\xff"s;
// ServerName{host_name "localhost", port 17000, start_code 1}
const Bytes kServer = "\x0a\x11\x0a\x09localhost\x10\xe8\x84\x01\x18\x01"s;

Bytes FromHex(std::string_view hex) {
  const auto bytes = HexDecode(hex);
  EXPECT_TRUE(bytes.ok());
  return bytes.ok() ? *bytes : Bytes();
}

TEST(Znode, NodesOfHBase) {
  const auto master = MasterOfZnode(
      FromHex("ff000000146d61737465723a31363130307c124e30eb823e81504255460a190a0d6e6f6465312e657861"
              "6d706c6510e47d18f3daaed19f34100018ffffffff0f"));
  ASSERT_TRUE(master.ok()) << master.status().ToString();
  EXPECT_EQ(*master, (Address{"node1.example", 16100}));
  const auto meta = MetaServerOfZnode(
      FromHex("ff000000146d61737465723a3136313030ace77c8129dc7ef0504255460a190a0d6e6f6465312e657861"
              "6d706c6510f87d1890f9aed19f3410001803"));
  ASSERT_TRUE(meta.ok()) << meta.status().ToString();
  EXPECT_EQ(*meta, (Address{"node1.example", 16120}));
  const auto id = ClusterIdOfZnode(
      FromHex("ff000000146d61737465723a31363130304ddd4e1116984e24504255460a2432373961363166352d6236"
              "39302d346562372d386539302d363536343636326635663530"));
  ASSERT_TRUE(id.ok()) << id.status().ToString();
  EXPECT_EQ(*id, "279a61f5-b690-4eb7-8e90-6564662f5f50");
}

// A writer need not put its name in front.
TEST(Znode, WithAndWithoutTheWriter) {
  for (const Bytes& writer : {kWriter, Bytes()}) {
    const auto master = MasterOfZnode(writer + "PBUF" + kServer);
    ASSERT_TRUE(master.ok()) << master.status().ToString();
    EXPECT_EQ(*master, (Address{"localhost", 17000}));
  }
}

TEST(Znode, MetaMustBeOpen) {
  const auto of = [](const Bytes& state) { return MetaServerOfZnode("PBUF" + kServer + state); };
  for (const Bytes& open : {"\x18\x03"s, ""s}) {
    const auto server = of(open);
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    EXPECT_EQ(server->ToString(), "localhost:17000");
  }
  const auto opening = of("\x18\x02"s);
  EXPECT_EQ(opening.status().code(), StatusCode::kAborted);
  EXPECT_THAT(opening.status().message(), HasSubstr("hbase:meta is OPENING"));
}

TEST(Znode, OtherBytesAreRefused) {
  struct Case {
    Bytes data;
    const char* problem;
  };
  const Case cases[] = {
      {"", "it is empty"},
      {kWriter, "it is empty"},
      {"\xff", "cut short"},
      {"\xff\x00\x00\x01\x00master"s, "cut short"},
      {"\xff\xff\xff\xff\xffmaster"s, "cut short"},
      {"localhost:17000", "no 'PBUF'"},
      {"PBUF", "cannot be read"},  // the server is required
      {"PBUF" + kServer.substr(0, 10), "cannot be read"},
      {"PBUF\x0a\x07\x0a\x01h\x10\x80\x80\x04"s, "the port of its server is 65536"},
      {"PBUF\x0a\x03\x0a\x01h"s, "the port of its server is 0"},
      {"PBUF\x0a\x04\x0a\x00\x10\x01"s, "no name of a host"},
      {"PBUF\x0a\x06\x0a\x02h \x10\x01"s, "no name of a host"},
  };
  for (const Case& one : cases) {
    for (const auto& read : {MasterOfZnode(one.data), MetaServerOfZnode(one.data)}) {
      EXPECT_EQ(read.status().code(), StatusCode::kCorruption) << one.problem;
      EXPECT_THAT(read.status().message(), HasSubstr(one.problem));
    }
  }
}

}  // namespace
}  // namespace bennu::client
