#include "src/check/table_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "src/api/attributes.h"
#include "src/api/descriptor_pb.h"
#include "src/api/family_options.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/base/temporary_files.h"
#include "src/check/hfile_check.h"
#include "src/check/log_check.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/directory/alteration_mark.h"
#include "src/engine/directory/leftovers.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/restore_mark.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/region/bulk_load_journal.h"
#include "src/engine/store/file_link.h"
#include "src/engine/store/file_reference.h"
#include "src/engine/store/store_file.h"
#include "src/engine/store/store_file_list.h"

namespace bennu::check {

namespace {

constexpr std::string_view kRecoveredEdits = "recovered.edits";

bool IsEncodedName(const std::string& name) {
  return name == engine::MetaRegionInfo().EncodedName() || engine::IsEncodedRegionName(name);
}

// ---- inventory

class InventoryTaker {
 public:
  explicit InventoryTaker(CheckRun* run) : run_(run), env_(run->env) {}

  Result<Inventory> Run() {
    ASSIGN_OR_RETURN(const bool exists, env_->Exists(run_->layout.Data()));
    if (!exists) {
      run_->Fault(run_->layout.Data(), "missing: the store has no data");
      return std::move(inventory_);
    }
    ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(run_->layout.Data()));
    for (const std::string& name : names) {
      const std::string path = run_->layout.NamespaceDirectory(name);
      ASSIGN_OR_RETURN(const bool is_directory, env_->IsDirectory(path));
      if (!is_directory) {
        run_->LeaveAlone(path, "a file where a namespace's directory was expected");
        continue;
      }
      inventory_.namespaces[name] = false;
      RETURN_IF_ERROR(TakeNamespace(name));
    }
    return std::move(inventory_);
  }

 private:
  Status TakeNamespace(const std::string& name_space) {
    ASSIGN_OR_RETURN(const auto names,
                     env_->ListDirectory(run_->layout.NamespaceDirectory(name_space)));
    for (const std::string& name : names) {
      const TableName table{name_space, name};
      const std::string path = run_->layout.TableDirectory(table);
      ASSIGN_OR_RETURN(const bool is_directory, env_->IsDirectory(path));
      if (!is_directory || !TableName::Parse(table.ToString()).ok()) {
        run_->LeaveAlone(path, "not a table's directory");
        inventory_.namespaces[name_space] = true;
        continue;
      }
      RETURN_IF_ERROR(TakeTable(table));
    }
    return Status::Ok();
  }

  Status TakeTable(const TableName& name) {
    TableOnDisk& table = inventory_.tables[name];
    const std::string directory = run_->layout.TableDirectory(name);
    ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(directory));
    for (const std::string& entry : names) {
      const std::string path = JoinPath(directory, entry);
      if (entry == engine::kDroppingMark) {
        table.dropping = true;
        continue;
      }
      table.cloning = table.cloning || entry == engine::kCloningMark;
      if (entry.starts_with('.')) continue;
      ASSIGN_OR_RETURN(const bool is_directory, env_->IsDirectory(path));
      if (!is_directory || !IsEncodedName(entry)) {
        run_->LeaveAlone(path, "neither a region nor a descriptor");
        continue;
      }
      RETURN_IF_ERROR(TakeRegion(name, entry, &table.regions[entry]));
    }
    if (table.dropping) return Status::Ok();
    if (!HoldsFiles(table)) {
      ASSIGN_OR_RETURN(table.has_foreign_files,
                       engine::HoldsForeignFiles(env_, run_->layout, name));
    }
    RETURN_IF_ERROR(CheckRestoreMark(name));
    RETURN_IF_ERROR(CheckAlterationMark(name, &table));
    return TakeDescriptor(name, &table);
  }

  // Of a restore that died, which the next opening completes if it was decided.
  Status CheckRestoreMark(const TableName& name) {
    const Status status = engine::ReadRestoreMark(env_, run_->layout, name, {}).status();
    if (status.code() != StatusCode::kCorruption) return status;
    run_->MoveAway(Level::kFault, engine::RestoreMarkPath(run_->layout, name), status.message());
    return Status::Ok();
  }

  // Of an alteration that died, which the next opening completes. A damaged one stops nobody, one
  // that is no file does.
  Status CheckAlterationMark(const TableName& name, TableOnDisk* table) {
    auto families = engine::ReadAlterationMark(env_, run_->layout, name);
    if (families.ok()) {
      table->altering = std::move(families).value();
      return Status::Ok();
    }
    if (families.status().code() != StatusCode::kCorruption) return families.status();
    const std::string path = engine::AlterationMarkPath(run_->layout, name);
    ASSIGN_OR_RETURN(const PathShape shape, env_->Shape(path));
    const bool is_file = shape.kind == PathShape::Kind::kFile;
    run_->MoveAway(is_file ? Level::kWarning : Level::kFault, path, families.status().message());
    return Status::Ok();
  }

  Status TakeDescriptor(const TableName& name, TableOnDisk* table) {
    const std::string directory = run_->layout.TableDirectory(name);
    const std::string folder = JoinPath(directory, ".tabledesc");
    const bool is_meta = name == engine::MetaTableName();
    auto descriptor = engine::ReadTableInfo(env_, directory);
    if (descriptor.ok()) {
      if (descriptor->name == name) {
        table->descriptor = std::move(descriptor).value();
        TellUnservable(folder, *table->descriptor);
        return TellOldDescriptors(folder);
      }
      table->descriptor_fault = {Level::kFault,
                                 run_->Relative(folder),
                                 std::nullopt,
                                 "the descriptor is that of table " + descriptor->name.ToString(),
                                 Repair(RepairKind::kWriteTable, name),
                                 "move it to corrupt/ and make one from the table's files"};
      return Status::Ok();
    }
    const StatusCode code = descriptor.status().code();
    if (code == StatusCode::kIoError) return std::move(descriptor).status();
    // A root without one has the families of always.
    if (is_meta && code == StatusCode::kNotFound) return Status::Ok();
    table->descriptor_fault = {
        Level::kFault,
        run_->Relative(folder),
        std::nullopt,
        code == StatusCode::kNotFound ? "there is no table descriptor"
                                      : descriptor.status().message(),
        Repair(RepairKind::kWriteTable, name),
        is_meta ? "move it to corrupt/ and write the one that HBase has"
                : "move it to corrupt/ and take the one before it, or make one from the "
                  "table's files"};
    return Status::Ok();
  }

  void TellUnservable(const std::string& folder, const TableDescriptor& descriptor) {
    if (const Status servable = api::CheckServable(descriptor); !servable.ok()) {
      run_->Fault(folder, servable.message());
    } else if (const Status valid = descriptor.Validate(); !valid.ok()) {
      run_->Warn(folder, "the table is served as if this were not set: " + valid.message());
    }
  }

  // Cut files that an older, whole one stands in for.
  Status TellOldDescriptors(const std::string& folder) {
    ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(folder));
    for (const std::string& name : names) {
      const std::string path = JoinPath(folder, name);
      if (IsTemporaryName(name)) {
        run_->MoveAway(Level::kWarning, path, "left by a write that died");
        continue;
      }
      const size_t dot = name.rfind('.');
      if (!name.starts_with(".tableinfo.") || dot <= 10) continue;
      const auto length = api::ParseInteger(std::string_view(name).substr(dot + 1));
      ASSIGN_OR_RETURN(const uint64_t size, env_->FileSize(path));
      run_->CountFile(size);
      if (length.has_value() && static_cast<uint64_t>(*length) != size) {
        run_->MoveAway(
            Level::kWarning, path,
            fmt::format("{} bytes, its name says {}; an older one is used", size, *length));
      }
    }
    return Status::Ok();
  }

  Status TakeRegion(const TableName& table, const std::string& encoded, RegionOnDisk* region) {
    const std::string directory = run_->layout.RegionDirectory(table, encoded);
    RETURN_IF_ERROR(ReadRegionInfo(table, encoded, region));
    ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(directory));
    for (const std::string& name : names) {
      const std::string path = JoinPath(directory, name);
      ASSIGN_OR_RETURN(const bool is_directory, env_->IsDirectory(path));
      if (!is_directory || name.starts_with('.')) continue;
      ASSIGN_OR_RETURN(const auto files, env_->ListDirectory(path));
      if (name == kRecoveredEdits) {
        for (const std::string& file : files) {
          region->has_files = region->has_files || !file.ends_with(".seqid");
        }
        region->has_data = region->has_data || !files.empty();
        continue;
      }
      region->families.insert(name);
      for (const std::string& file : files) {
        if (const auto reference = engine::ParseReferenceName(file)) {
          region->has_references = true;
          region->refers_to.insert(reference->parent);
          region->references.insert(
              fmt::format("{}/{}/{}", reference->parent, name, reference->file));
        } else if (!file.starts_with('.')) {
          region->has_files = true;
          region->has_data = region->has_data || !engine::ParseLinkName(file).has_value();
          region->files.insert(fmt::format("{}/{}", name, file));
        }
      }
    }
    return Status::Ok();
  }

  Status ReadRegionInfo(const TableName& table, const std::string& encoded, RegionOnDisk* region) {
    const std::string path = JoinPath(run_->layout.RegionDirectory(table, encoded), ".regioninfo");
    ASSIGN_OR_RETURN(const bool exists, env_->Exists(path));
    if (!exists) return Status::Ok();  // told by the comparison with hbase:meta
    const auto bytes = env_->ReadFile(path);
    if (bytes.status().code() == StatusCode::kCorruption) return Status::Ok();  // no file, likewise
    RETURN_IF_ERROR(bytes.status());
    run_->CountFile(bytes->size());
    auto info = api::DecodeRegionInfoFile(*bytes);
    // The directory's name is a digest of table, start key and id.
    if (info.ok() && info->EncodedName() == encoded) region->info = std::move(info).value();
    return Status::Ok();
  }

  CheckRun* const run_;
  Env* const env_;
  Inventory inventory_;
};

// ---- store files

class StoreCheck {
 public:
  StoreCheck(CheckRun* run, const TableName& table, const std::string& encoded,
             const std::string& family, const RegionInfo* info)
      : run_(run),
        env_(run->env),
        table_(table),
        family_(family),
        info_(info),
        directory_(JoinPath(run->layout.RegionDirectory(table, encoded), family)),
        archive_(JoinPath(run->layout.ArchivedRegionDirectory(table, encoded), family)) {}

  Status Run() {
    ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(directory_));
    for (const std::string& name : names) RETURN_IF_ERROR(CheckEntry(name));
    return CheckList();
  }

 private:
  Status CheckEntry(const std::string& name) {
    const std::string path = JoinPath(directory_, name);
    if (IsTemporaryName(name)) {
      run_->MoveAway(Level::kWarning, path, "left by a write that died");
      return Status::Ok();
    }
    if (name.starts_with('.') || name.starts_with('_')) return Status::Ok();
    ASSIGN_OR_RETURN(const bool is_directory, env_->IsDirectory(path));
    if (is_directory) {
      run_->MoveAway(Level::kFault, path, "a directory where only store files may be");
      return Status::Ok();
    }
    if (const auto reference = engine::ParseReferenceName(name)) {
      return CheckReference(path, *reference);
    }
    if (const auto link = engine::ParseLinkName(name)) return CheckLink(path, *link);
    if (!engine::IsStoreFileName(name)) {
      run_->MoveAway(Level::kFault, path, "not the name of a store file: the store does not open");
      return Status::Ok();
    }
    return CheckFile(path, name);
  }

  Status CheckFile(const std::string& path, const std::string& name) {
    ASSIGN_OR_RETURN(const uint64_t size, env_->FileSize(path));
    run_->CountFile(size);
    ASSIGN_OR_RETURN(const PathShape shape, env_->Shape(path));
    if (shape.is_link && shape.kind == PathShape::Kind::kFile) {
      run_->Warn(
          path,
          "a symbolic link: the store hangs on a file outside of it; put a copy of that file "
          "in its place while the store is closed");
    }
    const auto known = run_->sound_files->find(path);
    if (known == run_->sound_files->end() || known->second != size) {
      HFileExpectations expectations;
      expectations.family = family_;
      if (info_ != nullptr && table_ != engine::MetaTableName()) {
        expectations.rows.emplace();
        expectations.rows->start = info_->start_key;
        expectations.rows->stop = info_->end_key;
      }
      const auto damages = CheckHFile(env_, path, expectations, nullptr);
      for (const Damage& damage : damages) TellDamage(path, damage);
      if (!damages.empty()) return Status::Ok();
      (*run_->sound_files)[path] = size;
    }
    return OpenForList(name);
  }

  void TellDamage(const std::string& path, const Damage& damage) {
    if (damage.unsupported) {
      run_->Fault(path, damage.what +
                            ". The file is left as it is, and its region stays closed: "
                            "let HBase rewrite it (alter the table, then a major "
                            "compaction)");
      return;
    }
    Repair repair(RepairKind::kSalvage);
    repair.family = family_;
    repair.bounded = damage.out_of_range;
    if (info_ != nullptr) repair.region = *info_;
    repair.region.table = table_;
    run_->Add(Level::kFault, path, damage.what, std::move(repair),
              "write what is sound to a new file and move this one to corrupt/", damage.offset);
  }

  // Beside this region's directory, or archived.
  Result<bool> Finds(const TableName& table, const std::string& region, const std::string& file) {
    for (const std::string& place : {run_->layout.RegionDirectory(table, region),
                                     run_->layout.ArchivedRegionDirectory(table, region)}) {
      ASSIGN_OR_RETURN(const bool found, env_->Exists(JoinPath(JoinPath(place, family_), file)));
      if (found) return true;
    }
    return false;
  }

  Status CheckReference(const std::string& path, const engine::ReferenceName& reference) {
    const auto content = engine::ReadReference(env_, path);
    ASSIGN_OR_RETURN(const uint64_t size, env_->FileSize(path));
    run_->CountFile(size);
    if (!content.ok()) {
      if (content.status().code() != StatusCode::kCorruption) return content.status();
      run_->Fault(path, "not a reference to a store file",
                  Repair(RepairKind::kWriteReference, InfoOrTable()),
                  "move it to corrupt/ and write it anew: the region's keys bound what it shows");
      return Status::Ok();
    }
    // The file may be a link's name, in a region of a clone that was split.
    engine::FileLink target{table_, reference.parent, reference.file};
    if (const auto link = engine::ParseLinkName(reference.file)) target = *link;
    ASSIGN_OR_RETURN(const bool found, Finds(target.table, target.region, target.file));
    if (found) return OpenForList(path.substr(path.rfind('/') + 1));
    run_->MoveAway(Level::kFault, path,
                   fmt::format("refers to file {} of region {}, which is neither there nor in the "
                               "archive: its rows are lost to this region",
                               target.file, target.region));
    return Status::Ok();
  }

  RegionInfo InfoOrTable() const {
    RegionInfo info;
    if (info_ != nullptr) info = *info_;
    info.table = table_;
    return info;
  }

  Status CheckLink(const std::string& path, const engine::FileLink& link) {
    run_->CountFile(0);
    ASSIGN_OR_RETURN(const bool found, Finds(link.table, link.region, link.file));
    if (found) return OpenForList(path.substr(path.rfind('/') + 1));
    run_->MoveAway(Level::kFault, path,
                   "a link to a file that is neither there nor in the archive");
    return Status::Ok();
  }

  // The list is compared with files as an opening sees them.
  Status OpenForList(const std::string& name) {
    auto file = engine::StoreFile::Open(env_, directory_, archive_, name, nullptr);
    if (file.ok()) files_.push_back(std::move(file).value());
    return Status::Ok();
  }

  Status CheckList() {
    ASSIGN_OR_RETURN(const std::string path, engine::StoreFileList::Path(env_, directory_));
    const auto list = engine::StoreFileList::Load(env_, directory_);
    if (!list.ok()) {
      if (list.status().code() != StatusCode::kCorruption) return list.status();
      run_->Fault(path, "the list of the store's files is damaged", Repair(RepairKind::kMoveAway),
                  "move it to corrupt/; the next opening writes a new one");
      return Status::Ok();
    }
    if (!list->has_value()) return Status::Ok();
    ASSIGN_OR_RETURN(const uint64_t size, env_->FileSize(path));
    run_->CountFile(size);
    for (const auto& entry : (*list)->Missing(files_)) RETURN_IF_ERROR(TellMissing(entry, path));
    const engine::StoreFileList found(files_);
    for (const auto& entry : (*list)->entries()) {
      for (const auto& present : found.entries()) {
        if (present.name != entry.name || present == entry) continue;
        run_->Fault(
            path,
            fmt::format("{} is listed with {} cells in {} bytes and has {} in {}", entry.name,
                        entry.cell_count, entry.size_bytes, present.cell_count, present.size_bytes),
            Repair(RepairKind::kMoveAway),
            "move the list to corrupt/; the next opening writes a new one");
      }
    }
    return Status::Ok();
  }

  Status TellMissing(const engine::StoreFileList::Entry& entry, const std::string& list) {
    const std::string path = JoinPath(directory_, entry.name);
    ASSIGN_OR_RETURN(const bool is_there, env_->Exists(path));
    if (is_there) return Status::Ok();  // damaged, and told
    const std::string held = fmt::format(
        "{}{} cells, {} bytes", entry.row_count ? fmt::format("{} rows, ", *entry.row_count) : "",
        entry.cell_count, entry.size_bytes);
    const std::string archived = JoinPath(archive_, entry.name);
    ASSIGN_OR_RETURN(const bool in_archive, env_->Exists(archived));
    if (in_archive) {
      Repair repair(RepairKind::kRestoreFile);
      repair.source = run_->Relative(archived);
      run_->Fault(path, fmt::format("missing ({})", held), std::move(repair),
                  "move it back from the archive");
      return Status::Ok();
    }
    run_->Fault(list, fmt::format("{} is missing ({})", entry.name, held),
                Repair(RepairKind::kMoveAway),
                "go on without what it held; the list is moved to corrupt/");
    return Status::Ok();
  }

  CheckRun* const run_;
  Env* const env_;
  const TableName& table_;
  const std::string family_;
  const RegionInfo* const info_;
  const std::string directory_;
  const std::string archive_;
  std::vector<std::shared_ptr<const engine::StoreFile>> files_;
};

Status CheckRecoveredEdits(CheckRun* run, const std::string& directory) {
  ASSIGN_OR_RETURN(const auto names, run->env->ListDirectory(directory));
  for (const std::string& name : names) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;  // "<id>.seqid", …
    RETURN_IF_ERROR(CheckRecoveredLog(run, JoinPath(directory, name)));
  }
  return Status::Ok();
}

// Whether all that is not hidden has a name that the files of a store have.
Result<bool> LooksLikeStore(Env* env, const std::string& directory) {
  ASSIGN_OR_RETURN(const auto names, env->ListDirectory(directory));
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with('.') || engine::IsStoreFileName(name) ||
           engine::ParseReferenceName(name).has_value() || engine::ParseLinkName(name).has_value();
  });
}

// What dies before it is moved into place is of no use.
Status CheckRegionTemp(CheckRun* run, const std::string& directory) {
  ASSIGN_OR_RETURN(const auto names, run->env->ListDirectory(directory));
  for (const std::string& name : names) {
    const std::string path = JoinPath(directory, name);
    ASSIGN_OR_RETURN(const bool is_directory, run->env->IsDirectory(path));
    bool is_empty = false;
    if (is_directory) {
      ASSIGN_OR_RETURN(const auto files, run->env->ListDirectory(path));
      is_empty = files.empty();
    }
    // Files on their way into the store, as the journal says; without one the name is in no one's
    // way.
    if (is_empty || JoinPath(".tmp", name) == engine::kBulkLoadStaging) continue;
    run->MoveAway(Level::kWarning, path, "left by a flush or compaction that died");
  }
  return Status::Ok();
}

// One that is still to be moved into its store, where it is salvaged as any other.
Status CheckLoadedFile(CheckRun* run, const std::string& region, const engine::BulkLoadFile& file) {
  const std::string path =
      file.source.starts_with('/') ? file.source : JoinPath(region, file.source);
  ASSIGN_OR_RETURN(const bool is_there, run->env->Exists(path));
  if (!is_there) return Status::Ok();
  HFileExpectations expectations;
  expectations.family = file.family;
  for (const Damage& damage : CheckHFile(run->env, path, expectations, nullptr)) {
    run->Add(Level::kFault, path,
             damage.what +
                 " (a file of a bulk load; once the region has been opened, it can be "
                 "repaired)",
             {}, {}, damage.offset);
  }
  run->CountFile(file.size_bytes);
  return Status::Ok();
}

// A bulk load that died after it was decided, which the next opening completes.
Status CheckBulkLoad(CheckRun* run, const std::string& region, const std::string& path) {
  const auto files = engine::ReadBulkLoadJournal(run->env, region);
  if (!files.ok() && files.status().code() != StatusCode::kCorruption) return files.status();
  if (!files.ok()) {
    run->MoveAway(Level::kFault, path, files.status().message());
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const auto missing, engine::MissingLoadedFiles(run->env, region, **files));
  if (missing.empty()) {
    for (const auto& file : **files) RETURN_IF_ERROR(CheckLoadedFile(run, region, file));
    run->Warn(path, "a bulk load that died half done; the next opening of the region completes it");
    return Status::Ok();
  }
  run->MoveAway(Level::kFault, path,
                fmt::format("a bulk load that died half done, and its file {} is gone: the region "
                            "does not open; load the folder again afterwards",
                            missing.front().source));
  return Status::Ok();
}

}  // namespace

bool HoldsFiles(const TableOnDisk& table) {
  return std::any_of(table.regions.begin(), table.regions.end(), [](const auto& entry) {
    return entry.second.has_files || entry.second.has_references;
  });
}

Result<Inventory> TakeInventory(CheckRun* run) { return InventoryTaker(run).Run(); }

Status CheckRegionFiles(CheckRun* run, const TableName& table, const std::string& encoded,
                        const RegionOnDisk& region, const TableDescriptor* descriptor,
                        const RegionInfo* info, const std::set<std::string>& altering) {
  const std::string directory = run->layout.RegionDirectory(table, encoded);
  ASSIGN_OR_RETURN(const auto names, run->env->ListDirectory(directory));
  for (const std::string& name : names) {
    const std::string path = JoinPath(directory, name);
    ASSIGN_OR_RETURN(const bool is_directory, run->env->IsDirectory(path));
    if (!is_directory) {
      if (IsTemporaryName(name)) {
        run->MoveAway(Level::kWarning, path, "left by a write that died");
      } else if (name == engine::kBulkLoadJournalName) {
        RETURN_IF_ERROR(CheckBulkLoad(run, directory, path));
      } else if (!name.starts_with('.')) {
        run->LeaveAlone(path, "nothing that belongs into a region");
      }
      continue;
    }
    if (name == kRecoveredEdits) RETURN_IF_ERROR(CheckRecoveredEdits(run, path));
    if (name == ".tmp") RETURN_IF_ERROR(CheckRegionTemp(run, path));
    if (name.starts_with('.') || name == kRecoveredEdits) continue;
    if (descriptor != nullptr && descriptor->FindFamily(name) == nullptr) {
      if (altering.contains(name)) {
        run->Warn(path, "left by an alteration that died; the next opening archives it");
        continue;
      }
      ASSIGN_OR_RETURN(const bool is_store, LooksLikeStore(run->env, path));
      if (is_store) {
        run->MoveAway(Level::kWarning, path,
                      "a directory of a family that the table does not have");
      } else {
        run->LeaveAlone(path, "neither a family's directory nor a part of a region");
      }
      continue;
    }
    RETURN_IF_ERROR(StoreCheck(run, table, encoded, name, info).Run());
  }
  if (descriptor == nullptr || table == engine::MetaTableName()) return Status::Ok();
  // Here regions are made with all of them; HBase makes them when it opens a region.
  for (const ColumnFamilyDescriptor& family : descriptor->families) {
    if (region.families.contains(family.name)) continue;
    run->Warn(directory, fmt::format("has no directory for family {}; if it had one, what it held "
                                     "is lost (one of HBase that was never opened had none)",
                                     ToStringBinary(family.name)));
  }
  return Status::Ok();
}

}  // namespace bennu::check
