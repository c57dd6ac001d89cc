// How a client finds a cluster.
#include "tests/client/dialogue_fixture.h"

namespace bennu::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// hbase:meta has a row for each region, and every cluster has a table of namespaces.
// Sets '*server' to a region server.
void ReadMeta(ClusterConnection* connection, Address* server) {
  auto meta = connection->OpenTable({"hbase", "meta"});
  ASSERT_TRUE(meta.ok()) << meta.status().ToString();
  Scan scan;
  scan.range.start = "hbase:namespace";
  scan.range.stop = "hbase:namespace.";
  scan.columns["info"] = {"regioninfo", "server"};
  auto scanner = (*meta)->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok()) << scanner.status().ToString();
  CellBatch batch;
  ASSERT_TRUE((*scanner)->Next(10, &batch).ok());
  ASSERT_EQ(batch.row_count(), 1U);
  ASSERT_EQ(batch.cells.size(), 2U);
  EXPECT_THAT(batch.cells[0].row(), StartsWith("hbase:namespace,,"));
  EXPECT_EQ(batch.cells[0].qualifier(), "regioninfo");
  EXPECT_EQ(batch.cells[1].qualifier(), "server");
  const auto address = ParseAddress(batch.cells[1].value_view());
  ASSERT_TRUE(address.ok()) << batch.cells[1].value_view();
  *server = *address;
}

TEST_F(DialogueTest, FoundByItsMaster) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  EXPECT_FALSE(connection->admin()->TableExists({"default", "none"}).value());
  Address server;
  ReadMeta(connection.get(), &server);
}

TEST_F(DialogueTest, FoundByARegionServer) {
  ClientOptions by_server = options();
  {
    const auto connection = ConnectByMaster();
    ASSERT_NE(connection, nullptr);
    Address server;
    ReadMeta(connection.get(), &server);
    by_server.registry = {server};
  }
  const auto connection = ConnectBy(by_server);
  ASSERT_NE(connection, nullptr);
  EXPECT_FALSE(connection->admin()->TableExists({"default", "none"}).value());
  Address server;
  ReadMeta(connection.get(), &server);
}

TEST_F(DialogueTest, FoundByZooKeeper) {
  ClientOptions by_zookeeper = options();
  by_zookeeper.registry.clear();
  by_zookeeper.zookeeper.emplace();
  by_zookeeper.zookeeper->servers = {partner()->zookeeper()};
  const auto connection = ConnectBy(by_zookeeper);
  ASSERT_NE(connection, nullptr);
  EXPECT_FALSE(connection->admin()->TableExists({"default", "none"}).value());
  Address server;
  ReadMeta(connection.get(), &server);
}

TEST_F(DialogueTest, AnotherZnode) {
  ClientOptions wrong = options();
  wrong.registry.clear();
  wrong.zookeeper.emplace();
  wrong.zookeeper->servers = {partner()->zookeeper()};
  wrong.zookeeper->parent = "/hbase-unsecure";
  const auto connection = Connect(wrong);
  EXPECT_EQ(connection.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(connection.status().message(),
              AllOf(HasSubstr("no znode /hbase-unsecure"), HasSubstr("are hbase, zookeeper")));
}

}  // namespace
}  // namespace bennu::client
