// Bulk load as HBase's clients drive it: they ask for a staging directory, name HFiles for one
// region after another, and have the directory removed.
// Source: hbase-rpc spec section 5.7; SecureBulkLoadManager of HBase.
#ifndef BENNU_SRC_SERVER_HBASE_BULK_LOADS_H_
#define BENNU_SRC_SERVER_HBASE_BULK_LOADS_H_

#include <string>

#include "bennu/table.h"
#include "proto/client.pb.h"
#include "src/base/env.h"
#include "src/server/hbase/call.h"
#include "src/server/hbase/client_folders.h"
#include "src/server/hbase/regions.h"

namespace bennu::server::hbase {

// Thread-safe.
class BulkLoads {
 public:
  // 'env': that the store's files are in. 'root': the store's directory, an absolute path unless
  // it is in memory. 'sources': where files may lie.
  BulkLoads(Connection* store, Env* env, const std::string& root, ClientFolders sources);

  // A directory below the store's for the client's loads; *token is its name, which others do not
  // guess.
  CallError Prepare(std::string* token) const;
  // Takes the files into the table: moved unless the client wants to keep them.
  // DoNotRetryIOException: a path that is not of this machine, of the store itself, or not where
  // clients may have files read. Waits for the disk.
  CallError Load(const ServedRegion& region, const pb::BulkLoadHFileRequest& request) const;
  CallError Cleanup(const std::string& token) const;

 private:
  // DoNotRetryIOException: not a directory that Prepare gave out.
  CallError CheckToken(const std::string& token) const;
  // Clients that may name any path are not told what lies there: one answer whatever is wrong.
  // Where clients have a folder of their own, 'status' itself.
  Status Hide(const Status& status, const std::string& uri) const;
  // The path of an HFile that a client names. InvalidArgument: it may not be loaded.
  Result<std::string> SourceOf(const std::string& uri) const;

  Connection* const store_;
  Env* const env_;
  const std::string root_;
  const std::string staging_;
  const ClientFolders sources_;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_BULK_LOADS_H_
