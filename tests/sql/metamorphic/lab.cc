#include "tests/sql/metamorphic/lab.h"

#include <utility>

#include "bennu/admin.h"
#include "src/base/status_macros.h"

namespace bennu::sql::testing {

Result<std::unique_ptr<Lab>> Lab::Open(const std::string& path) {
  auto lab = std::make_unique<Lab>();
  DatabaseOptions options;
  options.write_sync = WriteSync::kOs;
  options.threads = 2;
  options.background_compaction = false;
  options.memory_bytes = 192 << 20;
  ASSIGN_OR_RETURN(lab->database_, Database::Open(path, options));
  ASSIGN_OR_RETURN(lab->connection_, lab->database_->Connect());
  return lab;
}

Status Lab::Run(const std::string& sql) {
  RETURN_IF_ERROR(connection_->Execute(sql).status());
  script_ += sql + ";\n";
  return Status::Ok();
}

Result<Rows> Lab::Ask(const std::string& sql) {
  ASSIGN_OR_RETURN(const std::unique_ptr<ResultSet> result, connection_->Execute(sql));
  Rows rows;
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, result->Next());
    if (!more) return rows;
    std::string row;
    for (size_t i = 0; i < result->columns().size(); ++i) {
      if (i > 0) row += '\t';
      row += result->GetText(i);
    }
    rows.push_back(std::move(row));
  }
}

Status Lab::Split(const TableName& name, Choices* choices) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, database_->store()->OpenTable(name));
  if (table->regions().size() > 5) return Status::Ok();
  ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, table->OpenScanner(Scan()));
  std::vector<Bytes> keys;
  CellBatch batch;
  for (;;) {
    RETURN_IF_ERROR(scanner->Next(1000, &batch));
    if (batch.row_count() == 0) break;
    for (const Cell& cell : batch.cells) {
      if (keys.empty() || keys.back() != cell.row()) keys.emplace_back(cell.row());
    }
  }
  if (keys.size() < 3) return Status::Ok();
  Bytes border = keys[1 + choices->Below(keys.size() - 1)];
  const uint64_t place = choices->Below(3);  // at the row, right behind it, in front of it
  if (place == 1) border.push_back('\0');
  if (place == 2 && border.size() > 1) border.pop_back();
  for (const RegionInfo& region : table->regions()) {
    if (region.start_key == border) return Status::Ok();
  }
  return database_->store()->admin()->SplitTable(name, border);
}

Status Lab::Disturb(const std::string& table, Choices* choices) {
  const TableName name{"default", table};
  Admin* const admin = database_->store()->admin();
  switch (choices->Below(4)) {
    case 0: script_ += "-- flush " + table + "\n"; return admin->Flush(name);
    case 1: script_ += "-- split " + table + "\n"; return Split(name, choices);
    case 2: script_ += "-- compact " + table + "\n"; return admin->Compact(name, false);
    default: script_ += "-- major_compact " + table + "\n"; return admin->Compact(name, true);
  }
}

}  // namespace bennu::sql::testing
