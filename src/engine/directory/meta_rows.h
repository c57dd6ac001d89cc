// What stands in hbase:meta and hbase:namespace, and how (hbase-rpc spec section 4.2).
#ifndef BENNU_SRC_ENGINE_DIRECTORY_META_ROWS_H_
#define BENNU_SRC_ENGINE_DIRECTORY_META_ROWS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/descriptor.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/engine/region/region.h"

namespace bennu::engine {

TableName MetaTableName();
TableName NamespaceTableName();
RegionInfo MetaRegionInfo();
TableDescriptor MetaDescriptor();
TableDescriptor NamespaceDescriptorTable();

// The row of an open region. 'server_name': "host,port,startcode".
void PutRegionRow(MutationBatch* batch, const RegionInfo& info, const std::string& server_name,
                  uint64_t open_sequence_id);
// In the row of a region that is there: it is open nowhere, and is not to be.
void PutClosedRegion(MutationBatch* batch, const RegionInfo& info);
// The row of a region that comes with a disabled table.
void PutNewClosedRegion(MutationBatch* batch, const RegionInfo& info);
void DeleteRegionRow(MutationBatch* batch, const RegionInfo& info);
// Notes in the parent's row that it was split into 'low' and 'high'.
void PutSplitParent(MutationBatch* batch, const RegionInfo& parent, const RegionInfo& low,
                    const RegionInfo& high);
// Notes in the row of 'merged', which PutRegionRow began, what it was made of.
void PutMergeParents(MutationBatch* batch, const std::vector<RegionInfo>& parents);
void DeleteMergeParents(MutationBatch* batch, const RegionInfo& merged, size_t parent_count);
void PutTableState(MutationBatch* batch, const TableName& name, bool enabled);
void DeleteTableState(MutationBatch* batch, const TableName& name);
void PutNamespace(MutationBatch* batch, const NamespaceDescriptor& descriptor);
void DeleteNamespace(MutationBatch* batch, const std::string& name);

// Regions that a split or merge replaced, and that the catalog still knows because the new ones may
// refer to their files.
struct ReplacedRegions {
  bool merge = false;
  std::vector<RegionInfo> parents;   // one when split
  std::vector<RegionInfo> children;  // one when merged
};

struct MetaContents {
  // Tables with a state, and their regions that hold data, in key order.
  std::map<TableName, std::vector<RegionInfo>> tables;
  std::set<TableName> with_state;         // HBase takes a table without one for enabled
  std::set<TableName> disabled;           // those of them that are
  std::vector<ReplacedRegions> replaced;  // oldest first
  // Of which server each region was last opened by. Changes when another program opens them; never
  // 0, and fits a positive long.
  uint64_t fingerprint = 1;
  // "host,port,startcode" of each server that is named for a region.
  std::set<std::string> servers;
};
// A cell of hbase:meta that cannot be what it stands for.
struct BadMetaCell {
  Bytes row;
  Bytes family;
  Bytes qualifier;
  int64_t timestamp = 0;
  std::string problem;
};
// Corruption names the cell. With 'bad' such cells are added there and left out instead.
Result<MetaContents> ReadMeta(const std::shared_ptr<Region>& meta, uint64_t read_point,
                              int64_t now_millis, std::vector<BadMetaCell>* bad = nullptr);
// Of what a user writes to a table of the catalog: InvalidArgument when the next opening could not
// read it. Other tables' batches are fine.
Status CheckCatalogBatch(const TableName& table, const MutationBatch& batch);
Result<std::vector<std::string>> ReadNamespaces(const std::shared_ptr<Region>& region,
                                                uint64_t read_point, int64_t now_millis);
// NotFound. Corruption: the row is not a namespace's.
Result<NamespaceDescriptor> ReadNamespace(const std::shared_ptr<Region>& region,
                                          uint64_t read_point, int64_t now_millis,
                                          const std::string& name);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_DIRECTORY_META_ROWS_H_
