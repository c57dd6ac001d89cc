// Does what findings propose.
#ifndef BENNU_SRC_CHECK_REPAIR_H_
#define BENNU_SRC_CHECK_REPAIR_H_

#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/check/check_run.h"
#include "src/check/table_check.h"

namespace bennu::check {

// Something that a repair did, or could not save.
struct RepairAction {
  std::string path;  // relative to the root
  std::string what;
  bool is_loss = false;
};

// Repairs the findings of 'run' that can be repaired. Each repair is done once, however many
// findings propose it. A fault below means that the directory is as it was before that repair.
// Rows of hbase:meta are written last, and only when 'meta_is_readable'.
Status RepairFindings(const CheckRun& run, const Inventory& inventory, bool meta_is_readable,
                      std::vector<RepairAction>* actions);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_REPAIR_H_
