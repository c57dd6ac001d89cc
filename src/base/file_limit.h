// How many files the process may have open.
#ifndef BENNU_SRC_BASE_FILE_LIMIT_H_
#define BENNU_SRC_BASE_FILE_LIMIT_H_

#include <cstdint>

namespace bennu {

// Raises the process's soft limit to its hard one, as Java's runtime does at its start; many
// systems begin with a soft limit of 1,024. Returns the limit that holds afterwards. Thread-safe.
uint64_t RaiseOpenFileLimit();

}  // namespace bennu

#endif  // BENNU_SRC_BASE_FILE_LIMIT_H_
