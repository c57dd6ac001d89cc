// What the console shows of SQL: the statements that run, and the slow ones that have ended.
#ifndef BENNU_SRC_SERVER_CONSOLE_STATEMENTS_H_
#define BENNU_SRC_SERVER_CONSOLE_STATEMENTS_H_

#include "bennu/status.h"
#include "src/bennu/sql_host.h"
#include "src/server/console/json.h"
#include "src/server/console/statement_log.h"

namespace bennu::server::console {

Result<Json> StatementsJson(front::SqlHost* host);
// 'calls': slow ones of HBase's clients; null: left out.
Json SlowJson(const StatementLog& log, Json calls);

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_STATEMENTS_H_
