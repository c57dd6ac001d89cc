// The write-ahead logs.
#ifndef BENNU_SRC_CHECK_LOG_CHECK_H_
#define BENNU_SRC_CHECK_LOG_CHECK_H_

#include <string>

#include "bennu/status.h"
#include "src/check/check_run.h"

namespace bennu::check {

// WALs and oldWALs. Keeps what the logs hold of the catalog.
Status CheckLogs(CheckRun* run);
// One below recovered.edits.
Status CheckRecoveredLog(CheckRun* run, const std::string& path);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_LOG_CHECK_H_
