// The root directory itself: taking it, making it, and the small files in it.
//
// A new root is made in this order, hbase.version last, so that a directory that has it is
// complete; one that has our lock file and no version is a creation that died, and is completed.
#ifndef BENNU_SRC_ENGINE_DIRECTORY_ROOT_DIRECTORY_H_
#define BENNU_SRC_ENGINE_DIRECTORY_ROOT_DIRECTORY_H_

#include <memory>
#include <string>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/directory/root_layout.h"

namespace bennu::engine {

// Takes the directory for this process, making it a store if it is missing or empty. Errors: see
// OpenStore.
Result<std::unique_ptr<DirectoryLock>> TakeRoot(Env* env, const RootLayout& layout,
                                                bool create_if_missing);
// Checks that the directory is a store that this program reads; changes nothing.
Status CheckRoot(Env* env, const RootLayout& layout);

// ---- hbase.id and hbase.version

// NotFound; Corruption: the file holds no id.
Result<std::string> ReadClusterId(Env* env, const RootLayout& layout);
Status WriteClusterId(Env* env, const RootLayout& layout);  // a new one
Status WriteVersion(Env* env, const RootLayout& layout);    // the one that this program reads

// ---- table and region descriptors in their directories

// The newest .tableinfo. NotFound: there is none; Corruption: names the file.
Result<TableDescriptor> ReadTableInfo(Env* env, const std::string& table_directory);
// Writes the next .tableinfo, then removes older ones.
Status WriteTableInfo(Env* env, const std::string& table_directory,
                      const TableDescriptor& descriptor);
Status WriteRegionInfo(Env* env, const std::string& region_directory, const RegionInfo& info);

// ---- notes for the next start

// In .bennu.clock, as decimal numbers with a checksum behind. With all three, regions need not be
// opened to learn which ids were used. An earlier Bennu writes the time alone, and HBase leaves a
// catalog of another fingerprint; then every region is looked at.
struct StoreNotes {
  int64_t clock_millis = 0;  // no later time was handed out
  // No store file holds a later sequence id. 0: unknown.
  uint64_t sequence_id = 0;
  uint64_t catalog_fingerprint = 0;  // of hbase:meta (MetaContents) when this was written
};

// Zeros where unknown: there are no notes, they are damaged, or an earlier Bennu's.
Result<StoreNotes> ReadNotes(Env* env, const RootLayout& layout);
// Corruption: the notes are damaged. Missing ones are fine.
Status CheckNotes(Env* env, const RootLayout& layout);
Status WriteNotes(Env* env, const RootLayout& layout, const StoreNotes& notes);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_DIRECTORY_ROOT_DIRECTORY_H_
