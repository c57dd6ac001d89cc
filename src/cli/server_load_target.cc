#include "src/cli/server_load_target.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/cli/exit_code.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/vector.h"

namespace bennu::cli {

namespace {

using sql::Value;
using thin_client::ThinConnection;
using thin_client::ThinResult;
using thin_client::ThinStatement;

std::string Quoted(std::string_view text, char mark) {
  std::string quoted(1, mark);
  for (const char c : text) {
    quoted += c;
    if (c == mark) quoted += c;
  }
  return quoted + mark;
}

class ServerLoadTarget final : public LoadTarget {
 public:
  explicit ServerLoadTarget(std::unique_ptr<ThinConnection> connection)
      : connection_(std::move(connection)) {}

  Result<LoadTable> FindTable(const std::string& text) override {
    const SqlName names[] = {ParseSqlName(text), ParseExactName(text)};
    Status missing;
    for (const SqlName& name : names) {
      Result<LoadTable> table = Describe(name);
      if (table.ok() || !sql::IsSqlError(table.status(), 1012)) return table;
      if (missing.ok()) missing = table.status();
    }
    return missing;
  }

  Status Prepare(const std::string& upsert) override {
    upsert_ = upsert;
    ASSIGN_OR_RETURN(statement_, connection_->Prepare(upsert_));
    return Status();
  }

  Status Add(std::span<const Value> values) override {
    rows_.emplace_back(values.begin(), values.end());
    return Status();
  }

  Status Commit(const std::function<Status(const RowFault&)>& refuse, size_t* rows) override {
    *rows = 0;
    if (rows_.empty()) return Status();
    const std::vector<std::vector<Value>> batch = std::exchange(rows_, {});
    const Status whole = statement_->ExecuteBatch(batch);
    if (whole.ok()) {
      *rows = batch.size();
      return whole;
    }
    if (ExitCodeOf(whole) == kExitStore) return whole;
    // A server takes a batch as one or leaves the rows behind the bad one out; an UPSERT may be
    // done again. Each row by itself tells which is meant. Phoenix's server still has the batch on
    // the statement, which refuses single rows from then on.
    ASSIGN_OR_RETURN(statement_, connection_->Prepare(upsert_));
    for (size_t i = 0; i < batch.size(); ++i) {
      const Status one = statement_->Execute(batch[i]).status();
      if (one.ok()) {
        ++*rows;
        continue;
      }
      if (ExitCodeOf(one) == kExitStore) return one;
      RETURN_IF_ERROR(refuse({i, one}));
    }
    return Status();
  }

  bool refuses_late() const override { return true; }

 private:
  // The columns by their names and types, as a query sees them, with the families that the catalog
  // has for them; it has none for a view's columns that are those of its table.
  Result<LoadTable> Describe(const SqlName& name) {
    LoadTable table;
    table.schema = name.schema;
    table.name = name.name;
    const std::string from =
        (name.schema.empty() ? "" : Quoted(name.schema, '"') + ".") + Quoted(name.name, '"');
    ASSIGN_OR_RETURN(const auto query, connection_->Prepare("SELECT * FROM " + from));
    ASSIGN_OR_RETURN(auto families, Families(name));
    for (const sql::exec::ResultColumn& column : query->columns()) {
      std::vector<std::string>& known = families[column.label];
      std::string family;
      if (!known.empty()) {
        family = known.front();
        known.erase(known.begin());
      }
      table.columns.push_back({std::move(family), column.label, column.type});
    }
    return table;
  }

  // Of each name, in the order of the columns.
  Result<std::map<std::string, std::vector<std::string>>> Families(const SqlName& name) {
    const std::string schema = name.schema.empty() ? "IS NULL" : "= " + Quoted(name.schema, '\'');
    ASSIGN_OR_RETURN(
        ThinResult result,
        connection_->Execute(fmt::format(
            "SELECT COLUMN_NAME, COLUMN_FAMILY FROM SYSTEM.CATALOG WHERE TABLE_SCHEM {} AND "
            "TABLE_NAME = {} AND COLUMN_NAME IS NOT NULL ORDER BY ORDINAL_POSITION",
            schema, Quoted(name.name, '\''))));
    std::map<std::string, std::vector<std::string>> families;
    sql::DataChunk chunk;
    while (true) {
      RETURN_IF_ERROR(result.rows->Next(&chunk));
      if (chunk.size == 0) return families;
      for (size_t row = 0; row < chunk.size; ++row) {
        const Value column = chunk.columns[0].GetValue(row);
        const Value family = chunk.columns[1].GetValue(row);
        families[column.bytes()].push_back(family.is_null() ? "" : family.bytes());
      }
    }
  }

  const std::unique_ptr<ThinConnection> connection_;
  std::string upsert_;
  std::unique_ptr<ThinStatement> statement_;
  std::vector<std::vector<Value>> rows_;  // since the last commit
};

}  // namespace

Result<std::unique_ptr<LoadTarget>> ConnectLoadTarget(const thin_client::ThinOptions& options) {
  ASSIGN_OR_RETURN(auto connection, ThinConnection::Open(options));
  return std::unique_ptr<LoadTarget>(std::make_unique<ServerLoadTarget>(std::move(connection)));
}

}  // namespace bennu::cli
