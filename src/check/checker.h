// Checks a store that nobody has open, and repairs it: `bennu check`.
//
//   ASSIGN_OR_RETURN(const Report report, CheckStore(env, "/data/store", {}));
//   for (const Finding& finding : report.findings) …
//
// Takes the directory's lock while it works. Changes nothing unless asked to repair.
#ifndef BENNU_SRC_CHECK_CHECKER_H_
#define BENNU_SRC_CHECK_CHECKER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/check/finding.h"
#include "src/check/repair.h"

namespace bennu::check {

struct CheckOptions {
  bool repair = false;
  // SYSTEM.CATALOG too, once the store is sound enough to be opened (to read).
  bool sql_catalog = true;
  // Called behind the check of SYSTEM.CATALOG, if there is no fault, with the store open to read.
  // It calls 'tell' for each index that differs from its table, with a path below the store's
  // directory and what is wrong; may be empty. (This folder knows no more of SQL than the catalog.)
  std::function<Status(Connection* connection,
                       const std::function<void(std::string path, std::string what)>& tell)>
      compare_indexes;
  // Called after each file, with the totals so far; may be empty.
  std::function<void(uint64_t files, uint64_t bytes)> progress;
};

struct Report {
  std::vector<Finding> findings;  // in the order of the checks; after a repair: of all rounds
  std::vector<RepairAction> actions;
  std::vector<Finding> remaining;  // after the repair; without one the same as findings
  uint64_t files = 0;              // of the last round
  uint64_t bytes = 0;

  uint64_t faults() const;    // remaining
  uint64_t warnings() const;  // remaining
};

// Held: another process has the directory (the message names its pid). NotFound: there is none.
// FailedPrecondition: it is no store. IoError: the disk. Damage is a finding, not an error.
Result<Report> CheckStore(Env* env, const std::string& directory, const CheckOptions& options);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_CHECKER_H_
