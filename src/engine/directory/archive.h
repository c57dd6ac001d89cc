// Puts what leaves the data directory into the archive: tables that are dropped, regions that were
// replaced, families that were removed. Every step may be repeated after a death.
// Source: HBase's HFileArchiver.
#ifndef BENNU_SRC_ENGINE_DIRECTORY_ARCHIVE_H_
#define BENNU_SRC_ENGINE_DIRECTORY_ARCHIVE_H_

#include <string>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/directory/root_layout.h"

namespace bennu::engine {

// Each moves the HFiles to the archive and removes the rest of the directory, which may be missing.
Status ArchiveFamily(Env* env, const RootLayout& layout, const TableName& table,
                     const std::string& encoded_region, const std::string& family);
Status ArchiveRegion(Env* env, const RootLayout& layout, const TableName& table,
                     const std::string& encoded_region);
Status ArchiveTable(Env* env, const RootLayout& layout, const TableName& table);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_DIRECTORY_ARCHIVE_H_
