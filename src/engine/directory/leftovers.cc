#include "src/engine/directory/leftovers.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/base/status_macros.h"
#include "src/base/temporary_files.h"
#include "src/engine/region/bulk_load_journal.h"
#include "src/engine/region/region.h"
#include "src/engine/store/file_link.h"
#include "src/engine/store/file_reference.h"
#include "src/engine/store/store_file_list.h"

namespace bennu::engine {

namespace {

// Deeper than any folder of a store; what lies deeper is nobody's leftover.
constexpr int kDepthMax = 8;

// A directory below a table's, as the rules for its names differ.
enum class Folder {
  kTable,
  kDescriptors,  // ".tabledesc", and ".tmp" where HBase prepares descriptors
  kRegion,
  kWork,   // ".tmp" of a region, and what HBase splits and merges in
  kStore,  // a family's, or one of recovered edits
  kOther,  // no folder of a store's
};

template <size_t kCount>
bool HasName(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether the store gives this name to a file of its own in such a folder, other than store files.
bool IsGivenByStore(Folder folder, std::string_view name) {
  static constexpr std::array<std::string_view, 4> kOfTables = {kDroppingMark, kCloningMark,
                                                                ".restoring", ".altering"};
  static constexpr std::array<std::string_view, 2> kOfRegions = {".regioninfo",
                                                                 kBulkLoadJournalName};
  static constexpr std::array<std::string_view, 2> kOfStores = {kStoreFileListName,
                                                                kOldStoreFileListName};
  if (folder == Folder::kWork) return true;
  if (IsTemporaryName(name)) {
    return IsGivenByStore(folder, name.substr(0, name.rfind(".tmp-")));
  }
  // Hadoop's local file system keeps checksums beside its files.
  if (name.starts_with('.') && name.ends_with(".crc")) {
    return IsGivenByStore(folder, name.substr(1, name.size() - 5));
  }
  switch (folder) {
    case Folder::kTable: return HasName(kOfTables, name);
    case Folder::kDescriptors: return name.starts_with(".tableinfo") || name == ".bennu.checksum";
    case Folder::kRegion: return HasName(kOfRegions, name);
    case Folder::kStore: return HasName(kOfStores, name) || name.starts_with(kReplayFloorPrefix);
    default: return false;
  }
}

Folder FolderBelow(Folder folder, std::string_view name) {
  if (folder == Folder::kTable) {
    if (name == ".tabledesc" || name == ".tmp") return Folder::kDescriptors;
    return IsEncodedRegionName(name) ? Folder::kRegion : Folder::kOther;
  }
  if (folder == Folder::kRegion) {
    if (name == ".tmp" || name == ".splits" || name == ".merges") return Folder::kWork;
    return name.starts_with('.') ? Folder::kOther : Folder::kStore;
  }
  return folder == Folder::kWork ? Folder::kWork : Folder::kOther;
}

using IsExpected = bool (*)(Folder folder, std::string_view name);

// Whether each file below the directory is the store's own or 'is_expected'. Empty directories are
// nobody's loss. Links are not followed.
Result<bool> HoldsOnly(Env* env, const std::string& directory, Folder folder,
                       IsExpected is_expected, int depth = 0) {
  if (depth == kDepthMax) return false;
  ASSIGN_OR_RETURN(const auto names, env->ListDirectory(directory));
  for (const std::string& name : names) {
    const std::string path = JoinPath(directory, name);
    ASSIGN_OR_RETURN(const PathShape shape, env->Shape(path));
    if (shape.kind != PathShape::Kind::kDirectory || shape.is_link) {
      if (!IsGivenByStore(folder, name) && !is_expected(folder, name)) return false;
      continue;
    }
    ASSIGN_OR_RETURN(const bool is_clean,
                     HoldsOnly(env, path, FolderBelow(folder, name), is_expected, depth + 1));
    if (!is_clean) return false;
  }
  return true;
}

bool IsNothingElse(Folder /*folder*/, std::string_view /*name*/) { return false; }

bool IsReferenceOrLink(Folder folder, std::string_view name) {
  return folder == Folder::kStore && (ParseReferenceName(std::string(name)).has_value() ||
                                      ParseLinkName(std::string(name)).has_value());
}

bool IsInAStore(Folder folder, std::string_view name) {
  return folder == Folder::kStore && !name.starts_with('.');
}

}  // namespace

Result<bool> HoldsTableData(Env* env, const RootLayout& layout, const TableName& table) {
  for (const std::string_view mark : {kDroppingMark, kCloningMark}) {
    ASSIGN_OR_RETURN(const bool explained, env->Exists(layout.TableMark(table, mark)));
    if (explained) return false;
  }
  const std::string directory = layout.TableDirectory(table);
  ASSIGN_OR_RETURN(const PathShape shape, env->Shape(directory));
  if (shape.kind != PathShape::Kind::kDirectory || shape.is_link) return true;
  // Links and references count: they are what is left of a table that lost its rows in hbase:meta.
  ASSIGN_OR_RETURN(const bool is_empty, HoldsOnly(env, directory, Folder::kTable, IsNothingElse));
  return !is_empty;
}

Result<bool> HoldsForeignFiles(Env* env, const RootLayout& layout, const TableName& table) {
  ASSIGN_OR_RETURN(const bool is_clean,
                   HoldsOnly(env, layout.TableDirectory(table), Folder::kTable, IsInAStore));
  return !is_clean;
}

Result<bool> RegionHoldsForeignFiles(Env* env, const std::string& region) {
  ASSIGN_OR_RETURN(const bool is_clean, HoldsOnly(env, region, Folder::kRegion, IsInAStore));
  return !is_clean;
}

Result<bool> HoldsOnlyReferences(Env* env, const std::string& region) {
  return HoldsOnly(env, region, Folder::kRegion, IsReferenceOrLink);
}

}  // namespace bennu::engine
