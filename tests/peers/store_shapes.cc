// Tables whose files lie in every way that the engine knows: cut by time and by stripes, loaded,
// linked, referred to, left behind by a family that went and came again; and snapshots of them.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/base/status_macros.h"
#include "tests/peers/store_steps.h"

namespace bennu::peers {
namespace {

using Attributes = std::map<std::string, std::string>;

constexpr char kEngine[] = "hbase.hstore.engine.class";

TableName Shape(const std::string& name) { return TableName{"shapes", name}; }

Status Create(Connection* store, const std::string& name,
              std::vector<ColumnFamilyDescriptor> families,
              const std::vector<Bytes>& split_keys = {}) {
  TableDescriptor table;
  table.name = Shape(name);
  table.families = std::move(families);
  return store->admin()->CreateTable(table, split_keys);
}

Status FillAndFlush(Connection* store, const std::string& name, int first, int rows, int64_t time) {
  RETURN_IF_ERROR(Fill(store, Shape(name), first, rows, time));
  return store->admin()->Flush(Shape(name));
}

Status DeleteRows(Connection* store, const std::string& name, int first, int rows, int64_t time) {
  ASSIGN_OR_RETURN(const auto table, store->OpenTable(Shape(name)));
  const Bytes family = table->descriptor().families.front().name;
  MutationBatch batch;
  for (int r = first; r < first + rows; ++r) {
    batch.StartRow(Row(r));
    batch.DeleteFamily(family, time);
  }
  return table->Write(&batch);
}

// Files of several windows, each cut at their borders by a major compaction; newer ones over them.
Status MakeTiered(Connection* store) {
  const Attributes tiered = {
      {kEngine, "org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine"},
      {"hbase.hstore.compaction.date.tiered.base.window.millis", "86400000"},
      {"hbase.hstore.blockingStoreFiles", "60"},
      {"VERSIONS", "3"}};
  RETURN_IF_ERROR(Create(store, "tiered", {Family("t", tiered)}, {Row(150)}));
  for (int day = 0; day < 40; day += 4) {
    const int64_t time = store->NowMillis() - (40 - day) * kDayMillis;
    RETURN_IF_ERROR(FillAndFlush(store, "tiered", day * 5, 100, time));
  }
  RETURN_IF_ERROR(store->admin()->Compact(Shape("tiered"), true));
  RETURN_IF_ERROR(FillAndFlush(store, "tiered", 0, 50, store->NowMillis() - kDayMillis));
  return FillAndFlush(store, "tiered", 100, 100, kOld);
}

Attributes Striped(bool flush_to_level0) {
  return {{kEngine, "org.apache.hadoop.hbase.regionserver.StripeStoreEngine"},
          {"hbase.store.stripe.initialStripeCount", "3"},
          {"hbase.store.stripe.compaction.minFiles", "2"},
          {"hbase.store.stripe.compaction.minFilesL0", "2"},
          {"hbase.store.stripe.compaction.flushToL0", flush_to_level0 ? "true" : "false"},
          {"hbase.hstore.blockingStoreFiles", "60"},
          {"VERSIONS", "2"}};
}

// The first family loses all rows of its first stripe, which a file without cells then stands for.
// The second has files in its stripes and in level 0.
Status MakeStriped(Connection* store, const std::string& name) {
  RETURN_IF_ERROR(
      Create(store, name, {Family("emptied", Striped(false)), Family("level0", Striped(true))}));
  RETURN_IF_ERROR(FillAndFlush(store, name, 0, 300, kOld));
  RETURN_IF_ERROR(DeleteRows(store, name, 0, 100, kOld + kDayMillis));
  RETURN_IF_ERROR(store->admin()->Flush(Shape(name)));
  RETURN_IF_ERROR(store->admin()->Compact(Shape(name), true));
  RETURN_IF_ERROR(FillAndFlush(store, name, 120, 100, kOld + 2 * kDayMillis));
  return FillAndFlush(store, name, 180, 90, kOld + 3 * kDayMillis);
}

// Files of a load, some of them cut at the borders of regions, between files that were flushed.
Status MakeLoaded(Connection* store, const std::string& scratch) {
  RETURN_IF_ERROR(Create(store, "source", {Family("f")}));
  RETURN_IF_ERROR(Fill(store, Shape("source"), 50, 200, kOld));
  ExportOptions options;
  options.file_bytes_max = 8000;
  RETURN_IF_ERROR(
      store->admin()->ExportTable(Shape("source"), scratch + "/source", options).status());
  RETURN_IF_ERROR(
      Create(store, "loaded", {Family("f", {{"VERSIONS", "3"}})}, {Row(100), Row(133)}));
  RETURN_IF_ERROR(FillAndFlush(store, "loaded", 0, 300, kOld));
  ASSIGN_OR_RETURN(const BulkLoadResult result,
                   store->admin()->BulkLoad(Shape("loaded"), scratch + "/source", {}));
  if (result.split_files == 0 || result.split_files == result.files) {
    return Internal("some of the loaded files should have been cut, and some not");
  }
  return FillAndFlush(store, "loaded", 90, 20, kOld + kDayMillis);
}

// A family that went and came again, whose directories hold an empty file '.floor.N'.
Status MakeAgain(Connection* store) {
  Admin* const admin = store->admin();
  RETURN_IF_ERROR(Create(store, "again", {Family("f"), Family("g")}, {Row(150)}));
  RETURN_IF_ERROR(FillAndFlush(store, "again", 0, 300, kOld));
  ASSIGN_OR_RETURN(const auto table, store->OpenTable(Shape("again")));
  TableDescriptor descriptor = table->descriptor();
  const ColumnFamilyDescriptor last = descriptor.families.back();
  descriptor.families.pop_back();
  RETURN_IF_ERROR(admin->AlterTable(descriptor));
  descriptor.families.push_back(last);
  RETURN_IF_ERROR(admin->AlterTable(descriptor));
  return FillAndFlush(store, "again", 100, 100, kOld + kDayMillis);
}

Status MakeSplitAndMerged(Connection* store) {
  Admin* const admin = store->admin();
  RETURN_IF_ERROR(Create(store, "split", {Family("f", {{"VERSIONS", "2"}})}));
  RETURN_IF_ERROR(FillAndFlush(store, "split", 0, 300, kOld));
  RETURN_IF_ERROR(admin->SplitTable(Shape("split"), Row(150)));
  RETURN_IF_ERROR(FillAndFlush(store, "split", 140, 20, kOld + kDayMillis));
  RETURN_IF_ERROR(Create(store, "merged", {Family("f")}, {Row(100), Row(200)}));
  RETURN_IF_ERROR(FillAndFlush(store, "merged", 0, 300, kOld));
  ASSIGN_OR_RETURN(const auto regions, admin->ListRegions(Shape("merged")));
  RETURN_IF_ERROR(
      admin->MergeRegions({regions[0].info.EncodedName(), regions[1].info.EncodedName()}));
  RETURN_IF_ERROR(FillAndFlush(store, "merged", 90, 20, kOld + kDayMillis));
  RETURN_IF_ERROR(MakeStriped(store, "striped_split"));
  return admin->SplitTable(Shape("striped_split"), Row(170));
}

Status MakeSnapshots(Connection* store) {
  Admin* const admin = store->admin();
  RETURN_IF_ERROR(Create(store, "shot", {Family("f")}, {Row(100)}));
  RETURN_IF_ERROR(FillAndFlush(store, "shot", 0, 300, kOld));
  RETURN_IF_ERROR(admin->SnapshotTable("shot_first", Shape("shot"), {}));
  RETURN_IF_ERROR(FillAndFlush(store, "shot", 500, 50, kOld));
  RETURN_IF_ERROR(DeleteRows(store, "shot", 20, 20, kOld + kDayMillis));
  RETURN_IF_ERROR(admin->SnapshotTable("shot_later", Shape("shot"), {}));
  // The snapshots' files go to the archive.
  RETURN_IF_ERROR(admin->Compact(Shape("shot"), true));
  for (const std::string name : {"cloned", "cloned_split"}) {
    RETURN_IF_ERROR(admin->CloneSnapshot("shot_first", Shape(name)));
    RETURN_IF_ERROR(FillAndFlush(store, name, 90, 20, kOld + kDayMillis));
  }
  RETURN_IF_ERROR(admin->SplitTable(Shape("cloned_split"), Row(55)));
  RETURN_IF_ERROR(Create(store, "restored", {Family("f")}, {Row(100)}));
  RETURN_IF_ERROR(Fill(store, Shape("restored"), 0, 300, kOld));
  RETURN_IF_ERROR(admin->SnapshotTable("restored_to", Shape("restored"), {}));
  RETURN_IF_ERROR(DeleteRows(store, "restored", 0, 200, kOld + kDayMillis));
  RETURN_IF_ERROR(admin->DisableTable(Shape("restored")));
  RETURN_IF_ERROR(admin->RestoreSnapshot("restored_to"));
  RETURN_IF_ERROR(admin->EnableTable(Shape("restored")));
  RETURN_IF_ERROR(FillAndFlush(store, "restored", 400, 20, kOld));
  // Of a table that is gone: its files are in the archive alone.
  RETURN_IF_ERROR(Create(store, "gone", {Family("f")}));
  RETURN_IF_ERROR(Fill(store, Shape("gone"), 0, 50, kOld));
  RETURN_IF_ERROR(admin->SnapshotTable("gone_shot", Shape("gone"), {}));
  RETURN_IF_ERROR(admin->DisableTable(Shape("gone")));
  RETURN_IF_ERROR(admin->DropTable(Shape("gone")));
  for (const std::string name : {"split", "merged", "striped", "striped_split", "loaded", "again",
                                 "tiered", "cloned_split"}) {
    RETURN_IF_ERROR(admin->SnapshotTable(name + "_shot", Shape(name), {}));
  }
  // What follows is in the tables and not in their snapshots.
  for (const std::string name : {"split", "striped", "loaded"}) {
    RETURN_IF_ERROR(FillAndFlush(store, name, 600, 10, kOld));
  }
  return Status::Ok();
}

}  // namespace

Status MakeShapes(Connection* store, const std::string& scratch) {
  RETURN_IF_ERROR(store->admin()->CreateNamespace("shapes"));
  RETURN_IF_ERROR(MakeTiered(store));
  RETURN_IF_ERROR(MakeStriped(store, "striped"));
  RETURN_IF_ERROR(MakeLoaded(store, scratch));
  RETURN_IF_ERROR(MakeAgain(store));
  RETURN_IF_ERROR(MakeSplitAndMerged(store));
  return MakeSnapshots(store);
}

Status CloneSnapshots(Connection* store, const std::string& name_space) {
  Admin* const admin = store->admin();
  RETURN_IF_ERROR(admin->CreateNamespace(name_space));
  ASSIGN_OR_RETURN(const auto snapshots, admin->ListSnapshots());
  for (const SnapshotDescription& snapshot : snapshots) {
    RETURN_IF_ERROR(admin->CloneSnapshot(snapshot.name, TableName{name_space, snapshot.name}));
  }
  return Status::Ok();
}

Status RestoreSnapshots(Connection* store) {
  Admin* const admin = store->admin();
  ASSIGN_OR_RETURN(const auto snapshots, admin->ListSnapshots());
  for (const SnapshotDescription& snapshot : snapshots) {
    if (snapshot.name == "merged_shot") continue;  // Shapes.java says why
    ASSIGN_OR_RETURN(const bool exists, admin->TableExists(snapshot.table));
    if (exists) RETURN_IF_ERROR(admin->DisableTable(snapshot.table));
    RETURN_IF_ERROR(admin->RestoreSnapshot(snapshot.name));
    ASSIGN_OR_RETURN(const bool enabled, admin->IsTableEnabled(snapshot.table));
    if (!enabled) RETURN_IF_ERROR(admin->EnableTable(snapshot.table));
  }
  return Status::Ok();
}

}  // namespace bennu::peers
