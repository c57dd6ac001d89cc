// What stands in hbase:meta and hbase:namespace, and how (hbase-rpc spec section 4.2).
#ifndef BENNU_SRC_ENGINE_META_ROWS_H_
#define BENNU_SRC_ENGINE_META_ROWS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

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
void DeleteRegionRow(MutationBatch* batch, const RegionInfo& info);
void PutTableState(MutationBatch* batch, const TableName& name, bool enabled);
void DeleteTableState(MutationBatch* batch, const TableName& name);
void PutNamespace(MutationBatch* batch, const std::string& name);
void DeleteNamespace(MutationBatch* batch, const std::string& name);

struct MetaContents {
  // Tables with a state, and their regions that hold data, in key order.
  std::map<TableName, std::vector<RegionInfo>> tables;
  std::set<TableName> disabled;  // those of them that are
};
Result<MetaContents> ReadMeta(const std::shared_ptr<Region>& meta, uint64_t read_point,
                              int64_t now_millis);
Result<std::vector<std::string>> ReadNamespaces(const std::shared_ptr<Region>& region,
                                                uint64_t read_point, int64_t now_millis);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_META_ROWS_H_
