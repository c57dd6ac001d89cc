#include "src/sql/session/cursors.h"

#include <fmt/format.h>

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/held_rows.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::session {

Status Cursors::Declare(const std::string& name, std::string_view shown,
                        std::unique_ptr<exec::PreparedQuery> query, std::vector<Value> params) {
  const auto [cursor, added] = cursors_.try_emplace(name);
  if (!added) {
    return MakeUncodedSqlError(
        fmt::format("Can't declare cursor {}, cursor identifier already in use.", shown));
  }
  cursor->second.query = std::move(query);
  cursor->second.params = std::move(params);
  return Status::Ok();
}

Result<Cursors::Cursor*> Cursors::Find(const std::string& name, std::string_view shown) {
  const auto found = cursors_.find(name);
  if (found == cursors_.end()) {
    return MakeUncodedSqlError(fmt::format("Cursor {} not declared.", shown));
  }
  return &found->second;
}

Status Cursors::Open(const std::string& name, std::string_view shown,
                     const exec::RunOptions& options, bool holds_rows) {
  ASSIGN_OR_RETURN(Cursor* const cursor, Find(name, shown));
  if (cursor->rows != nullptr) return Status::Ok();
  ASSIGN_OR_RETURN(auto rows, cursor->query->Open(cursor->params, options));
  if (holds_rows) {
    ASSIGN_OR_RETURN(rows, exec::HoldRows(std::move(rows), cursor->query->types(), options));
  }
  cursor->rows = std::move(rows);
  return Status::Ok();
}

std::vector<exec::ResultColumn> Cursors::ColumnsOf(const std::string& name) const {
  const auto found = cursors_.find(name);
  if (found == cursors_.end()) return {};
  return found->second.query->columns();
}

Result<Cursors::Rows> Cursors::Fetch(const std::string& name, std::string_view shown,
                                     int64_t count) {
  ASSIGN_OR_RETURN(Cursor* const cursor, Find(name, shown));
  if (cursor->rows == nullptr) {
    return MakeUncodedSqlError(fmt::format("Fetch call on closed cursor '{}'!", shown));
  }
  Rows result;
  result.columns = cursor->query->columns();
  while (static_cast<int64_t>(result.rows.size()) < count && !cursor->at_end) {
    if (cursor->next_row == cursor->chunk.size) {
      RETURN_IF_ERROR(cursor->rows->Next(&cursor->chunk));
      cursor->next_row = 0;
      cursor->at_end = cursor->chunk.size == 0;
      continue;
    }
    std::vector<Value> row;
    for (size_t i = 0; i < result.columns.size(); ++i) {
      row.push_back(cursor->chunk.columns[i].GetValue(cursor->next_row));
    }
    result.rows.push_back(std::move(row));
    ++cursor->next_row;
  }
  return result;
}

}  // namespace bennu::sql::session
