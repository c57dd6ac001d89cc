// How many files the process may have open.
#ifndef BENNU_SRC_BASE_FILE_LIMIT_H_
#define BENNU_SRC_BASE_FILE_LIMIT_H_

#include <cstdint>

#include "bennu/status.h"

namespace bennu {

// Raises the process's soft limit to its hard one, as Java's runtime does at its start; many
// systems begin with a soft limit of 1,024. Returns the limit that holds afterwards. Thread-safe.
uint64_t RaiseOpenFileLimit();

// Files that stay open to be read are not to take the last of what the process may have: an eighth
// of it, 128 at most, is for connections, and for the files that flushes and the log write.
// IoError: 'descriptor', which has just been opened for reading, is one of those; descriptors are
// given out from the lowest on. Thread-safe.
Status CheckOpenFiles(int descriptor);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_FILE_LIMIT_H_
