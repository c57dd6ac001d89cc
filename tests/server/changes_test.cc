// Changes of tables that take long, as other connections see them, and how a server ends meanwhile.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "bennu/admin.h"
#include "proto/master.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/env.h"
#include "src/base/fault_env.h"
#include "src/client/cluster.h"
#include "src/server/server.h"

namespace bennu::server {
namespace {

using pb::GetProcedureResultResponse;

constexpr char kCreateClass[] = "org.apache.hadoop.hbase.master.procedure.CreateTableProcedure";
constexpr char kDisableClass[] = "org.apache.hadoop.hbase.master.procedure.DisableTableProcedure";

// Directories whose path has a certain word in it are made when they may be.
class HoldingEnv final : public FaultInjectionEnv {
 public:
  HoldingEnv() : FaultInjectionEnv(Env::Default()) {}
  void Hold(const std::string& word) {
    MutexLock lock(&mu_);
    word_ = word;
  }
  void AwaitHeld() {
    MutexLock lock(&mu_);
    while (!held_) changed_.Wait(&mu_);
  }
  void Release() {
    MutexLock lock(&mu_);
    word_.clear();
    changed_.SignalAll();
  }
  Status CreateDirectories(const std::string& path) override {
    {
      MutexLock lock(&mu_);
      while (!word_.empty() && path.find(word_) != std::string::npos) {
        held_ = true;
        changed_.SignalAll();
        changed_.Wait(&mu_);
      }
    }
    return FaultInjectionEnv::CreateDirectories(path);
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool held_ GUARDED_BY(mu_) = false;
  std::string word_ GUARDED_BY(mu_);
};

class ChangesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_changes_" + std::to_string(Env::Default()->RandomU64()));
    Start();
  }
  void TearDown() override {
    env_.Release();
    cluster_.reset();
    other_.reset();
    server_.reset();
    std::filesystem::remove_all(path_);
  }

  void Start() {
    ServerOptions options;
    options.directory = path_;
    options.zookeeper_port.reset();
    options.http_port.reset();
    options.phoenix_port.reset();
    options.master_port = 0;
    options.region_server_port.reset();
    options.handler_threads = 4;
    options.engine.wal_sync = engine::WalSync::kOs;
    options.engine.env = &env_;
    auto server = Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = std::move(server).value();
    const std::string endpoints = server_->Endpoints();
    const auto port = static_cast<uint16_t>(std::stoi(endpoints.substr(endpoints.rfind(':') + 1)));
    cluster_ = Connect(port);
    other_ = Connect(port);
  }
  static std::unique_ptr<client::Cluster> Connect(uint16_t port) {
    client::ClientOptions options;
    options.registry = {{"127.0.0.1", port}};
    options.user = "somebody";
    options.operation_timeout = std::chrono::seconds(20);
    auto cluster = std::make_unique<client::Cluster>(options, nullptr);
    EXPECT_TRUE(cluster->Connect().ok());
    return cluster;
  }

  static pb::CreateTableRequest CreateOf(const std::string& name, uint64_t nonce) {
    TableDescriptor descriptor;
    descriptor.name.qualifier = name;
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    pb::CreateTableRequest request;
    api::DescriptorToPb(descriptor, request.mutable_table_schema());
    request.set_nonce_group(3);
    request.set_nonce(nonce);
    return request;
  }
  // By the first connection, whose answer is waited for elsewhere.
  std::future<std::pair<Status, uint64_t>> Create(const std::string& name, uint64_t nonce) {
    return std::async(std::launch::async, [this, request = CreateOf(name, nonce)] {
      pb::CreateTableResponse response;
      const Status status = cluster_->CallMaster("CreateTable", request, &response);
      return std::make_pair(status, response.proc_id());
    });
  }
  std::future<Status> Disable(const std::string& name) {
    return std::async(std::launch::async, [this, name] {
      pb::DisableTableRequest request;
      api::TableNameToPb({"default", name}, request.mutable_table_name());
      pb::DisableTableResponse response;
      return cluster_->CallMaster("DisableTable", request, &response);
    });
  }
  template <typename Response, typename Request>
  Response Ask(const std::string& method, const Request& request) {
    Response response;
    const Status status = other_->CallMaster(method, request, &response);
    EXPECT_TRUE(status.ok()) << method << ": " << status.ToString();
    return response;
  }
  pb::GetProceduresResponse Procedures() {
    return Ask<pb::GetProceduresResponse>("GetProcedures", pb::GetProceduresRequest());
  }
  GetProcedureResultResponse ResultOf(uint64_t id) {
    pb::GetProcedureResultRequest request;
    request.set_proc_id(id);
    return Ask<GetProcedureResultResponse>("getProcedureResult", request);
  }
  bool Abort(uint64_t id) {
    pb::AbortProcedureRequest request;
    request.set_proc_id(id);
    return Ask<pb::AbortProcedureResponse>("AbortProcedure", request).is_procedure_aborted();
  }

  HoldingEnv env_;
  std::string path_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<client::Cluster> cluster_;
  std::unique_ptr<client::Cluster> other_;
};

// What HBase 2.5.10 answers about a change that runs, and one of the same table that waits for it.
TEST_F(ChangesTest, AreSeenByOthersWhileTheyRun) {
  ASSERT_TRUE(Create("busy", 1).get().first.ok());
  ASSERT_TRUE(Disable("busy").get().ok());
  env_.Hold("/held");
  auto created = Create("held", 2);
  env_.AwaitHeld();
  auto disabled = Disable("held");
  const pb::Procedure waiting = [this] {
    for (;; Env::Default()->SleepMicros(1000)) {
      const auto all = Procedures();
      if (all.procedure_size() == 4) return all.procedure(3);
    }
  }();
  const pb::Procedure running = Procedures().procedure(2);
  EXPECT_EQ(running.class_name(), kCreateClass);
  EXPECT_EQ(running.state(), pb::RUNNABLE);
  EXPECT_EQ(running.owner(), "somebody");
  EXPECT_EQ(running.nonce_group(), 3u);
  EXPECT_EQ(running.nonce(), 2u);
  EXPECT_TRUE(running.locked());
  EXPECT_TRUE(running.executed());
  EXPECT_EQ(waiting.class_name(), kDisableClass);
  EXPECT_EQ(waiting.state(), pb::RUNNABLE);
  EXPECT_FALSE(waiting.locked());
  EXPECT_FALSE(waiting.executed());
  EXPECT_EQ(ResultOf(running.proc_id()).state(), GetProcedureResultResponse::RUNNING);
  EXPECT_EQ(ResultOf(waiting.proc_id()).state(), GetProcedureResultResponse::RUNNING);
  EXPECT_EQ(ResultOf(12345).state(), GetProcedureResultResponse::NOT_FOUND);

  const auto locks = Ask<pb::GetLocksResponse>("GetLocks", pb::GetLocksRequest());
  ASSERT_EQ(locks.lock_size(), 2);
  EXPECT_EQ(locks.lock(0).resource_type(), pb::NAMESPACE);
  EXPECT_EQ(locks.lock(0).resource_name(), "default");
  EXPECT_EQ(locks.lock(0).lock_type(), pb::SHARED);
  EXPECT_EQ(locks.lock(0).shared_lock_count(), 1);
  EXPECT_EQ(locks.lock(1).resource_type(), pb::TABLE);
  EXPECT_EQ(locks.lock(1).resource_name(), "held");
  EXPECT_EQ(locks.lock(1).lock_type(), pb::EXCLUSIVE);
  EXPECT_EQ(locks.lock(1).exclusive_lock_owner_procedure().proc_id(), running.proc_id());
  ASSERT_EQ(locks.lock(1).waitingprocedures_size(), 1);
  EXPECT_EQ(locks.lock(1).waitingprocedures(0).proc_id(), waiting.proc_id());

  // What runs goes on; what waits does not need to.
  EXPECT_FALSE(Abort(running.proc_id()));
  EXPECT_TRUE(Abort(waiting.proc_id()));
  EXPECT_FALSE(Abort(waiting.proc_id()));
  EXPECT_NE(disabled.get().message().find(
                "org.apache.hadoop.hbase.procedure2.ProcedureAbortedException: abort requested"),
            std::string::npos);
  const GetProcedureResultResponse aborted = ResultOf(waiting.proc_id());
  EXPECT_EQ(aborted.state(), GetProcedureResultResponse::FINISHED);
  EXPECT_EQ(aborted.exception().generic_exception().class_name(),
            "org.apache.hadoop.hbase.DoNotRetryIOException");
  const pb::Procedure rolled_back = Procedures().procedure(3);
  EXPECT_EQ(rolled_back.state(), pb::ROLLEDBACK);
  EXPECT_EQ(rolled_back.exception().generic_exception().class_name(),
            "org.apache.hadoop.hbase.procedure2.ProcedureAbortedException");
  EXPECT_EQ(rolled_back.exception().generic_exception().message(), "abort requested");

  env_.Release();
  const auto [status, id] = created.get();
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(id, running.proc_id());
  EXPECT_EQ(ResultOf(id).state(), GetProcedureResultResponse::FINISHED);
  EXPECT_EQ(Procedures().procedure(2).state(), pb::SUCCESS);
  EXPECT_EQ(Ask<pb::GetLocksResponse>("GetLocks", pb::GetLocksRequest()).lock_size(), 0);
  // The same request once more is not a second creation.
  EXPECT_EQ(Create("held", 2).get().second, id);
}

// The check of HBase's CreateTableProcedure fails in the call; the call again gets the procedure
// that has failed.
TEST_F(ChangesTest, WhatIsRefusedFailsAtOnceAndIsKept) {
  ASSERT_TRUE(Create("t", 1).get().first.ok());
  EXPECT_EQ(Create("t", 2).get().first.code(), StatusCode::kAlreadyExists);
  const auto [status, id] = Create("t", 2).get();
  ASSERT_TRUE(status.ok()) << status.ToString();
  const GetProcedureResultResponse result = ResultOf(id);
  EXPECT_EQ(result.state(), GetProcedureResultResponse::FINISHED);
  EXPECT_FALSE(result.exception().has_source());
  EXPECT_EQ(result.exception().generic_exception().class_name(),
            "org.apache.hadoop.hbase.TableExistsException");
  EXPECT_EQ(result.exception().generic_exception().message(), "t");
  const pb::Procedure kept = Procedures().procedure(1);
  EXPECT_EQ(kept.state(), pb::ROLLEDBACK);
  EXPECT_EQ(kept.exception().source(), "master-create-table");
}

// Many systems begin with a soft limit of 1,024 files, and each connection is one.
TEST_F(ChangesTest, AServerMayHaveAsManyFilesAsItCan) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  server_.reset();
  rlimit few = before;
  few.rlim_cur = 512;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  Start();
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

// Standard error has the log's lines alone, whatever clients send.
TEST_F(ChangesTest, WhatCanNotBeReadIsAnsweredOnly) {
  testing::internal::CaptureStderr();
  const pb::GetProceduresRequest empty;  // without the number, which is required
  GetProcedureResultResponse response;
  const Status status = cluster_->CallMaster("getProcedureResult", empty, &response);
  EXPECT_NE(status.message().find(" is not a GetProcedureResultRequest"), std::string::npos);
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("libprotobuf"), std::string::npos);
}

// A client gets its number while the change goes on, and the server does not end before it.
TEST_F(ChangesTest, AStopWaitsForThem) {
  env_.Hold("/held");
  const auto [status, id] = Create("held", 1).get();
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(ResultOf(id).state(), GetProcedureResultResponse::RUNNING);
  auto stopped = std::async(std::launch::async, [this] { return server_->Stop(); });
  EXPECT_EQ(stopped.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  env_.Release();
  const Status end = stopped.get();
  ASSERT_TRUE(end.ok()) << end.ToString();
  server_.reset();
  Start();
  EXPECT_EQ(Create("held", 2).get().first.code(), StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace bennu::server
