// What an atomic write (Env::WriteFileAtomically) leaves when its process dies: "NAME.tmp-…".
#ifndef BENNU_SRC_BASE_TEMPORARY_FILES_H_
#define BENNU_SRC_BASE_TEMPORARY_FILES_H_

#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/base/env.h"

namespace bennu {

bool IsTemporaryName(std::string_view name);
// Removes those of the directory, which may be missing. For who has the directory alone: one that
// is being written would be lost.
Status RemoveTemporaries(Env* env, const std::string& directory);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_TEMPORARY_FILES_H_
