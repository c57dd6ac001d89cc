// The root directory's own files, and the archive.
#ifndef BENNU_SRC_CHECK_ROOT_CHECK_H_
#define BENNU_SRC_CHECK_ROOT_CHECK_H_

#include "bennu/status.h"
#include "src/check/check_run.h"

namespace bennu::check {

// hbase.version, hbase.id, .bennu.clock, leftovers, names that nobody knows.
Status CheckRootFiles(CheckRun* run);
// HFiles below archive/, which nothing but references reads.
Status CheckArchive(CheckRun* run);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_ROOT_CHECK_H_
