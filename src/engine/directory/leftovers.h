// What a directory holds that hbase:meta does not know: the remains of a change that died, which an
// opening removes, or something that has to stay, which are store files and whatever a user put
// there. Only names that the store itself gives count as remains. The functions change nothing.
#ifndef BENNU_SRC_ENGINE_DIRECTORY_LEFTOVERS_H_
#define BENNU_SRC_ENGINE_DIRECTORY_LEFTOVERS_H_

#include <string>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/directory/root_layout.h"

namespace bennu::engine {

// Whether the directory of a table that hbase:meta does not know has to stay. With the mark of a
// removal or a clone that died it need not: the mark explains all that is there.
Result<bool> HoldsTableData(Env* env, const RootLayout& layout, const TableName& table);

// Whether a table's directory holds a file that is neither the store's own nor in the place of a
// store file.
Result<bool> HoldsForeignFiles(Env* env, const RootLayout& layout, const TableName& table);

// The same of a region's directory.
Result<bool> RegionHoldsForeignFiles(Env* env, const std::string& region);

// Whether a region's directory that a change of regions may have left holds nothing of its own:
// references and links alone, whose data is elsewhere.
Result<bool> HoldsOnlyReferences(Env* env, const std::string& region);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_DIRECTORY_LEFTOVERS_H_
