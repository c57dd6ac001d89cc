// What is done to tables as a whole, to namespaces and snapshots, and what a cluster tells of
// itself.
#include <algorithm>

#include "tests/client/dialogue_fixture.h"

namespace bennu::client {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// These two come before the others: they ask about all tables that there are.
TEST_F(DialogueTest, WhatAClusterTells) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  api::ClusterControl* const control = connection->control();
  const auto state = control->ReadState();
  ASSERT_TRUE(state.ok()) << state.status().ToString();
  EXPECT_THAT(state->hbase_version, ::testing::StartsWith("2."));
  EXPECT_THAT(state->master, HasSubstr(","));
  EXPECT_THAT(state->servers, SizeIs(3));
  EXPECT_THAT(state->dead_servers, IsEmpty());
  EXPECT_THAT(state->backup_masters, IsEmpty());
  EXPECT_FALSE(control->IsInMaintenanceMode().value());
  using Switch = api::ClusterControl::Switch;
  const bool balances = control->GetSwitch(Switch::kBalancer).value();
  EXPECT_EQ(control->SetSwitch(Switch::kBalancer, false).value(), balances);
  EXPECT_FALSE(control->GetSwitch(Switch::kBalancer).value());
  EXPECT_FALSE(control->SetSwitch(Switch::kBalancer, balances).value());
  // Those of Bennu do.
  EXPECT_FALSE(connection->KeepsIndexes().value());
}

TEST_F(DialogueTest, FlushesAndCompactions) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  Admin* const admin = connection->admin();
  const auto table = Create(connection.get(), Describe("flushes", {"f", "g"}), {RowOf(10)});
  ASSERT_NE(table, nullptr);
  const TableName& name = table->name();
  ASSERT_TRUE(PutRows(table.get(), 0, 20).ok());
  EXPECT_TRUE(admin->Flush(name).ok());
  ASSERT_TRUE(PutRows(table.get(), 10, 15).ok());
  EXPECT_TRUE(admin->FlushFamily(name, "f").ok());
  EXPECT_EQ(admin->FlushRegion("0123456789abcdef0123456789abcdef", {}).code(),
            StatusCode::kNotFound);
  const auto regions = admin->ListRegions(name);
  ASSERT_TRUE(regions.ok());
  ASSERT_THAT(*regions, SizeIs(2));
  EXPECT_EQ((*regions)[0].store_files, 1U);
  EXPECT_EQ((*regions)[1].store_files, 2U);
  const Status compacted = admin->CompactFamily(name, "f", true);
  EXPECT_TRUE(compacted.ok()) << compacted.ToString();
  EXPECT_TRUE(admin->GetTableCompactionState(name).ok());
  EXPECT_EQ(ReadRows(table.get(), {}), RowsOf(0, 20));
}

TEST_F(DialogueTest, TablesAreMadeAndChanged) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  Admin* const admin = connection->admin();
  TableDescriptor descriptor = Describe("tables", {"f", "g"}, {{"VERSIONS", "4"}, {"TTL", "9000"}});
  descriptor.attributes["MAX_FILESIZE"] = "1000000000";
  const TableName name = descriptor.name;
  const auto table = Create(connection.get(), descriptor, {"k", "b"});
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(admin->CreateTable(descriptor, {}).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(admin->CreateTable(Describe("tables2", {}), {}).code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(admin->ListTables().value(), Contains(name));
  EXPECT_TRUE(admin->TableExists(name).value());
  EXPECT_TRUE(admin->IsTableEnabled(name).value());
  const auto regions = admin->ListRegions(name);
  ASSERT_TRUE(regions.ok());
  ASSERT_THAT(*regions, SizeIs(3));
  EXPECT_EQ((*regions)[1].info.start_key, "b");
  EXPECT_TRUE((*regions)[1].open);

  TableDescriptor read = table->descriptor();
  EXPECT_EQ(read.attributes.at("MAX_FILESIZE"), "1000000000");
  ASSERT_THAT(read.families, SizeIs(2));
  EXPECT_EQ(read.families[0].name, "f");
  EXPECT_EQ(read.families[1].max_versions(), 4);
  EXPECT_EQ(read.families[1].ttl_seconds(), 9000);

  // Another family, and other versions of one that stays.
  read.families.erase(read.families.begin());
  read.families[0].attributes["VERSIONS"] = "2";
  read.families.emplace_back();
  read.families.back().name = "h";
  ASSERT_TRUE(table->Put("a", "g", "q", "kept").ok());
  const Status altered = admin->AlterTable(read);
  ASSERT_TRUE(altered.ok()) << altered.ToString();
  read = Open(connection.get(), "tables")->descriptor();
  ASSERT_THAT(read.families, SizeIs(2));
  EXPECT_EQ(read.families[0].name, "g");
  EXPECT_EQ(read.families[0].max_versions(), 2);
  EXPECT_EQ(read.families[1].name, "h");
  EXPECT_TRUE(table->Put("z", "h", "q", "new").ok());
  EXPECT_THAT(ReadCells(table.get(), {}), ElementsAre("a g:q=kept", "z h:q=new"));

  EXPECT_EQ(admin->TruncateTable(name, true).code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(admin->DisableTable(name).ok());
  EXPECT_EQ(admin->DisableTable(name).code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(admin->IsTableEnabled(name).value());
  const Status truncated = admin->TruncateTable(name, true);
  ASSERT_TRUE(truncated.ok()) << truncated.ToString();
  EXPECT_THAT(ReadCells(table.get(), {}), IsEmpty());
  EXPECT_THAT(table->regions(), SizeIs(3));
  const Status dropped = admin->DropTable(name);
  ASSERT_TRUE(dropped.ok()) << dropped.ToString();
  EXPECT_THAT(admin->ListTables().value(), Not(Contains(name)));
  EXPECT_FALSE(admin->TableExists(name).value());
  EXPECT_EQ(admin->DropTable(name).code(), StatusCode::kNotFound);
}

TEST_F(DialogueTest, Namespaces) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  Admin* const admin = connection->admin();
  EXPECT_THAT(admin->ListNamespaces().value(), ElementsAre("default", "hbase"));
  ASSERT_TRUE(admin->CreateNamespaceWith({"own", {{"purpose", "dialogues"}}}).ok());
  EXPECT_EQ(admin->CreateNamespace("own").code(), StatusCode::kAlreadyExists);
  EXPECT_THAT(admin->ListNamespaces().value(), ElementsAre("default", "hbase", "own"));
  EXPECT_EQ(admin->DescribeNamespace("own").value(),
            (NamespaceDescriptor{"own", {{"purpose", "dialogues"}}}));
  ASSERT_TRUE(admin->AlterNamespace({"own", {{"purpose", "none"}}}).ok());
  EXPECT_EQ(admin->DescribeNamespace("own")->properties.at("purpose"), "none");
  EXPECT_EQ(admin->DescribeNamespace("other").status().code(), StatusCode::kNotFound);
  const Status dropped = admin->DropNamespace("own");
  EXPECT_TRUE(dropped.ok()) << dropped.ToString();
  EXPECT_EQ(admin->DropNamespace("hbase").code(), StatusCode::kFailedPrecondition);
}

TEST_F(DialogueTest, Snapshots) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  Admin* const admin = connection->admin();
  const auto table = Create(connection.get(), Describe("snapshots", {"f"}));
  ASSERT_NE(table, nullptr);
  const TableName& name = table->name();
  ASSERT_TRUE(PutRows(table.get(), 0, 5).ok());
  const Status taken = admin->SnapshotTable("first", name, {.owner = "dialogues"});
  ASSERT_TRUE(taken.ok()) << taken.ToString();
  const auto snapshots = admin->ListSnapshots();
  ASSERT_TRUE(snapshots.ok());
  ASSERT_THAT(*snapshots, SizeIs(1));
  EXPECT_EQ((*snapshots)[0].name, "first");
  EXPECT_EQ((*snapshots)[0].table, name);
  EXPECT_EQ((*snapshots)[0].type, SnapshotDescription::Type::kFlush);
  EXPECT_EQ(admin->SnapshotTable("first", name, {}).code(), StatusCode::kAlreadyExists);

  const Status cloned = admin->CloneSnapshot("first", {"default", "cloned"});
  ASSERT_TRUE(cloned.ok()) << cloned.ToString();
  EXPECT_EQ(ReadRows(Open(connection.get(), "cloned").get(), {}), RowsOf(0, 5));

  ASSERT_TRUE(PutRows(table.get(), 5, 9).ok());
  const Status enabled = admin->RestoreSnapshot("first");
  EXPECT_EQ(enabled.code(), StatusCode::kFailedPrecondition) << enabled.ToString();
  ASSERT_TRUE(admin->DisableTable(name).ok());
  const Status restored = admin->RestoreSnapshot("first");
  ASSERT_TRUE(restored.ok()) << restored.ToString();
  ASSERT_TRUE(admin->EnableTable(name).ok());
  EXPECT_EQ(ReadRows(table.get(), {}), RowsOf(0, 5));
  // One that is gone is made again.
  ASSERT_TRUE(admin->DropTable(name).ok());
  const Status again = admin->RestoreSnapshot("first");
  ASSERT_TRUE(again.ok()) << again.ToString();
  EXPECT_EQ(ReadRows(table.get(), {}), RowsOf(0, 5));
  EXPECT_EQ(admin->RestoreSnapshot("second").code(), StatusCode::kNotFound);
  EXPECT_TRUE(admin->DeleteSnapshot("first").ok());
  EXPECT_THAT(admin->ListSnapshots().value(), IsEmpty());
  EXPECT_EQ(admin->DeleteSnapshot("first").code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace bennu::client
