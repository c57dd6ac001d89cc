// Moves store files to the archive, where readers, links and snapshots still find them
// (HBase's HFileArchiver).
#ifndef BENNU_SRC_ENGINE_STORE_ARCHIVE_FILE_H_
#define BENNU_SRC_ENGINE_STORE_ARCHIVE_FILE_H_

#include <string>

#include "bennu/status.h"
#include "src/base/env.h"

namespace bennu::engine {

// Moves the file from its store to the same store's place in the archive, which is created when
// missing. A file of that name that is there gets ".<milliseconds>" after its name, as in HBase.
// Durable but for the file's disappearance from the store, whose sync is left to the caller.
// NotFound: there is no such file.
Status MoveToArchive(Env* env, const std::string& store_directory,
                     const std::string& archive_directory, const std::string& name);

// The same with every HFile of a store; links and references are left.
Status MoveStoreToArchive(Env* env, const std::string& store_directory,
                          const std::string& archive_directory);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_ARCHIVE_FILE_H_
