#include "src/cli/sqltest_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include "src/base/hex.h"
#include "src/cell/flat_key.h"
#include "src/sql/types/text.h"

namespace bennu::cli {

namespace {

using Expect = SqlTestRecord::Expect;
using Kind = SqlTestRecord::Kind;

// "DECIMAL(10,2)" as "DECIMAL": recordings hold the name alone.
std::string BareType(const std::string& type) {
  const size_t open = type.find('(');
  if (open == std::string::npos) return type;
  const size_t close = type.find(')', open);
  return type.substr(0, open) + type.substr(close + 1);
}

// Recordings have "$*" for a name that the planner makes up ($12, $12.$34) and a word for no name.
std::string CanonicalLabel(const std::string& label) {
  if (label.empty()) return "(empty)";
  const bool made_up = label[0] == '$' && label.size() > 1 &&
                       label.find_first_not_of("$.0123456789") == std::string::npos;
  if (made_up) return "$*";
  std::string text;  // the bytes of an encoded qualifier are control characters
  for (const char c : label) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 ? fmt::format("\\u{:04x}", byte) : std::string(1, c);
  }
  return text;
}

std::string CanonicalValue(const ResultSet& result, size_t column) {
  if (result.IsNull(column)) return "NULL";
  const Datum datum = result.Get(column);
  if (const auto* text = std::get_if<std::string>(&datum.variant())) return sql::EscapeText(*text);
  std::string text = result.GetText(column);
  if (std::holds_alternative<Datum::Moment>(datum.variant())) {
    std::replace(text.begin(), text.end(), ' ', 'T');
  }
  return text;
}

std::string JoinLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "    " + line + "\n";
  return text.empty() ? "    (nothing)\n" : text;
}

SqlTestVerdict Compare(std::vector<std::string> expected, std::vector<std::string> actual,
                       bool in_order) {
  if (!in_order) {
    std::sort(expected.begin(), expected.end());
    std::sort(actual.begin(), actual.end());
  }
  if (expected == actual) return "";
  return "  expected:\n" + JoinLines(expected) + "  got:\n" + JoinLines(actual);
}

std::string CellLine(const Cell& cell, const std::string& timestamp) {
  return HexEncode(cell.row()) + " " + HexEncode(cell.family()) + ":" +
         HexEncode(cell.qualifier()) + " " + timestamp + " " + cell::TypeName(cell.type()) + " " +
         (cell.value_length == 0 ? "-" : HexEncode(cell.value_view()));
}

// The third word of a recorded cell: "*" where its timestamp was not pinned.
std::string_view TimestampOf(std::string_view line) {
  for (int word = 0; word < 2; ++word)
    line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  return line.substr(0, line.find(' '));
}

std::string FamilyLine(const ColumnFamilyDescriptor& family) {
  static constexpr const char* kKeep[] = {"FALSE", "TRUE", "TTL"};
  const auto attribute = [&](const char* key, const char* otherwise) {
    const auto it = family.attributes.find(key);
    return it == family.attributes.end() ? std::string(otherwise) : it->second;
  };
  return fmt::format(
      "family {} VERSIONS={} TTL={} DATA_BLOCK_ENCODING={} BLOOMFILTER={} COMPRESSION={} "
      "KEEP_DELETED_CELLS={} MIN_VERSIONS={} REPLICATION_SCOPE={} BLOCKSIZE={} IN_MEMORY={}",
      HexEncode(family.name), family.max_versions(), family.ttl_seconds(),
      DataBlockEncodingName(family.data_block_encoding()), BloomTypeName(family.bloom_type()),
      CompressionName(family.compression()), kKeep[static_cast<int>(family.keep_deleted_cells())],
      family.min_versions(), attribute("REPLICATION_SCOPE", "0"), family.block_size_bytes(),
      attribute("IN_MEMORY", "false"));
}

// Of JDBC's properties.
ConnectOptions ToConnectOptions(const std::map<std::string, std::string>& properties) {
  ConnectOptions options;
  for (const auto& [key, value] : properties) {
    if (key == "CurrentSCN") options.current_scn = std::atoll(value.c_str());
    if (key == "TenantId") options.tenant = value;
    if (key == "readonly") options.read_only = value == "true";
  }
  return options;
}

}  // namespace

void SqlTestRunner::Run(
    const std::vector<SqlTestRecord>& records,
    const std::function<void(const SqlTestRecord&, const SqlTestVerdict&)>& report) {
  SqlTestRecord main;
  main.text = "main";
  UseConnection(main);
  for (const SqlTestRecord& record : records) {
    // The recorded system stamps in milliseconds and took at least one for each statement.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (record.kind == Kind::kConnection) {
      UseConnection(record);
    } else if (record.kind == Kind::kAutocommit) {
      if (current_ != nullptr) {
        const Status set = current_->SetAutocommit(record.on);
        if (!set.ok()) connection_error_ = set.ToString();
      }
    } else {
      report(record, RunRecord(record));
    }
  }
}

void SqlTestRunner::UseConnection(const SqlTestRecord& record) {
  connection_error_.clear();
  current_ = nullptr;
  auto& connection = connections_[record.text];
  if (!record.properties.empty()) connection.reset();  // named anew: opened anew
  if (connection == nullptr) {
    Result<std::unique_ptr<SqlConnection>> opened =
        database_->Connect(ToConnectOptions(record.properties));
    if (!opened.ok()) {
      connection_error_ = opened.status().ToString();
      return;
    }
    connection = std::move(*opened);
  }
  current_ = connection.get();
}

SqlTestVerdict SqlTestRunner::RunRecord(const SqlTestRecord& record) {
  if (record.kind == Kind::kCells || record.kind == Kind::kRawCells) return RunCells(record);
  if (record.kind == Kind::kDescriptor) return RunDescriptor(record);
  if (current_ == nullptr) return "  no connection: " + connection_error_ + "\n";
  if (record.unsupported_bind) return "  arrays can not be bound yet\n";
  if (record.kind == Kind::kStatement) return RunStatement(record);
  if (record.kind == Kind::kQuery) return RunQuery(record);
  return RunTransaction(record);
}

Result<std::unique_ptr<ResultSet>> SqlTestRunner::Execute(const SqlTestRecord& record) {
  if (record.binds.empty()) return current_->Execute(record.text);
  ASSIGN_OR_RETURN(const std::unique_ptr<PreparedStatement> statement,
                   current_->Prepare(record.text));
  for (size_t i = 0; i < record.binds.size(); ++i) {
    RETURN_IF_ERROR(statement->Bind(i, record.binds[i]));
  }
  return statement->Execute();
}

SqlTestVerdict SqlTestRunner::CheckOutcome(const SqlTestRecord& record, const Status& status,
                                           int64_t update_count) const {
  switch (record.expect) {
    case Expect::kUncoded:
      return "";  // the real system broke: any failure, or a sensible answer, will do
    case Expect::kError: {
      const SqlError* error = status.sql_error();
      const std::string actual = error == nullptr || error->code == 0
                                     ? status.ToString()
                                     : fmt::format("ERROR {} ({})", error->code, error->sqlstate);
      if (actual == record.error) return "";
      return "  expected " + record.error + "\n  got " +
             (status.ok() ? "success" : status.ToString()) + "\n";
    }
    case Expect::kOk:
    case Expect::kCount:
      if (!status.ok()) return "  expected success\n  got " + status.ToString() + "\n";
      if (record.expect == Expect::kCount && update_count != record.count) {
        return fmt::format("  expected {} rows affected\n  got {}\n", record.count, update_count);
      }
      return "";
  }
  return "";
}

SqlTestVerdict SqlTestRunner::RunStatement(const SqlTestRecord& record) {
  Result<std::unique_ptr<ResultSet>> result = Execute(record);
  Status status = result.ok() ? Status() : result.status();
  int64_t update_count = -1;
  if (result.ok()) {
    update_count = (*result)->update_count();
    // Some faults only show when the rows are asked for.
    while (status.ok() && !(*result)->columns().empty()) {
      const Result<bool> more = (*result)->Next();
      if (!more.ok()) status = more.status();
      if (!more.ok() || !*more) break;
    }
  }
  return CheckOutcome(record, status, update_count);
}

SqlTestVerdict SqlTestRunner::RunQuery(const SqlTestRecord& record) {
  Result<std::unique_ptr<ResultSet>> opened = Execute(record);
  if (!opened.ok()) return "  expected rows\n  got " + opened.status().ToString() + "\n";
  ResultSet& result = **opened;
  const std::vector<ColumnInfo>& columns = result.columns();
  if (columns.size() != record.column_count) {
    return fmt::format("  expected {} columns\n  got {}\n", record.column_count, columns.size());
  }
  std::string labels;
  for (const ColumnInfo& column : columns) {
    labels +=
        (labels.empty() ? "" : "\t") + CanonicalLabel(column.label) + "=" + BareType(column.type);
  }
  SqlTestVerdict verdict;
  if (record.columns.has_value() && labels != *record.columns) {
    verdict += "  expected columns: " + *record.columns + "\n  got columns: " + labels + "\n";
  }
  std::vector<std::string> rows;
  while (true) {
    const Result<bool> more = result.Next();
    if (!more.ok()) return verdict + "  expected rows\n  got " + more.status().ToString() + "\n";
    if (!*more) break;
    std::string row;
    for (size_t i = 0; i < columns.size(); ++i) {
      row += (i == 0 ? "" : "\t") + CanonicalValue(result, i);
    }
    rows.push_back(std::move(row));
  }
  if (record.count >= 0 && result.update_count() != record.count) {
    verdict +=
        fmt::format("  expected {} rows affected\n  got {}\n", record.count, result.update_count());
  }
  return verdict + Compare(record.rows, std::move(rows), record.sorted);
}

SqlTestVerdict SqlTestRunner::RunTransaction(const SqlTestRecord& record) {
  const Status status = record.kind == Kind::kCommit ? current_->Commit() : current_->Rollback();
  return CheckOutcome(record, status, -1);
}

SqlTestVerdict SqlTestRunner::RunCells(const SqlTestRecord& record) {
  const Result<TableName> name = TableName::Parse(record.text);
  if (!name.ok()) return "  " + name.status().ToString() + "\n";
  Result<std::shared_ptr<Table>> table = database_->store()->OpenTable(*name);
  if (!table.ok()) {
    return record.no_such_table ? ""
                                : "  expected cells\n  got " + table.status().ToString() + "\n";
  }
  if (record.no_such_table) return "  expected no such table\n  got one\n";
  Scan scan;
  if (record.kind == Kind::kRawCells) {
    scan.raw = true;
    scan.max_versions = std::numeric_limits<int32_t>::max();
  }
  Result<std::unique_ptr<Scanner>> scanner = (*table)->OpenScanner(scan);
  if (!scanner.ok()) return "  expected cells\n  got " + scanner.status().ToString() + "\n";
  std::vector<std::string> lines;
  CellBatch batch;
  while (true) {
    const Status status = (*scanner)->Next(1000, &batch);
    if (!status.ok()) return "  expected cells\n  got " + status.ToString() + "\n";
    if (batch.row_count() == 0) break;
    for (const Cell& cell : batch.cells) {
      // A time that the script did not pin is recorded as *, and any will do.
      const size_t index = lines.size();
      const bool free = index < record.rows.size() && TimestampOf(record.rows[index]) == "*";
      lines.push_back(CellLine(cell, free ? "*" : std::to_string(cell.timestamp())));
    }
  }
  return Compare(record.rows, std::move(lines), true);
}

SqlTestVerdict SqlTestRunner::RunDescriptor(const SqlTestRecord& record) {
  const Result<TableName> name = TableName::Parse(record.text);
  if (!name.ok()) return "  " + name.status().ToString() + "\n";
  Result<std::shared_ptr<Table>> table = database_->store()->OpenTable(*name);
  if (!table.ok()) {
    return record.no_such_table ? ""
                                : "  expected a table\n  got " + table.status().ToString() + "\n";
  }
  if (record.no_such_table) return "  expected no such table\n  got one\n";
  std::vector<std::string> lines;
  for (const ColumnFamilyDescriptor& family : (*table)->descriptor().families) {
    lines.push_back(FamilyLine(family));
  }
  for (const RegionInfo& region : (*table)->regions()) {
    lines.push_back("region " + (region.start_key.empty() ? "-" : HexEncode(region.start_key)));
  }
  return Compare(record.rows, std::move(lines), true);
}

}  // namespace bennu::cli
