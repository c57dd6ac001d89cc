// Bulk load as HBase's clients drive it: they ask for a staging directory, name HFiles for one
// region after another, and have the directory removed.
// Source: hbase-rpc spec section 5.7; SecureBulkLoadManager of HBase.
#ifndef BENNU_SRC_SERVER_HBASE_BULK_LOADS_H_
#define BENNU_SRC_SERVER_HBASE_BULK_LOADS_H_

#include <string>

#include "bennu/table.h"
#include "proto/client.pb.h"
#include "src/server/hbase/call.h"
#include "src/server/hbase/regions.h"

namespace bennu::server::hbase {

// Thread-safe.
class BulkLoads {
 public:
  // 'root': the store's directory, an absolute path.
  BulkLoads(Connection* store, const std::string& root);

  CallError Prepare(const pb::PrepareBulkLoadRequest& request, const std::string& user,
                    std::string* token) const;
  // Takes the files into the table: moved unless the client wants to keep them.
  // DoNotRetryIOException: a path that is not of this machine. Waits for the disk.
  CallError Load(const ServedRegion& region, const pb::BulkLoadHFileRequest& request) const;
  CallError Cleanup(const std::string& token) const;

 private:
  // DoNotRetryIOException: not a directory that Prepare gave out.
  CallError CheckToken(const std::string& token) const;
  std::string NewDirectory(const std::string& parent, const std::string& prefix) const;

  Connection* const store_;
  const std::string staging_;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_BULK_LOADS_H_
