#include "src/check/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "src/api/attributes.h"
#include "src/api/descriptor_pb.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/check/offline_region.h"
#include "src/check/salvage.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/store/file_reference.h"
#include "src/engine/store/store_file.h"
#include "src/engine/store/store_file_list.h"
#include "src/wal/wal_reader.h"

namespace bennu::check {

namespace {

std::string ParentOf(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool WritesMeta(RepairKind kind) {
  switch (kind) {
    case RepairKind::kAddRegion:
    case RepairKind::kDropRegion:
    case RepairKind::kPutParents:
    case RepairKind::kPutTableState:
    case RepairKind::kDropTableState:
    case RepairKind::kDropCell: return true;
    default: return false;
  }
}

class Repairer {
 public:
  Repairer(const CheckRun& run, const Inventory& inventory, std::vector<RepairAction>* actions)
      : run_(run), env_(run.env), inventory_(inventory), actions_(actions) {}

  Status Run(bool meta_is_readable) {
    std::set<std::tuple<RepairKind, std::string, std::string>> done;
    for (const Finding& finding : run_.findings) {
      const Repair& repair = finding.repair;
      const std::string key = repair.region.table.ToString() + repair.region.EncodedName();
      if (repair.kind == RepairKind::kNone || WritesMeta(repair.kind)) continue;
      if (!done.insert({repair.kind, finding.path, key}).second) continue;
      const std::string path = run_.Absolute(finding.path);
      // An earlier repair may have moved the folder that it lies in.
      if (repair.kind == RepairKind::kMoveAway || repair.kind == RepairKind::kSalvage) {
        ASSIGN_OR_RETURN(const bool exists, env_->Exists(path));
        if (!exists) continue;
      }
      RETURN_IF_ERROR(Do(repair, path).Annotate("repairing " + finding.path));
    }
    if (meta_is_readable) return RepairMeta();
    return DropCells();
  }

 private:
  Status Do(const Repair& repair, const std::string& path) {
    switch (repair.kind) {
      case RepairKind::kMoveAway: return MoveAway(path);
      case RepairKind::kSalvage: return Salvage(repair, path);
      case RepairKind::kSalvageLog: return RewriteLog(path);
      case RepairKind::kCutLog: return CutLog(path);
      case RepairKind::kWriteReference: return RewriteReference(repair, path);
      case RepairKind::kRestoreFile: return Restore(repair, path);
      case RepairKind::kWriteVersion: return WriteVersion(path);
      case RepairKind::kWriteId: return WriteId(path);
      case RepairKind::kWriteTable: return WriteTable(repair.region.table);
      case RepairKind::kWriteRegion: return WriteRegion(repair.region);
      case RepairKind::kPutNamespace: return PutNamespace(repair.region.table.name_space);
      default: return Status::Ok();
    }
  }

  void Tell(const std::string& path, std::string what, bool is_loss = false) {
    actions_->push_back({run_.Relative(path), std::move(what), is_loss});
  }

  // ---- moving

  std::string CorruptPlace(const std::string& path) const {
    return JoinPath(run_.Absolute("corrupt"), run_.Relative(path));
  }

  // A name below corrupt/ that is free, in a directory that is there.
  Result<std::string> FreePlace(const std::string& path) {
    std::string place = CorruptPlace(path);
    RETURN_IF_ERROR(env_->CreateDirectories(ParentOf(place)));
    ASSIGN_OR_RETURN(const bool taken, env_->Exists(place));
    if (taken)
      place += "." + std::to_string(env_->NowMillis()) + "." +
               std::to_string(env_->RandomU64() % 1000000);
    return place;
  }

  Status MoveAway(const std::string& path) {
    ASSIGN_OR_RETURN(const std::string place, FreePlace(path));
    RETURN_IF_ERROR(env_->Rename(path, place));
    RETURN_IF_ERROR(env_->SyncDirectory(ParentOf(place)));
    RETURN_IF_ERROR(env_->SyncDirectory(ParentOf(path)));
    Tell(path, "moved to " + run_.Relative(place));
    return Status::Ok();
  }

  Status MoveAwayIfThere(const std::string& path) {
    ASSIGN_OR_RETURN(const bool exists, env_->Exists(path));
    return exists ? MoveAway(path) : Status::Ok();
  }

  Status Restore(const Repair& repair, const std::string& path) {
    RETURN_IF_ERROR(env_->Rename(run_.Absolute(repair.source), path));
    RETURN_IF_ERROR(env_->SyncDirectory(ParentOf(path)));
    Tell(path, "moved back from " + repair.source);
    return Status::Ok();
  }

  // ---- HFiles and logs

  Status Salvage(const Repair& repair, const std::string& path) {
    const std::string store = ParentOf(path);
    SalvageOptions options;
    options.meta_order = repair.region.table == engine::MetaTableName();
    if (repair.bounded) {
      options.rows.emplace();
      options.rows->start = repair.region.start_key;
      options.rows->stop = repair.region.end_key;
    }
    const auto list = engine::StoreFileList::Load(env_, store);
    if (list.ok() && list->has_value()) {
      for (const auto& entry : (*list)->entries()) {
        if (entry.name == NameOf(path)) options.max_sequence_id = entry.max_sequence_id;
      }
    }
    const std::string temporary = JoinPath(ParentOf(store), ".tmp/" + repair.family);
    RETURN_IF_ERROR(env_->CreateDirectories(temporary));
    // A loaded file's name says which sequence id its cells have.
    const auto loaded = engine::BulkLoadSequenceId(NameOf(path));
    const std::string name =
        NewFileName() + (loaded.has_value() ? engine::BulkLoadSuffix(*loaded) : "");
    const std::string written = JoinPath(temporary, name);
    ASSIGN_OR_RETURN(const Salvaged salvaged, SalvageHFile(env_, path, written, options));
    // The list first: it does not know the new file, and would miss the old one.
    ASSIGN_OR_RETURN(const std::string list_path, engine::StoreFileList::Path(env_, store));
    RETURN_IF_ERROR(MoveAwayIfThere(list_path));
    if (salvaged.has_file) {
      RETURN_IF_ERROR(env_->Rename(written, JoinPath(store, name)));
      RETURN_IF_ERROR(env_->SyncDirectory(store));
      Tell(path, fmt::format("{} cells written to {}", salvaged.cells, name));
    }
    for (const std::string& lost : salvaged.lost) Tell(path, "lost: " + lost, /*is_loss=*/true);
    return MoveAway(path);
  }

  std::string NewFileName() const {
    return fmt::format("{:016x}{:016x}", env_->RandomU64(), env_->RandomU64());
  }

  Status RewriteLog(const std::string& path) {
    ASSIGN_OR_RETURN(const std::string place, FreePlace(path));
    // Under the old name, which tells its age, once the old file is out of the way.
    const std::string written = JoinPath(run_.layout.Temp(), NameOf(path) + ".salvaged");
    RETURN_IF_ERROR(env_->CreateDirectories(run_.layout.Temp()));
    ASSIGN_OR_RETURN(const bool stale, env_->Exists(written));
    if (stale) RETURN_IF_ERROR(env_->RemoveFile(written));
    ASSIGN_OR_RETURN(const SalvagedLog salvaged, SalvageLog(env_, path, written));
    RETURN_IF_ERROR(env_->Rename(path, place));
    RETURN_IF_ERROR(env_->SyncDirectory(ParentOf(place)));
    ASSIGN_OR_RETURN(const bool has_file, env_->Exists(written));
    if (has_file) RETURN_IF_ERROR(env_->Rename(written, path));
    RETURN_IF_ERROR(env_->SyncDirectory(ParentOf(path)));
    Tell(path, fmt::format("{} entries written to a new log, the damaged one moved to {}",
                           salvaged.entries, run_.Relative(place)));
    if (salvaged.skipped_bytes > 0) {
      Tell(path, fmt::format("lost: the writes in {} damaged bytes", salvaged.skipped_bytes),
           /*is_loss=*/true);
    }
    return Status::Ok();
  }

  Status CutLog(const std::string& path) {
    ASSIGN_OR_RETURN(auto reader, wal::WalReader::Open(env_, path));
    wal::WalEntry entry;
    while (true) {
      ASSIGN_OR_RETURN(const bool more, reader->Next(&entry));
      if (!more) break;
    }
    const uint64_t end = reader->valid_size();
    ASSIGN_OR_RETURN(const auto file, env_->OpenForRead(path));
    Bytes tail(file->size() - end, '\0');
    RETURN_IF_ERROR(file->ReadExact(end, tail.size(), tail.data()));
    ASSIGN_OR_RETURN(const std::string place, FreePlace(path + ".tail"));
    RETURN_IF_ERROR(env_->WriteFileAtomically(place, tail));
    RETURN_IF_ERROR(env_->TruncateFile(path, end));
    Tell(path, fmt::format("cut at {}, the tail is {}", end, run_.Relative(place)));
    return Status::Ok();
  }

  // Which half it showed is told by where the region's range differs from that of its parent.
  Status RewriteReference(const Repair& repair, const std::string& path) {
    const auto name = engine::ParseReferenceName(NameOf(path));
    const RegionInfo& info = repair.region;
    engine::FileReference reference{info.start_key, engine::FileReference::Half::kTop};
    if (const auto table = inventory_.tables.find(info.table);
        name.has_value() && table != inventory_.tables.end()) {
      const auto parent = table->second.regions.find(name->parent);
      if (parent != table->second.regions.end() && parent->second.info.has_value() &&
          parent->second.info->start_key == info.start_key && !info.end_key.empty() &&
          parent->second.info->end_key != info.end_key) {
        reference = {info.end_key, engine::FileReference::Half::kBottom};
      }
    }
    RETURN_IF_ERROR(MoveAway(path));
    RETURN_IF_ERROR(env_->WriteFileAtomically(path, engine::EncodeReference(reference)));
    Tell(path, "written anew");
    return Status::Ok();
  }

  // ---- the root's small files

  Status WriteVersion(const std::string& path) {
    RETURN_IF_ERROR(MoveAwayIfThere(path));
    RETURN_IF_ERROR(engine::WriteVersion(env_, run_.layout));
    Tell(path, "written: version 8");
    return Status::Ok();
  }

  Status WriteId(const std::string& path) {
    RETURN_IF_ERROR(MoveAwayIfThere(path));
    RETURN_IF_ERROR(engine::WriteClusterId(env_, run_.layout));
    Tell(path, "written: a new id");
    return Status::Ok();
  }

  // ---- descriptors

  Status WriteTable(const TableName& name) {
    const std::string directory = run_.layout.TableDirectory(name);
    const std::string folder = JoinPath(directory, ".tabledesc");
    RETURN_IF_ERROR(env_->CreateDirectories(directory));
    ASSIGN_OR_RETURN(const bool exists, env_->Exists(folder));
    std::optional<TableDescriptor> older;
    if (exists) {
      older = FindDescriptor(name, folder);
      RETURN_IF_ERROR(MoveAway(folder));
    }
    if (name == engine::MetaTableName()) {
      RETURN_IF_ERROR(engine::WriteTableInfo(env_, directory, engine::MetaDescriptor()));
      RETURN_IF_ERROR(WriteRegion(engine::MetaRegionInfo()));
      Tell(folder, "written: HBase's own");
      return Status::Ok();
    }
    if (name == engine::NamespaceTableName() && !older.has_value()) {
      RETURN_IF_ERROR(engine::WriteTableInfo(env_, directory, engine::NamespaceDescriptorTable()));
      Tell(folder, "written: HBase's own");
      return Status::Ok();
    }
    std::string families;
    const TableDescriptor descriptor =
        older.has_value() ? *older : DescriptorFromFiles(name, directory);
    for (const ColumnFamilyDescriptor& family : descriptor.families) {
      families += (families.empty() ? "" : ", ") + family.name;
    }
    RETURN_IF_ERROR(engine::WriteTableInfo(env_, directory, descriptor));
    Tell(folder, older.has_value()
                     ? std::string("written: what an older file says")
                     : fmt::format("written: families {}; all versions are kept, other options "
                                   "are those of the files or defaults: alter the table to what "
                                   "it was",
                                   families));
    return Status::Ok();
  }

  // The newest whole one that names this table.
  std::optional<TableDescriptor> FindDescriptor(const TableName& name, const std::string& folder) {
    std::optional<TableDescriptor> found;
    const auto names = env_->ListDirectory(folder);
    if (!names.ok()) return found;
    const auto noted = env_->ReadFile(JoinPath(folder, ".bennu.checksum"));
    for (const std::string& file : *names) {  // ascending, so that the newest wins
      if (!file.starts_with(".tableinfo.")) continue;
      if (noted.ok() && noted->starts_with(file + " ")) continue;  // what it was made for is wrong
      const auto bytes = env_->ReadFile(JoinPath(folder, file));
      if (!bytes.ok()) continue;
      const size_t dot = file.rfind('.');
      const auto length = api::ParseInteger(std::string_view(file).substr(dot + 1));
      if (dot > 10 && length.has_value() && static_cast<uint64_t>(*length) != bytes->size()) {
        continue;
      }
      auto descriptor = api::DecodeTableInfo(*bytes);
      if (descriptor.ok() && descriptor->name == name) found = std::move(descriptor).value();
    }
    return found;
  }

  TableDescriptor DescriptorFromFiles(const TableName& name, const std::string& directory) {
    TableDescriptor descriptor;
    descriptor.name = name;
    std::map<std::string, ColumnFamilyDescriptor> families;
    const auto table = inventory_.tables.find(name);
    if (table != inventory_.tables.end()) {
      for (const auto& [encoded, region] : table->second.regions) {
        for (const std::string& family : region.families) {
          families[family];
          LearnFamily(JoinPath(JoinPath(directory, encoded), family), &families[family]);
        }
      }
    }
    if (families.empty()) families["0"];
    for (auto& [family_name, family] : families) {
      family.name = family_name;
      family.attributes.emplace("VERSIONS", "2147483647");
      descriptor.families.push_back(std::move(family));
    }
    return descriptor;
  }

  // Encoding, compression and filter as in the first file that opens.
  void LearnFamily(const std::string& store, ColumnFamilyDescriptor* family) {
    if (!family->attributes.empty()) return;
    const auto names = env_->ListDirectory(store);
    if (!names.ok()) return;
    for (const std::string& name : *names) {
      if (!engine::IsStoreFileName(name)) continue;
      const auto reader = hfile::Reader::Open(env_, JoinPath(store, name), nullptr);
      if (!reader.ok()) continue;
      family->attributes["DATA_BLOCK_ENCODING"] = DataBlockEncodingName((*reader)->encoding());
      family->attributes["COMPRESSION"] = CompressionName((*reader)->trailer().compression);
      if ((*reader)->bloom_type() != BloomType::kRowPrefixFixedLength) {
        family->attributes["BLOOMFILTER"] = BloomTypeName((*reader)->bloom_type());
      }
      return;
    }
  }

  std::vector<ColumnFamilyDescriptor> FamiliesOf(const TableName& name) const {
    if (name == engine::NamespaceTableName()) return engine::NamespaceDescriptorTable().families;
    const auto table = inventory_.tables.find(name);
    if (table == inventory_.tables.end() || !table->second.descriptor.has_value()) return {};
    return table->second.descriptor->families;
  }

  Status WriteRegion(const RegionInfo& info) {
    const std::string directory = run_.layout.RegionDirectory(info.table, info.EncodedName());
    RETURN_IF_ERROR(env_->CreateDirectories(directory));
    RETURN_IF_ERROR(MoveAwayIfThere(JoinPath(directory, ".regioninfo")));
    RETURN_IF_ERROR(engine::WriteRegionInfo(env_, directory, info));
    for (const ColumnFamilyDescriptor& family : FamiliesOf(info.table)) {
      RETURN_IF_ERROR(env_->CreateDirectories(JoinPath(directory, family.name)));
    }
    RETURN_IF_ERROR(env_->SyncDirectory(run_.layout.TableDirectory(info.table)));
    Tell(JoinPath(directory, ".regioninfo"), "written");
    return Status::Ok();
  }

  // ---- rows of the catalog

  Status RepairMeta() {
    MutationBatch rows;
    const std::string server = "localhost,16020," + std::to_string(env_->NowMillis());
    std::set<TableName> stated;
    for (const Finding& finding : run_.findings) {
      const Repair& repair = finding.repair;
      const RegionInfo& info = repair.region;
      switch (repair.kind) {
        case RepairKind::kAddRegion:
          RETURN_IF_ERROR(WriteRegion(info));
          engine::PutRegionRow(&rows, info, server, 1);
          Tell(run_.Absolute(finding.path),
               "region " + info.EncodedName() + " of rows '" + ToStringBinary(info.start_key) +
                   "' to '" + ToStringBinary(info.end_key) + "' added to hbase:meta");
          break;
        case RepairKind::kDropRegion:
          engine::DeleteRegionRow(&rows, info);
          RETURN_IF_ERROR(
              MoveAwayIfThere(run_.layout.RegionDirectory(info.table, info.EncodedName())));
          Tell(run_.Absolute(finding.path),
               "region " + info.EncodedName() + " taken out of hbase:meta");
          break;
        case RepairKind::kPutParents:
          if (repair.children.size() == 2) {
            engine::PutSplitParent(&rows, info, repair.children[0], repair.children[1]);
          } else {
            rows.StartRow(repair.children[0].RegionName());
            engine::PutMergeParents(&rows, repair.parents);
          }
          Tell(run_.Absolute(finding.path), "noted in hbase:meta as replaced");
          break;
        case RepairKind::kPutTableState:
          engine::PutTableState(&rows, info.table, /*enabled=*/true);
          Tell(run_.Absolute(finding.path), "table " + info.table.ToString() + " is enabled");
          break;
        case RepairKind::kDropTableState:
          engine::DeleteTableState(&rows, info.table);
          Tell(run_.Absolute(finding.path), "state of table " + info.table.ToString() + " removed");
          break;
        default: break;
      }
    }
    return WriteMetaRows(&rows);
  }

  Status WriteMetaRows(MutationBatch* rows) {
    if (rows->empty()) return Status::Ok();
    const auto meta = inventory_.tables.find(engine::MetaTableName());
    const TableDescriptor descriptor =
        meta == inventory_.tables.end()
            ? engine::MetaDescriptor()
            : meta->second.descriptor.value_or(engine::MetaDescriptor());
    return WriteCatalogRows(engine::MetaRegionInfo(), descriptor, rows);
  }

  // Cells of hbase:meta that keep it from being read.
  Status DropCells() {
    MutationBatch rows;
    for (const Finding& finding : run_.findings) {
      const Repair& repair = finding.repair;
      if (repair.kind != RepairKind::kDropCell) continue;
      rows.StartRow(repair.row);
      rows.DeleteVersion(repair.family, repair.qualifier, repair.timestamp);
      Tell(run_.Absolute(finding.path),
           fmt::format("lost: row '{}', the value of {}:{} of time {}", ToStringBinary(repair.row),
                       repair.family, ToStringBinary(repair.qualifier), repair.timestamp),
           /*is_loss=*/true);
    }
    return WriteMetaRows(&rows);
  }

  Status PutNamespace(const std::string& name) {
    const auto table = inventory_.tables.find(engine::NamespaceTableName());
    if (table == inventory_.tables.end() || !table->second.descriptor.has_value()) {
      return Status::Ok();
    }
    for (const auto& [encoded, region] : table->second.regions) {
      if (!region.info.has_value()) continue;
      MutationBatch rows;
      engine::PutNamespace(&rows, {name, {}});
      Tell(run_.layout.NamespaceDirectory(name), "added to hbase:namespace");
      return WriteCatalogRows(*region.info, *table->second.descriptor, &rows);
    }
    return Status::Ok();
  }

  Status WriteCatalogRows(const RegionInfo& region, const TableDescriptor& descriptor,
                          MutationBatch* rows) {
    ASSIGN_OR_RETURN(const auto offline,
                     OfflineRegion::Open(run_, region, descriptor, /*writable=*/true));
    RETURN_IF_ERROR(offline->Write(rows));
    // The next opening is to look at the ids in all files. The time stays.
    ASSIGN_OR_RETURN(engine::StoreNotes notes, engine::ReadNotes(env_, run_.layout));
    notes.sequence_id = 0;
    notes.catalog_fingerprint = 0;
    return engine::WriteNotes(env_, run_.layout, notes);
  }

  const CheckRun& run_;
  Env* const env_;
  const Inventory& inventory_;
  std::vector<RepairAction>* const actions_;
};

}  // namespace

Status RepairFindings(const CheckRun& run, const Inventory& inventory, bool meta_is_readable,
                      std::vector<RepairAction>* actions) {
  return Repairer(run, inventory, actions).Run(meta_is_readable);
}

}  // namespace bennu::check
