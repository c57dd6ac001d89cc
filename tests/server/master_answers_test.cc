// What a master and a region server answer to what tools ask for; classes of errors are those that
// the real HBase 2.5 gave to the same questions (tests/peers/ClientAnswers.java asks both).
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "bennu/admin.h"
#include "proto/admin.pb.h"
#include "proto/client.pb.h"
#include "proto/master.pb.h"
#include "proto/replication.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/coding.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/open.h"
#include "src/server/hbase/admin_service.h"
#include "src/server/hbase/client_service.h"
#include "src/server/hbase/master_service.h"
#include "src/server/hbase/meta_service.h"
#include "tests/base/temp_directory.h"
#include "tests/server/test_channel.h"

namespace bennu::server::hbase {
namespace {

constexpr char kHBase[] = "org.apache.hadoop.hbase.";

class MasterAnswersTest : public testing::Test {
 protected:
  void SetUp() override {
    engine_ = engine::OpenEngine(directory_.Join("store")).value();
    quotas_ = Quotas::Open(engine_.get(), &switches_).value();
    regions_ = std::make_unique<Regions>(engine_.get(), "host,1,2");
    admin_ = std::make_unique<AdminService>(engine_.get(), regions_.get(), &identity_,
                                            directory_.Join("store"), metrics_.slow_log(),
                                            quotas_.get(), &requests_);
    client_ = std::make_unique<ClientService>(
        regions_.get(), &scanners_, &handlers_, quotas_.get(), engine_->env(),
        directory_.Join("store"), ClientFolders{"", "read", directory_.Join("load"), false},
        /*answer_bytes_max=*/100 << 20);
    master_ = std::make_unique<MasterService>(engine_.get(), regions_.get(), &procedures_,
                                              &identity_, quotas_.get(), &peers_, &switches_,
                                              ClientFolders(), &requests_);
  }
  void TearDown() override {
    procedures_.Stop();
    engine_->StopBackground();  // which may hold compactions that admin_ has queued
    master_.reset();
    client_.reset();
    admin_.reset();
    regions_.reset();
    quotas_.reset();
    EXPECT_TRUE(engine_->Close().ok());
  }

  // The class of the error without HBase's package; empty, and *response, when there is none.
  template <typename Response>
  std::string Ask(const Service& service, const std::string& method,
                  const google::protobuf::MessageLite& request, Response* response) {
    const Method* const found = service.Find(method);
    if (found == nullptr) return "there is no such method";
    pb::RequestHeader header;
    header.set_call_id(1);
    header.set_method_name(method);
    const auto channel = std::make_shared<TestChannel>();
    const std::string parameter = request.SerializeAsString();
    rpc::RequestParts parts;
    parts.parameter = parameter;
    auto call =
        std::make_unique<Call>(channel, std::make_shared<ClientConnection>(), header, parts);
    call->Keep();
    found->run(std::move(call));
    Bytes sent;
    for (int i = 0; sent.empty() && i < 10'000; ++i) {
      sent = channel->Take();
      if (sent.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (sent.empty()) return "no answer";
    pb::ResponseHeader answer;
    rpc::ResponseParts got;
    EXPECT_TRUE(rpc::ParseResponse(ByteView(sent).substr(4), &answer, &got).ok());
    if (!answer.has_exception()) {
      EXPECT_TRUE(response->ParseFromString(std::string(got.result)));
      return {};
    }
    message_ = answer.exception().stack_trace();
    std::string name = answer.exception().exception_class_name();
    return name.starts_with(kHBase) ? name.substr(sizeof(kHBase) - 1) : name;
  }
  template <typename Response>
  std::string AskMaster(const std::string& method, const google::protobuf::MessageLite& request) {
    Response response;
    return Ask(*master_, method, request, &response);
  }

  std::string Create(const std::string& name_space, const std::string& name,
                     const std::vector<Bytes>& splits = {}) {
    TableDescriptor descriptor;
    descriptor.name = {name_space, name};
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    pb::CreateTableRequest request;
    api::DescriptorToPb(descriptor, request.mutable_table_schema());
    for (const Bytes& split : splits) request.add_split_keys(split);
    return AskMaster<pb::CreateTableResponse>("CreateTable", request);
  }
  std::string AddPeer(const std::string& id, const std::string& cluster) {
    pb::AddReplicationPeerRequest request;
    request.set_peer_id(id);
    request.mutable_peer_config()->set_clusterkey(cluster);
    request.mutable_peer_config()->set_replicate_all(true);
    request.mutable_peer_state()->set_state(pb::ReplicationState::ENABLED);
    return AskMaster<pb::ReplicationPeerChangeResponse>("AddReplicationPeer", request);
  }
  std::string ChangePeer(const std::string& method, const std::string& id) {
    pb::ReplicationPeerRequest request;
    request.set_peer_id(id);
    return AskMaster<pb::ReplicationPeerChangeResponse>(method, request);
  }
  // "ID+ " of those that are enabled, "ID- " of the others.
  std::string Peers(const ReplicationPeers& peers) {
    std::vector<pb::ReplicationPeerDescription> found;
    const CallError error = peers.List(&found);
    if (error) return error->message();
    std::string names;
    for (const auto& peer : found) {
      names += peer.id();
      names += peer.state().state() == pb::ReplicationState::ENABLED ? "+ " : "- ";
    }
    return names;
  }
  std::string DropNamespace(const std::string& name) {
    pb::DeleteNamespaceRequest request;
    request.set_namespacename(name);
    return AskMaster<pb::DeleteNamespaceResponse>("DeleteNamespace", request);
  }

  TempDirectory directory_;
  std::unique_ptr<engine::Engine> engine_;
  Switches switches_{Env::Default(), directory_.Join("store")};
  std::unique_ptr<Quotas> quotas_;
  std::unique_ptr<Regions> regions_;
  net::Handlers handlers_{2, 20};
  Scanners scanners_{std::chrono::seconds(60)};
  Procedures procedures_;
  ReplicationPeers peers_{Env::Default(), directory_.Join("store")};
  Identity identity_;
  RpcMetrics metrics_;
  OperatorRequests requests_;
  std::unique_ptr<AdminService> admin_;
  std::unique_ptr<ClientService> client_;
  std::unique_ptr<MasterService> master_;
  std::string message_;  // of the last error
};

// What a namespace may have holds with quotas on, whether tables are made or regions split.
TEST_F(MasterAnswersTest, NamespacesHaveNoMoreThanTheyMay) {
  pb::CreateNamespaceRequest named;
  named.mutable_namespacedescriptor()->set_name("n");
  for (const auto& [name, value] : {std::pair("hbase.namespace.quota.maxtables", "2"),
                                    {"hbase.namespace.quota.maxregions", "3"}}) {
    pb::NameStringPair* const pair = named.mutable_namespacedescriptor()->add_configuration();
    pair->set_name(name);
    pair->set_value(value);
  }
  ASSERT_EQ(AskMaster<pb::CreateNamespaceResponse>("CreateNamespace", named), "");
  EXPECT_EQ(Create("n", "a"), "");
  EXPECT_EQ(Create("n", "b", {"1", "2"}), "quotas.QuotaExceededException");
  EXPECT_EQ(Create("n", "b", {"1"}), "");
  pb::SplitTableRegionRequest split;
  const TableName table = {"n", "a"};
  api::RegionInfoToPb(engine_->OpenTable(table).value()->regions()[0], split.mutable_region_info());
  split.set_split_row("k");
  EXPECT_EQ(AskMaster<pb::SplitTableRegionResponse>("SplitRegion", split),
            "quotas.QuotaExceededException");
  EXPECT_EQ(Create("n", "c"), "quotas.QuotaExceededException");
  EXPECT_EQ(Create("default", "c", {"1", "2", "3"}), "");

  ASSERT_TRUE(engine_->admin()->SnapshotTable("s", table, {}).ok());
  pb::RestoreSnapshotRequest clone;
  clone.mutable_snapshot()->set_name("s");
  clone.mutable_snapshot()->set_table("n:d");
  EXPECT_EQ(AskMaster<pb::RestoreSnapshotResponse>("RestoreSnapshot", clone),
            "quotas.QuotaExceededException");
  clone.mutable_snapshot()->set_table("none:d");
  EXPECT_EQ(AskMaster<pb::RestoreSnapshotResponse>("RestoreSnapshot", clone),
            "NamespaceNotFoundException");
}

// HBase has no such table either; without sanity checks it asks first whether the table is there.
TEST_F(MasterAnswersTest, TablesWithoutFamilies) {
  const auto create = [this](const TableName& name, bool checked) {
    TableDescriptor descriptor;
    descriptor.name = name;
    if (!checked) descriptor.attributes["hbase.table.sanity.checks"] = "false";
    pb::CreateTableRequest request;
    api::DescriptorToPb(descriptor, request.mutable_table_schema());
    return AskMaster<pb::CreateTableResponse>("CreateTable", request);
  };
  EXPECT_EQ(create(engine::MetaTableName(), true), "DoNotRetryIOException");
  EXPECT_NE(message_.find("hbase.table.sanity.checks to false"), std::string::npos) << message_;
  EXPECT_EQ(create(engine::MetaTableName(), false), "TableExistsException");
  EXPECT_NE(message_.find("hbase:meta"), std::string::npos) << message_;
  EXPECT_EQ(create({"default", "t"}, false), "DoNotRetryIOException");
  EXPECT_NE(message_.find("Table t should have at least one column family."), std::string::npos)
      << message_;
  EXPECT_FALSE(engine_->admin()->TableExists({"default", "t"}).value());
}

// What a table itself forbids is found by the procedure, as in HBase: the call gives its number.
// What HBase's master finds before it begins fails the call.
TEST_F(MasterAnswersTest, TablesThatAreNotToBeSplitOrMerged) {
  ASSERT_EQ(Create("default", "t", {"k", "p"}), "");
  const TableName table = {"default", "t"};
  const auto regions = [&] { return engine_->OpenTable(table).value()->regions(); };
  const auto alter = [&](const std::string& attribute, const std::string& value) {
    TableDescriptor descriptor = engine_->OpenTable(table).value()->descriptor();
    descriptor.attributes[attribute] = value;
    EXPECT_TRUE(engine_->admin()->AlterTable(descriptor).ok());
  };
  const auto split = [&](const Bytes& row, uint64_t* id) {
    pb::SplitTableRegionRequest request;
    api::RegionInfoToPb(regions()[1], request.mutable_region_info());
    request.set_split_row(row);
    pb::SplitTableRegionResponse response;
    std::string error = Ask(*master_, "SplitRegion", request, &response);
    *id = response.proc_id();
    return error;
  };
  const auto merge = [&](size_t one, size_t other, uint64_t* id) {
    pb::MergeTableRegionsRequest request;
    for (const size_t index : {one, other}) {
      pb::RegionSpecifier* const region = request.add_region();
      region->set_type(pb::RegionSpecifier::ENCODED_REGION_NAME);
      region->set_value(regions()[index].EncodedName());
    }
    pb::MergeTableRegionsResponse response;
    std::string error = Ask(*master_, "MergeTableRegions", request, &response);
    *id = response.proc_id();
    return error;
  };
  // The class of the procedure's error, when it has ended.
  const auto result = [this](uint64_t id) -> std::string {
    pb::GetProcedureResultRequest request;
    request.set_proc_id(id);
    pb::GetProcedureResultResponse response;
    EXPECT_EQ(Ask(*master_, "getProcedureResult", request, &response), "");
    EXPECT_EQ(response.state(), pb::GetProcedureResultResponse::FINISHED);
    return response.exception().generic_exception().class_name();
  };
  uint64_t id = 0;
  alter("SPLIT_ENABLED", "false");
  alter("MERGE_ENABLED", "false");
  EXPECT_EQ(split("m", &id), "");
  EXPECT_EQ(result(id), "java.io.IOException");
  EXPECT_EQ(split("k", &id), "DoNotRetryIOException");  // the region's first row
  EXPECT_EQ(split("z", &id), "DoNotRetryIOException");
  EXPECT_EQ(merge(0, 1, &id), "");
  EXPECT_EQ(result(id), "java.io.IOException");
  EXPECT_EQ(merge(0, 2, &id), "exceptions.MergeRegionException");
  EXPECT_EQ(regions().size(), 3u);
  // The cluster's switch comes first.
  for (const pb::MasterSwitchType type : {pb::SPLIT, pb::MERGE}) {
    pb::SetSplitOrMergeEnabledRequest off;
    off.set_enabled(false);
    off.add_switch_types(type);
    EXPECT_EQ(AskMaster<pb::SetSplitOrMergeEnabledResponse>("SetSplitOrMergeEnabled", off), "");
  }
  EXPECT_NE(split("m", &id), "");
  EXPECT_NE(merge(0, 1, &id), "");
  for (const pb::MasterSwitchType type : {pb::SPLIT, pb::MERGE}) {
    pb::SetSplitOrMergeEnabledRequest on;
    on.set_enabled(true);
    on.add_switch_types(type);
    EXPECT_EQ(AskMaster<pb::SetSplitOrMergeEnabledResponse>("SetSplitOrMergeEnabled", on), "");
  }

  alter("SPLIT_ENABLED", "true");
  alter("MERGE_ENABLED", "true");
  EXPECT_EQ(split("m", &id), "");
  EXPECT_EQ(result(id), "");
  EXPECT_EQ(merge(2, 3, &id), "");
  EXPECT_EQ(result(id), "");
  EXPECT_EQ(regions().size(), 3u);
}

// HBase's MasterQuotasObserver: their quotas go with a table and a namespace, those of others stay.
TEST_F(MasterAnswersTest, QuotasGoWithWhatTheyAreOf) {
  pb::CreateNamespaceRequest named;
  named.mutable_namespacedescriptor()->set_name("n");
  ASSERT_EQ(AskMaster<pb::CreateNamespaceResponse>("CreateNamespace", named), "");
  ASSERT_EQ(Create("n", "t"), "");
  const TableName table = {"n", "t"};
  const auto set = [this](const std::function<void(pb::SetQuotaRequest*)>& whose) {
    pb::SetQuotaRequest throttle;
    whose(&throttle);
    throttle.mutable_throttle()->set_type(pb::REQUEST_NUMBER);
    pb::TimedQuota* const timed = throttle.mutable_throttle()->mutable_timed_quota();
    timed->set_time_unit(pb::HOURS);
    timed->set_soft_limit(7);
    timed->set_scope(pb::MACHINE);
    EXPECT_EQ(AskMaster<pb::SetQuotaResponse>("SetQuota", throttle), "");
    pb::SetQuotaRequest space;
    whose(&space);
    space.mutable_space_limit()->mutable_quota()->set_soft_limit(1 << 20);
    space.mutable_space_limit()->mutable_quota()->set_violation_policy(pb::NO_WRITES);
    EXPECT_EQ(AskMaster<pb::SetQuotaResponse>("SetQuota", space), "");
  };
  const auto of_table = [&table](pb::SetQuotaRequest* request) {
    api::TableNameToPb(table, request->mutable_table_name());
  };
  set(of_table);
  set([](pb::SetQuotaRequest* request) { request->set_namespace_("n"); });
  set([](pb::SetQuotaRequest* request) { request->set_namespace_("default"); });
  const auto kept = [this] {
    std::string rows;
    const auto quota_table = engine_->OpenTable({"hbase", "quota"}).value();
    const auto scanner = quota_table->OpenScanner(Scan()).value();
    CellBatch batch;
    EXPECT_TRUE(scanner->Next(100, &batch).ok());
    for (const uint32_t start : batch.row_starts) {
      rows += std::string(batch.cells[start].row()) + " ";
    }
    return rows;
  };
  EXPECT_EQ(kept(), "n.default n.n t.n:t ");
  ASSERT_TRUE(engine_->admin()->DisableTable(table).ok());
  pb::DeleteTableRequest drop;
  api::TableNameToPb(table, drop.mutable_table_name());
  ASSERT_EQ(AskMaster<pb::DeleteTableResponse>("DeleteTable", drop), "");
  EXPECT_EQ(kept(), "n.default n.n ");
  ASSERT_EQ(DropNamespace("n"), "");
  EXPECT_EQ(kept(), "n.default ");
  // They do not hold for a namespace of that name either.
  ASSERT_EQ(AskMaster<pb::CreateNamespaceResponse>("CreateNamespace", named), "");
  for (int i = 0; i < 8; ++i) {
    QuotaUse use;
    EXPECT_FALSE(quotas_->Take("root", table, 1, 0, kOperationBytes, &use).has_value());
  }
}

// Compactions that clients ask for are answered at once and wait for the store's own threads: none
// is dropped, and whoever else is served has the handlers.
TEST_F(MasterAnswersTest, EveryCompactionThatIsAskedForIsMade) {
  std::vector<Bytes> splits;
  for (char c = 'b'; c <= 'z'; ++c) splits.push_back(Bytes(1, c));
  ASSERT_EQ(Create("default", "t", splits), "");
  const TableName name = {"default", "t"};
  const auto table = engine_->OpenTable(name).value();
  constexpr int kFiles = 2;  // too few for a compaction that nobody has asked for
  for (int file = 0; file < kFiles; ++file) {
    MutationBatch batch;
    for (char c = 'a'; c <= 'z'; ++c) {
      batch.StartRow(Bytes(1, c));
      batch.Put("f", "q", std::to_string(file));
    }
    ASSERT_TRUE(table->Write(&batch).ok());
    ASSERT_TRUE(engine_->admin()->Flush(name).ok());
  }
  for (const RegionInfo& region : table->regions()) {
    pb::CompactRegionRequest request;
    request.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
    request.mutable_region()->set_value(region.RegionName());
    request.set_major(true);
    pb::CompactRegionResponse response;
    EXPECT_EQ(Ask(*admin_, "CompactRegion", request, &response), "");
  }
  const auto files = [&] {
    size_t count = 0;
    const auto statuses = engine_->admin()->ListRegions(name);
    EXPECT_TRUE(statuses.ok());
    for (const RegionStatus& status : *statuses) count += status.store_files;
    return count;
  };
  for (int i = 0; i < 3000 && files() > table->regions().size(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(files(), table->regions().size());
}

// The switch is the store's: what clients ask for is not made either, and is answered as ever.
TEST_F(MasterAnswersTest, CompactionsAreSwitchedOff) {
  const auto switch_to = [this](bool on) {
    pb::CompactionSwitchRequest request;
    request.set_enabled(on);
    pb::CompactionSwitchResponse response;
    EXPECT_EQ(Ask(*admin_, "CompactionSwitch", request, &response), "");
    return response.prev_state();
  };
  ASSERT_EQ(Create("default", "t"), "");
  const TableName name = {"default", "t"};
  const auto table = engine_->OpenTable(name).value();
  EXPECT_TRUE(switch_to(false));
  EXPECT_FALSE(engine_->compactions_on());
  for (const char* row : {"a", "b"}) {
    MutationBatch batch;
    batch.StartRow(row);
    batch.Put("f", "q", "v");
    ASSERT_TRUE(table->Write(&batch).ok());
    ASSERT_TRUE(engine_->admin()->Flush(name).ok());
  }
  pb::CompactRegionRequest compact;
  compact.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  compact.mutable_region()->set_value(table->regions()[0].RegionName());
  compact.set_major(true);
  pb::CompactRegionResponse compacted;
  EXPECT_EQ(Ask(*admin_, "CompactRegion", compact, &compacted), "");
  ASSERT_TRUE(engine_->admin()->Compact(name, true).ok());
  const auto files = [&] { return engine_->admin()->ListRegions(name).value()[0].store_files; };
  EXPECT_EQ(files(), 2u);
  EXPECT_FALSE(switch_to(true));
  EXPECT_EQ(Ask(*admin_, "CompactRegion", compact, &compacted), "");
  for (int i = 0; i < 3000 && files() > 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(MasterAnswersTest, WhatIsOfTheSystemStays) {
  EXPECT_EQ(DropNamespace("default"), "constraint.ConstraintException");
  EXPECT_EQ(DropNamespace("hbase"), "constraint.ConstraintException");
  EXPECT_EQ(DropNamespace("none"), "NamespaceNotFoundException");
  pb::DisableTableRequest request;
  api::TableNameToPb(engine::MetaTableName(), request.mutable_table_name());
  EXPECT_EQ(AskMaster<pb::DisableTableResponse>("DisableTable", request),
            "constraint.ConstraintException");
  pb::DeleteTableRequest drop;
  api::TableNameToPb(engine::MetaTableName(), drop.mutable_table_name());
  EXPECT_EQ(AskMaster<pb::DeleteTableResponse>("DeleteTable", drop), "java.io.IOException");
  EXPECT_EQ(message_, "java.io.IOException: Can't modify catalog tables");
}

TEST_F(MasterAnswersTest, ANamespaceThatIsNotThereIsNotNormalized) {
  pb::NormalizeRequest request;
  EXPECT_EQ(AskMaster<pb::NormalizeResponse>("Normalize", request), "");
  request.set_namespace_("default");
  EXPECT_EQ(AskMaster<pb::NormalizeResponse>("Normalize", request), "");
  request.set_namespace_("nope");
  EXPECT_EQ(AskMaster<pb::NormalizeResponse>("Normalize", request), "NamespaceNotFoundException");
}

// A name that is no region's is not taken for hbase:meta's.
TEST_F(MasterAnswersTest, RegionsThatAreNotThere) {
  for (const char* name : {"nope", "", "0123456789abcdef0123456789abcdef", "t,,1"}) {
    pb::AssignRegionRequest assign;
    assign.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
    assign.mutable_region()->set_value(name);
    EXPECT_EQ(AskMaster<pb::AssignRegionResponse>("AssignRegion", assign), "UnknownRegionException")
        << name;
    pb::UnassignRegionRequest unassign;
    *unassign.mutable_region() = assign.region();
    EXPECT_EQ(AskMaster<pb::UnassignRegionResponse>("UnassignRegion", unassign),
              "UnknownRegionException")
        << name;
    pb::GetRequest get;
    get.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
    get.mutable_region()->set_value(name);
    get.mutable_get()->set_row("r");
    pb::GetResponse got;
    EXPECT_EQ(Ask(*client_, "Get", get, &got), "NotServingRegionException") << name;
  }
  pb::AssignRegionRequest meta;
  meta.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  meta.mutable_region()->set_value("hbase:meta,,1");
  EXPECT_EQ(AskMaster<pb::AssignRegionResponse>("AssignRegion", meta), "");
}

// By the condition's family alone: the change is of a family that is there.
TEST_F(MasterAnswersTest, AConditionOfNoFamily) {
  ASSERT_EQ(Create("default", "t"), "");
  pb::MutateRequest request;
  request.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  request.mutable_region()->set_value(
      engine_->OpenTable({"default", "t"}).value()->regions()[0].RegionName());
  request.mutable_mutation()->set_row("r");
  request.mutable_mutation()->set_mutate_type(pb::MutationProto::PUT);
  auto* const column = request.mutable_mutation()->add_column_value();
  column->set_family("f");
  column->add_qualifier_value()->set_value("v");
  request.mutable_condition()->set_row("r");
  request.mutable_condition()->set_family("none");
  request.mutable_condition()->set_qualifier("q");
  request.mutable_condition()->set_compare_type(pb::EQUAL);
  pb::MutateResponse response;
  EXPECT_EQ(Ask(*client_, "Mutate", request, &response),
            "regionserver.NoSuchColumnFamilyException");
}

// A file that is not there is not a table that is not there. Whatever a file is called it is
// loaded.
TEST_F(MasterAnswersTest, BulkLoads) {
  for (const char* name : {"from", "to"}) {
    TableDescriptor descriptor;
    descriptor.name = {"default", name};
    descriptor.families.emplace_back().name = "_f";
    ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
  }
  const auto from = engine_->OpenTable({"default", "from"}).value();
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("_f", "q", "v");
  ASSERT_TRUE(from->Write(&batch).ok());
  ASSERT_TRUE(engine_->admin()->Flush({"default", "from"}).ok());
  const std::string family =
      directory_.Join("store/data/default/from/") + from->regions()[0].EncodedName() + "/_f";
  const std::string load = directory_.Join("load");
  ASSERT_TRUE(Env::Default()->CreateDirectories(load).ok());
  const std::vector<std::string> names = Env::Default()->ListDirectory(family).value();
  for (const std::string& name : names) {
    if (name.starts_with('.')) continue;
    const Bytes content = Env::Default()->ReadFile(family + "/" + name).value();
    ASSERT_TRUE(Env::Default()->WriteFileAtomically(load + "/_file", content).ok());
  }
  const auto to = engine_->OpenTable({"default", "to"}).value();
  pb::BulkLoadHFileRequest request;
  request.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  request.mutable_region()->set_value(to->regions()[0].RegionName());
  pb::BulkLoadHFileResponse response;
  EXPECT_EQ(Ask(*client_, "BulkLoadHFile", request, &response), "java.io.FileNotFoundException");
  auto* const path = request.add_family_path();
  path->set_family("_f");
  path->set_path("file:" + load + "/none");
  EXPECT_EQ(Ask(*client_, "BulkLoadHFile", request, &response), "java.io.FileNotFoundException");
  path->set_path("file:" + load + "/_file");
  EXPECT_EQ(Ask(*client_, "BulkLoadHFile", request, &response), "") << message_;
  EXPECT_TRUE(response.loaded());
  Get get;
  get.row = "r";
  EXPECT_EQ(to->GetRow(get).value().cells.size(), 1u);
}

// Clients that may name any path do not learn by the answers what lies there.
TEST_F(MasterAnswersTest, BulkLoadsTellNothingOfOtherFiles) {
  TableDescriptor descriptor;
  descriptor.name = {"default", "to"};
  descriptor.families.emplace_back().name = "f";
  ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
  const ClientService client(regions_.get(), &scanners_, &handlers_, quotas_.get(), engine_->env(),
                             directory_.Join("store"), ClientFolders{"", "read", "", true},
                             /*answer_bytes_max=*/100 << 20);
  pb::BulkLoadHFileRequest request;
  request.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  request.mutable_region()->set_value(
      engine_->OpenTable({"default", "to"}).value()->regions()[0].RegionName());
  auto* const path = request.add_family_path();
  path->set_family("f");
  ASSERT_TRUE(Env::Default()->CreateDirectories(directory_.Join("folder")).ok());
  ASSERT_TRUE(Env::Default()->WriteFileAtomically(directory_.Join("text"), "no HFile").ok());
  for (const char* name : {"none", "text", "folder", "text/below"}) {
    const std::string uri = "file:" + directory_.Join(name);
    path->set_path(uri);
    pb::BulkLoadHFileResponse response;
    EXPECT_EQ(Ask(client, "BulkLoadHFile", request, &response), "java.io.FileNotFoundException");
    EXPECT_EQ(message_, "java.io.FileNotFoundException: " + uri +
                            " is not there, may not be read, or is no HFile");
  }
}

// Procedures by name: those of HBase return nothing.
TEST_F(MasterAnswersTest, ProceduresByName) {
  pb::ExecProcedureRequest request;
  request.mutable_procedure()->set_signature("flush-table-proc");
  request.mutable_procedure()->set_instance("t");
  pb::ExecProcedureResponse response;
  EXPECT_EQ(Ask(*master_, "ExecProcedureWithRet", request, &response), "");
  EXPECT_FALSE(response.has_return_data());
  request.mutable_procedure()->set_signature("none");
  EXPECT_EQ(Ask(*master_, "ExecProcedureWithRet", request, &response), "DoNotRetryIOException");
  pb::IsProcedureDoneRequest done;
  *done.mutable_procedure() = request.procedure();
  EXPECT_EQ(AskMaster<pb::IsProcedureDoneResponse>("IsProcedureDone", done),
            "DoNotRetryIOException");
}

// As HBase's clients ask for a snapshot by the procedure's name.
TEST_F(MasterAnswersTest, SnapshotsByProcedure) {
  ASSERT_EQ(Create("default", "t"), "");
  pb::ExecProcedureRequest request;
  pb::ProcedureDescription* const procedure = request.mutable_procedure();
  procedure->set_signature("online-snapshot");
  procedure->set_instance("s");
  auto* const table = procedure->add_configuration();
  table->set_name("table");
  table->set_value("t");
  ASSERT_EQ(AskMaster<pb::ExecProcedureResponse>("ExecProcedure", request), "") << message_;
  for (int i = 0; i < 1000 && engine_->admin()->ListSnapshots().value().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(engine_->admin()->ListSnapshots().value().size(), 1u);
  EXPECT_EQ(engine_->admin()->ListSnapshots().value()[0].name, "s");
}

TEST_F(MasterAnswersTest, ClonesOfSnapshots) {
  ASSERT_EQ(Create("default", "t"), "");
  SnapshotOptions options;
  options.ttl_seconds = 1;
  ASSERT_TRUE(engine_->admin()->SnapshotTable("short", {"default", "t"}, options).ok());
  ASSERT_TRUE(engine_->admin()->SnapshotTable("s", {"default", "t"}, {}).ok());
  pb::RestoreSnapshotRequest clone;
  clone.mutable_snapshot()->set_name("s");
  clone.mutable_snapshot()->set_table("other");
  clone.set_customsft("FILE");
  EXPECT_EQ(AskMaster<pb::RestoreSnapshotResponse>("RestoreSnapshot", clone),
            "DoNotRetryIOException");
  clone.set_customsft("DEFAULT");
  EXPECT_EQ(AskMaster<pb::RestoreSnapshotResponse>("RestoreSnapshot", clone), "") << message_;
  // A second over.
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  clone.mutable_snapshot()->set_name("short");
  clone.mutable_snapshot()->set_table("third");
  EXPECT_EQ(AskMaster<pb::RestoreSnapshotResponse>("RestoreSnapshot", clone),
            "snapshot.SnapshotTTLExpiredException");
  EXPECT_EQ(engine_->admin()->CloneSnapshot("short", {"default", "third"}).code(),
            StatusCode::kFailedPrecondition);
}

TEST_F(MasterAnswersTest, FileTrackersOfFamilies) {
  ASSERT_EQ(Create("default", "t"), "");
  pb::ModifyColumnStoreFileTrackerRequest request;
  request.mutable_table_name()->set_namespace_("default");
  request.mutable_table_name()->set_qualifier("t");
  request.set_family("none");
  request.set_dst_sft("DEFAULT");
  EXPECT_EQ(
      AskMaster<pb::ModifyColumnStoreFileTrackerResponse>("ModifyColumnStoreFileTracker", request),
      "regionserver.NoSuchColumnFamilyException");
}

// Peers are kept as by HBase's ReplicationPeerManager, over a start of the server, too.
TEST_F(MasterAnswersTest, ReplicationPeers) {
  EXPECT_EQ(AddPeer("a", "other:2181:/hbase"), "");
  EXPECT_EQ(AddPeer("b", "h1:2181,h2:2182:/hbase"), "");
  EXPECT_EQ(AddPeer("c", "h1,h2:2181:/hbase/of/others"), "");
  // Hosts may name their ports though one for the others stands behind them. gohbase's tests do.
  for (const char* key : {"h1:2182:2181:/hbase", "h1:1,h2:2:2181:/hbase", "h1,h2:2:2181:/hbase"}) {
    EXPECT_EQ(AddPeer("d", key), "") << key << ": " << message_;
    EXPECT_EQ(ChangePeer("RemoveReplicationPeer", "d"), "");
  }
  EXPECT_EQ(AddPeer("a", "other:2181:/hbase"), "DoNotRetryIOException");
  EXPECT_EQ(AddPeer("x-1", "other:2181:/hbase"), "DoNotRetryIOException");
  for (const char* key : {"", "other", "other:2181", "other:/hbase", "other:x:/hbase",
                          ":2181:/hbase", "other:2181:hbase", "other:2181:/", "h1,,h2:2181:/hbase",
                          "h1:1,h2:99999:/hbase", "h1:x:2181:/hbase"}) {
    EXPECT_EQ(AddPeer("d", key), "DoNotRetryIOException") << key;
  }
  EXPECT_EQ(ChangePeer("DisableReplicationPeer", "b"), "");
  EXPECT_EQ(ChangePeer("DisableReplicationPeer", "b"), "DoNotRetryIOException");
  EXPECT_NE(message_.find("Replication peer b has already been disabled"), std::string::npos);
  EXPECT_EQ(ChangePeer("EnableReplicationPeer", "7"), "ReplicationPeerNotFoundException");
  EXPECT_EQ(message_, std::string(kHBase) + "ReplicationPeerNotFoundException: 7");
  EXPECT_EQ(ChangePeer("RemoveReplicationPeer", "c"), "");
  EXPECT_EQ(ChangePeer("RemoveReplicationPeer", "c"), "ReplicationPeerNotFoundException");
  EXPECT_EQ(Peers(peers_), "a+ b- ");

  const ReplicationPeers later(Env::Default(), directory_.Join("store"));
  EXPECT_EQ(Peers(later), "a+ b- ");
}

// Switches that HBase has in ZooKeeper are as they were left after a start; its others are on
// again.
TEST_F(MasterAnswersTest, SwitchesOverAStart) {
  pb::SetBalancerRunningRequest balancer;
  balancer.set_on(false);
  EXPECT_EQ(AskMaster<pb::SetBalancerRunningResponse>("SetBalancerRunning", balancer), "");
  pb::SwitchRpcThrottleRequest throttle;
  throttle.set_rpc_throttle_enabled(false);
  pb::SwitchRpcThrottleResponse before;
  EXPECT_EQ(Ask(*master_, "SwitchRpcThrottle", throttle, &before), "");
  EXPECT_TRUE(before.previous_rpc_throttle_enabled());
  EXPECT_EQ(Ask(*master_, "SwitchRpcThrottle", throttle, &before), "");
  EXPECT_FALSE(before.previous_rpc_throttle_enabled());
  pb::SetSplitOrMergeEnabledRequest merge;
  merge.set_enabled(false);
  merge.add_switch_types(pb::MERGE);
  EXPECT_EQ(AskMaster<pb::SetSplitOrMergeEnabledResponse>("SetSplitOrMergeEnabled", merge), "");
  pb::EnableCatalogJanitorRequest janitor;
  janitor.set_enable(false);
  EXPECT_EQ(AskMaster<pb::EnableCatalogJanitorResponse>("EnableCatalogJanitor", janitor), "");

  const Switches later(Env::Default(), directory_.Join("store"));
  for (const Switch off : {Switch::kBalancer, Switch::kRpcThrottle, Switch::kMerge}) {
    EXPECT_FALSE(later.IsOn(off)) << static_cast<int>(off);
  }
  for (const Switch on : {Switch::kSplit, Switch::kNormalizer, Switch::kSnapshotCleanup,
                          Switch::kCatalogJanitor, Switch::kCleanerChore}) {
    EXPECT_TRUE(later.IsOn(on)) << static_cast<int>(on);
  }
  EXPECT_FALSE(switches_.IsOn(Switch::kCatalogJanitor)) << "while the process runs it is off";
}

// A damaged file is left as it is, and named by each call that would write it.
TEST_F(MasterAnswersTest, DamagedSwitches) {
  const std::string path = directory_.Join("store") + "/.bennu.switches";
  ASSERT_TRUE(Env::Default()->WriteFileAtomically(path, "no switches").ok());
  Switches damaged(Env::Default(), directory_.Join("store"));
  EXPECT_TRUE(damaged.IsOn(Switch::kBalancer));
  const CallError error = damaged.Set(Switch::kBalancer, false, nullptr);
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(error->message().find(path), std::string::npos) << error->message();
  EXPECT_TRUE(damaged.IsOn(Switch::kBalancer));
  EXPECT_EQ(Env::Default()->ReadFile(path).value(), "no switches");
  EXPECT_FALSE(damaged.Set(Switch::kCatalogJanitor, false, nullptr).has_value()) << "is not kept";
}

TEST_F(MasterAnswersTest, ReplicationPeersByPattern) {
  AddPeer("a1", "other:2181:/hbase");
  AddPeer("a2", "other:2181:/hbase");
  const auto count = [this](std::optional<std::string> pattern) {
    pb::ListReplicationPeersRequest request;
    if (pattern.has_value()) request.set_regex(*pattern);
    pb::ListReplicationPeersResponse response;
    EXPECT_EQ(Ask(*master_, "ListReplicationPeers", request, &response), "");
    return response.peer_desc_size();
  };
  EXPECT_EQ(count(std::nullopt), 2);
  EXPECT_EQ(count("a."), 2);
  EXPECT_EQ(count("a"), 0);
  EXPECT_EQ(count(""), 0);
  EXPECT_EQ(count(".*2"), 1);
}

TEST_F(MasterAnswersTest, ReplicationPeersAreChanged) {
  AddPeer("a", "other:2181:/hbase");
  const auto update = [this](const std::function<void(pb::ReplicationPeer*)>& change) {
    pb::UpdateReplicationPeerConfigRequest request;
    request.set_peer_id("a");
    request.mutable_peer_config()->set_clusterkey("other:2181:/hbase");
    request.mutable_peer_config()->set_replicate_all(true);
    change(request.mutable_peer_config());
    return AskMaster<pb::ReplicationPeerChangeResponse>("UpdateReplicationPeerConfig", request);
  };
  const auto set = [](const std::string& name, const std::string& value) {
    return [=](pb::ReplicationPeer* config) {
      auto* const property = config->add_configuration();
      property->set_name(name);
      property->set_value(value);
    };
  };
  EXPECT_EQ(update(set("k1", "v1")), "");
  EXPECT_EQ(update(set("k2", "v2")), "");
  EXPECT_EQ(update([](auto* config) { config->set_clusterkey("third:2181:/hbase"); }),
            "DoNotRetryIOException");
  EXPECT_EQ(update([](auto* config) { config->add_namespaces("n"); }), "DoNotRetryIOException");
  EXPECT_EQ(update([](auto* config) { config->set_replicationendpointimpl("com.example.Mine"); }),
            "DoNotRetryIOException");
  pb::ReplicationPeerRequest request;
  request.set_peer_id("a");
  pb::GetReplicationPeerConfigResponse got;
  EXPECT_EQ(Ask(*master_, "GetReplicationPeerConfig", request, &got), "");
  ASSERT_EQ(got.peer_config().configuration_size(), 2);
  EXPECT_EQ(got.peer_config().configuration(0).value(), "v1");
  EXPECT_EQ(got.peer_config().clusterkey(), "other:2181:/hbase");
}

// A damaged file is left as it is, and named by each call.
TEST_F(MasterAnswersTest, DamagedReplicationPeers) {
  AddPeer("a", "other:2181:/hbase");
  const std::string path = directory_.Join("store") + "/.bennu.peers";
  Bytes content = Env::Default()->ReadFile(path).value();
  content.back() = static_cast<char>(content.back() ^ 1);
  ASSERT_TRUE(Env::Default()->WriteFileAtomically(path, content).ok());
  ReplicationPeers damaged(Env::Default(), directory_.Join("store"));
  EXPECT_NE(Peers(damaged).find(path), std::string::npos) << Peers(damaged);
  EXPECT_TRUE(damaged.Remove("a").has_value());
  EXPECT_EQ(Env::Default()->ReadFile(path).value(), content);
}

// An empty pattern is a pattern, which no name matches; without one all are told.
TEST_F(MasterAnswersTest, TablesByPattern) {
  EXPECT_EQ(Create("default", "t1"), "");
  EXPECT_EQ(Create("default", "t2"), "");
  const auto count = [this](std::optional<std::string> pattern) {
    pb::GetTableNamesRequest request;
    if (pattern.has_value()) request.set_regex(*pattern);
    request.set_namespace_("");  // as clients of Go send it
    pb::GetTableNamesResponse response;
    EXPECT_EQ(Ask(*master_, "GetTableNames", request, &response), "");
    return response.table_names_size();
  };
  EXPECT_EQ(count(std::nullopt), 2);
  EXPECT_EQ(count("t."), 2);
  EXPECT_EQ(count("t"), 0);
  EXPECT_EQ(count(""), 0);
}

TEST_F(MasterAnswersTest, WhatOneServerHasNoUseFor) {
  pb::ClearDeadServersRequest dead;
  dead.add_server_name()->set_host_name("other");
  pb::ClearDeadServersResponse left;
  EXPECT_EQ(Ask(*master_, "ClearDeadServers", dead, &left), "");
  EXPECT_EQ(left.server_name_size(), 1);

  const HbckService hbck;
  pb::AssignsRequest assigns;
  assigns.add_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  assigns.mutable_region(0)->set_value("nope");
  pb::AssignsResponse assigned;
  EXPECT_EQ(Ask(hbck, "Assigns", assigns, &assigned), "");
  ASSERT_EQ(assigned.pid_size(), 1);
  EXPECT_EQ(static_cast<int64_t>(assigned.pid(0)), -1);
  pb::BypassProcedureRequest bypass;
  bypass.add_proc_id(5);
  pb::BypassProcedureResponse bypassed;
  EXPECT_EQ(Ask(hbck, "BypassProcedure", bypass, &bypassed), "");
  ASSERT_EQ(bypassed.bypassed_size(), 1);
  EXPECT_FALSE(bypassed.bypassed(0));
}

// By whichever of its two names a region is asked for.
TEST_F(MasterAnswersTest, RegionsByEncodedName) {
  ASSERT_EQ(Create("default", "t"), "");
  const RegionInfo region = engine_->OpenTable({"default", "t"}).value()->regions().front();
  const auto get = [this](pb::RegionSpecifier::RegionSpecifierType type, const Bytes& name) {
    pb::GetRequest request;
    request.mutable_region()->set_type(type);
    request.mutable_region()->set_value(name);
    request.mutable_get()->set_row("row");
    pb::GetResponse response;
    return Ask(*client_, "Get", request, &response);
  };
  EXPECT_EQ(get(pb::RegionSpecifier::REGION_NAME, region.RegionName()), "");
  EXPECT_EQ(get(pb::RegionSpecifier::ENCODED_REGION_NAME, region.EncodedName()), "");
  EXPECT_EQ(get(pb::RegionSpecifier::ENCODED_REGION_NAME, region.RegionName()),
            "NotServingRegionException");
}

// A disabled table's regions are not served: they are not counted, and told of no more.
TEST_F(MasterAnswersTest, RegionsOfDisabledTables) {
  ASSERT_EQ(Create("default", "t", {"1", "2"}), "");
  const TableName name = {"default", "t"};
  ASSERT_TRUE(engine_->admin()->DisableTable(name).ok());
  pb::GetClusterStatusRequest request;
  pb::GetClusterStatusResponse response;
  ASSERT_EQ(Ask(*master_, "GetClusterStatus", request, &response), "");
  const pb::ClusterStatus& status = response.cluster_status();
  for (const auto& table : status.table_region_states_count()) {
    if (table.table_name().qualifier() != "t") continue;
    EXPECT_EQ(table.region_states_count().open_regions(), 0u);
    EXPECT_EQ(table.region_states_count().closed_regions(), 0u);
    EXPECT_EQ(table.region_states_count().total_regions(), 0u);
  }
  const pb::ServerLoad& server = status.live_servers(0).server_load();
  EXPECT_GT(server.used_heap_mb(), 0u);
  EXPECT_GT(server.max_heap_mb(), server.used_heap_mb());
  for (const auto& load : status.live_servers(0).server_load().region_loads()) {
    EXPECT_FALSE(load.region_specifier().value().starts_with("t,"));
  }
  pb::GetOnlineRegionResponse online;
  ASSERT_EQ(Ask(*admin_, "GetOnlineRegion", pb::GetOnlineRegionRequest(), &online), "");
  for (const pb::RegionInfo& info : online.region_info()) {
    EXPECT_NE(info.table_name().qualifier(), "t");
  }
}

TEST_F(MasterAnswersTest, OfOneServer) {
  pb::GetRegionLoadRequest load;
  api::TableNameToPb(TableName{"default", "none"}, load.mutable_table_name());
  pb::GetRegionLoadResponse loads;
  EXPECT_EQ(Ask(*admin_, "GetRegionLoad", load, &loads), "");
  EXPECT_EQ(loads.region_loads_size(), 0);

  pb::GetRegionInfoRequest mob;
  mob.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  mob.mutable_region()->set_value("t,.mob,0.0123456789abcdef0123456789abcdef.");
  mob.set_compaction_state(true);
  pb::GetRegionInfoResponse info;
  EXPECT_EQ(Ask(*admin_, "GetRegionInfo", mob, &info), "");
  EXPECT_EQ(info.compaction_state(), pb::GetRegionInfoResponse::NONE);

  pb::ClearCompactionQueuesRequest queues;
  queues.add_queue_name("long");
  pb::ClearCompactionQueuesResponse cleared;
  EXPECT_EQ(Ask(*admin_, "ClearCompactionQueues", queues, &cleared), "");
  queues.add_queue_name("none");
  EXPECT_EQ(Ask(*admin_, "ClearCompactionQueues", queues, &cleared), "DoNotRetryIOException");

  pb::ClearRegionBlockCacheRequest cache;
  pb::ClearRegionBlockCacheResponse stats;
  EXPECT_EQ(Ask(*admin_, "ClearRegionBlockCache", cache, &stats), "");
  EXPECT_GT(stats.stats().max_cache_size(), 0);
}

}  // namespace
}  // namespace bennu::server::hbase
