#include "src/cli/sqltest_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/bennu/datum.h"
#include "src/cell/flat_key.h"
#include "src/cli/sqltest_indexes.h"
#include "src/cli/sqltest_writers.h"
#include "src/sql/catalog/local_index.h"
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

// Of a recorded line of columns.
std::string LabelsOf(const std::vector<ColumnInfo>& columns) {
  std::string labels;
  for (const ColumnInfo& column : columns) {
    labels +=
        (labels.empty() ? "" : "\t") + CanonicalLabel(column.label) + "=" + BareType(column.type);
  }
  return labels;
}

// The types of such a line alone.
std::string WithoutLabels(const std::string& columns) {
  std::string types;
  for (std::string_view rest = columns; !rest.empty();) {
    const std::string_view column = rest.substr(0, rest.find('\t'));
    types.append(column.substr(column.rfind('=') + 1)).append(" ");
    rest.remove_prefix(std::min(column.size() + 1, rest.size()));
  }
  return types;
}

// "$12.$34" as "$*.$*".
std::string WithoutMadeUpNumbers(const std::string& row) {
  std::string text;
  for (size_t i = 0; i < row.size();) {
    text += row[i++];
    if (text.back() != '$' || i == row.size() || row[i] < '0' || row[i] > '9') continue;
    text += '*';
    while (i < row.size() && row[i] >= '0' && row[i] <= '9') ++i;
  }
  return text;
}

std::string CanonicalValue(const ResultSet& result, size_t column) {
  if (result.IsNull(column)) return "NULL";
  const Datum datum = result.Get(column);
  if (std::holds_alternative<Datum::Array>(datum.variant())) {
    // As a value to be stored that would be NULL.
    if (std::get<Datum::Array>(datum.variant()).elements.empty()) return "[]";
    const Result<sql::Value> array = front::ToValue(datum);
    return array.ok() ? sql::ToText(*array) : array.status().ToString();
  }
  if (const auto* text = std::get_if<std::string>(&datum.variant())) return sql::EscapeText(*text);
  if (const auto* moment = std::get_if<Datum::Moment>(&datum.variant())) {
    return sql::DateTimeToIso({moment->millis, moment->nanos});
  }
  return result.GetText(column);
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

// The parts of a recorded cell's line.
struct CellText {
  std::string row, column, timestamp, rest;
};

CellText ToText(const Cell& cell) {
  return {HexEncode(cell.row()),
          " " + HexEncode(cell.family()) + ":" + HexEncode(cell.qualifier()) + " ",
          std::to_string(cell.timestamp()),
          std::string(" ") + cell::TypeName(cell.type()) + " " +
              (cell.value_length == 0 ? "-" : HexEncode(cell.value_view()))};
}

// How many bytes stand before the key of the cell's row, which it would not have if the table had
// no salt and a single region.
size_t PrefixSize(const Cell& cell, const std::vector<RegionInfo>& regions, bool salted) {
  if (!sql::catalog::IsLocalFamily(cell.family())) return salted ? 1 : 0;
  const auto region = std::find_if(regions.begin(), regions.end(), [&](const RegionInfo& each) {
    return each.Contains(cell.row());
  });
  return region == regions.end() ? 0 : sql::catalog::LocalPrefix(*region).size();
}

void SortByRow(std::vector<CellText>* cells) {
  std::stable_sort(cells->begin(), cells->end(),
                   [](const CellText& a, const CellText& b) { return a.row < b.row; });
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

// ---- the run

void SqlTestRunner::Run(const std::vector<SqlTestRecord>& records, const Report& report) {
  traits_ = TraitsOf(records);
  lacks_index_ = false;
  SqlTestRecord main;
  main.text = "main";
  UseConnection(main);
  bool undetermined = false;
  for (const SqlTestRecord& record : records) {
    AwaitNextMillisecond();
    undetermined = undetermined || ((modes_.salted || IsIndexed()) && TakesAnyRows(record));
    if (record.kind == Kind::kConnection) {
      UseConnection(record);
    } else if (record.kind == Kind::kAutocommit) {
      SetAutocommit(record.on);
    } else if (ShowsIndexes(record) || undetermined || LooksBack(record) ||
               !IsApplicable(record, modes_)) {
      report(record, std::nullopt);
    } else {
      Status hostile = StartsWithWords(record.text, "DROP") ? BeforeDrop() : Status();
      SqlTestVerdict verdict = RunRecord(record);
      if (hostile.ok() && MayWrite(record)) hostile = AfterWrite(record);
      if (!hostile.ok()) verdict += "  around it the store failed: " + hostile.ToString() + "\n";
      report(record, verdict);
    }
  }
  if (const Status last = BeforeDrop(); !last.ok()) {
    report(main, "  in the end the store failed: " + last.ToString() + "\n");
  }
}

// Whether a query reads as of a past moment where flushes or merges that are not its own may have
// let go of what was deleted since.
bool SqlTestRunner::LooksBack(const SqlTestRecord& record) const {
  return record.kind == Kind::kQuery && (modes_.compacted || modes_.writers) &&
         current_ != nullptr && current_->options.current_scn.has_value();
}

// The recorded system stamps in milliseconds and took at least one for each statement. The store's
// clock may be ahead of ours: the making of a table pushes it.
void SqlTestRunner::AwaitNextMillisecond() {
  Connection* const store = store_->connection();
  const int64_t before = store->NowMillis();
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (store->NowMillis() == before);
}

void SqlTestRunner::UseConnection(const SqlTestRecord& record) {
  connection_error_.clear();
  current_ = nullptr;
  Session& session = sessions_[record.text];
  if (!record.properties.empty()) session = Session();  // named anew: opened anew
  if (session.connection == nullptr) {
    session.options = ToConnectOptions(record.properties);
    Result<std::unique_ptr<SqlConnection>> opened = store_->Connect(session.options);
    if (!opened.ok()) {
      connection_error_ = opened.status().ToString();
      return;
    }
    session.connection = std::move(*opened);
  }
  current_ = &session;
}

void SqlTestRunner::SetAutocommit(bool on) {
  if (current_ == nullptr) return;
  const Status set = current_->connection->SetAutocommit(on);
  if (!set.ok()) connection_error_ = set.ToString();
  if (on) current_->pending = false;
}

SqlTestVerdict SqlTestRunner::RunRecord(const SqlTestRecord& record) {
  if (record.kind == Kind::kCells || record.kind == Kind::kRawCells) return RunCells(record);
  if (record.kind == Kind::kDescriptor) return RunDescriptor(record);
  if (current_ == nullptr) return "  no connection: " + connection_error_ + "\n";
  NotePending(record);
  const bool repeated = modes_.writers && IsRepeatable(record) && !traits_.row_timestamp &&
                        current_->connection->autocommit();
  if (IsIndexed()) return RunIndexed(record, repeated);
  if (repeated) return RunRepeated(record);
  if (record.kind == Kind::kStatement) return RunStatement(record);
  if (record.kind == Kind::kQuery) return RunQuery(record, /*by_index=*/false);
  return RunTransaction(record);
}

Result<std::unique_ptr<ResultSet>> SqlTestRunner::Execute(SqlConnection* connection,
                                                          const SqlTestRecord& record) const {
  const bool salted = modes_.salted && !traits_.sequences;
  const std::string sql = salted ? WithSaltBuckets(record) : record.text;
  if (record.binds.empty()) return connection->Execute(sql);
  ASSIGN_OR_RETURN(const std::unique_ptr<PreparedStatement> statement, connection->Prepare(sql));
  for (size_t i = 0; i < record.binds.size(); ++i) {
    RETURN_IF_ERROR(statement->Bind(i, record.binds[i]));
  }
  return statement->Execute();
}

// ---- what the modes do

void SqlTestRunner::NotePending(const SqlTestRecord& record) {
  if (record.kind == Kind::kCommit || record.kind == Kind::kRollback) {
    current_->pending = false;
  } else if (MayWrite(record) && !current_->connection->autocommit()) {
    current_->pending = true;
  }
}

Status SqlTestRunner::Collect() {
  if (collected_keys_ == nullptr) return Status::Ok();
  return collected_keys_->Collect(store_->connection());
}

Status SqlTestRunner::AfterWrite(const SqlTestRecord& record) {
  constexpr int kWritesPerCompaction = 3;  // as many files as a minor compaction needs
  if (StartsWithWords(record.text, "CREATE") || StartsWithWords(record.text, "DROP")) {
    RETURN_IF_ERROR(AfterDefinition(record));
  }
  if (modes_.flushed || modes_.compacted) RETURN_IF_ERROR(store_->FlushAll());
  if (modes_.compacted && ++writes_ % kWritesPerCompaction == 0) {
    RETURN_IF_ERROR(store_->CompactAll(!traits_.old_versions));
  }
  const bool kill = modes_.killed && !traits_.sequences;
  return modes_.reopened || kill ? RestartStore() : Status::Ok();
}

// Whether tables get indexes: neither where an index refuses what was recorded, nor where the order
// of rows decides what is written.
bool SqlTestRunner::IsIndexed() const {
  return modes_.indexed && !traits_.pinned_times && !traits_.sequences;
}

// What has to be known of tables before they go.
Status SqlTestRunner::BeforeDrop() {
  RETURN_IF_ERROR(Collect());
  return IsIndexed() ? CheckAllIndexes(store_) : Status::Ok();
}

// Looks which tables are new, and cuts them.
Status SqlTestRunner::AfterDefinition(const SqlTestRecord& record) {
  if (!modes_.split && !modes_.salted) return Status::Ok();
  Connection* const store = store_->connection();
  ASSIGN_OR_RETURN(std::set<TableName> tables, UserTables(store));
  const auto is_gone = [&](const TableName& name) { return !tables.contains(name); };
  std::erase_if(salted_, is_gone);
  std::erase_if(split_, is_gone);
  for (const TableName& name : tables) {
    if (tables_.contains(name)) continue;
    const bool salted = modes_.salted && !traits_.sequences;
    if (salted && WithSaltBuckets(record) != record.text) salted_.insert(name);
    if (salted && record.text.find("SALT_BUCKETS") == std::string::npos) {
      // An index is salted like its table.
      ASSIGN_OR_RETURN(const auto table, store->OpenTable(name));
      const auto& attributes = table->descriptor().attributes;
      const auto of_table = attributes.find("DATA_TABLE_NAME");
      if (of_table != attributes.end() && salted_.contains({"default", of_table->second})) {
        salted_.insert(name);
      }
    }
    if (!modes_.split || split_keys_ == nullptr) continue;
    ASSIGN_OR_RETURN(const bool split, SplitEmptyTable(store, name, split_keys_->SplitKeys(name)));
    if (split) split_.insert(name);
  }
  tables_ = std::move(tables);
  return Status::Ok();
}

Status SqlTestRunner::RestartStore() {
  std::map<std::string, bool> autocommit;
  for (const auto& [name, session] : sessions_) {
    if (session.pending) return Status::Ok();  // it would be lost, and rightly so
    if (session.connection != nullptr) autocommit[name] = session.connection->autocommit();
  }
  for (auto& [name, session] : sessions_) session.connection.reset();
  RETURN_IF_ERROR(modes_.killed ? store_->RestartKilled() : store_->Restart());
  for (const auto& [name, on] : autocommit) {
    Session& session = sessions_[name];
    ASSIGN_OR_RETURN(session.connection, store_->Connect(session.options));
    RETURN_IF_ERROR(session.connection->SetAutocommit(on));
  }
  return Status::Ok();
}

// ---- statements and queries

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
  Result<std::unique_ptr<ResultSet>> result = Execute(current_->connection.get(), record);
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
  // An index that clients of a cluster could not keep in step is refused without a code.
  const SqlError* const error = status.sql_error();
  if (modes_.clustered && StartsWithWords(record.text, "CREATE INDEX") &&
      status.code() == StatusCode::kSql && (error == nullptr || error->code == 0)) {
    lacks_index_ = true;
    return "";
  }
  return CheckOutcome(record, status, update_count);
}

// A new table gets its indexes; a query is asked by them, and once more without them.
SqlTestVerdict SqlTestRunner::RunIndexed(const SqlTestRecord& record, bool repeated) {
  if (record.kind == Kind::kStatement) {
    // No view with a key of its own may be made over what has an index.
    const bool extends_key = StartsWithWords(record.text, "CREATE VIEW") &&
                             record.text.find("PRIMARY KEY") != std::string::npos;
    if (extends_key) {
      Status dropped = BeforeDrop();
      if (dropped.ok()) dropped = DropAllIndexes(store_);
      if (!dropped.ok()) return "  its indexes: " + dropped.ToString() + "\n";
    }
    SqlTestVerdict verdict = repeated ? RunRepeated(record) : RunStatement(record);
    // A row that an index cannot hold is refused, and rightly so.
    if (IsRefusedByIndex(verdict)) {
      const Status dropped = DropIndexesThatRefuse(verdict, store_);
      if (!dropped.ok()) return verdict + "  " + dropped.ToString() + "\n";
      verdict = repeated ? RunRepeated(record) : RunStatement(record);
    }
    const bool makes =
        StartsWithWords(record.text, "CREATE") && record.expect == Expect::kOk && verdict.empty();
    if (!makes) return verdict;
    const Status indexed = IndexNewTable(record.text, current_->options.tenant, store_);
    return indexed.ok() ? "" : "  the table got no index: " + indexed.ToString() + "\n";
  }
  if (record.kind != Kind::kQuery) return RunTransaction(record);
  SqlTestVerdict verdict = RunQuery(record, /*by_index=*/true);
  if (MayWrite(record) || !StartsWithWords(record.text, "SELECT")) return verdict;
  // What was recorded may have been read from an index, too.
  SqlTestRecord plain = record;
  plain.text = WithoutIndexes(record.text);
  const SqlTestVerdict of_plain = RunQuery(plain, /*by_index=*/true);
  if (!of_plain.empty()) verdict += "  and with NO_INDEX:\n" + of_plain;
  return verdict;
}

// From four connections at once. All write the same values, so each must come out as recorded.
SqlTestVerdict SqlTestRunner::RunRepeated(const SqlTestRecord& record) {
  constexpr size_t kOthers = 3;
  while (current_->writers.size() < kOthers) {
    Result<std::unique_ptr<SqlConnection>> opened = store_->Connect(current_->options);
    if (!opened.ok()) return "  no further connection: " + opened.status().ToString() + "\n";
    current_->writers.push_back(std::move(*opened));
  }
  std::vector<SqlTestVerdict> verdicts(kOthers + 1);
  AtTheSameTime(verdicts.size(), [&](size_t i) {
    SqlConnection* const connection =
        i < kOthers ? current_->writers[i].get() : current_->connection.get();
    const Result<std::unique_ptr<ResultSet>> result = Execute(connection, record);
    const int64_t count = result.ok() ? (*result)->update_count() : -1;
    verdicts[i] = CheckOutcome(record, result.ok() ? Status() : result.status(), count);
  });
  for (const SqlTestVerdict& verdict : verdicts) {
    if (!verdict.empty()) return verdict;
  }
  return "";
}

SqlTestVerdict SqlTestRunner::RunQuery(const SqlTestRecord& record, bool by_index) {
  Result<std::unique_ptr<ResultSet>> opened = Execute(current_->connection.get(), record);
  if (!opened.ok()) return "  expected rows\n  got " + opened.status().ToString() + "\n";
  ResultSet& result = **opened;
  const std::vector<ColumnInfo>& columns = result.columns();
  if (columns.size() != record.column_count) {
    return fmt::format("  expected {} columns\n  got {}\n", record.column_count, columns.size());
  }
  SqlTestVerdict verdict;
  if (record.columns.has_value()) {
    // An expression that is read from an index prints in the index's columns.
    const std::string expected = by_index ? WithoutLabels(*record.columns) : *record.columns;
    const std::string labels = LabelsOf(columns);
    const std::string actual = by_index ? WithoutLabels(labels) : labels;
    if (expected != actual) {
      verdict += "  expected columns: " + expected + "\n  got columns: " + actual + "\n";
    }
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
  return verdict + CompareRows(record, columns, by_index, std::move(rows));
}

SqlTestVerdict SqlTestRunner::CompareRows(const SqlTestRecord& record,
                                          const std::vector<ColumnInfo>& columns, bool by_index,
                                          std::vector<std::string> rows) const {
  std::vector<std::string> expected = record.rows;
  if (StartsWithWords(record.text, "EXPLAIN")) {
    for (std::string& row : rows) row = WithoutMadeUpNumbers(row);
    // What the recorded system does not say of itself.
    if (store_->is_cluster()) {
      std::erase_if(rows, [](const std::string& row) {
        return row.starts_with("EACH REGION AS OF ITS OWN MOMENT");
      });
      expected = WithoutPlaces(expected);
      rows = WithoutPlaces(rows);
    }
  }
  if (modes_.split && StartsWithWords(record.text, "EXPLAIN")) {
    for (std::string& row : expected) row = WithoutWays(row);
    for (std::string& row : rows) row = WithoutWays(row);
  }
  if (!modes_.sums_in_any_order())
    return Compare(std::move(expected), std::move(rows), record.sorted);
  std::vector<std::string> labels;
  for (const ColumnInfo& column : columns) labels.push_back(column.label);
  const bool own_order = modes_.salted || lacks_index_ || by_index;
  const std::string difference = own_order ? CompareSalted(record, labels, expected, rows)
                                           : CompareParallel(record, labels, expected, rows);
  return difference.empty() ? "" : difference + Compare(std::move(expected), std::move(rows), true);
}

// Some indexes cannot be made over a cluster, and afterwards whatever shows them is another. Names
// in double quotes are those of a column that is read from an index.
bool SqlTestRunner::ShowsIndexes(const SqlTestRecord& record) {
  if (!modes_.clustered) return false;
  if (StartsWithWords(record.text, "CREATE") && !IsApplicable(record, modes_)) lacks_index_ = true;
  const bool shows = record.kind == Kind::kRawCells || record.kind == Kind::kCells ||
                     record.kind == Kind::kDescriptor || StartsWithWords(record.text, "SHOW") ||
                     StartsWithWords(record.text, "DROP INDEX") ||
                     (record.columns.has_value() && record.columns->find('"') != Bytes::npos) ||
                     record.text.find("SYSTEM.") != std::string::npos ||
                     record.text.find("_I") != std::string::npos;
  return lacks_index_ && shows;
}

SqlTestVerdict SqlTestRunner::RunTransaction(const SqlTestRecord& record) {
  const Status status = record.kind == Kind::kCommit ? current_->connection->Commit()
                                                     : current_->connection->Rollback();
  return CheckOutcome(record, status, -1);
}

SqlTestVerdict SqlTestRunner::RunCells(const SqlTestRecord& record) {
  const Result<TableName> name = TableName::Parse(record.text);
  if (!name.ok()) return "  " + name.status().ToString() + "\n";
  Result<std::shared_ptr<Table>> table = store_->connection()->OpenTable(*name);
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
  const bool salted = salted_.contains(*name);
  const bool changed = split_.contains(*name) || salted;
  const std::vector<RegionInfo> regions = (*table)->regions();
  std::vector<CellText> cells;
  CellBatch batch;
  while (true) {
    const Status status = (*scanner)->Next(1000, &batch);
    if (!status.ok()) return "  expected cells\n  got " + status.ToString() + "\n";
    if (batch.row_count() == 0) break;
    for (const Cell& cell : batch.cells) {
      cells.push_back(ToText(cell));
      if (!changed) continue;
      cells.back().row.erase(0, 2 * PrefixSize(cell, regions, salted));
    }
  }
  if (changed) SortByRow(&cells);
  std::vector<std::string> lines;
  for (const CellText& cell : cells) {
    // A time that the script did not pin is recorded as *, and any will do.
    const size_t index = lines.size();
    const bool free = index < record.rows.size() && TimestampOf(record.rows[index]) == "*";
    lines.push_back(cell.row + cell.column + (free ? "*" : cell.timestamp) + cell.rest);
  }
  return Compare(record.rows, std::move(lines), true);
}

SqlTestVerdict SqlTestRunner::RunDescriptor(const SqlTestRecord& record) {
  const Result<TableName> name = TableName::Parse(record.text);
  if (!name.ok()) return "  " + name.status().ToString() + "\n";
  Result<std::shared_ptr<Table>> table = store_->connection()->OpenTable(*name);
  if (!table.ok()) {
    return record.no_such_table ? ""
                                : "  expected a table\n  got " + table.status().ToString() + "\n";
  }
  if (record.no_such_table) return "  expected no such table\n  got one\n";
  std::vector<std::string> lines;
  for (const ColumnFamilyDescriptor& family : (*table)->descriptor().families) {
    lines.push_back(FamilyLine(family));
  }
  std::vector<std::string> expected = record.rows;
  if (modes_.split || salted_.contains(*name)) {
    std::erase_if(expected, [](const std::string& line) { return line.rfind("region ", 0) == 0; });
    return Compare(std::move(expected), std::move(lines), true);
  }
  for (const RegionInfo& region : (*table)->regions()) {
    lines.push_back("region " + (region.start_key.empty() ? "-" : HexEncode(region.start_key)));
  }
  return Compare(std::move(expected), std::move(lines), true);
}

}  // namespace bennu::cli
