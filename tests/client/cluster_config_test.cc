// Names and defaults are those of HBase's hbase-default.xml.
#include "src/client/cluster_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "src/base/env.h"

namespace bennu::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Properties = std::map<std::string, std::string>;

class ClusterConfig : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("HBASE_CONF_DIR");
    folder_ = std::filesystem::temp_directory_path() /
              ("bennu_config_" + std::to_string(Env::Default()->RandomU64()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override {
    unsetenv("HBASE_CONF_DIR");
    std::filesystem::remove_all(folder_);
  }

  // Writes hbase-site.xml, one property in a line from line 2 on; its path.
  std::string Site(const Properties& properties) {
    const std::string path = folder_ / "hbase-site.xml";
    std::ofstream file(path);
    file << "<configuration>\n";
    for (const auto& [name, value] : properties) {
      file << "<property><name>" << name << "</name><value>" << value << "</value></property>\n";
    }
    file << "</configuration>\n";
    return path;
  }

  // "zookeeper host:port /chroot /parent" or "rpc host:port", or the error.
  static std::string Read(const ClusterRequest& request) {
    const auto options = ReadClusterOptions(request);
    if (!options.ok()) return options.status().ToString();
    std::string read = options->zookeeper.has_value() ? "zookeeper" : "rpc";
    for (const Address& server :
         options->zookeeper.has_value() ? options->zookeeper->servers : options->registry) {
      read += " " + server.ToString();
    }
    if (!options->zookeeper.has_value()) return read;
    if (!options->zookeeper->chroot.empty()) read += " in " + options->zookeeper->chroot;
    return read + " " + options->zookeeper->parent;
  }

  std::filesystem::path folder_;
};

TEST_F(ClusterConfig, WithoutAFile) {
  EXPECT_EQ(Read({"hbase://zk1,zk2", "", {}}), "zookeeper zk1:2181 zk2:2181 /hbase");
  EXPECT_EQ(Read({"hbase://zk1/x", "", {}}), "zookeeper zk1:2181 /x");
  EXPECT_EQ(Read({"hbase+rpc://m1,m2", "", {}}), "rpc m1:16000 m2:16000");
  EXPECT_EQ(Read({"m1:1,m2:2", "", {}}), "rpc m1:1 m2:2");
  EXPECT_EQ(Read({"hbase:", "", {{"hbase.zookeeper.quorum", "zk1,zk2:5"}}}),
            "zookeeper zk1:2181 zk2:5 /hbase");
  EXPECT_THAT(Read({"hbase:", "", {}}), HasSubstr("no --config, and HBASE_CONF_DIR is not set"));
  EXPECT_THAT(Read({"hbase+rpc:", "", {}}), HasSubstr("no servers are named"));
}

TEST_F(ClusterConfig, ZooKeeperOfAFile) {
  const std::string file = Site({{"hbase.rootdir", "hdfs://x/hbase"},
                                 {"hbase.rpc.timeout", "7000"},
                                 {"hbase.zookeeper.property.clientPort", "2222"},
                                 {"hbase.zookeeper.quorum", "zk1, zk2:3333,[::1]"},
                                 {"zookeeper.session.timeout", "5000"},
                                 {"zookeeper.znode.parent", "/hbase-unsecure"}});
  EXPECT_EQ(Read({"hbase:", file, {}}), "zookeeper zk1:2222 zk2:3333 [::1]:2222 /hbase-unsecure");
  EXPECT_EQ(Read({"jdbc:phoenix", file, {}}),
            "zookeeper zk1:2222 zk2:3333 [::1]:2222 /hbase-unsecure");
  const auto options = ReadClusterOptions({"hbase:", file, {}});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->zookeeper->session_timeout.count(), 5000);
  EXPECT_EQ(options->call_timeout.count(), 7000);
  // What the target says itself wins.
  EXPECT_EQ(Read({"hbase://other", file, {}}), "zookeeper other:2222 /hbase-unsecure");
  EXPECT_EQ(Read({"hbase://other:1/x", file, {}}), "zookeeper other:1 /x");
  EXPECT_EQ(Read({"m1:16000", file, {}}), "rpc m1:16000");
  EXPECT_THAT(Read({"hbase+rpc:", file, {}}), HasSubstr("neither hbase.client.bootstrap.servers"));
  // And -D over both.
  EXPECT_EQ(Read({"hbase:", file, {{"hbase.zookeeper.quorum", "zk9"}}}),
            "zookeeper zk9:2222 /hbase-unsecure");
}

// ZooKeeper's own meaning of a path behind the servers.
TEST_F(ClusterConfig, AChroot) {
  const std::string file = Site({{"hbase.zookeeper.quorum", "zk1:2181,zk2:2181/some/where"}});
  EXPECT_EQ(Read({"hbase:", file, {}}), "zookeeper zk1:2181 zk2:2181 in /some/where /hbase");
}

TEST_F(ClusterConfig, RegistriesOfAFile) {
  const std::string package = "org.apache.hadoop.hbase.client.";
  const Properties servers = {{"hbase.client.bootstrap.servers", "rs1:16020,rs2:16020"},
                              {"hbase.masters", "m1,m2:16001"},
                              {"hbase.zookeeper.quorum", "zk1"}};
  const auto with = [&](const std::string& registry) {
    Properties properties = servers;
    properties["hbase.client.registry.impl"] = package + registry;
    return Read({"hbase:", Site(properties), {}});
  };
  EXPECT_EQ(with("RpcConnectionRegistry"), "rpc rs1:16020 rs2:16020");
  EXPECT_EQ(with("MasterRegistry"), "rpc m1:16000 m2:16001");
  EXPECT_EQ(with("ZKConnectionRegistry"), "zookeeper zk1:2181 /hbase");
  EXPECT_THAT(with("OtherRegistry"), HasSubstr("there is no registry"));
  // Without a registry as in HBase 2; without a quorum as in HBase 3.
  EXPECT_EQ(Read({"hbase:", Site(servers), {}}), "zookeeper zk1:2181 /hbase");
  EXPECT_EQ(Read({"hbase:", Site({{"hbase.masters", "m1"}}), {}}), "rpc m1:16000");
  // HBase's default.
  EXPECT_EQ(Read({"hbase:", Site({}), {}}), "zookeeper 127.0.0.1:2181 /hbase");
}

TEST_F(ClusterConfig, TheEnvironmentNamesTheFolder) {
  setenv("HBASE_CONF_DIR", folder_.c_str(), 1);
  EXPECT_EQ(Read({"hbase://zk1", "", {}}), "zookeeper zk1:2181 /hbase");
  EXPECT_THAT(Read({"hbase:", "", {}}), HasSubstr("no hbase-site.xml in HBASE_CONF_DIR"));
  Site({{"hbase.zookeeper.quorum", "zk7"}});
  EXPECT_EQ(Read({"hbase:", "", {}}), "zookeeper zk7:2181 /hbase");
  EXPECT_THAT(Read({"hbase:", folder_ / "other.xml", {}}), HasSubstr("other.xml"));
}

TEST_F(ClusterConfig, WhoWins) {
  const std::string file = Site({{"hbase.client.pause", "1"}, {"hbase.rpc.timeout", "1"}});
  const auto options =
      ReadClusterOptions({"hbase://zk?hbase.client.pause=2&hbase.rpc.timeout=2&hbase.client."
                          "operation.timeout=2",
                          file,
                          {{"hbase.rpc.timeout", "3"}}});
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->call_timeout.count(), 3);
  EXPECT_EQ(options->pause.count(), 2);
  EXPECT_EQ(options->operation_timeout.count(), 2);
}

TEST_F(ClusterConfig, PropertiesThatMeanNothing) {
  const std::string file = Site({{"hbase.no.such", "1"}});
  EXPECT_EQ(Read({"hbase://zk1", file, {}}), "zookeeper zk1:2181 /hbase");
  EXPECT_THAT(Read({"hbase://zk1", file, {{"hbase.no.such", "1"}}}),
              HasSubstr("-D hbase.no.such means nothing"));
  EXPECT_THAT(Read({"hbase://zk1?no.such=1", "", {}}),
              HasSubstr("the target's property no.such means nothing"));
  // Unless somebody else wants them.
  Properties others;
  ASSERT_TRUE(
      ReadClusterOptions({"jdbc:phoenix:zk1;TenantId=t", file, {{"a", "b"}}}, &others).ok());
  EXPECT_EQ(others, (Properties{{"TenantId", "t"}, {"a", "b"}}));
}

TEST_F(ClusterConfig, TwoNamesOfACluster) {
  EXPECT_THAT(Read({"m1:16000", "", {{"hbase.zookeeper.quorum", "zk1"}}}),
              HasSubstr("-D hbase.zookeeper.quorum: the target has servers already"));
  EXPECT_THAT(Read({"hbase://zk1/a", "", {{"zookeeper.znode.parent", "/b"}}}),
              HasSubstr("-D zookeeper.znode.parent: the target has a znode already"));
  EXPECT_EQ(Read({"hbase://zk1", "", {{"zookeeper.znode.parent", "/b"}}}), "zookeeper zk1:2181 /b");
}

TEST_F(ClusterConfig, WrongValuesAreFoundInTheFile) {
  EXPECT_THAT(Read({"hbase://zk1", Site({{"hbase.rpc.timeout", "soon"}}), {}}),
              HasSubstr("hbase-site.xml:2: hbase.rpc.timeout is 'soon'; expected a positive"));
  EXPECT_THAT(Read({"hbase:", Site({{"hbase.zookeeper.quorum", "zk1:x"}}), {}}),
              HasSubstr("hbase-site.xml:2: hbase.zookeeper.quorum: zk1: 'x' is not a port"));
  EXPECT_THAT(Read({"hbase://zk1", Site({{"hbase.zookeeper.property.clientPort", "x"}}), {}}),
              HasSubstr("hbase.zookeeper.property.clientPort: 'x' is not a port"));
  EXPECT_THAT(Read({"hbase://zk1", Site({{"zookeeper.znode.parent", "hbase"}}), {}}),
              HasSubstr("zookeeper.znode.parent: 'hbase' is not the path of a znode"));
  EXPECT_THAT(Read({"hbase://zk1", "", {{"zookeeper.session.timeout", "0"}}}),
              HasSubstr("-D zookeeper.session.timeout"));
}

TEST_F(ClusterConfig, KerberosIsRefused) {
  const std::string file = Site({{"hbase.security.authentication", "kerberos"}});
  const auto options = ReadClusterOptions({"hbase://zk1", file, {}});
  EXPECT_EQ(options.status().code(), StatusCode::kNotSupported);
  EXPECT_THAT(options.status().message(),
              HasSubstr("hbase-site.xml:2: hbase.security.authentication is 'kerberos'"));
  EXPECT_EQ(Read({"hbase://zk1", Site({{"hbase.security.authentication", "simple"}}), {}}),
            "zookeeper zk1:2181 /hbase");
}

}  // namespace
}  // namespace bennu::client
