// Snapshots: what .hbase-snapshot says, and whether the files that it names are there.
#ifndef BENNU_SRC_CHECK_SNAPSHOT_CHECK_H_
#define BENNU_SRC_CHECK_SNAPSHOT_CHECK_H_

#include "bennu/status.h"
#include "src/check/check_run.h"

namespace bennu::check {

Status CheckSnapshots(CheckRun* run);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_SNAPSHOT_CHECK_H_
