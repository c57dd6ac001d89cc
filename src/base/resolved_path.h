// What two paths that are written differently have to do with each other.
#ifndef BENNU_SRC_BASE_RESOLVED_PATH_H_
#define BENNU_SRC_BASE_RESOLVED_PATH_H_

#include <string>

#include "bennu/status.h"

namespace bennu {

// The absolute path without "." and "..", links followed as far as the path is there. IoError: a
// link leads round, or a directory may not be looked into.
Result<std::string> ResolvePath(const std::string& path);

// Whether 'path' is 'directory' or below it; both as ResolvePath gives them.
bool LiesIn(const std::string& directory, const std::string& path);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_RESOLVED_PATH_H_
