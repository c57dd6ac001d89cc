// Reads a file through a mapping of it instead of by system calls.
//
// For files that nobody changes any more, such as store files. The operating system keeps the bytes
// of a mapped file that was deleted, so one that a compaction removes stays readable. A file that
// got shorter, which only somebody else's hand does, is told as pread tells it: every read asks for
// the file's size first. What is left is a truncation at the very moment of a read, and a disk that
// fails: for both the system has only a signal (SIGBUS), which ends the process.
#ifndef BENNU_SRC_BASE_MAPPED_FILE_H_
#define BENNU_SRC_BASE_MAPPED_FILE_H_

#include <memory>
#include <string>

#include "bennu/status.h"
#include "src/base/env.h"

namespace bennu {

// As Env::OpenForRead. Without a mapping when the system gives none (an empty file, too many
// mappings), and with an Env that is not the operating system's, which has its own way to read.
Result<std::unique_ptr<RandomAccessFile>> OpenMapped(Env* env, const std::string& path);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_MAPPED_FILE_H_
