// Copies of files that do not change any more.
#ifndef BENNU_SRC_ENGINE_DIRECTORY_FILE_COPY_H_
#define BENNU_SRC_ENGINE_DIRECTORY_FILE_COPY_H_

#include <cstdint>
#include <span>
#include <string>

#include "bennu/status.h"
#include "src/base/env.h"

namespace bennu::engine {

// Makes 'to', which must not exist, the file that stands at the first of 'places' that has one: by
// a hard link where it can be, else by a copy, which is synced. The directory is left to the
// caller. NotFound: it is at none of them.
Status ShareOrCopyFile(Env* env, std::span<const std::string> places, const std::string& to);

// Copies the first 'size' bytes, and syncs them.
Status CopyFile(Env* env, const std::string& from, const std::string& to, uint64_t size);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_DIRECTORY_FILE_COPY_H_
