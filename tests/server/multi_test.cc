// Changes of many rows in one call. What is expected is what HBase 2.5.10 answered the Java client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/table.h"
#include "src/base/env.h"
#include "src/client/connect.h"
#include "src/server/server.h"

namespace bennu::server {
namespace {

class MultiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_multi_" + std::to_string(Env::Default()->RandomU64()));
    ServerOptions options;
    options.directory = path_;
    options.zookeeper_port.reset();
    options.http_port.reset();
    options.phoenix_port.reset();
    options.master_port = 0;
    options.region_server_port.reset();
    options.engine.wal_sync = engine::WalSync::kOs;
    options.engine.configuration["hbase.server.keyvalue.maxsize"] = "1000";
    auto server = Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = std::move(server).value();
    const std::string endpoints = server_->Endpoints();
    client::ClientOptions client;
    client.registry = {{"127.0.0.1", static_cast<uint16_t>(
                                         std::stoi(endpoints.substr(endpoints.rfind(':') + 1)))}};
    client.user = "somebody";
    auto connection = client::Connect(client);
    ASSERT_TRUE(connection.ok()) << connection.status().ToString();
    connection_ = std::move(connection).value();
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    ASSERT_TRUE(connection_->admin()->CreateTable(descriptor, {"d"}).ok());
    table_ = connection_->OpenTable(descriptor.name).value();
  }
  void TearDown() override {
    table_.reset();
    connection_.reset();
    server_.reset();
    std::filesystem::remove_all(path_);
  }

  static void Put(const std::string& row, size_t bytes, MutationBatch* batch) {
    batch->StartRow(row);
    batch->Put("f", "q", std::string(bytes, 'v'));
  }
  std::string Rows() const {
    std::string rows;
    for (const char* row : {"a1", "a2", "a3", "a4", "e1"}) {
      Get get;
      get.row = row;
      const auto found = table_->GetRow(get);
      EXPECT_TRUE(found.ok()) << found.status().ToString();
      if (found.ok() && !found->cells.empty()) rows += std::string(row) + " ";
    }
    return rows;
  }

  std::string path_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Connection> connection_;
  std::shared_ptr<Table> table_;
};

TEST_F(MultiTest, ACellThatIsTooLargeFailsAllPutsOfItsRegion) {
  MutationBatch batch;
  Put("a1", 1, &batch);
  Put("a2", 2000, &batch);
  Put("a3", 1, &batch);
  Put("e1", 1, &batch);  // in another region
  std::vector<Table::Outcome> outcomes;
  ASSERT_TRUE(table_->MutateEach(&batch, &outcomes).ok());
  ASSERT_EQ(outcomes.size(), 4u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(outcomes[i].status.message(),
                testing::HasSubstr("Cell[a2/f:q/LATEST_TIMESTAMP/Put/vlen=2000/seqid=0] with size "
                                   "2028 exceeds limit of 1000 bytes"));
  }
  EXPECT_TRUE(outcomes[3].status.ok()) << outcomes[3].status.ToString();
  EXPECT_EQ(Rows(), "e1 ");
}

// The length that HBase's codecs write before a cell counts.
TEST_F(MultiTest, TheLimitOfACellIsExact) {
  constexpr size_t kAround = 4 + 8 + 12 + 4;
  MutationBatch batch;
  Put("a1", 1000 - kAround, &batch);
  EXPECT_TRUE(table_->Write(&batch).ok());
  batch.Clear();
  Put("a2", 1001 - kAround, &batch);
  EXPECT_FALSE(table_->Write(&batch).ok());
  EXPECT_EQ(Rows(), "a1 ");
}

}  // namespace
}  // namespace bennu::server
