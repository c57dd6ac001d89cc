#include "src/check/catalog_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "src/base/hex.h"
#include "src/check/offline_region.h"

namespace bennu::check {

namespace {

bool SameRows(const RegionInfo& left, const RegionInfo& right) {
  return left.table == right.table && left.start_key == right.start_key &&
         left.end_key == right.end_key && left.region_id == right.region_id &&
         left.replica_id == right.replica_id;
}

std::string RangeText(const RegionInfo& info) {
  return fmt::format("'{}' to '{}'", ToStringBinary(info.start_key), ToStringBinary(info.end_key));
}

// Whether 'left' ends at or before 'right': both ends of regions, where empty is the end of all.
bool EndsBefore(const Bytes& left, const Bytes& right) {
  if (right.empty()) return true;
  return !left.empty() && left <= right;
}

// One table's regions in hbase:meta against its directory.
class TableCheck {
 public:
  TableCheck(CheckRun* run, const engine::MetaContents& meta, const TableName& name,
             const TableOnDisk& disk)
      : run_(run), meta_(meta), name_(name), disk_(disk) {
    const auto found = meta.tables.find(name);
    if (found != meta.tables.end()) infos_ = found->second;
    for (const RegionInfo& info : infos_) known_.insert(info.EncodedName());
    for (const auto& replaced : meta.replaced) {
      for (const RegionInfo& parent : replaced.parents) replaced_.insert(parent.EncodedName());
    }
    for (const auto& [encoded, region] : disk.regions) {
      referred_.insert(region.refers_to.begin(), region.refers_to.end());
    }
  }

  void Run() {
    for (const RegionInfo& info : infos_) CheckRegion(info);
    FindOrphans();
    CheckChain();
    for (const RegionOnDisk* orphan : orphans_) TellHomeless(*orphan);
    CheckState();
  }

 private:
  std::string Directory(const RegionInfo& info) const {
    return run_->layout.RegionDirectory(name_, info.EncodedName());
  }
  std::string MetaPath() const { return run_->layout.TableDirectory(engine::MetaTableName()); }

  void CheckRegion(const RegionInfo& info) {
    const auto found = disk_.regions.find(info.EncodedName());
    if (found == disk_.regions.end()) {
      run_->Fault(Directory(info),
                  fmt::format("region {} of hbase:meta has no directory: its rows are lost",
                              RangeText(info)),
                  Repair(RepairKind::kWriteRegion, info), "make it an empty region");
      return;
    }
    if (!found->second.info.has_value() || !SameRows(*found->second.info, info)) {
      run_->Fault(JoinPath(Directory(info), ".regioninfo"),
                  "missing, damaged, or not what hbase:meta says",
                  Repair(RepairKind::kWriteRegion, info), "write it from hbase:meta");
    } else if ((found->second.info->split && !info.split) ||
               (found->second.info->offline && !info.offline)) {
      run_->Warn(JoinPath(Directory(info), ".regioninfo"),
                 "says that the region was split or is offline, hbase:meta that it is in use",
                 Repair(RepairKind::kWriteRegion, info), "write it from hbase:meta");
    }
  }

  // Directories that hbase:meta does not know.
  void FindOrphans() {
    for (const auto& [encoded, region] : disk_.regions) {
      if (known_.contains(encoded)) continue;
      if (replaced_.contains(encoded)) {
        if (!region.info.has_value()) {
          run_->Warn(JoinPath(run_->layout.RegionDirectory(name_, encoded), ".regioninfo"),
                     "missing or damaged; the region was split or merged, and goes soon");
        }
        continue;
      }
      if (region.info.has_value()) {
        orphans_.push_back(&region);
        continue;
      }
      const std::string path = run_->layout.RegionDirectory(name_, encoded);
      if (referred_.contains(encoded)) {
        run_->Warn(path,
                   "hbase:meta does not know this region, and its .regioninfo cannot be "
                   "read; regions that came from it refer to its files");
      } else if (region.has_data || (region.has_files && infos_.empty())) {
        run_->MoveAway(Level::kFault, path,
                       "holds data of a region that hbase:meta does not know, and its .regioninfo "
                       "cannot be read");
      } else if (region.has_files || region.has_references) {
        run_->Warn(path,
                   "what a change of regions that died was removing; the next opening goes on");
      } else {
        run_->MoveAway(Level::kWarning, path, "an empty directory of an unknown region");
      }
    }
    std::sort(orphans_.begin(), orphans_.end(), [](const auto* left, const auto* right) {
      return left->info->start_key < right->info->start_key;
    });
  }

  // May the region fill a hole? A parent and its children have the same rows: the children count,
  // unless the parent got files that they do not know (the change was given up).
  bool FillsHoles(const RegionOnDisk& region) const {
    if (!region.has_files && !region.has_references) return false;
    if (HasChildren(region)) return IsNewerThanChildren(region);
    for (const std::string& parent : region.refers_to) {
      const auto found = disk_.regions.find(parent);
      if (found != disk_.regions.end() && !replaced_.contains(parent) &&
          IsNewerThanChildren(found->second)) {
        return false;
      }
    }
    return true;
  }
  bool HasChildren(const RegionOnDisk& region) const {
    return region.info.has_value() && referred_.contains(region.info->EncodedName());
  }
  bool IsNewerThanChildren(const RegionOnDisk& parent) const {
    if (!parent.info.has_value()) return false;
    const std::string encoded = parent.info->EncodedName();
    return std::any_of(parent.files.begin(), parent.files.end(), [&](const std::string& file) {
      return std::none_of(disk_.regions.begin(), disk_.regions.end(), [&](const auto& entry) {
        return entry.second.references.contains(encoded + "/" + file);
      });
    });
  }

  // What is left when the holes are filled.
  void TellHomeless(const RegionOnDisk& orphan) {
    const std::string path = Directory(*orphan.info);
    if (HasChildren(orphan)) return TellUnknownParent(orphan);
    if (orphan.has_data && IsSpokenFor(orphan)) {
      run_->Warn(path,
                 fmt::format("holds the rows {}, which other regions have now, as a restore or "
                             "truncation that died leaves it; the next opening archives it",
                             RangeText(*orphan.info)));
    } else if (orphan.has_data) {
      run_->MoveAway(Level::kFault, path,
                     fmt::format("holds the rows {}, and hbase:meta has other regions there",
                                 RangeText(*orphan.info)));
    } else {
      run_->Warn(path,
                 orphan.has_files || orphan.has_references
                     ? "left by a split, merge or restore that died; the next opening removes it"
                     : "an empty region that hbase:meta does not know");
    }
  }

  // As the opening sees it: the regions of hbase:meta follow each other, all are there, and none
  // refers to this one.
  bool IsSpokenFor(const RegionOnDisk& orphan) const {
    if (chain_is_broken_ || infos_.empty()) return false;
    return std::all_of(infos_.begin(), infos_.end(), [&](const RegionInfo& info) {
      const auto found = disk_.regions.find(info.EncodedName());
      return found != disk_.regions.end() && found->second.info.has_value() &&
             !found->second.refers_to.contains(orphan.info->EncodedName());
    });
  }

  // Its children are there; with a row of its own it is removed once they are compacted.
  void TellUnknownParent(const RegionOnDisk& parent) {
    const std::string encoded = parent.info->EncodedName();
    Repair repair(RepairKind::kPutParents, *parent.info);
    bool is_split = true;
    for (const auto& [name, region] : disk_.regions) {
      if (!region.refers_to.contains(encoded)) continue;
      if (!known_.contains(name) || !region.info.has_value()) {
        run_->Warn(Directory(*parent.info),
                   "hbase:meta knows neither this region nor one that "
                   "refers to its files");
        return;
      }
      repair.children.push_back(*region.info);
      is_split = is_split && region.refers_to.size() == 1;
      for (const std::string& other : region.refers_to) {
        const auto found = disk_.regions.find(other);
        if (found == disk_.regions.end() || !found->second.info.has_value()) continue;
        repair.parents.push_back(*found->second.info);
      }
    }
    std::sort(repair.children.begin(), repair.children.end(),
              [](const auto& left, const auto& right) { return left.start_key < right.start_key; });
    const bool fits = repair.children.size() == (is_split ? 2 : 1);
    if (!fits) repair = Repair();
    run_->Warn(Directory(*parent.info),
               "hbase:meta does not know this region, which others came from", std::move(repair),
               fits ? "note it there, so that it is removed once they are compacted" : "");
  }

  // ---- the chain of regions

  void CheckChain() {
    const bool is_there =
        std::any_of(orphans_.begin(), orphans_.end(),
                    [&](const RegionOnDisk* orphan) { return FillsHoles(*orphan); });
    if (infos_.empty() && !is_there) return;
    Bytes expected;
    bool at_end = false;  // the region before is the last one
    const RegionInfo* before = nullptr;
    for (const RegionInfo& info : infos_) {
      if (at_end || info.start_key < expected) {
        TellOverlap(*before, info);
        if (!at_end && EndsBefore(info.end_key, expected)) continue;
      } else if (info.start_key > expected) {
        TellHole(expected, info.start_key);
      }
      expected = info.end_key;
      at_end = expected.empty();
      before = &info;
    }
    if (!at_end) TellHole(expected, Bytes());
  }

  void TellOverlap(const RegionInfo& left, const RegionInfo& right) {
    chain_is_broken_ = true;
    // One without data can go.
    for (const RegionInfo* info : {&right, &left}) {
      const auto found = disk_.regions.find(info->EncodedName());
      const bool is_empty = found == disk_.regions.end() ||
                            (!found->second.has_files && !found->second.has_references);
      if (!is_empty || !dropped_.insert(info->EncodedName()).second) continue;
      run_->Fault(
          MetaPath(),
          fmt::format("table {}: regions {} ({}) and {} ({}) overlap", name_.ToString(),
                      left.EncodedName(), RangeText(left), right.EncodedName(), RangeText(right)),
          Repair(RepairKind::kDropRegion, *info),
          fmt::format("take {} out, which holds nothing", info->EncodedName()));
      return;
    }
    run_->Fault(MetaPath(),
                fmt::format("table {}: regions {} ({}) and {} ({}) overlap and both hold data; "
                            "merge them with HBase's hbck",
                            name_.ToString(), left.EncodedName(), RangeText(left),
                            right.EncodedName(), RangeText(right)));
  }

  // Fills [start, end) with the orphans that fit, and empty regions for the rest.
  void TellHole(const Bytes& start, const Bytes& end) {
    chain_is_broken_ = true;
    std::optional<Bytes> at = start;  // nothing: the last region is reached
    for (const RegionOnDisk*& orphan : orphans_) {
      if (!FillsHoles(*orphan)) continue;
      const RegionInfo& info = *orphan->info;
      if (!at.has_value() || info.start_key < *at || !EndsBefore(info.end_key, end)) continue;
      if (!end.empty() && info.start_key >= end) continue;
      if (info.start_key > *at) Fill(*at, info.start_key);
      run_->Fault(
          Directory(info),
          fmt::format("holds the rows {}, and hbase:meta does not know it", RangeText(info)),
          Repair(RepairKind::kAddRegion, info), "take it into hbase:meta, which has a hole there");
      at = info.end_key.empty() ? std::nullopt : std::optional<Bytes>(info.end_key);
      orphan = nullptr;
    }
    std::erase(orphans_, nullptr);
    if (at.has_value() && (end.empty() || *at != end)) Fill(*at, end);
  }

  void Fill(const Bytes& start, const Bytes& end) {
    RegionInfo info;
    info.table = name_;
    info.region_id = static_cast<uint64_t>(run_->env->NowMillis());
    info.start_key = start;
    info.end_key = end;
    run_->Fault(
        MetaPath(),
        fmt::format("table {}: no region holds the rows {}", name_.ToString(), RangeText(info)),
        Repair(RepairKind::kAddRegion, info), "fill the hole with an empty region");
  }

  void CheckState() {
    const bool has_state = meta_.with_state.contains(name_);
    Repair repair;
    repair.region.table = name_;
    if (!infos_.empty() && !has_state && name_ != engine::MetaTableName()) {
      repair.kind = RepairKind::kPutTableState;
      run_->Warn(MetaPath(), fmt::format("table {} has regions and no state", name_.ToString()),
                 repair, "make it enabled");
    }
    if (infos_.empty() && has_state && disk_.regions.empty()) {
      repair.kind = RepairKind::kDropTableState;
      run_->Fault(MetaPath(), fmt::format("table {} has a state and no region", name_.ToString()),
                  repair, "remove the state");
    }
  }

  CheckRun* const run_;
  const engine::MetaContents& meta_;
  const TableName& name_;
  const TableOnDisk& disk_;
  std::vector<RegionInfo> infos_;  // of hbase:meta, by start key
  std::set<std::string> known_;
  std::set<std::string> replaced_;
  std::set<std::string> referred_;
  std::set<std::string> dropped_;
  std::vector<const RegionOnDisk*> orphans_;
  bool chain_is_broken_ = false;
};

void TellBadCell(CheckRun* run, const std::string& path, const engine::BadMetaCell& cell) {
  Repair repair(RepairKind::kDropCell);
  repair.row = cell.row;
  repair.family = cell.family;
  repair.qualifier = cell.qualifier;
  repair.timestamp = cell.timestamp;
  run->Fault(path,
             fmt::format("row '{}', {}:{}: {}; the store does not open", ToStringBinary(cell.row),
                         cell.family, ToStringBinary(cell.qualifier), cell.problem),
             std::move(repair),
             "take the cell out; an older version of it counts, or else the directories");
}

// Whether a namespace's directory is a store's: the empty one of a new namespace is.
bool HoldsTables(const Inventory& inventory, const std::string& name_space) {
  bool is_empty = true;
  for (const auto& [name, table] : inventory.tables) {
    if (name.name_space != name_space) continue;
    if (!table.regions.empty() || table.descriptor.has_value()) return true;
    is_empty = false;
  }
  return is_empty && !inventory.namespaces.at(name_space);
}

}  // namespace

Result<std::optional<engine::MetaContents>> ReadMetaOffline(CheckRun* run,
                                                            const Inventory& inventory) {
  const TableName name = engine::MetaTableName();
  const auto found = inventory.tables.find(name);
  const std::string path = run->layout.TableDirectory(name);
  if (found == inventory.tables.end()) {
    run->Fault(path, "missing; the tables are taken from their directories",
               Repair(RepairKind::kWriteTable, name),
               "make an empty hbase:meta, into which the tables found are taken");
    return std::optional<engine::MetaContents>();
  }
  const TableDescriptor descriptor = found->second.descriptor.value_or(engine::MetaDescriptor());
  auto region = OfflineRegion::Open(*run, engine::MetaRegionInfo(), descriptor, /*writable=*/false);
  std::vector<engine::BadMetaCell> bad;
  auto contents =
      region.ok() ? engine::ReadMeta((*region)->region(), UINT64_MAX, (*region)->NowMillis(), &bad)
                  : Result<engine::MetaContents>(region.status());
  for (const engine::BadMetaCell& cell : bad) TellBadCell(run, path, cell);
  // An older version of such a cell may come to light: then all is looked at again.
  if (contents.ok() && !bad.empty()) return std::optional<engine::MetaContents>();
  if (contents.ok()) return std::optional<engine::MetaContents>(std::move(contents).value());
  if (contents.status().code() == StatusCode::kIoError) return std::move(contents).status();
  run->Fault(path, "hbase:meta cannot be read, so it is not compared with the directories: " +
                       contents.status().message());
  return std::optional<engine::MetaContents>();
}

bool IsLeftover(const engine::MetaContents& meta, const TableName& name, const TableOnDisk& table) {
  if (name == engine::MetaTableName() || meta.tables.contains(name)) return false;
  return table.dropping || table.cloning || (!HoldsFiles(table) && !table.has_foreign_files);
}

bool IsForeign(const engine::MetaContents* meta, const TableName& name, const TableOnDisk& table) {
  if (!table.has_foreign_files || HoldsFiles(table)) return false;
  if (meta != nullptr) return !meta->tables.contains(name) && name != engine::MetaTableName();
  return table.regions.empty() && !table.descriptor.has_value();
}

Status CheckMeta(CheckRun* run, const engine::MetaContents& meta, const Inventory& inventory) {
  const TableOnDisk none;
  std::set<TableName> names;
  for (const auto& [name, infos] : meta.tables) names.insert(name);
  for (const auto& [name, table] : inventory.tables) {
    if (IsLeftover(meta, name, table)) {
      run->Warn(run->layout.TableDirectory(name),
                fmt::format("left by a {} that died; the next opening removes it",
                            table.dropping  ? "removal"
                            : table.cloning ? "clone of a snapshot"
                                            : "creation or removal"));
      continue;
    }
    if (IsForeign(&meta, name, table)) {
      run->LeaveAlone(
          run->layout.TableDirectory(name),
          "no table's directory, or that of a creation or removal that died, with files "
          "in it that are not the store's");
      continue;
    }
    names.insert(name);
  }
  for (const TableName& name : names) {
    if (name == engine::MetaTableName()) continue;
    const auto disk = inventory.tables.find(name);
    if (disk == inventory.tables.end() && !meta.tables.at(name).empty()) {
      run->Fault(run->layout.TableDirectory(name),
                 "hbase:meta has this table, its directory is "
                 "missing: its rows are lost",
                 Repair(RepairKind::kWriteTable, name),
                 "make it with one family '0' (Phoenix's default) and no rows");
    }
    TableCheck(run, meta, name, disk == inventory.tables.end() ? none : disk->second).Run();
  }
  return Status::Ok();
}

void CheckMetaRegionInfo(CheckRun* run, const Inventory& inventory) {
  const RegionInfo wanted = engine::MetaRegionInfo();
  const auto table = inventory.tables.find(wanted.table);
  if (table == inventory.tables.end()) return;
  const auto region = table->second.regions.find(wanted.EncodedName());
  if (region == table->second.regions.end()) return;
  const std::optional<RegionInfo>& found = region->second.info;
  if (found.has_value() && SameRows(*found, wanted) && !found->offline && !found->split) return;
  const std::string directory = run->layout.RegionDirectory(wanted.table, wanted.EncodedName());
  run->Warn(JoinPath(directory, ".regioninfo"), "missing, damaged, or not hbase:meta's",
            Repair(RepairKind::kWriteRegion, wanted), "write HBase's own");
}

Status CheckNamespaces(CheckRun* run, const engine::MetaContents& meta,
                       const Inventory& inventory) {
  const TableName name = engine::NamespaceTableName();
  const auto regions = meta.tables.find(name);
  if (regions == meta.tables.end() || regions->second.size() != 1) return Status::Ok();
  const auto disk = inventory.tables.find(name);
  if (disk == inventory.tables.end() || !disk->second.descriptor.has_value()) return Status::Ok();
  auto region = OfflineRegion::Open(*run, regions->second.front(), *disk->second.descriptor,
                                    /*writable=*/false);
  if (!region.ok()) return Status::Ok();  // its files were told
  const auto names =
      engine::ReadNamespaces((*region)->region(), UINT64_MAX, (*region)->NowMillis());
  if (!names.ok()) return Status::Ok();
  const std::set<std::string> known(names->begin(), names->end());
  for (const auto& [directory, has_strangers] : inventory.namespaces) {
    if (known.contains(directory)) continue;
    // These two are written by every opening.
    if (directory == "default" || directory == "hbase") continue;
    if (!HoldsTables(inventory, directory)) {
      run->LeaveAlone(run->layout.NamespaceDirectory(directory),
                      "not a namespace's directory, since it holds no table but other things");
      continue;
    }
    Repair repair(RepairKind::kPutNamespace);
    repair.region.table.name_space = directory;
    run->Warn(run->layout.NamespaceDirectory(directory), "hbase:namespace does not have it",
              std::move(repair), "add it there");
  }
  return Status::Ok();
}

}  // namespace bennu::check
