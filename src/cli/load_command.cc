#include "src/cli/load_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/bennu/thin_options.h"
#include "src/cli/csv_reader.h"
#include "src/cli/error_report.h"
#include "src/cli/input_stream.h"
#include "src/cli/load_columns.h"
#include "src/cli/load_target.h"
#include "src/cli/query_server.h"
#include "src/cli/server_load_target.h"
#include "src/cli/server_target.h"
#include "src/cli/store_conf.h"
#include "src/cli/store_load_target.h"
#include "src/cli/store_place.h"
#include "src/cli/terminal.h"
#include "src/cli/utf8_input.h"
#include "src/client/cluster_url.h"
#include "src/sql/types/text.h"
#include "src/thin_client/url.h"

namespace bennu::cli {

namespace {

using sql::Value;

// A line of the file, for whoever has to mend it.
struct Line {
  int64_t number = 0;
  std::string record;
};

// A fault in the file or in how the command was used, against one of the store.
struct LoadError {
  Status status;
  ExitCode code = kExitStatementFailed;
};

class Loader {
 public:
  explicit Loader(const LoadOptions& options) : options_(options) {}
  ~Loader() {
    if (rejects_ != nullptr) std::fclose(rejects_);
  }
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  LoadError Run() {
    if (const LoadError error = OpenTarget(); !error.status.ok()) return error;
    if (const Status prepared = Prepare(); !prepared.ok()) return {prepared, ExitCodeOf(prepared)};
    const auto start = std::chrono::steady_clock::now();
    Status status;
    {
      ProgressLine progress([this](double seconds) { return ProgressText(seconds); });
      status = LoadRecords();
    }
    if (!status.ok()) {
      return {status.Annotate(fmt::format("{} (rows in the table from this load: {})",
                                          options_.file, rows_durable_.load())),
              ExitCodeOf(status)};
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (csv_->reasons() > 0) {
      fmt::print("ignored {} lines that begin with '{}'\n", csv_->reasons(), kRejectMark);
    }
    if (rejected_ > 0) {
      fmt::print("skipped {} lines, see {}\n", rejected_, options_.skip_errors_file);
    }
    fmt::print("loaded {} rows in {:.2f} s ({:.0f} rows/s)\n", rows_durable_.load(), took.count(),
               static_cast<double>(rows_durable_.load()) / std::max(took.count(), 1e-6));
    return {};
  }

 private:
  // Opens the store, or connects to the server.
  LoadError OpenTarget() {
    if (thin_client::IsUrl(options_.directory)) return ConnectTarget();
    const bool cluster = client::LooksLikeCluster(options_.directory);
    if (const Status name = CheckStoreName(options_.directory); !cluster && !name.ok()) {
      return {name, ExitCodeOfPlace(name)};
    }
    Result<DatabaseOptions> database =
        cluster ? ClusterDatabaseOptionsOf(options_.directory, options_.store)
                : DatabaseOptionsOf(options_.store);
    if (!database.ok()) return {database.status(), kExitUsage};
    auto opened = OpenStoreLoadTarget(options_.directory, *std::move(database), options_.tenant);
    if (!opened.ok()) return {opened.status(), ExitCodeOfOpening(opened.status())};
    target_ = std::move(opened).value();
    return {};
  }

  LoadError ConnectTarget() {
    SqlClientOptions client;
    client.connection.tenant = options_.tenant;
    const Status read = ReadQueryServerOptions(options_.directory, options_.store, &client);
    if (!read.ok()) return {read, kExitUsage};
    const auto thin = front::ThinOptionsOf(options_.directory, client);
    if (!thin.ok()) return {thin.status(), kExitUsage};
    auto connected = ConnectLoadTarget(*thin);
    if (!connected.ok()) return {connected.status(), ExitCodeOfConnecting(connected.status())};
    target_ = std::move(connected).value();
    return {};
  }

  Status Prepare() {
    ASSIGN_OR_RETURN(table_, target_->FindTable(options_.table));
    ASSIGN_OR_RETURN(input_, InputStream::Open(options_.file));
    TellCompression();
    const std::string& delimiter = options_.delimiter;
    csv_ = std::make_unique<CsvReader>(input_.get(), delimiter.empty()    ? ','
                                                     : delimiter == "\\t" ? '\t'
                                                                          : delimiter[0]);
    ASSIGN_OR_RETURN(const std::string_view first, csv_->PeekLine());
    if (delimiter.empty()) DetectDelimiter(first);
    const bool is_json = LooksLikeJson(first);
    if (const Status matched = MatchFile(); !matched.ok()) {
      return is_json && matched.code() == StatusCode::kInvalidArgument ? NoJson() : matched;
    }
    if (columns_.empty()) return Status();  // an empty file: no rows
    RETURN_IF_ERROR(target_->Prepare(UpsertText(table_, columns_)));
    values_.resize(columns_.size());
    return OpenRejects();
  }

  // Which columns the file has.
  Status MatchFile() {
    ASSIGN_OR_RETURN(has_header_, DetectHeader());
    ASSIGN_OR_RETURN(const std::vector<std::string> names, ColumnNames());
    if (names.empty() && has_header_) return Status();
    if (names.empty()) {
      columns_.resize(table_.columns.size());
      std::iota(columns_.begin(), columns_.end(), 0);
    } else {
      ASSIGN_OR_RETURN(columns_, MatchColumns(table_, names));
    }
    return Status();
  }

  static bool LooksLikeJson(std::string_view line) {
    const size_t begin = line.find_first_not_of(" \t\r");
    return begin != std::string_view::npos && (line[begin] == '{' || line[begin] == '[');
  }

  Status NoJson() const {
    return InvalidArgument(fmt::format(
        "{}: line 1: this looks like JSON, and bennu load reads CSV. `jq -r '[.a, .b] | @csv'` "
        "makes lines of CSV of the fields a and b of JSON objects; load those with --columns A,B "
        "--no-header",
        options_.file));
  }

  // A record of the head of the file, false at its end; errors tell the line.
  Result<bool> NextOfHead(std::vector<CsvField>* fields) {
    Result<bool> found = csv_->Next(fields);
    if (found.ok()) return found;
    return found.status().Annotate(fmt::format("{}: line {}", options_.file, csv_->line()));
  }

  // Says what a file is taken for, where nobody said it.
  // What the file's name does not say.
  void TellCompression() const {
    const std::string_view name = input_->compression();
    if (name.empty() || options_.file.ends_with(name == "gzip" ? ".gz" : ".zst")) return;
    Note(fmt::format("the file is compressed with {}", name));
  }

  static void Note(const std::string& text) { fmt::print(stderr, "note: {}\n", text); }

  // The sign between the fields of the first line: the one by which most of them are columns, or
  // that stands there most often.
  void DetectDelimiter(std::string_view line) {
    char best = ',';
    std::pair<size_t, size_t> best_rank;
    for (const char candidate : {',', '\t', ';', '|'}) {
      size_t fields = 0, columns = 0;
      for (std::string_view rest = line;;) {
        const size_t end = std::min(rest.find(candidate), rest.size());
        std::string_view name = rest.substr(0, end);
        if (name.size() >= 2 && name.starts_with('"') && name.ends_with('"')) {
          name = name.substr(1, name.size() - 2);
        }
        ++fields;
        columns += HasColumn(table_, std::string(name)) ? 1 : 0;
        if (end == rest.size()) break;
        rest.remove_prefix(end + 1);
      }
      const std::pair rank(options_.no_header ? 0 : columns, fields);
      if (rank > best_rank) {
        best = candidate;
        best_rank = rank;
      }
    }
    csv_->SetDelimiter(best);
    if (best == ',') return;
    Note(fmt::format("the fields are separated by {}; --delimiter chooses another separator",
                     best == '\t' ? std::string("tabs") : fmt::format("'{}'", best)));
  }

  // Whether the first line names columns. A line that names none is a row where it has a value for
  // each column of the table, and one of them is no text.
  Result<bool> DetectHeader() {
    if (options_.no_header || !options_.columns.empty()) return !options_.no_header;
    std::vector<CsvField> fields;
    ASSIGN_OR_RETURN(const bool found, NextOfHead(&fields));
    if (found) csv_->Unread();
    if (!found || fields.size() != table_.columns.size()) return true;
    bool typed = false;
    for (size_t i = 0; i < fields.size(); ++i) {
      const sql::DataType& type = table_.columns[i].type;
      if (HasColumn(table_, std::string(fields[i].text))) return true;
      if (fields[i].text.empty() && !fields[i].quoted) continue;
      if (!sql::ParseValue(fields[i].text, type).ok()) return true;
      typed = typed || sql::PhysicalTypeOf(type.id) != sql::PhysicalType::kBytes;
    }
    if (!typed) return true;
    Note(
        "the first line names no columns and is taken as a row; its fields are the table's columns "
        "in their order");
    return false;
  }

  // Of the header or of --columns; none when the table's order holds.
  Result<std::vector<std::string>> ColumnNames() {
    std::vector<std::string> names;
    std::vector<CsvField> header;
    if (has_header_) {
      ASSIGN_OR_RETURN(const bool found, NextOfHead(&header));
      if (!found) return names;
      header_ = csv_->record();
    }
    if (options_.columns.empty()) {
      for (const CsvField& field : header) {
        const Status text = CheckUtf8(field.text, "the column's name");
        if (!text.ok()) {
          return text.Annotate(fmt::format("{}: line {}", options_.file, csv_->line()));
        }
        names.emplace_back(field.text);
      }
      return names;
    }
    for (std::string_view rest = options_.columns; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(','));
      names.emplace_back(name);
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
    return names;
  }

  Status OpenRejects() {
    const std::string& path = options_.skip_errors_file;
    if (path.empty()) return Status();
    std::error_code none;
    if (std::filesystem::equivalent(path, options_.file, none)) {
      return InvalidArgument(
          "--skip-errors " + path +
          " is the file that is loaded, and would be emptied; name another file");
    }
    rejects_ = std::fopen(path.c_str(), "w");
    if (rejects_ == nullptr) return IoError(path + ": cannot be written");
    if (!header_.empty()) WriteReject(header_);
    return Status();
  }

  void WriteReject(std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), rejects_);
    std::fputc('\n', rejects_);
  }

  Status LoadRecords() {
    std::vector<CsvField> fields;
    while (!columns_.empty()) {
      const Result<bool> found = csv_->Next(&fields);
      Status status = found.ok() ? Status() : found.status();
      if (status.ok() && !*found) break;
      if (status.ok()) status = TakeRecord(fields);
      if (!status.ok()) RETURN_IF_ERROR(Reject(status));
      if (rows_pending_ >= options_.batch_rows) RETURN_IF_ERROR(Commit());
    }
    return Commit();
  }

  Status TakeRecord(const std::vector<CsvField>& fields) {
    if (fields.size() != columns_.size()) {
      return InvalidArgument(
          fmt::format("{} fields where {} columns are expected", fields.size(), columns_.size()));
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      const sql::DataType& type = table_.columns[columns_[i]].type;
      if (const Status text = CheckUtf8(fields[i].text, "the value"); !text.ok()) {
        return text.Annotate("column " + table_.columns[columns_[i]].name);
      }
      const bool null =
          fields[i].is_null ||
          (!fields[i].quoted && (fields[i].text.empty() || fields[i].text == options_.null_text));
      if (null) {
        values_[i] = Value::Null(type);
        continue;
      }
      Result<Value> value = sql::ParseValue(fields[i].text, type);
      if (!value.ok()) {
        return value.status().Annotate(
            fmt::format("column {}, value '{}'", table_.columns[columns_[i]].name, fields[i].text));
      }
      values_[i] = *std::move(value);
    }
    RETURN_IF_ERROR(target_->Add(values_));
    if (target_->refuses_late())
      pending_lines_.push_back({csv_->line(), std::string(csv_->record())});
    ++rows_pending_;
    return Status();
  }

  Status Commit() {
    rows_pending_ = 0;
    const std::vector<Line> lines = std::exchange(pending_lines_, {});
    size_t rows = 0;
    const Status status = target_->Commit(
        [&](const RowFault& fault) { return Refuse(lines[fault.row], fault.status); }, &rows);
    rows_durable_ += rows;
    return status;
  }

  // A bad line stops the load, after what came before it is made durable, or goes to the file.
  Status Reject(const Status& status) {
    if (ExitCodeOf(status) == kExitStore) return status;
    const Line line{csv_->line(), std::string(csv_->record())};
    // In the file, lines stand in their order.
    if (rejects_ == nullptr || target_->refuses_late()) RETURN_IF_ERROR(Commit());
    return Refuse(line, status);
  }

  Status Refuse(const Line& line, const Status& status) {
    if (rejects_ == nullptr) return status.Annotate(fmt::format("line {}", line.number));
    ++rejected_;
    std::string reason = fmt::format("{}{}: {}", kRejectMark, line.number, status.ToString());
    std::replace_if(
        reason.begin(), reason.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    WriteReject(reason);
    WriteReject(line.record);
    if (std::fflush(rejects_) == 0) return Status();
    return IoError(options_.skip_errors_file + ": cannot be written");
  }

  std::string ProgressText(double seconds) const {
    const double rows = static_cast<double>(rows_durable_.load());
    std::string text = fmt::format("{:.0f} rows, {:.0f} rows/s", rows, rows / seconds);
    if (input_->total_bytes() > 0) {
      text = fmt::format("{:3.0f} %  ", 100.0 * static_cast<double>(input_->consumed_bytes()) /
                                            static_cast<double>(input_->total_bytes())) +
             text;
    }
    return text;
  }

  const LoadOptions& options_;
  std::unique_ptr<LoadTarget> target_;
  LoadTable table_;
  std::unique_ptr<InputStream> input_;
  std::unique_ptr<CsvReader> csv_;
  std::vector<uint32_t> columns_;  // those that the file has, in its order
  std::vector<Value> values_;
  bool has_header_ = true;
  std::string header_;  // as it stands in the file; empty without one
  std::FILE* rejects_ = nullptr;
  uint64_t rejected_ = 0;
  uint64_t rows_pending_ = 0;
  std::vector<Line> pending_lines_;  // of the rows that are pending, where they may be refused late
  // Written by the loading thread, read by the progress line.
  std::atomic<uint64_t> rows_durable_{0};
};

}  // namespace

ExitCode RunLoad(const LoadOptions& options) {
  Loader loader(options);
  const LoadError error = loader.Run();
  if (error.status.ok()) return kExitOk;
  std::fputs(FormatError(error.status, "", 0).c_str(), stderr);
  return error.code;
}

}  // namespace bennu::cli
