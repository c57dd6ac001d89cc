// Cursors: queries whose rows are fetched statement by statement.
//
// DECLARE plans the query, OPEN runs it, FETCH NEXT n gives further rows, CLOSE forgets it. They
// belong to the connection and go with it. What is written after OPEN is not seen.
// Source: phoenix-sql.md section 2; recordings of select/.
#ifndef BENNU_SRC_SQL_SESSION_CURSORS_H_
#define BENNU_SRC_SQL_SESSION_CURSORS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/sql/exec/query.h"
#include "src/sql/types/value.h"

namespace bennu::sql::session {

class Cursors {
 public:
  // 'shown': the name as it was written, for messages. Errors of all, without a code: the name is
  // in use, is not declared, or its cursor is not open.
  Status Declare(const std::string& name, std::string_view shown,
                 std::unique_ptr<exec::PreparedQuery> query, std::vector<Value> params);
  // 'holds_rows': scans of the store see what is written meanwhile, so that all rows are read now.
  Status Open(const std::string& name, std::string_view shown, const exec::RunOptions& options,
              bool holds_rows);
  // Of what Fetch gives; none for a name that is not declared.
  std::vector<exec::ResultColumn> ColumnsOf(const std::string& name) const;
  // A name that is not declared is no error.
  void Close(const std::string& name) { cursors_.erase(name); }

  struct Rows {
    std::vector<exec::ResultColumn> columns;
    std::vector<std::vector<Value>> rows;
  };
  // Up to 'count' further rows.
  Result<Rows> Fetch(const std::string& name, std::string_view shown, int64_t count);

 private:
  struct Cursor {
    std::unique_ptr<exec::PreparedQuery> query;
    std::vector<Value> params;
    std::unique_ptr<exec::RowStream> rows;  // null until it is opened; goes before the query
    DataChunk chunk;
    size_t next_row = 0;  // of the chunk
    bool at_end = false;
  };

  Result<Cursor*> Find(const std::string& name, std::string_view shown);

  std::map<std::string, Cursor, std::less<>> cursors_;
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_CURSORS_H_
