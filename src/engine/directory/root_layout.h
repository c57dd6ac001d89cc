// Where things stand below a root directory (hbase-hfile spec section 12). Paths only; no I/O.
#ifndef BENNU_SRC_ENGINE_DIRECTORY_ROOT_LAYOUT_H_
#define BENNU_SRC_ENGINE_DIRECTORY_ROOT_LAYOUT_H_

#include <string>
#include <string_view>
#include <utility>

#include "bennu/descriptor.h"
#include "src/base/env.h"

namespace bennu::engine {

// 32 hexadecimal digits, as of all regions but hbase:meta's.
inline bool IsEncodedRegionName(std::string_view name) {
  return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Empty files in a table's directory, of changes that an opening completes or undoes after a death.
// Its removal has begun: without a row in hbase:meta the directory is what it left.
inline constexpr std::string_view kDroppingMark = ".dropping";
// It is made from a snapshot: likewise, though its links look like a table's files.
inline constexpr std::string_view kCloningMark = ".cloning";

class RootLayout {
 public:
  explicit RootLayout(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  std::string LockFile() const { return JoinPath(root_, ".bennu.lock"); }
  // What this program notes for its next start (see StoreNotes).
  std::string ClockFile() const { return JoinPath(root_, ".bennu.clock"); }
  // What servers keep of a master's state (see master_files.h).
  std::string PeersFile() const { return JoinPath(root_, ".bennu.peers"); }
  std::string SwitchesFile() const { return JoinPath(root_, ".bennu.switches"); }
  std::string VersionFile() const { return JoinPath(root_, "hbase.version"); }
  std::string IdFile() const { return JoinPath(root_, "hbase.id"); }
  std::string Temp() const { return JoinPath(root_, ".tmp"); }
  std::string Logs() const { return JoinPath(root_, "WALs"); }
  std::string OldLogs() const { return JoinPath(root_, "oldWALs"); }
  std::string Archive() const { return JoinPath(root_, "archive"); }
  std::string Snapshots() const { return JoinPath(root_, ".hbase-snapshot"); }
  std::string Data() const { return JoinPath(root_, "data"); }
  std::string NamespaceDirectory(const std::string& name) const { return JoinPath(Data(), name); }
  std::string TableDirectory(const TableName& name) const {
    return JoinPath(NamespaceDirectory(name.name_space), name.qualifier);
  }
  std::string TableMark(const TableName& name, std::string_view mark) const {
    return JoinPath(TableDirectory(name), std::string(mark));
  }
  // Where a table's directory is made before it is moved into place.
  std::string TempTableDirectory(const TableName& name) const {
    return JoinPath(JoinPath(JoinPath(Temp(), "data"), name.name_space), name.qualifier);
  }
  std::string TempRegionDirectory(const TableName& name, const std::string& encoded) const {
    return JoinPath(TempTableDirectory(name), encoded);
  }
  std::string RegionDirectory(const TableName& name, const std::string& encoded) const {
    return JoinPath(TableDirectory(name), encoded);
  }
  std::string ArchivedRegionDirectory(const TableName& name, const std::string& encoded) const {
    return JoinPath(
        JoinPath(JoinPath(JoinPath(Archive(), "data"), name.name_space), name.qualifier), encoded);
  }

 private:
  const std::string root_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_DIRECTORY_ROOT_LAYOUT_H_
