#include "src/cli/inspect_commands.h"

#include <cstdio>
#include <memory>
#include <string_view>

#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/cli/error_report.h"
#include "src/hfile/inspect.h"
#include "src/hfile/reader.h"
#include "src/wal/format_edits.h"
#include "src/wal/wal_reader.h"

namespace bennu::cli {

namespace {

void PrintLine(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
}

Status PrintEntries(wal::WalReader* reader) {
  wal::WalEntry entry;
  std::fwrite(wal::kEditsHeader.data(), 1, wal::kEditsHeader.size(), stdout);
  for (uint64_t number = 0;; ++number) {
    ASSIGN_OR_RETURN(const bool more, reader->Next(&entry));
    if (!more) return Status();
    std::fputs(wal::FormatEdits(number, entry).c_str(), stdout);
  }
}

ExitCode Report(const Status& status) {
  std::fflush(stdout);
  if (status.ok()) return kExitOk;
  std::fputs(FormatError(status, "", 0).c_str(), stderr);
  return kExitStore;
}

}  // namespace

ExitCode RunHFile(const std::string& path, bool cells) {
  auto reader = hfile::Reader::Open(Env::Default(), path, nullptr);
  if (!reader.ok()) return Report(reader.status());
  return Report(cells ? hfile::FormatCells(*reader, PrintLine)
                      : hfile::FormatMeta(**reader, PrintLine));
}

ExitCode RunWal(const std::string& path, bool skip_damage) {
  wal::WalReadOptions options;
  options.skip_damage = skip_damage;
  auto reader = wal::WalReader::Open(Env::Default(), path, options);
  if (!reader.ok()) return Report(reader.status());
  const Status status = PrintEntries(reader->get());
  const ExitCode code = Report(status);
  if (status.ok() && (*reader)->end() == wal::WalEnd::kTornTail) {
    std::fprintf(
        stderr,
        "note: the log ends inside an entry at offset %llu, as after a crash; this entry was "
        "never acknowledged\n",
        static_cast<unsigned long long>((*reader)->valid_size()));
  }
  if ((*reader)->skipped_bytes() > 0) {
    std::fprintf(stderr, "note: %llu damaged bytes were left out\n",
                 static_cast<unsigned long long>((*reader)->skipped_bytes()));
  }
  return code;
}

}  // namespace bennu::cli
