// Where a server may read and write files that clients name: HFiles to load, backups, snapshots.
#ifndef BENNU_SRC_SERVER_HBASE_CLIENT_FOLDERS_H_
#define BENNU_SRC_SERVER_HBASE_CLIENT_FOLDERS_H_

#include <string>

#include "bennu/status.h"

namespace bennu::server::hbase {

// A value; thread-safe as long as it is not changed.
struct ClientFolders {
  // The property that names 'below', and what is done there: "read" or "written".
  std::string property;
  std::string verb;
  // An absolute path: only below it. Empty: anywhere if 'anywhere', else nowhere.
  std::string below;
  bool anywhere = false;

  // The path without "..", links resolved as far as it is there. InvalidArgument: it is not
  // absolute, or is not to be read or written; that does not tell whether it is there.
  Result<std::string> Check(const std::string& path) const;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_CLIENT_FOLDERS_H_
