#include "src/engine/core/region_changes.h"

#include <algorithm>

#include "src/api/attributes.h"
#include "src/base/failpoint.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/core/catalog_janitor.h"
#include "src/engine/core/split_policy.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/root_directory.h"

namespace bennu::engine {

namespace {

// Asked after each flush and compaction, so that the windows go on.
bool IsBusy(Region* region, const SplitPolicy& policy) {
  if (!policy.busy().has_value()) return false;
  const RegionWriter::Pressure pressure =
      region->writer()->MeasurePressure(policy.busy()->window_millis);
  return pressure.age_millis >= policy.busy()->age_millis &&
         pressure.held_up_share >= policy.busy()->held_up_share;
}

std::string Describe(const Region& region) {
  return "region " + region.encoded_name() + " of table " + region.info().table.ToString();
}

}  // namespace

// Holds the parents' compactions back. Thaws them and removes the children's directories unless the
// change was decided.
class RegionChanges::Undo {
 public:
  Undo(EngineCore* core, const RegionList& parents) : core_(core), parents_(parents) {
    for (const auto& parent : parents_) parent->Settle();
  }
  ~Undo() {
    if (done_) return;
    for (const auto& child : children_) {
      child->Close();
      core_->services.wal->RegionFlushed(child->encoded_name(), UINT64_MAX);
    }
    // If the log was lost it is not known whether the catalog has them: the next start will see.
    if (core_->mvcc.status().ok()) {
      for (const std::string& directory : directories_) {
        const Status removed = core_->env->RemoveTree(directory);
        if (!removed.ok()) LogWarning("giving up a change of regions: {}", removed.ToString());
      }
    }
    for (const auto& parent : parents_) parent->Thaw();
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;

  void AddDirectory(std::string directory) { directories_.push_back(std::move(directory)); }
  void AddChild(std::shared_ptr<Region> child) { children_.push_back(std::move(child)); }
  const RegionList& children() const { return children_; }
  void Done() { done_ = true; }

 private:
  EngineCore* const core_;
  const RegionList parents_;
  std::vector<std::string> directories_;
  RegionList children_;
  bool done_ = false;
};

// ---- what is asked for

Status RegionChanges::Split(const std::shared_ptr<TableEntry>& table,
                            const std::shared_ptr<Region>& region,
                            const std::optional<Bytes>& row) {
  RETURN_IF_ERROR(core_->gate.Check());
  const RegionInfo& parent = region->info();
  if (row.has_value() && (row->empty() || *row == parent.start_key || !parent.Contains(*row))) {
    return InvalidArgument(Describe(*region) + " cannot be split at '" + ToStringBinary(*row) +
                           "', which is not a row inside it");
  }
  const SplitPolicy policy = core_->SplitPolicyOf(table->descriptor());
  if (!policy.may_split()) {
    return FailedPrecondition("table " + table->name().ToString() +
                              " must not be split (SPLIT_POLICY or SPLIT_ENABLED)");
  }
  RETURN_IF_ERROR(Prepare(region));
  Bytes border;
  if (row.has_value()) {
    border = *row;
  } else {
    ASSIGN_OR_RETURN(border, FindBorder(*region, policy));
  }
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(CheckUnchanged(*table, {region}));
  Child low{parent, FileReference::Half::kBottom};
  Child high{parent, FileReference::Half::kTop};
  low.info.region_id = high.info.region_id = NewRegionId({region});
  low.info.end_key = high.info.start_key = border;
  RETURN_IF_ERROR(Replace(table, {region}, {low, high}).Annotate("splitting " + Describe(*region)));
  LogInfo("{} was split at '{}' into {} and {}", Describe(*region), ToStringBinary(border),
          low.info.EncodedName(), high.info.EncodedName());
  return Status::Ok();
}

Status RegionChanges::Merge(const std::shared_ptr<TableEntry>& table, const RegionList& regions) {
  RETURN_IF_ERROR(core_->gate.Check());
  for (size_t i = 1; i < regions.size(); ++i) {
    if (regions[i - 1]->info().end_key.empty() ||
        regions[i - 1]->info().end_key != regions[i]->info().start_key) {
      return InvalidArgument(Describe(*regions[i - 1]) + " does not end where region " +
                             regions[i]->encoded_name() + " begins; only neighbours can be merged");
    }
  }
  if (regions.size() < 2) return InvalidArgument("a merge needs at least two regions");
  const TableDescriptor descriptor = table->descriptor();
  const std::string* const enabled = api::Find(descriptor.attributes, "MERGE_ENABLED");
  if (enabled != nullptr && !api::ParseBool(*enabled).value_or(true)) {
    return FailedPrecondition("table " + table->name().ToString() +
                              " must not be merged (MERGE_ENABLED)");
  }
  for (const auto& region : regions) RETURN_IF_ERROR(Prepare(region));
  RETURN_IF_ERROR(core_->janitor->Run());
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(CheckUnchanged(*table, regions));
  for (const auto& region : regions) {
    // Its row, which the merge deletes, is all that tells of the regions that it came from.
    if (!core_->janitor->IsNotedIn(region->encoded_name())) continue;
    return FailedPrecondition(Describe(*region) +
                              " came from a merge that is not cleaned up yet; "
                              "try again after a compaction");
  }
  Child merged{regions.front()->info(), FileReference::Half::kTop};
  merged.info.end_key = regions.back()->info().end_key;
  merged.info.region_id = NewRegionId(regions);
  RETURN_IF_ERROR(
      Replace(table, regions, {merged}).Annotate("merging " + Describe(*regions.front())));
  LogInfo("{} regions of table {} were merged into {}", regions.size(), table->name().ToString(),
          merged.info.EncodedName());
  return Status::Ok();
}

void RegionChanges::SplitIfBig(const std::shared_ptr<Region>& region) {
  const auto table = core_->FindTable(region->info().table);
  if (!table.ok() || region->is_meta() || region->info().table.name_space == "hbase") return;
  const SplitPolicy policy = core_->SplitPolicyOf((*table)->descriptor());
  const bool busy = IsBusy(region.get(), policy);
  if (!policy.may_split() || region->stores()->has_references()) return;
  const uint64_t limit = policy.SizeToSplit((*table)->regions()->size());
  const auto stores = region->stores();
  const bool big =
      std::any_of(stores->entries.begin(), stores->entries.end(),
                  [&](const auto& entry) { return entry.store->size_bytes() > limit; });
  if ((!big && !busy) || !CheckUnchanged(**table, {region}).ok()) return;
  // One row, or a group that must stay together, may be as big as it likes.
  if (!FindBorder(*region, policy).ok()) return;
  const Status status = Split(*table, region, std::nullopt);
  if (status.ok()) return;
  // Replaced while this one waited for its turn: whoever did it has seen to it.
  if (!CheckUnchanged(**table, {region}).ok()) return;
  LogWarning("{}; it is tried again after the next flush", status.ToString());
}

// ---- the steps

Status RegionChanges::CheckUnchanged(const TableEntry& table, const RegionList& parents) const {
  const auto regions = table.regions();
  for (const auto& parent : parents) {
    if (table.dropped() || std::find(regions->begin(), regions->end(), parent) == regions->end()) {
      return FailedPrecondition(Describe(*parent) + " was replaced or dropped meanwhile");
    }
  }
  return Status::Ok();
}

Result<Bytes> RegionChanges::FindBorder(const Region& region, const SplitPolicy& policy) const {
  std::optional<Bytes> best;
  uint64_t largest = 0;
  const auto stores = region.stores();
  for (const auto& entry : stores->entries) {
    // Such rows do not lie where the table's rows lie.
    ASSIGN_OR_RETURN(const auto others, RegionRowsOf(region.info().table, entry.family));
    if (others != nullptr) continue;
    ASSIGN_OR_RETURN(std::optional<Bytes> row, entry.store->SplitPoint());
    if (!row.has_value() || entry.store->size_bytes() <= largest) continue;
    largest = entry.store->size_bytes();
    best = std::move(row);
  }
  if (best.has_value()) best = policy.Border(*best);
  if (!best.has_value() || best->empty() || *best == region.info().start_key ||
      !region.info().Contains(*best)) {
    return FailedPrecondition(Describe(region) +
                              " has no middle row; it is too small, or one group of rows fills it");
  }
  return *std::move(best);
}

Status RegionChanges::Prepare(const std::shared_ptr<Region>& region) {
  RETURN_IF_ERROR(region->EnsureOpen());
  RETURN_IF_ERROR(core_->maintenance->FlushNow(region.get()));
  if (!region->stores()->has_references()) return Status::Ok();
  const auto table = core_->FindTable(region->info().table);
  const TableDescriptor descriptor = table.ok() ? (*table)->descriptor() : TableDescriptor();
  const std::string* const compactions = api::Find(descriptor.attributes, "COMPACTION_ENABLED");
  if (compactions != nullptr && !api::ParseBool(*compactions).value_or(true)) {
    return FailedPrecondition(Describe(*region) +
                              " still refers to files of the region that it came from, and its "
                              "table's COMPACTION_ENABLED is false; set it to true first");
  }
  const Status compacted = core_->maintenance->CompactNow(region.get(), false);
  if (!compacted.ok() && compacted.code() != StatusCode::kCancelled) return compacted;
  if (!region->stores()->has_references()) return Status::Ok();
  return FailedPrecondition(Describe(*region) +
                            " still refers to files of the region that it came from; try again "
                            "after a compaction");
}

// Later than any parent's, so that names and the order of the rows in hbase:meta follow the time.
uint64_t RegionChanges::NewRegionId(const RegionList& parents) {
  core_->clock.NotBefore(core_->clock.NowMillis() + 1);
  auto id = static_cast<uint64_t>(core_->clock.NowMillis());
  for (const auto& parent : parents) id = std::max(id, parent->info().region_id + 1);
  return id;
}

Status RegionChanges::Replace(const std::shared_ptr<TableEntry>& table, const RegionList& parents,
                              const std::vector<Child>& children) {
  const bool merge = children.size() == 1;
  Undo undo(core_, parents);
  for (const auto& parent : parents) {
    if (parent->stores()->has_references())
      return FailedPrecondition("the region refers to files of others");
  }
  Moves moves;
  RETURN_IF_ERROR(FindMoves(parents, children, &moves));
  BENNU_FAILPOINT("region.change.settled");
  for (const Child& child : children) {
    undo.AddDirectory(
        core_->layout.TempRegionDirectory(child.info.table, child.info.EncodedName()));
    RETURN_IF_ERROR(MakeDirectory(child, parents));
    RETURN_IF_ERROR(MakeReferences(child, parents, merge, &moves));
  }
  const uint64_t frozen_nanos = core_->env->MonotonicNanos();
  for (const auto& parent : parents) parent->Freeze();
  BENNU_FAILPOINT("region.change.frozen");
  for (const auto& parent : parents) RETURN_IF_ERROR(parent->flusher()->Flush());
  BENNU_FAILPOINT("region.change.flushed");
  RETURN_IF_ERROR(FindMoves(parents, children, &moves));
  for (const Child& child : children)
    RETURN_IF_ERROR(MakeReferences(child, parents, merge, &moves));
  RETURN_IF_ERROR(Publish(table, children, &undo));
  BENNU_FAILPOINT("region.change.before_meta");
  RETURN_IF_ERROR(Decide(parents, children));
  CrashPoint("region.change.after_meta");
  undo.Done();
  table->ReplaceRegions(parents, undo.children());
  for (const auto& parent : parents) {
    parent->MoveAway();
    core_->services.wal->RegionFlushed(parent->encoded_name(), UINT64_MAX);
  }
  LogInfo("writers waited {} ms for a change of regions",
          (core_->env->MonotonicNanos() - frozen_nanos) / 1'000'000);
  CrashPoint("region.change.after_swap");
  ReplacedRegions replaced;
  replaced.merge = merge;
  for (const auto& parent : parents) replaced.parents.push_back(parent->info());
  for (const Child& child : children) replaced.children.push_back(child.info);
  core_->janitor->Add(std::move(replaced));
  core_->maintenance->LogReleased();
  for (const auto& child : undo.children()) core_->maintenance->WantCompaction(child.get());
  return Status::Ok();
}

// Moves the children's directories into the table, and opens them.
Status RegionChanges::Publish(const std::shared_ptr<TableEntry>& table,
                              const std::vector<Child>& children, Undo* undo) {
  const TableName& name = table->name();
  BENNU_FAILPOINT("region.change.before_rename");
  for (const Child& child : children) {
    const std::string encoded = child.info.EncodedName();
    const std::string place = core_->layout.RegionDirectory(name, encoded);
    undo->AddDirectory(place);
    RETURN_IF_ERROR(core_->env->Rename(core_->layout.TempRegionDirectory(name, encoded), place));
    BENNU_FAILPOINT("region.change.between_renames");
  }
  RETURN_IF_ERROR(core_->env->SyncDirectory(core_->layout.TableDirectory(name)));
  const auto descriptor = std::make_shared<const TableDescriptor>(table->descriptor());
  for (const Child& child : children) {
    auto region = core_->MakeRegion(child.info, descriptor);
    undo->AddChild(region);
    RETURN_IF_ERROR(region->EnsureOpen());
  }
  return Status::Ok();
}

Status RegionChanges::MakeDirectory(const Child& child, const RegionList& parents) {
  Env* const env = core_->env;
  const std::string directory =
      core_->layout.TempRegionDirectory(child.info.table, child.info.EncodedName());
  RETURN_IF_ERROR(env->RemoveTree(directory));
  const auto stores = parents.front()->stores();
  for (const auto& entry : stores->entries) {
    RETURN_IF_ERROR(env->CreateDirectories(JoinPath(directory, entry.family)));
  }
  RETURN_IF_ERROR(WriteRegionInfo(env, directory, child.info));
  return env->SyncDirectory(directory);
}

// Those that are not there yet.
Status RegionChanges::MakeReferences(const Child& child, const RegionList& parents, bool merge,
                                     Moves* moves) {
  const std::string directory =
      core_->layout.TempRegionDirectory(child.info.table, child.info.EncodedName());
  const auto stores = parents.front()->stores();
  for (const auto& entry : stores->entries) {
    const std::string store = JoinPath(directory, entry.family);
    bool any = false;
    for (const auto& parent : parents) {
      const auto own = parent->stores();
      const int index = own->Find(entry.family);
      if (index < 0) continue;
      const StoreSet::Entry& files = own->entries[static_cast<size_t>(index)];
      RETURN_IF_ERROR(moves->families.contains(entry.family)
                          ? MoveFiles(*parent, files, child, store, moves, &any)
                          : ReferTo(*parent, files, child, merge, store, &any));
    }
    if (any) RETURN_IF_ERROR(core_->env->SyncDirectory(store));
  }
  return Status::Ok();
}

Result<std::unique_ptr<api::RegionRows>> RegionChanges::RegionRowsOf(
    const TableName& table, const std::string& family) const {
  api::WriteObserverSource* const source = core_->services.write_observers.load();
  if (source == nullptr) return std::unique_ptr<api::RegionRows>();
  return source->RegionRowsOf(table, family);
}

Status RegionChanges::FindMoves(const RegionList& parents, const std::vector<Child>& children,
                                Moves* moves) const {
  for (const auto& parent : parents) {
    const auto stores = parent->stores();
    for (const auto& entry : stores->entries) {
      for (const std::string& name : entry.store->file_names()) moves->files.insert(name);
    }
  }
  const auto stores = parents.front()->stores();
  for (const auto& entry : stores->entries) {
    ASSIGN_OR_RETURN(auto rows, RegionRowsOf(parents.front()->info().table, entry.family));
    if (rows == nullptr) continue;
    for (const Child& child : children) RETURN_IF_ERROR(rows->CheckRegion(child.info));
    moves->families[entry.family] = std::move(rows);
  }
  return Status::Ok();
}

// Each file by itself, so that most are written while the writers do not wait yet. Cells keep their
// sequence ids, as they do in references.
Status RegionChanges::MoveFiles(const Region& parent, const StoreSet::Entry& store,
                                const Child& child, const std::string& directory, Moves* moves,
                                bool* any) {
  api::RegionRows* const rows = moves->families.at(store.family).get();
  const auto view = store.store->view();
  for (const auto& file : view->files) {
    if (file->reader()->empty() || !moves->files.contains(file->name())) continue;
    if (!moves->done.insert(JoinPath(directory, file->name())).second) continue;
    const auto move = [&](ByteView row, Bytes* moved) {
      return rows->Move(row, parent.info(), child.info, moved);
    };
    RETURN_IF_ERROR(store.store
                        ->WriteMoved(file, directory, core_->read_points.Smallest(),
                                     core_->clock.NowMillis(), move)
                        .status());
    *any = true;
    BENNU_FAILPOINT("region.change.between_moved_files");
  }
  return Status::Ok();
}

// A file that lies in one half as a whole is referred to from there alone.
Status RegionChanges::ReferTo(const Region& parent, const StoreSet::Entry& store,
                              const Child& child, bool merge, const std::string& directory,
                              bool* any) {
  FileReference reference;
  reference.half = child.half;
  if (merge) {
    reference.border = parent.info().start_key;
  } else if (child.half == FileReference::Half::kTop) {
    reference.border = child.info.start_key;
  } else {
    reference.border = child.info.end_key;
  }
  const auto view = store.store->view();
  for (const auto& file : view->files) {
    const hfile::Reader& reader = *file->reader();
    if (reader.empty()) continue;
    const bool outside = child.half == FileReference::Half::kTop
                             ? reader.last_row() < ByteView(reference.border)
                             : reader.first_row() >= ByteView(reference.border);
    if (outside) continue;
    const std::string path =
        JoinPath(directory, MakeReferenceName(file->name(), parent.encoded_name()));
    ASSIGN_OR_RETURN(const bool exists, core_->env->Exists(path));
    if (exists) continue;
    RETURN_IF_ERROR(WriteReference(core_->env, path, reference));
    *any = true;
    BENNU_FAILPOINT("region.change.between_references");
  }
  return Status::Ok();
}

Status RegionChanges::Decide(const RegionList& parents, const std::vector<Child>& children) {
  const uint64_t open_sequence_id = core_->services.wal->last_sequence_id() + 1;
  const std::string& server = core_->services.server_name;
  MutationBatch rows;
  if (children.size() == 1) {
    std::vector<RegionInfo> infos;
    for (const auto& parent : parents) infos.push_back(parent->info());
    PutRegionRow(&rows, children.front().info, server, open_sequence_id);
    PutMergeParents(&rows, infos);
    for (const RegionInfo& info : infos) DeleteRegionRow(&rows, info);
  } else {
    PutSplitParent(&rows, parents.front()->info(), children[0].info, children[1].info);
    for (const Child& child : children) {
      PutRegionRow(&rows, child.info, server, open_sequence_id);
    }
  }
  return core_->WriteCatalog(MetaTableName(), &rows);
}

}  // namespace bennu::engine
