// The native client when servers and regions do not stay where they are. What it answers otherwise
// is held to the data API by tests/contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <thread>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/client/connect.h"
#include "src/server/server.h"

namespace bennu::client {
namespace {

using ::testing::HasSubstr;

class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_client_" + std::to_string(Env::Default()->RandomU64()));
    // Ports that nobody is given who asks for any, since they are left and taken again.
    for (int i = 0; server_ == nullptr && i < 50; ++i) {
      master_port_ = static_cast<uint16_t>(20'000 + Env::Default()->RandomU64() % 12'000);
      region_server_port_ = static_cast<uint16_t>(master_port_ + 1);
      TryStart();
    }
    ASSERT_NE(server_, nullptr);
    options_.registry = {{"127.0.0.1", master_port_}};
    options_.user = "test";
    options_.scan_bytes_max = 1000;  // several answers for every scan
    Reconnect();
  }
  void TearDown() override {
    connection_.reset();
    server_.reset();
    std::filesystem::remove_all(path_);
  }

  void TryStart() {
    server::ServerOptions options;
    options.directory = path_;
    options.zookeeper_port.reset();
    options.http_port.reset();
    options.phoenix_port.reset();
    options.master_port = master_port_;
    options.region_server_port = region_server_port_;
    options.handler_threads = 4;
    options.backup_root = std::filesystem::path(path_).parent_path();
    options.engine.wal_sync = engine::WalSync::kOs;
    options.engine.configuration = configuration_;
    auto server = server::Server::Start(options);
    problem_ = server.status();
    if (server.ok()) server_ = std::move(server).value();
  }
  // Again, at the same ports.
  void Start() {
    TryStart();
    EXPECT_NE(server_, nullptr) << problem_.ToString();
  }
  void Reconnect() {
    auto connection = Connect(options_);
    ASSERT_TRUE(connection.ok()) << connection.status().ToString();
    connection_ = std::move(connection).value();
  }
  std::shared_ptr<Table> Create(const std::vector<Bytes>& splits = {}) {
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    EXPECT_TRUE(connection_->admin()->CreateTable(descriptor, splits).ok());
    return Open();
  }
  std::shared_ptr<Table> Open() {
    auto table = connection_->OpenTable({"default", "t"});
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? *table : nullptr;
  }
  static std::string RowOf(int number) { return std::to_string(10'000 + number); }
  static Status PutRows(Table* table, int begin, int end) {
    MutationBatch batch;
    for (int i = begin; i < end; ++i) {
      batch.StartRow(RowOf(i));
      batch.Put("f", "q", "value");
    }
    return table->Write(&batch);
  }
  // Reads on; the rows that came, in order.
  static std::vector<std::string> ReadRest(Scanner* scanner) {
    std::vector<std::string> rows;
    CellBatch batch;
    while (true) {
      const Status status = scanner->Next(7, &batch);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok() || batch.row_count() == 0) return rows;
      for (const uint32_t start : batch.row_starts) rows.emplace_back(batch.cells[start].row());
    }
  }
  static std::vector<std::string> Rows(int begin, int end) {
    std::vector<std::string> rows;
    for (int i = begin; i < end; ++i) rows.push_back(RowOf(i));
    return rows;
  }

  std::map<std::string, std::string> configuration_;  // of the next start
  std::string path_;
  uint16_t master_port_ = 0;
  uint16_t region_server_port_ = 0;
  std::unique_ptr<server::Server> server_;
  Status problem_;  // of the last start
  ClientOptions options_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(ClientTest, AScanGoesOnAfterARestart) {
  const auto table = Create({RowOf(100)});
  ASSERT_TRUE(PutRows(table.get(), 0, 200).ok());
  for (const bool reversed : {false, true}) {
    Scan scan;
    scan.reversed = reversed;
    auto scanner = table->OpenScanner(scan);
    ASSERT_TRUE(scanner.ok());
    CellBatch batch;
    ASSERT_TRUE((*scanner)->Next(7, &batch).ok());
    std::vector<std::string> rows;
    for (const uint32_t start : batch.row_starts) rows.emplace_back(batch.cells[start].row());
    server_.reset();
    Start();
    const std::vector<std::string> rest = ReadRest(scanner->get());
    rows.insert(rows.end(), rest.begin(), rest.end());
    std::vector<std::string> expected = Rows(0, 200);
    if (reversed) std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(rows, expected);
  }
}

// The table's state is that of its regions together, and a disabled one has none.
TEST_F(ClientTest, TheStateOfCompactions) {
  server_.reset();
  configuration_ = {{"hbase.hstore.compaction.throughput.lower.bound", "1000"},
                    {"hbase.hstore.compaction.throughput.higher.bound", "1000"}};
  Start();
  const auto table = Create({"m"});
  Admin* const admin = connection_->admin();
  const std::string low = table->regions()[0].EncodedName();
  const std::string high = table->regions()[1].EncodedName();
  EXPECT_EQ(admin->GetTableCompactionState(table->name()).value(), CompactionState::kNone);
  for (int file = 0; file < 3; ++file) {  // with the third the store begins by itself
    MutationBatch batch;
    batch.StartRow("z");
    batch.Put("f", "q", Bytes(1 << 20, 'v'));
    ASSERT_TRUE(table->Write(&batch).ok());
    ASSERT_TRUE(admin->Flush(table->name()).ok());
  }
  for (int i = 0; i < 1000; ++i, Env::Default()->SleepMicros(10'000)) {
    if (admin->GetCompactionState(high).value() != CompactionState::kNone) break;
  }
  // It runs for an hour.
  EXPECT_EQ(admin->GetCompactionState(high).value(), CompactionState::kMinor);
  EXPECT_EQ(admin->GetCompactionState(low).value(), CompactionState::kNone);
  EXPECT_EQ(admin->GetTableCompactionState(table->name()).value(), CompactionState::kMinor);
  ASSERT_TRUE(admin->DisableTable(table->name()).ok());
  EXPECT_EQ(admin->GetTableCompactionState(table->name()).value(), CompactionState::kNone);
  EXPECT_EQ(admin->GetTableCompactionState({"default", "none"}).status().code(),
            StatusCode::kNotFound);
}

// What was acknowledged before the call is in it, whatever is written meanwhile.
TEST_F(ClientTest, BacksUpAServerThatIsWrittenTo) {
  const auto table = Create({RowOf(500)});
  ASSERT_TRUE(PutRows(table.get(), 0, 100).ok());
  std::atomic<bool> stop = false;
  std::atomic<int> acknowledged = 100;
  std::thread writer([&] {
    while (!stop.load()) {
      const int begin = acknowledged.load();
      if (!PutRows(table.get(), begin, begin + 10).ok()) break;
      acknowledged.store(begin + 10);
    }
  });
  while (acknowledged.load() < 200) Env::Default()->SleepMicros(100);
  const int before = acknowledged.load();
  const std::string target = path_ + "_backup";
  const Status backed_up = connection_->admin()->Backup(target);
  const int after = acknowledged.load();
  stop.store(true);
  writer.join();
  ASSERT_TRUE(backed_up.ok()) << backed_up.ToString();
  EXPECT_THAT(connection_->admin()->Backup(target).message(), HasSubstr("is not empty"));
  EXPECT_EQ(connection_->admin()->Backup("relative").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(connection_->admin()->ExportSnapshot("none", target + "_2").code(),
            StatusCode::kNotFound);
  // The same ports over the copy.
  server_.reset();
  std::filesystem::remove_all(path_);
  std::filesystem::rename(target, path_);
  Start();
  auto scanner = Open()->OpenScanner(Scan());
  ASSERT_TRUE(scanner.ok());
  const std::vector<std::string> rows = ReadRest(scanner->get());
  EXPECT_GE(rows.size(), static_cast<size_t>(before));
  EXPECT_LE(rows.size(), static_cast<size_t>(after + 10));
  // Some keys are longer than others once a slow backup has let very many be written.
  std::vector<std::string> expected = Rows(0, static_cast<int>(rows.size()));
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(rows, expected);
}

TEST_F(ClientTest, PartsOfARowGoOnAfterARestart) {
  const auto table = Create();
  MutationBatch batch;
  batch.StartRow("r");
  for (int i = 0; i < 100; ++i) batch.Put("f", RowOf(i), "value");
  ASSERT_TRUE(table->Write(&batch).ok());
  for (const int32_t size : {3, -1}) {  // in parts, and whole though the server sends parts
    Scan scan;
    scan.batch = size;
    auto scanner = table->OpenScanner(scan);
    ASSERT_TRUE(scanner.ok());
    std::vector<std::string> qualifiers;
    CellBatch cells;
    for (int i = 0;; ++i) {
      const Status status = (*scanner)->Next(2, &cells);
      ASSERT_TRUE(status.ok()) << status.ToString();
      if (cells.row_count() == 0) break;
      for (const Cell& cell : cells.cells) qualifiers.emplace_back(cell.qualifier());
      if (i == 2) {
        server_.reset();
        Start();
      }
    }
    EXPECT_EQ(qualifiers, Rows(0, 100));
  }
}

TEST_F(ClientTest, WhatIsAskedWaitsForTheServer) {
  const auto table = Create();
  ASSERT_TRUE(PutRows(table.get(), 0, 1).ok());
  server_.reset();
  std::thread starter([this] { Start(); });
  EXPECT_TRUE(PutRows(table.get(), 1, 2).ok());
  starter.join();
  const auto value = table->Increment("counter", "f", "n", 5);
  ASSERT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_EQ(*value, 5);
}

// A server that is gone for good, and one that never was.
TEST_F(ClientTest, GivesUpInTime) {
  options_.operation_timeout = std::chrono::milliseconds(300);
  Reconnect();
  const auto table = Create();
  server_.reset();
  const Status status = PutRows(table.get(), 0, 1);
  EXPECT_EQ(status.code(), StatusCode::kIoError) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("given up after"));
  EXPECT_THAT(status.message(), HasSubstr("127.0.0.1:"));
  const auto connection = Connect(options_);
  ASSERT_FALSE(connection.ok());
  EXPECT_THAT(connection.status().message(), HasSubstr("cannot be reached"));
}

// Another client splits and merges; this one has the regions of before in mind.
TEST_F(ClientTest, RegionsChangeBehindItsBack) {
  const auto table = Create();
  ASSERT_TRUE(PutRows(table.get(), 0, 100).ok());
  auto scanner = table->OpenScanner({});
  ASSERT_TRUE(scanner.ok());
  CellBatch batch;
  ASSERT_TRUE((*scanner)->Next(5, &batch).ok());
  std::vector<std::string> rows;
  for (const uint32_t start : batch.row_starts) rows.emplace_back(batch.cells[start].row());

  const auto other = Connect(options_);
  ASSERT_TRUE(other.ok());
  Admin* const admin = (*other)->admin();
  ASSERT_TRUE(admin->SplitTable(table->name(), Bytes(RowOf(50))).ok());
  EXPECT_EQ(table->regions().size(), 2u);
  const std::vector<std::string> rest = ReadRest(scanner->get());
  rows.insert(rows.end(), rest.begin(), rest.end());
  EXPECT_EQ(rows, Rows(0, 100));
  EXPECT_TRUE(PutRows(table.get(), 90, 110).ok());

  std::vector<std::string> names;
  for (const RegionInfo& info : table->regions()) names.push_back(info.EncodedName());
  // Regions that still share files with their parent are not merged; the compaction that was asked
  // for takes its time.
  ASSERT_TRUE(admin->Compact(table->name(), true).ok());
  Status merged = admin->MergeRegions(names);
  for (int i = 0; !merged.ok() && i < 3000; ++i) {
    Env::Default()->SleepMicros(10'000);
    merged = admin->MergeRegions(names);
  }
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  Get get;
  get.row = RowOf(105);
  const auto row = table->GetRow(get);
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_EQ(row->cells.size(), 1u);

  ASSERT_TRUE(admin->DropTable(table->name()).ok());
  EXPECT_EQ(table->GetRow(get).status().code(), StatusCode::kNotFound);
}

// As HBase's master does it, the server gives a number and only later this error.
TEST_F(ClientTest, WhatATableForbidsIsAnError) {
  const auto table = Create({"m"});
  TableDescriptor descriptor = table->descriptor();
  descriptor.attributes["SPLIT_ENABLED"] = "false";
  descriptor.attributes["MERGE_ENABLED"] = "false";
  ASSERT_TRUE(connection_->admin()->AlterTable(descriptor).ok());
  const std::string first = table->regions()[0].EncodedName();
  EXPECT_THAT(connection_->admin()->SplitRegion(first, "c").ToString(), HasSubstr("SPLIT_ENABLED"));
  EXPECT_THAT(
      connection_->admin()->MergeRegions({first, table->regions()[1].EncodedName()}).ToString(),
      HasSubstr("MERGE_ENABLED"));
  EXPECT_EQ(Open()->regions().size(), 2u);
}

TEST_F(ClientTest, CellsThatAreTooLargeAreNotSent) {
  ASSERT_TRUE(SetOption("hbase.client.keyvalue.maxsize", "1000", &options_).ok());
  Reconnect();
  const auto table = Create();
  const auto put = [&table](size_t first, size_t second) {
    MutationBatch batch;
    batch.StartRow("row");
    batch.Put("f", "a", Bytes(first, 'x'));
    batch.Put("f", "b", Bytes(second, 'x'));
    return table->Write(&batch);
  };
  EXPECT_TRUE(put(900, 900).ok()) << "each of them is small enough";
  const Status status = put(10, 1000);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("KeyValue size too large"), std::string::npos);
  EXPECT_FALSE(SetOption("hbase.client.keyvalue.maxsize", "many", &options_).ok());
  ASSERT_TRUE(SetOption("hbase.client.keyvalue.maxsize", "0", &options_).ok());
  Reconnect();
  const auto unbounded = Open();
  MutationBatch batch;
  batch.StartRow("row");
  batch.Put("f", "a", Bytes(2000, 'x'));
  EXPECT_TRUE(unbounded->Write(&batch).ok());
}

// Many threads on one connection, each with its own answers.
TEST_F(ClientTest, ManyCallsAtATime) {
  const auto table = Create({RowOf(50)});
  ASSERT_TRUE(PutRows(table.get(), 0, 100).ok());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        Get get;
        get.row = RowOf((i * 7 + t) % 100);
        const auto row = table->GetRow(get);
        if (!row.ok() || row->cells.size() != 1 || row->cells[0].row() != get.row) ++wrong;
        if (!table->Increment("counter", "f", "n", 1).ok()) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  const auto count = table->Increment("counter", "f", "n", 0);
  ASSERT_TRUE(count.ok());
  EXPECT_EQ(*count, 800);
}

}  // namespace
}  // namespace bennu::client
