// What the console shows of SQL: the statements that run, and the slow ones that have ended.
#ifndef BENNU_SRC_SERVER_CONSOLE_STATEMENTS_H_
#define BENNU_SRC_SERVER_CONSOLE_STATEMENTS_H_

#include <cstdint>

#include "bennu/status.h"
#include "src/bennu/sql_host.h"
#include "src/server/console/json.h"
#include "src/server/console/statement_log.h"

namespace bennu::server::console {

Result<Json> StatementsJson(front::SqlHost* host);
// Rows of the statements that have ended, and of those that run so far. One that ends meanwhile may
// be in it twice.
struct RowCounts {
  uint64_t read = 0;      // of tables
  uint64_t returned = 0;  // to whoever ran the statements
};
Result<RowCounts> CountRows(front::SqlHost* host, const StatementLog& log);
// 'calls': slow ones of HBase's clients; null: left out.
Json SlowJson(const StatementLog& log, Json calls);

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_STATEMENTS_H_
