// ClusterBulkLoad: HFiles of this machine into a table of a cluster whose servers see the same
// files, by their paths.
//
//   files read and checked → cut where they cross regions' borders → a staging directory is asked
//   for → region by region: the server takes all that is for it at once → the directory goes
//
// What a server does not take since its region has changed is dealt out again.
// Source: LoadIncrementalHFiles and SecureBulkLoadClient of HBase; hbase-rpc spec section 5.7.
#ifndef BENNU_SRC_CLIENT_BULK_LOAD_H_
#define BENNU_SRC_CLIENT_BULK_LOAD_H_

#include <map>
#include <string>
#include <vector>

#include "bennu/bulk_load.h"
#include "src/client/cluster.h"
#include "src/client/load_tools.h"

namespace bennu::client {

// For one load, by one thread. The cluster and the tools must outlive it.
class ClusterBulkLoad {
 public:
  ClusterBulkLoad(Cluster* cluster, LoadTools* tools, TableDescriptor table,
                  const BulkLoadOptions& options);
  // 'folder': an absolute path.
  Result<BulkLoadResult> Run(const std::string& folder);

 private:
  using Files = std::vector<FileToLoad>;
  using Groups = std::map<Bytes, Files>;  // by the region's first row

  Status CheckFamilies(const Files& files) const;
  Status Prepare(const RegionLocation& region);
  void CleanUp(const RegionLocation& region);
  Status LoadAll(Files files);
  // Deals out by the regions as they are now.
  Status DealOut(const TableRegions& regions, const Files& files, Groups* groups);
  // *again: the region is not what it was; its files are to be dealt out anew.
  Status LoadGroup(const RegionLocation& region, const Files& files, bool* again);
  void Report() const;

  Cluster* const cluster_;
  LoadTools* const tools_;
  const TableDescriptor table_;
  const BulkLoadOptions& options_;
  std::string folder_;
  std::string parts_;  // directory of files that were cut
  std::string token_;  // the staging directory
  BulkLoadProgress progress_;
  BulkLoadResult result_;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_BULK_LOAD_H_
