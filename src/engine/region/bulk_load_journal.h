// The journal of a bulk load into one region: what makes the files of several families one.
//
// Files appear in a store by being in its directory, and there is no rename of several at once. So
// they are first written down, with the places where they lie, in the region's ".bulkload"; that
// decides the load. Then they are moved, and the journal goes. Whoever opens the region and finds a
// journal moves what is not moved yet.
//
//   bennu bulk load 1
//   NAME <tab> SIZE <tab> FAMILY <tab> SOURCE
//   end CRC32C
//
// NAME is what the file is called in the store, SOURCE the path where it lay, absolute or below the
// region's directory. The checksum is of
// all bytes before its line, as 8 hex digits.
#ifndef BENNU_SRC_ENGINE_REGION_BULK_LOAD_JOURNAL_H_
#define BENNU_SRC_ENGINE_REGION_BULK_LOAD_JOURNAL_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/base/env.h"

namespace bennu::engine {

// In the region's directory. HBase leaves names with a leading dot alone.
inline constexpr std::string_view kBulkLoadJournalName = ".bulkload";

// Below it, too: where files that are no one else's are put before. Emptied when the region is
// opened.
inline constexpr std::string_view kBulkLoadStaging = ".tmp/bulkload";

struct BulkLoadFile {
  Bytes family;
  std::string source;  // path, absolute or below the region's directory
  std::string name;    // in the store
  uint64_t size_bytes = 0;
};

// Whether a path can be written down.
bool CanBeJournalled(const std::string& path);

// Decides the load: durable, whole or not at all. InvalidArgument: a path that cannot be written
// down.
Status WriteBulkLoadJournal(Env* env, const std::string& region_directory,
                            const std::vector<BulkLoadFile>& files);
// Nothing when there is none. Corruption: damaged.
Result<std::optional<std::vector<BulkLoadFile>>> ReadBulkLoadJournal(
    Env* env, const std::string& region_directory);
Status RemoveBulkLoadJournal(Env* env, const std::string& region_directory);

// Moves the file into its store. The directories are left to be synced.
Status MoveLoadedFile(Env* env, const std::string& region_directory, const BulkLoadFile& file);
// The way back, for a file that was moved.
Status ReturnLoadedFile(Env* env, const std::string& region_directory, const BulkLoadFile& file);
// Syncs those that the moves changed, of the stores and of the sources.
Status SyncLoadedDirectories(Env* env, const std::string& region_directory,
                             const std::vector<BulkLoadFile>& files);

// Those that are neither where they were nor in the store.
Result<std::vector<BulkLoadFile>> MissingLoadedFiles(Env* env, const std::string& region_directory,
                                                     const std::vector<BulkLoadFile>& files);

// Does what a journal asks for, if there is one. Corruption: a file is neither here nor there.
Status CompleteBulkLoad(Env* env, const std::string& region_directory);
// The files that one asks for: none of them counts until all do. For who may not complete it.
Result<std::set<std::string>> UnfinishedBulkLoad(Env* env, const std::string& region_directory);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_BULK_LOAD_JOURNAL_H_
