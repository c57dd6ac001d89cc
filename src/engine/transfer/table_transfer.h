// Export of a table to a folder of HFiles, and what an import needs to make the table again
// (docs/bulk-load.md).
#ifndef BENNU_SRC_ENGINE_TRANSFER_TABLE_TRANSFER_H_
#define BENNU_SRC_ENGINE_TRANSFER_TABLE_TRANSFER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bennu/bulk_load.h"
#include "bennu/status.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/transfer/load_files.h"

namespace bennu::engine {

// See Admin::ExportTable. After an error the folder is as it was before.
Result<ExportResult> ExportTable(EngineCore* core, const std::shared_ptr<TableEntry>& table,
                                 const std::string& folder, const ExportOptions& options);

// What to make of a folder: its .tabledesc, else families of the folder's names, with the encoding,
// compression and bloom filter of their first file. 'name' wins over the one that is written there.
// InvalidArgument: there is no name at all.
Result<TableDescriptor> DescribeFolder(Env* env, const std::string& folder,
                                       const std::optional<TableName>& name,
                                       const std::vector<LoadFile>& files);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_TRANSFER_TABLE_TRANSFER_H_
