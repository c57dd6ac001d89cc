#include "src/cli/check_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "src/base/env.h"
#include "src/check/checker.h"
#include "src/cli/error_report.h"
#include "src/cli/index_comparison.h"
#include "src/cli/store_place.h"

namespace bennu::cli {

namespace {

void PrintText(const check::Report& report, double seconds) {
  for (const check::Finding& finding : report.findings) {
    fmt::print("{}\n", check::FormatFinding(finding));
  }
  for (const check::RepairAction& action : report.actions) {
    fmt::print("{}  {}  {}\n", action.is_loss ? "LOST" : "REPAIRED", action.path, action.what);
  }
  fmt::print("checked {} files, {} bytes in {:.1f} s: {} faults, {} warnings\n", report.files,
             report.bytes, seconds, report.faults(), report.warnings());
}

void PrintJson(const check::Report& report, double seconds) {
  const auto list = [](std::string_view name, const std::vector<check::Finding>& findings) {
    std::string out = fmt::format("\"{}\":[", name);
    for (const check::Finding& finding : findings) {
      if (out.back() != '[') out += ',';
      out += check::FindingToJson(finding);
    }
    return out + "]";
  };
  std::string actions = "\"actions\":[";
  for (const check::RepairAction& action : report.actions) {
    if (actions.back() != '[') actions += ',';
    actions += fmt::format("{{\"path\":{},\"what\":{},\"loss\":{}}}", check::JsonText(action.path),
                           check::JsonText(action.what), action.is_loss);
  }
  fmt::print(
      "{{{},{}],{},\"files\":{},\"bytes\":{},\"seconds\":{:.3f},\"faults\":{},\"warnings\":{}}}\n",
      list("findings", report.findings), actions, list("remaining", report.remaining), report.files,
      report.bytes, seconds, report.faults(), report.warnings());
}

}  // namespace

ExitCode RunCheck(const CheckCommandOptions& options) {
  if (const Status name = CheckStoreName(options.directory); !name.ok()) {
    return ReportError(name, ExitCodeOfPlace(name));
  }
  Env* const env = Env::Default();
  const uint64_t begin = env->MonotonicNanos();
  const auto seconds = [&] { return static_cast<double>(env->MonotonicNanos() - begin) / 1e9; };
  check::CheckOptions check_options;
  check_options.repair = options.repair;
  if (options.indexes) check_options.compare_indexes = CompareIndexes;
  const bool on_terminal = ::isatty(STDERR_FILENO) != 0;
  if (on_terminal) {
    check_options.progress = [](uint64_t files, uint64_t bytes) {
      std::fprintf(stderr, "\r%llu files, %llu MB", static_cast<unsigned long long>(files),
                   static_cast<unsigned long long>(bytes >> 20));
    };
  }
  const auto report = check::CheckStore(env, options.directory, check_options);
  if (on_terminal) std::fputs("\r\x1b[K", stderr);
  if (!report.ok()) {
    std::fputs(FormatError(report.status(), "", 0).c_str(), stderr);
    return kExitStore;
  }
  if (options.json) {
    PrintJson(*report, seconds());
  } else {
    PrintText(*report, seconds());
  }
  return report->faults() == 0 ? kExitOk : kExitStore;
}

}  // namespace bennu::cli
