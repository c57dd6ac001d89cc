#include "src/server/console/statements.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/session/sql_store.h"

namespace bennu::server::console {

Result<Json> StatementsJson(front::SqlHost* host) {
  ASSIGN_OR_RETURN(sql::session::SqlStore* const sql, host->Sql());
  const int64_t now = host->connection()->NowMillis();
  Json list = Json::array();
  for (const sql::session::RunningStatement& running : sql->statements()->List("")) {
    Json json = {{"id", running.id},
                 {"text", running.text.substr(0, StatementLog::kTextBytesMax)},
                 {"start_ms", running.start_millis},
                 {"ms", now - running.start_millis},
                 {"rows_read", running.progress.rows_read},
                 {"rows_returned", running.progress.rows_returned},
                 {"parts", running.progress.morsels},
                 {"parts_done", running.progress.morsels_done},
                 {"memory_bytes", running.progress.memory_bytes}};
    if (!running.tenant.empty()) json["tenant"] = running.tenant;
    list.push_back(std::move(json));
  }
  return Json{{"now_ms", now}, {"statements", std::move(list)}};
}

Result<RowCounts> CountRows(front::SqlHost* host, const StatementLog& log) {
  ASSIGN_OR_RETURN(sql::session::SqlStore* const sql, host->Sql());
  RowCounts counts;
  for (const sql::session::RunningStatement& running : sql->statements()->List("")) {
    counts.read += running.progress.rows_read;
    counts.returned += running.progress.rows_returned;
  }
  counts.read += log.rows_read();
  counts.returned += log.rows_returned();
  return counts;
}

Json SlowJson(const StatementLog& log, Json calls) {
  Json statements = Json::array();
  for (const SlowStatement& slow : log.Slow()) {
    Json json = {{"text", slow.text},
                 {"start_ms", slow.start_millis},
                 {"ms", static_cast<double>(slow.nanos) / kNanosPerMilli},
                 {"rows_read", slow.rows_read},
                 {"rows_returned", slow.rows_returned}};
    if (!slow.tenant.empty()) json["tenant"] = slow.tenant;
    statements.push_back(std::move(json));
  }
  Json slow = {{"statement_ms_min", static_cast<double>(log.slow_nanos()) / kNanosPerMilli},
               {"statements", std::move(statements)}};
  if (!calls.is_null()) slow["calls"] = std::move(calls);
  return slow;
}

}  // namespace bennu::server::console
