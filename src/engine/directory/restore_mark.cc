#include "src/engine/directory/restore_mark.h"

#include <algorithm>

#include "proto/snapshot.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/checksum_field.h"
#include "src/base/crc32.h"
#include "src/base/failpoint.h"
#include "src/base/status_macros.h"
#include "src/engine/directory/root_directory.h"

namespace bennu::engine {

std::string RestoreMarkPath(const RootLayout& layout, const TableName& table) {
  return JoinPath(layout.TableDirectory(table), ".restoring");
}

Status WriteRestoreMark(Env* env, const RootLayout& layout, const TableDescriptor& descriptor,
                        const std::vector<RegionInfo>& regions) {
  pb::SnapshotDataManifest mark;
  api::DescriptorToPb(descriptor, mark.mutable_table_schema());
  for (const RegionInfo& region : regions) {
    api::RegionInfoToPb(region, mark.add_region_manifests()->mutable_region_info());
  }
  Bytes bytes = mark.SerializeAsString();
  AppendChecksumField(&bytes, Crc32c(bytes));
  return env->WriteFileAtomically(RestoreMarkPath(layout, descriptor.name), bytes);
}

Status RemoveRestoreMark(Env* env, const RootLayout& layout, const TableName& table) {
  const std::string path = RestoreMarkPath(layout, table);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(path));
  if (!exists) return Status::Ok();
  RETURN_IF_ERROR(env->RemoveFile(path));
  return env->SyncDirectory(layout.TableDirectory(table));
}

Result<std::optional<TableDescriptor>> ReadRestoreMark(Env* env, const RootLayout& layout,
                                                       const TableName& table,
                                                       const std::vector<RegionInfo>& regions) {
  const std::string path = RestoreMarkPath(layout, table);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(path));
  if (!exists) return std::optional<TableDescriptor>();
  ASSIGN_OR_RETURN(const Bytes bytes, env->ReadFile(path));
  pb::SnapshotDataManifest mark;
  const ByteView message =
      ByteView(bytes).substr(0, bytes.size() - std::min(bytes.size(), kChecksumFieldSize));
  if (ChecksumFieldOf(bytes) != Crc32c(message) || !mark.ParseFromString(Bytes(message))) {
    return Corruption(path +
                      " is damaged: a restore of a snapshot was not finished; remove the file " +
                      "and restore again");
  }
  // Names, since hbase:meta knows more of a region later.
  std::vector<std::string> marked;
  for (const auto& manifest : mark.region_manifests()) {
    marked.push_back(api::RegionInfoFromPb(manifest.region_info()).EncodedName());
  }
  const bool happened = std::any_of(regions.begin(), regions.end(), [&](const auto& region) {
    return std::find(marked.begin(), marked.end(), region.EncodedName()) != marked.end();
  });
  if (!happened) return std::optional<TableDescriptor>();
  return std::optional<TableDescriptor>(api::DescriptorFromPb(mark.table_schema()));
}

Status FinishRestore(Env* env, const RootLayout& layout, const TableDescriptor& descriptor) {
  RETURN_IF_ERROR(WriteTableInfo(env, layout.TableDirectory(descriptor.name), descriptor));
  BENNU_FAILPOINT("restore.after_descriptor");
  return RemoveRestoreMark(env, layout, descriptor.name);
}

}  // namespace bennu::engine
