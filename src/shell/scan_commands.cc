// scan and count.
#include <fmt/format.h>

#include <limits>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/shell/command.h"
#include "src/shell/read_options.h"
#include "src/shell/scan_metrics.h"

namespace bennu::shell {

namespace {

constexpr size_t kRowsAtATime = 1000;
constexpr int64_t kCountInterval = 1000;

// Runs the scan and calls 'use' with each row (or part of one) and its cells. Returns what the
// scanner did.
template <typename Use>
Result<Scanner::Metrics> ForEachRow(const Environment& environment, Table* table, const Scan& scan,
                                    const Use& use) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, table->OpenScanner(scan));
  CellBatch batch;
  while (true) {
    RETURN_IF_ERROR(scanner->Next(kRowsAtATime, &batch));
    if (batch.row_count() == 0) return scanner->metrics();
    for (size_t i = 0; i < batch.row_count(); ++i) {
      if (environment.cancelled()) return Cancelled("interrupted");
      const Cell* const cells = batch.cells.data();
      RETURN_IF_ERROR(use(cells + batch.row_starts[i], cells + batch.row_end(i)));
    }
  }
}

Result<Value> RunScan(const Environment& environment, const Arguments& arguments) {
  Printer* const printer = environment.printer;
  printer->Header("ROW", "COLUMN+CELL");
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  ASSIGN_OR_RETURN(Options options, Options::Of(ArgumentAt(arguments, 1)));
  CellFormat format;
  format.set_epoch_timestamps(environment.epoch_timestamps);
  format.set_table(table->name());
  ASSIGN_OR_RETURN(std::optional<ScanMetrics> metrics, ScanMetrics::Of(&options));
  ASSIGN_OR_RETURN(Scan scan, ScanFromOptions(table->descriptor(), &options, &format));
  scan.track_metrics = metrics.has_value();
  const uint64_t start = environment.monotonic_nanos();
  size_t rows = 0;
  ASSIGN_OR_RETURN(
      const Scanner::Metrics done,
      ForEachRow(environment, table.get(), scan, [&](const Cell* begin, const Cell* end) -> Status {
        if (metrics.has_value()) metrics->Count(begin, end);
        ASSIGN_OR_RETURN(const std::string row, format.Row(begin->row()));
        for (const Cell* cell = begin; cell != end; ++cell) {
          ASSIGN_OR_RETURN(const std::string column, format.Column(*cell));
          ASSIGN_OR_RETURN(const std::string text, format.Text(*cell));
          printer->Row(row, fmt::format("column={}, {}", column, text));
        }
        ++rows;
        return Status::Ok();
      }));
  printer->Footer(rows, done.stale);
  if (metrics.has_value()) {
    const bool complete = scan.row_limit < 0 || done.rows < static_cast<uint64_t>(scan.row_limit);
    const uint64_t millis = (environment.monotonic_nanos() - start) / 1'000'000;
    metrics->Print(*table, scan, done, complete, millis, printer);
  }
  return Value();
}

// Only the first cell of a row is needed to count it.
std::shared_ptr<const Filter> CountingFilter(std::shared_ptr<const Filter> given) {
  if (given == nullptr) return NewFirstKeyOnlyFilter();
  std::vector<FilterPtr> both;
  both.push_back(given->Clone());
  both.push_back(NewFirstKeyOnlyFilter());
  return NewFilterList(FilterListOp::kMustPassAll, std::move(both));
}

Result<Value> RunCount(const Environment& environment, const Arguments& arguments) {
  Printer* const printer = environment.printer;
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  const Value& parameters = ArgumentAt(arguments, 1);
  const bool just_interval = parameters.As<int64_t>() != nullptr;
  static const Value kNone;
  ASSIGN_OR_RETURN(Options options, Options::Of(just_interval ? kNone : parameters));
  ASSIGN_OR_RETURN(int64_t interval, options.Integer("INTERVAL", kCountInterval));
  if (just_interval) interval = *parameters.As<int64_t>();
  if (interval < 1) return InvalidArgument("INTERVAL must be at least 1");
  CellFormat format;
  const bool asks_to_cache = options.Has("CACHE_BLOCKS");
  ASSIGN_OR_RETURN(Scan scan, ScanFromOptions(table->descriptor(), &options, &format));
  if (!asks_to_cache) scan.cache_blocks = false;
  scan.filter = CountingFilter(scan.filter);
  int64_t rows = 0;
  const auto counted =
      ForEachRow(environment, table.get(), scan, [&](const Cell* begin, const Cell*) {
        if (++rows % interval == 0) {
          printer->Line(
              fmt::format("Current count: {}, row: {}", rows, ToStringBinary(begin->row())));
        }
        return Status::Ok();
      });
  RETURN_IF_ERROR(counted.status());
  printer->Footer(static_cast<size_t>(rows));
  return Value::Integer(rows);
}

}  // namespace

std::vector<Command> ScanCommands() {
  return {
      {"scan", "dml", 1, 2, RunScan, true},
      {"count", "dml", 1, 2, RunCount, true},
  };
}

}  // namespace bennu::shell
