// The root directory's own files, and the write-ahead logs.
#ifndef BENNU_SRC_CHECK_ROOT_CHECK_H_
#define BENNU_SRC_CHECK_ROOT_CHECK_H_

#include <string>

#include "bennu/status.h"
#include "src/check/check_run.h"

namespace bennu::check {

// hbase.version, hbase.id, .bennu.clock, leftovers, names that nobody knows.
Status CheckRootFiles(CheckRun* run);
// WALs and oldWALs. Keeps what the logs hold of the catalog.
Status CheckLogs(CheckRun* run);
// One log, also one below recovered.edits. 'needed': it is read by the next opening.
Status CheckLog(CheckRun* run, const std::string& path, bool needed);
// HFiles below archive/, which nothing but references reads.
Status CheckArchive(CheckRun* run);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_ROOT_CHECK_H_
