// Puts new regions into the place of all that a table has: a restored snapshot's, or empty ones.
#ifndef BENNU_SRC_ENGINE_ADMIN_TABLE_REPLACEMENT_H_
#define BENNU_SRC_ENGINE_ADMIN_TABLE_REPLACEMENT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/engine/admin/table_creation.h"
#include "src/engine/core/engine_core.h"

namespace bennu::engine {

// One table and what it is to have.
struct TableReplacement {
  std::shared_ptr<TableEntry> table;
  TableDescriptor descriptor;
  std::vector<RegionInfo> infos;  // of new names
  bool enable = false;
  FillRegion fill;  // null: the new regions stay empty
};

// New regions that hold nothing: one for the whole table, or as many as it has, between the same
// keys.
Result<std::vector<RegionInfo>> NewRegionsOf(EngineCore* core, const TableEntry& table,
                                             bool preserve_splits) REQUIRES(core->ddl_mu);

// Adds the tables 'names' to 'tables', with empty regions between the same keys. Each of them is to
// be enabled if it is enabled now. Names of no table are left out.
Status AddEmptied(EngineCore* core, const std::vector<TableName>& names,
                  std::vector<TableReplacement>* tables) REQUIRES(core->ddl_mu);

enum class Replacing : uint8_t { kRestore, kTruncate };  // which failpoints are met

// New regions are made beside the old ones and filled. One write to hbase:meta then decides: all
// tables have theirs, and are enabled or not, or none has. The old regions go to the archive.
// Durable: after an error or a death before the decision the tables are as they were, and what was
// made is removed, here or at the next start, which also completes what comes after (see
// restore_mark.h). Tables that are in use are at rest meanwhile; a death leaves them enabled. The
// first one is enabled last, so that its writers find the others ready, which are derived from it.
Status ReplaceTables(EngineCore* core, const std::vector<TableReplacement>& tables,
                     Replacing replacing) REQUIRES(core->ddl_mu);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_ADMIN_TABLE_REPLACEMENT_H_
