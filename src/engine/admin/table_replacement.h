// Puts new regions into the place of all that a table has: a restored snapshot's, or empty ones.
#ifndef BENNU_SRC_ENGINE_ADMIN_TABLE_REPLACEMENT_H_
#define BENNU_SRC_ENGINE_ADMIN_TABLE_REPLACEMENT_H_

#include <memory>
#include <span>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/engine/admin/table_creation.h"
#include "src/engine/core/engine_core.h"

namespace bennu::engine {

// One table and what it is to have.
struct TableReplacement {
  std::shared_ptr<TableEntry> table;  // disabled
  TableDescriptor descriptor;
  std::vector<RegionInfo> infos;
  bool enable = false;
};

// The regions 'infos', whose names must be new, are made beside the old ones and filled by 'fill'
// (null: they stay empty). One write to hbase:meta then decides; 'enable': of the table, which must
// be disabled, as well. The old regions go to the archive. Durable and all-or-nothing: after an
// error or a death before the decision the table is as it was, and what was made is removed, here
// or at the next start, which also completes what comes after (see restore_mark.h).
Status ReplaceRegionsOf(EngineCore* core, const std::shared_ptr<TableEntry>& table,
                        const TableDescriptor& descriptor, const std::vector<RegionInfo>& infos,
                        const FillRegion& fill, bool enable) REQUIRES(core->ddl_mu);

// Gives several tables empty regions, by one write to hbase:meta: all of them have their new
// regions then, or none has. The first one is enabled last, so that its writers, whose rows the
// others are derived from, find the others ready.
Status EmptyTables(EngineCore* core, std::span<const TableReplacement> tables)
    REQUIRES(core->ddl_mu);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_ADMIN_TABLE_REPLACEMENT_H_
