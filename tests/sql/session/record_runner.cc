#include "tests/sql/session/record_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/sql/parse/parser.h"
#include "src/sql/types/text.h"

namespace bennu::sql::session {
namespace {

using testing::BindValue;
using testing::RecordKind;
using testing::TestRecord;

constexpr char kNoPlanner[] = "no planner in this test";

RecordResult Failed(std::string difference) {
  return RecordResult{Outcome::kFailed, std::move(difference)};
}

Result<Value> ToValue(const BindValue& bind) {
  const auto id = TypeByName(bind.type);
  if (bind.is_array || !id.has_value()) return NotSupported("bind of type " + bind.type);
  const DataType type{*id};
  if (bind.is_null) return Value::Null(type);
  if (PhysicalTypeOf(*id) == PhysicalType::kBytes) return Value::String(type, bind.text);
  return ParseValue(bind.text, type);
}

std::string TypeText(CellType type) {
  switch (type) {
    case CellType::kPut: return "Put";
    case CellType::kDelete: return "Delete";
    case CellType::kDeleteColumn: return "DeleteColumn";
    case CellType::kDeleteFamily: return "DeleteFamily";
    case CellType::kDeleteFamilyVersion: return "DeleteFamilyVersion";
    default: return "?";
  }
}

std::string CellText(const Cell& cell, bool with_timestamp) {
  return fmt::format("{} {}:{} {} {} {}", HexEncode(cell.row()), HexEncode(cell.family()),
                     HexEncode(cell.qualifier()),
                     with_timestamp ? std::to_string(cell.timestamp()) : "*", TypeText(cell.type()),
                     cell.value_length == 0 ? "-" : HexEncode(cell.value_view()));
}

std::string Difference(const std::vector<std::string>& expected,
                       const std::vector<std::string>& actual) {
  std::string text;
  for (size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
    const std::string left = i < expected.size() ? expected[i] : "(nothing)";
    const std::string right = i < actual.size() ? actual[i] : "(nothing)";
    if (left != right) text += "\n  expected " + left + "\n  found    " + right;
  }
  return text;
}

// The table that a statement would have changed.
std::string ChangedTable(const std::string& sql) {
  const auto statement = parse::ParseStatement(sql);
  if (!statement.ok()) return "";
  if (const auto* upsert = std::get_if<parse::Upsert>(&statement->node)) {
    return upsert->table.ToString();
  }
  if (const auto* remove = std::get_if<parse::Delete>(&statement->node)) {
    return remove->table.ToString();
  }
  if (const auto* create = std::get_if<parse::CreateTable>(&statement->node)) {
    return create->name.ToString();
  }
  return "";
}

}  // namespace

RecordRunner::RecordRunner(PrepareQueryFunction planner) : has_planner_(planner != nullptr) {
  if (!has_planner_) {
    planner = [](const parse::Select&, const exec::PrepareContext&) {
      return Result<std::unique_ptr<exec::PreparedQuery>>(NotSupported(kNoPlanner));
    };
  }
  sql_ = SqlStore::Open(&store_, std::move(planner)).value();
  sessions_["main"] = Session::Open(sql_.get(), {}).value();
  current_ = sessions_["main"].get();
}

bool RecordRunner::NeedsPlanner(const Status& status) const {
  return !has_planner_ && status.code() == StatusCode::kNotSupported &&
         status.message() == kNoPlanner;
}

RecordResult RecordRunner::Run(const TestRecord& record) {
  // As the recorder did: statements do not share a millisecond.
  Env::Default()->SleepMicros(1100);
  switch (record.kind) {
    case RecordKind::kStatement: return RunStatement(record);
    case RecordKind::kQuery:
      return has_planner_ ? RunQuery(record) : RecordResult{Outcome::kSkipped, ""};
    case RecordKind::kConnection: return Judge(record, OpenConnection(record));
    case RecordKind::kAutocommit: return Judge(record, current_->SetAutocommit(record.on));
    case RecordKind::kCommit: return Judge(record, current_->Commit());
    case RecordKind::kRollback: return Judge(record, current_->Rollback());
    case RecordKind::kCells: return CompareCells(record, false);
    case RecordKind::kRawCells: return CompareCells(record, true);
    case RecordKind::kDescriptor: return CompareDescriptor(record);
  }
  return Failed("unknown record");
}

Status RecordRunner::OpenConnection(const TestRecord& record) {
  std::unique_ptr<Session>& session = sessions_[record.name];
  if (session == nullptr || !record.properties.empty()) {
    SessionOptions options;
    for (const auto& [key, value] : record.properties) {
      if (key == "CurrentSCN") options.scn = std::stoll(value);
      if (key == "readonly") options.read_only = value == "true";
      if (key == "TenantId") options.tenant = value;
    }
    ASSIGN_OR_RETURN(session, Session::Open(sql_.get(), options));
  }
  current_ = session.get();
  return Status::Ok();
}

RecordResult RecordRunner::Judge(const TestRecord& record, const Status& status) {
  if (testing::AcceptsAnyFailure(record)) return {};
  std::string actual;
  if (!status.ok()) {
    const SqlError* error = status.sql_error();
    actual = error != nullptr && error->code != 0
                 ? fmt::format("ERROR {} ({})", error->code, error->sqlstate)
                 : "another error";
  }
  if (actual == record.expected_error) return {};
  return Failed(fmt::format("expected {}, found {}: {}",
                            record.expected_error.empty() ? "success" : record.expected_error,
                            actual.empty() ? "success" : actual, status.ToString()));
}

RecordResult RecordRunner::RunStatement(const TestRecord& record) {
  std::vector<Value> params;
  for (const BindValue& bind : record.binds) {
    auto value = ToValue(bind);
    if (!value.ok()) return Failed(value.status().ToString());
    params.push_back(*value);
  }
  auto result = current_->Execute(record.sql, params);
  if (result.ok() && result->rows != nullptr) {
    // What fails in a row fails the statement.
    DataChunk chunk;
    do {
      const Status status = result->rows->Next(&chunk);
      if (!status.ok()) return Judge(record, status);
    } while (chunk.size > 0);
  }
  if (NeedsPlanner(result.status())) {
    if (record.expected_error.empty()) incomplete_tables_.insert(ChangedTable(record.sql));
    return {Outcome::kSkipped, ""};
  }
  // What is wrong with a table that lacks something was told already.
  const bool follows = incomplete_tables_.contains(ChangedTable(record.sql));
  RecordResult judged = Judge(record, result.status());
  if (judged.outcome == Outcome::kFailed && follows) return {Outcome::kSkipped, ""};
  if (!result.ok() && record.expected_error.empty()) {
    incomplete_tables_.insert(ChangedTable(record.sql));
  }
  if (judged.outcome != Outcome::kPassed || !result.ok()) return judged;
  if (follows) return judged;
  if (record.expected_count.has_value() && result->update_count != *record.expected_count) {
    return Failed(
        fmt::format("expected count {}, found {}", *record.expected_count, result->update_count));
  }
  return judged;
}

RecordResult RecordRunner::RunQuery(const TestRecord& record) {
  std::vector<Value> params;
  for (const BindValue& bind : record.binds) {
    auto value = ToValue(bind);
    if (!value.ok()) return Failed(value.status().ToString());
    params.push_back(*value);
  }
  auto result = current_->Execute(record.sql, params);
  if (!result.ok() || result->rows == nullptr) return Judge(record, result.status());
  std::vector<std::string> rows;
  DataChunk chunk;
  for (;;) {
    const Status status = result->rows->Next(&chunk);
    if (!status.ok()) return Judge(record, status);
    if (chunk.size == 0) break;
    for (size_t row = 0; row < chunk.size; ++row) {
      std::string line;
      for (size_t i = 0; i < chunk.columns.size(); ++i) {
        if (i > 0) line += '\t';
        AppendText(chunk.columns[i], row, TextStyle(), &line);
      }
      rows.push_back(std::move(line));
    }
  }
  if (record.sort_rows) std::sort(rows.begin(), rows.end());
  const std::string difference = Difference(record.rows, rows);
  return difference.empty() ? RecordResult{} : Failed(difference);
}

RecordResult RecordRunner::CompareCells(const TestRecord& record, bool raw) {
  if (incomplete_tables_.contains(record.table)) return {Outcome::kSkipped, ""};
  const auto table = store_.OpenTable(TableName{"default", record.table});
  if (!table.ok()) return record.no_such_table ? RecordResult{} : Failed(table.status().ToString());
  if (record.no_such_table) return Failed("the table is there");
  Scan scan;
  scan.raw = raw;
  if (raw) scan.max_versions = std::numeric_limits<int32_t>::max();
  const auto scanner = (*table)->OpenScanner(scan);
  if (!scanner.ok()) return Failed(scanner.status().ToString());
  std::vector<std::string> lines;
  CellBatch batch;
  for (;;) {
    const Status status = (*scanner)->Next(1000, &batch);
    if (!status.ok()) return Failed(status.ToString());
    if (batch.row_count() == 0) break;
    for (const Cell& cell : batch.cells) {
      const bool pinned = lines.size() < record.lines.size() &&
                          record.lines[lines.size()].find(" * ") == std::string::npos;
      lines.push_back(CellText(cell, pinned));
    }
  }
  const std::string difference = Difference(record.lines, lines);
  return difference.empty() ? RecordResult{} : Failed(difference);
}

RecordResult RecordRunner::CompareDescriptor(const TestRecord& record) {
  const auto table = store_.OpenTable(TableName{"default", record.table});
  if (!table.ok()) return record.no_such_table ? RecordResult{} : Failed(table.status().ToString());
  if (record.no_such_table) return Failed("the table is there");
  constexpr const char* kNames[] = {
      "VERSIONS",           "TTL",          "DATA_BLOCK_ENCODING", "BLOOMFILTER", "COMPRESSION",
      "KEEP_DELETED_CELLS", "MIN_VERSIONS", "REPLICATION_SCOPE",   "BLOCKSIZE",   "IN_MEMORY"};
  std::vector<std::string> lines;
  for (const ColumnFamilyDescriptor& family : (*table)->descriptor().families) {
    std::string line = "family " + HexEncode(family.name);
    for (const char* name : kNames) line += fmt::format(" {}={}", name, family.attributes.at(name));
    lines.push_back(std::move(line));
  }
  for (const RegionInfo& region : (*table)->regions()) {
    lines.push_back("region " +
                    (region.start_key.empty() ? std::string("-") : HexEncode(region.start_key)));
  }
  const std::string difference = Difference(record.lines, lines);
  return difference.empty() ? RecordResult{} : Failed(difference);
}

}  // namespace bennu::sql::session
