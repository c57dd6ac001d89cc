// What stands below .hbase-snapshot, in HBase's layout (version 2):
//
//   .hbase-snapshot/NAME/.snapshotinfo    a SnapshotDescription message
//   .hbase-snapshot/NAME/data.manifest    a SnapshotDataManifest: the table's descriptor, its
//                                         regions, the names of their files (references whole)
//   .hbase-snapshot/NAME/.bennu.checksum  of the two, where Bennu took the snapshot
//   .hbase-snapshot/.tmp/                 what is being written or removed; emptied at the start
//
// A snapshot is there from one rename on and gone from another. It names files only; they are
// found where a link of the same name would find them (store/file_link.h). Not thread-safe: changes
// need the lock of the catalog.
// Source: HBase's SnapshotDescriptionUtils, SnapshotManifest, SnapshotManifestV2.
#ifndef BENNU_SRC_ENGINE_DIRECTORY_SNAPSHOT_FILES_H_
#define BENNU_SRC_ENGINE_DIRECTORY_SNAPSHOT_FILES_H_

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/status.h"
#include "proto/snapshot.pb.h"
#include "src/base/env.h"
#include "src/engine/directory/root_layout.h"
#include "src/engine/store/file_link.h"

namespace bennu::engine {

struct SnapshotRecord {
  pb::SnapshotDescription info;
  pb::SnapshotDataManifest data;
};

// InvalidArgument: letters, digits and _ - . are allowed, the first is no - or .
Status CheckSnapshotName(const std::string& name);

// The HFile that stands behind a name in a store of 'region': as a link to it.
FileLink TargetOf(const RegionInfo& region, const std::string& name);

// Calls 'visit' for each file of a snapshot until one fails.
struct SnapshotFileEntry {
  const RegionInfo& region;
  const std::string& family;
  const pb::SnapshotRegionManifest::StoreFile& file;
};
Status ForEachFile(const pb::SnapshotDataManifest& data,
                   const std::function<Status(const SnapshotFileEntry&)>& visit);

SnapshotContents DescribeRecord(const SnapshotRecord& record);

class SnapshotFiles {
 public:
  SnapshotFiles(Env* env, const RootLayout& layout) : env_(env), layout_(layout) {}

  Result<std::vector<std::string>> List() const;  // names, sorted
  Result<bool> Exists(const std::string& name) const;
  // NotFound: there is none. NotSupported: of the first layout. Corruption: a damaged file.
  Result<SnapshotRecord> Read(const std::string& name) const;
  Status Write(const SnapshotRecord& record) const;
  Status Remove(const std::string& name) const;
  // Those whose time to live is over.
  Status RemoveExpired(int64_t now_millis) const;
  Status CleanTemp() const;
  // Names of all HFiles that any snapshot needs. They are unique in a store, as HBase takes them.
  Result<std::set<std::string>> NeededFiles() const;

 private:
  std::string Directory(const std::string& name) const {
    return JoinPath(layout_.Snapshots(), name);
  }
  Status WriteAndMove(const SnapshotRecord& given) const;
  std::string TempDirectory(const std::string& name) const {
    return JoinPath(JoinPath(layout_.Snapshots(), ".tmp"), name);
  }

  Env* const env_;
  const RootLayout layout_;
};

// Fails unless each file that the snapshot names is where a link finds it, with the size that it
// had. Corruption: names the snapshot and the file.
Status VerifySnapshot(Env* env, const RootLayout& layout, const SnapshotRecord& record);

// Whether the snapshot's time to live is over.
bool IsExpired(const SnapshotDescription& snapshot, int64_t now_millis);
// FailedPrecondition: it is over.
Status CheckNotExpired(const SnapshotRecord& record, int64_t now_millis);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_DIRECTORY_SNAPSHOT_FILES_H_
