// Where a server may write what clients want of its store as a whole: backups, and snapshots.
#ifndef BENNU_SRC_SERVER_HBASE_OUTPUT_FOLDERS_H_
#define BENNU_SRC_SERVER_HBASE_OUTPUT_FOLDERS_H_

#include <string>

#include "bennu/status.h"

namespace bennu::server::hbase {

// A value; thread-safe as long as it is not changed.
struct OutputFolders {
  // An absolute path: only below it. Empty: anywhere, or nowhere.
  std::string below;
  // Whether all who can ask are users of this machine.
  bool clients_are_local = true;

  // The path without "..", links resolved as far as it is there. InvalidArgument: it is not
  // absolute, or may not be written.
  Result<std::string> Check(const std::string& target) const;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_OUTPUT_FOLDERS_H_
