// A file in a table's directory that a restore of a snapshot leaves while it goes on: the
// descriptor that comes, and the regions. hbase:meta decides which regions a table has; if it has
// the mark's, the restore happened, and the descriptor is the mark's as well. Otherwise it did not.
#ifndef BENNU_SRC_ENGINE_DIRECTORY_RESTORE_MARK_H_
#define BENNU_SRC_ENGINE_DIRECTORY_RESTORE_MARK_H_

#include <optional>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/directory/root_layout.h"

namespace bennu::engine {

// Where a mark is, if there is one.
std::string RestoreMarkPath(const RootLayout& layout, const TableName& table);
Status WriteRestoreMark(Env* env, const RootLayout& layout, const TableDescriptor& descriptor,
                        const std::vector<RegionInfo>& regions);
// It may be missing.
Status RemoveRestoreMark(Env* env, const RootLayout& layout, const TableName& table);
// The mark's descriptor when the table's regions are the mark's; nothing when there is no mark or
// the restore did not happen.
Result<std::optional<TableDescriptor>> ReadRestoreMark(Env* env, const RootLayout& layout,
                                                       const TableName& table,
                                                       const std::vector<RegionInfo>& regions);
// The steps that follow the decision: writes the descriptor, removes the mark.
Status FinishRestore(Env* env, const RootLayout& layout, const TableDescriptor& descriptor);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_DIRECTORY_RESTORE_MARK_H_
