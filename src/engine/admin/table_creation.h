// Makes a table: its directories below the root's .tmp, moved into place whole, then one write to
// hbase:meta, which decides. What a failure or death leaves before that is removed, here or at the
// next start.
#ifndef BENNU_SRC_ENGINE_ADMIN_TABLE_CREATION_H_
#define BENNU_SRC_ENGINE_ADMIN_TABLE_CREATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/engine/core/engine_core.h"

namespace bennu::engine {

// Puts files into the stores of region number 'region', whose directories are made and are not
// synced. Called from several threads.
using FillRegion = std::function<Status(size_t region, const std::string& directory)>;

// Directories of a region with these families, '.regioninfo' and what 'fill' (may be null) adds;
// durable. 'directory' must be missing.
Status MakeRegionDirectory(EngineCore* core, const TableDescriptor& descriptor,
                           const RegionInfo& info, const std::string& directory,
                           const std::function<Status(const std::string&)>& fill);

TableDescriptor WithSortedFamilies(TableDescriptor descriptor);

// The regions of a table that is cut before these keys. InvalidArgument: one is empty, or is given
// twice.
Result<std::vector<RegionInfo>> MakeRegionInfos(const TableName& name, std::vector<Bytes> keys,
                                                uint64_t region_id);

// With the catalog's lock. 'descriptor' is valid, its families sorted, and no such table is there.
// With 'fill', the regions are opened before the table is decided, so that files that cannot be
// read are told.
Status MakeTable(EngineCore* core, const TableDescriptor& descriptor,
                 const std::vector<RegionInfo>& infos, const FillRegion& fill)
    REQUIRES(core->ddl_mu);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_ADMIN_TABLE_CREATION_H_
