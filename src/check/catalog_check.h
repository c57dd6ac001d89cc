// hbase:meta and hbase:namespace against the directories.
#ifndef BENNU_SRC_CHECK_CATALOG_CHECK_H_
#define BENNU_SRC_CHECK_CATALOG_CHECK_H_

#include <optional>
#include <set>
#include <string>

#include "bennu/status.h"
#include "src/check/check_run.h"
#include "src/check/table_check.h"
#include "src/engine/directory/meta_rows.h"

namespace bennu::check {

// What hbase:meta says, logs included. Nothing (and a fault) when it cannot be read before its own
// files are repaired.
Result<std::optional<engine::MetaContents>> ReadMetaOffline(CheckRun* run,
                                                            const Inventory& inventory);

// Whether a change that died left the table, which hbase:meta does not know: the next opening
// removes it.
bool IsLeftover(const engine::MetaContents& meta, const TableName& name, const TableOnDisk& table);

// Whether the directory is no table of the store's, and holds files that somebody else put there.
// 'meta' is null when hbase:meta cannot be read.
bool IsForeign(const engine::MetaContents* meta, const TableName& name, const TableOnDisk& table);

// Holes, overlaps, regions without directory, directories without region, leftovers of splits and
// merges, table states.
Status CheckMeta(CheckRun* run, const engine::MetaContents& meta, const Inventory& inventory);

// hbase:meta's own .regioninfo, which nothing here reads but HBase does.
void CheckMetaRegionInfo(CheckRun* run, const Inventory& inventory);

// Namespaces in hbase:namespace and as directories.
Status CheckNamespaces(CheckRun* run, const engine::MetaContents& meta, const Inventory& inventory);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_CATALOG_CHECK_H_
