// SYSTEM.CATALOG against the tables that it describes.
#ifndef BENNU_SRC_CHECK_SQL_CHECK_H_
#define BENNU_SRC_CHECK_SQL_CHECK_H_

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/check/check_run.h"

namespace bennu::check {

// 'connection': the store, open to read. Definitions that do not parse, tables without an HBase
// table or without a family.
Status CheckSqlCatalog(CheckRun* run, Connection* connection);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_SQL_CHECK_H_
