#include "src/sql/catalog/removal.h"

#include <utility>

#include "bennu/admin.h"
#include "src/api/known_tables.h"
#include "src/api/store_tools.h"
#include "src/base/status_macros.h"

namespace bennu::sql::catalog {

Removal::Removal(Connection* connection)
    : connection_(connection), changes_(StoreTools::Changes(connection)) {}

void Removal::DropTable(const TableName& table) {
  if (changes_ != nullptr) {
    tables_.push_back(table);
    return;
  }
  Step step;
  step.table = table;
  step.drops = true;
  steps_.push_back(std::move(step));
}

MutationBatch* Removal::RowsOf(const TableName& table) {
  if (changes_ != nullptr) return &rows_[table];
  if (steps_.empty() || steps_.back().drops || steps_.back().table != table) {
    Step step;
    step.table = table;
    steps_.push_back(std::move(step));
  }
  return &steps_.back().rows;
}

Status Removal::Run() {
  if (changes_ != nullptr) return changes_->DropTables(tables_, rows_);
  for (Step& step : steps_) {
    if (step.drops) {
      const Status dropped = connection_->admin()->DropTable(step.table);
      if (!dropped.ok() && dropped.code() != StatusCode::kNotFound) return dropped;
    } else if (!step.rows.empty()) {
      ASSIGN_OR_RETURN(const auto table, api::OpenKnownTable(connection_, step.table));
      RETURN_IF_ERROR(table->Write(&step.rows));
    }
  }
  return Status::Ok();
}

}  // namespace bennu::sql::catalog
