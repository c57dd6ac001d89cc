#include "src/cli/statement_runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "src/base/status_macros.h"
#include "src/cli/error_report.h"
#include "src/cli/terminal.h"
#include "src/cli/utf8_input.h"
#include "src/sql/types/text.h"

namespace bennu::cli {

namespace {

// What the progress line says.
std::string Progress(const std::optional<StatementInfo>& running, double seconds) {
  std::string text = fmt::format("running for {:.0f} s", seconds);
  if (running.has_value()) {
    if (running->rows_read > 0) text += fmt::format(", {} rows read", running->rows_read);
    if (running->morsels > 0) {
      text += fmt::format(", {} of {} parts done", running->morsels_done, running->morsels);
    }
  }
  return text + " (Ctrl-C cancels)";
}

}  // namespace

Status StatementRunner::Execute(std::string_view statement) {
  RETURN_IF_ERROR(CheckUtf8(statement, "the line"));
  InterruptGuard interrupt([this] { connection_->Cancel(); });
  ProgressLine progress(
      [this](double seconds) { return Progress(connection_->RunningStatement(), seconds); });
  ASSIGN_OR_RETURN(const std::unique_ptr<ResultSet> result, connection_->Execute(statement));
  RETURN_IF_ERROR(printer_->Print(result.get(), [&progress] {
    if (IsTerminal(STDOUT_FILENO)) progress.End();
  }));
  progress.End();
  NoteWritten(result->update_count());
  return Status::Ok();
}

// Which of them newer cells hide is not known without reading the rows.
void StatementRunner::NoteWritten(int64_t rows) {
  if (!scn.has_value() || rows <= 0 || scn_was_noted_) return;
  scn_was_noted_ = true;
  fmt::print(stderr,
             "note: rows written at SCN {} ({}) may be hidden by newer ones, which stay as they "
             "are\n",
             *scn, sql::DateTimeToText(sql::Timestamp{*scn, 0}));
}

Status StatementRunner::Run(std::string_view statement, int first_line) {
  if (echo) {
    fmt::print("\n{};\n", statement);
    std::fflush(stdout);
  }
  const auto start = std::chrono::steady_clock::now();
  const Status status = Execute(statement);
  if (!status.ok()) {
    exit_code_ = std::max(exit_code_, ExitCodeOf(status));
    const std::string text = FormatError(status, statement, first_line);
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  }
  if (timing) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    const bool plain = IsForPeople(printer_->format());
    fmt::print(plain ? stdout : stderr, "Time: {:.3f} ms\n", took.count());
    std::fflush(plain ? stdout : stderr);
  }
  return status;
}

}  // namespace bennu::cli
