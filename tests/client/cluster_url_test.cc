// Forms are those of HBase 3's connection URIs and of Phoenix's JDBC URLs.
#include "src/client/cluster_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bennu::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

// "zookeeper host:port host:port /parent name=value": what was understood.
std::string Read(std::string_view text) {
  const auto url = ParseClusterUrl(text);
  if (!url.ok()) return "ERROR " + url.status().message();
  std::string read = "configured";
  if (url->registry.has_value()) {
    read = url->registry == RegistryKind::kRpc ? "rpc" : "zookeeper";
  }
  for (const Address& server : url->servers) read += " " + server.ToString();
  if (!url->znode_parent.empty()) read += " " + url->znode_parent;
  for (const auto& [name, value] : url->properties) read += " " + name + "=" + value;
  return read;
}

TEST(ClusterUrl, ZooKeeperOfHBase) {
  for (const std::string scheme : {"hbase", "hbase+zk"}) {
    EXPECT_EQ(Read(scheme + "://zk1,zk2:2182/hbase"), "zookeeper zk1:2182 zk2:2182 /hbase");
    EXPECT_EQ(Read(scheme + "://zk1:1,zk2,zk3:3/a/b/"), "zookeeper zk1:1 zk2:3 zk3:3 /a/b");
    EXPECT_EQ(Read(scheme + "://[::1]:2181,[fe80::2]"), "zookeeper [::1]:2181 [fe80::2]:0");
    EXPECT_EQ(Read(scheme + "://zk1"), "zookeeper zk1:0");
    EXPECT_EQ(Read(scheme + "://zk1/"), "zookeeper zk1:0");
    EXPECT_EQ(Read(scheme + "://zk1/hbase?hbase.rpc.timeout=5&b=%26=&"),
              "zookeeper zk1:0 /hbase b=&= hbase.rpc.timeout=5");
  }
}

TEST(ClusterUrl, ServersOfHBase) {
  EXPECT_EQ(Read("hbase+rpc://m1:16000,m2:16001"), "rpc m1:16000 m2:16001");
  EXPECT_EQ(Read("hbase+rpc://m1,m2/?a=b"), "rpc m1:0 m2:0 a=b");
  EXPECT_EQ(Read("m1:16000,[::1]:16020"), "rpc m1:16000 [::1]:16020");
  // Hosts may have such names.
  EXPECT_EQ(Read("hbase:16000"), "rpc hbase:16000");
  EXPECT_EQ(Read("hbase:16000,m2:16000"), "rpc hbase:16000 m2:16000");
}

TEST(ClusterUrl, WhatTheConfigurationNames) {
  EXPECT_EQ(Read("hbase:"), "configured");
  EXPECT_EQ(Read("hbase://"), "configured");
  EXPECT_EQ(Read("hbase://?a=b"), "configured a=b");
  EXPECT_EQ(Read("hbase+zk:"), "zookeeper");
  EXPECT_EQ(Read("hbase+rpc://"), "rpc");
  EXPECT_EQ(Read("jdbc:phoenix"), "configured");
  EXPECT_EQ(Read("jdbc:phoenix:"), "configured");
  EXPECT_EQ(Read("jdbc:phoenix+rpc;a=b"), "rpc a=b");
}

TEST(ClusterUrl, Phoenix) {
  for (const std::string protocol : {"jdbc:phoenix:", "jdbc:phoenix+zk:"}) {
    EXPECT_EQ(Read(protocol + "zk1,zk2:2182:/hbase"), "zookeeper zk1:2182 zk2:2182 /hbase");
    EXPECT_EQ(Read(protocol + "zk1\\:1,zk2:2182"), "zookeeper zk1:1 zk2:2182");
    EXPECT_EQ(Read(protocol + "zk1:/hbase-unsecure"), "zookeeper zk1:0 /hbase-unsecure");
    EXPECT_EQ(Read(protocol + "zk1::/hbase"), "zookeeper zk1:0 /hbase");
    EXPECT_EQ(Read(protocol + "zk1:2181:/hbase::"), "zookeeper zk1:2181 /hbase");
    EXPECT_EQ(Read(protocol + "[::1]:2181"), "zookeeper [::1]:2181");
    EXPECT_EQ(Read(protocol + "zk1;TenantId=a:b;c=%41;"), "zookeeper zk1:0 TenantId=a:b c=%41");
  }
  for (const std::string protocol : {"jdbc:phoenix+rpc:", "jdbc:phoenix+master:"}) {
    EXPECT_EQ(Read(protocol + "m1\\:16000,m2\\:16001"), "rpc m1:16000 m2:16001");
    EXPECT_EQ(Read(protocol + "m1,m2:16000"), "rpc m1:16000 m2:16000");
    EXPECT_EQ(Read(protocol + "m1\\:16000::;a=b"), "rpc m1:16000 a=b");
  }
}

// The part that is wrong is named.
TEST(ClusterUrl, Mistakes) {
  const std::pair<const char*, const char*> cases[] = {
      {"hbase://zk1:port/hbase", "zk1: 'port' is not a port, a number from 1 to 65535"},
      {"hbase://zk1:0", "'0' is not a port"},
      {"hbase://zk1:65536", "'65536' is not a port"},
      {"hbase://zk1,,zk2", "a comma has no host on one side"},
      {"hbase://zk1,", "a comma has no host on one side"},
      {"hbase://::1", "an IPv6 address stands in brackets"},
      {"hbase://[::1", "an IPv6 address stands in brackets"},
      {"hbase://[zk1", "is not a host"},
      {"hbase://[]", "is not a host"},
      {"hbase://z k", "'z k' is not a host"},
      {"hbase:///hbase", "no server stands before the path"},
      {"hbase://zk1//hbase", "'//hbase' is not the path of a znode"},
      {"hbase:zk1", "two slashes are missing"},
      {"hbase+http://zk1",
       "there is no scheme 'hbase+http'; expected hbase, hbase+zk or hbase+rpc"},
      {"hbase+rpc://m1:16000/hbase", "the path /hbase is a znode's"},
      {"hbase://zk1?a=1&novalue", "property 2 is not NAME=VALUE"},
      {"hbase://zk1?=1", "property 1 is not NAME=VALUE"},
      {"hbase://user:word@zk1", "there is no authentication"},
      {"jdbc:phoenix:zk1:2181:/hbase:principal:keytab", "Kerberos"},
      {"jdbc:phoenix:zk1:2181:/hbase:principal", "Kerberos"},
      {"jdbc:phoenix:zk1:port", "'port' is neither a port nor a znode such as /hbase"},
      {"jdbc:phoenix:zk1:2181:hbase", "'hbase' is not the path of a znode"},
      {"jdbc:phoenix::2181", "no server stands before the port"},
      {"jdbc:phoenix+rpc:m1:16000:/hbase", "the path /hbase is a znode's"},
      {"jdbc:phoenix+thing:m1", "there is no protocol 'phoenix+thing'"},
      {"jdbc:phoenix:zk1;word", "property 1 is not NAME=VALUE"},
      {"jdbc:phoenix:thin:url=http://host:8765;serialization=JSON", "`bennu sql http://host:8765`"},
      {"jdbc:phoenix:thin:url=http://user:word@host:8765", "`bennu sql http://HOST:8765`"},
      {"m1", "'m1' is no server's address"},
      {"m1:16000,m2", "'m2' is no server's address"},
  };
  for (const auto& [text, problem] : cases) {
    const auto url = ParseClusterUrl(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(url.status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(url.status().message(), HasSubstr(problem));
    EXPECT_THAT(url.status().message(), Not(HasSubstr("word")));
  }
}

// Values may be passwords.
TEST(ClusterUrl, MessagesHaveNoValues) {
  EXPECT_EQ(ShownTarget("hbase://zk1:2181/hbase?a=secret"), "hbase://zk1:2181/hbase");
  EXPECT_EQ(ShownTarget("jdbc:phoenix:zk1;password=secret"), "jdbc:phoenix:zk1");
  EXPECT_THAT(ShownTarget("hbase://user:secret@zk1"), Not(HasSubstr("secret")));
  EXPECT_THAT(Read("hbase://zk1:x?hbase.rpc.tls.keystore.password=secret"),
              Not(HasSubstr("secret")));
}

TEST(ClusterUrl, WhatLooksLikeACluster) {
  for (const char* const text :
       {"hbase:", "hbase://zk", "hbase+zk://zk", "hbase+rpc://m1", "hbase+what://x", "hbase:zk1",
        "jdbc:phoenix", "jdbc:phoenix:zk", "jdbc:phoenix+zk:zk", "jdbc:phoenix;a=b",
        "jdbc:phoenix:thin:url=http://x", "localhost:16000", "m1:16000,m2:16000", "hbase:16000"}) {
    EXPECT_TRUE(LooksLikeCluster(text)) << text;
  }
  for (const char* const text :
       {"", "data", "./hbase://zk", "./data:16000", "/data:1", "hbase", "hbase2",
        ":memory:", "http://localhost:8765", "jdbc:phoenixes:x", "jdbc:mysql://x", "a:b"}) {
    EXPECT_FALSE(LooksLikeCluster(text)) << text;
  }
}

}  // namespace
}  // namespace bennu::client
