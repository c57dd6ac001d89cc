#include "src/cli/hbase_shell_command.h"

#include <fmt/format.h>
#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "src/api/property_values.h"
#include "src/base/env.h"
#include "src/base/user_name.h"
#include "src/bennu/opened_store.h"
#include "src/cli/error_report.h"
#include "src/cli/line_editor.h"
#include "src/cli/server_target.h"
#include "src/cli/store_conf.h"
#include "src/cli/store_place.h"
#include "src/cli/terminal.h"
#include "src/cli/utf8_input.h"
#include "src/client/cluster_url.h"
#include "src/client/connect.h"
#include "src/shell/session.h"

namespace bennu::cli {

namespace {

constexpr char kEpochKey[] = "hbase.shell.timestamp.format.epoch";
constexpr char kHistoryFile[] = ".bennu_shell_history";
constexpr char kSeparators[] = " \t,()[]{}=>'\".;";

std::string GroupNames() {
  std::vector<gid_t> ids(static_cast<size_t>(std::max(getgroups(0, nullptr), 0)));
  ids.resize(static_cast<size_t>(std::max(getgroups(static_cast<int>(ids.size()), ids.data()), 0)));
  if (std::find(ids.begin(), ids.end(), getegid()) == ids.end()) {
    ids.insert(ids.begin(), getegid());
  }
  std::string names;
  for (const gid_t id : ids) {
    const group* const found = getgrgid(id);
    if (found == nullptr) continue;
    names += (names.empty() ? "" : ", ") + std::string(found->gr_name);
  }
  return names;
}

// Where lines come from. One that is not a terminal's is echoed behind its prompt, as HBase's shell
// does, so that a transcript can be read.
class Input {
 public:
  virtual ~Input() = default;
  // The next line without its end; nothing at the end.
  virtual std::optional<std::string> Read(const std::string& prompt) = 0;
  // Ctrl-C was typed instead of a line.
  virtual bool TakeInterrupt() { return false; }
  // Ctrl-C stops the running command; elsewhere it ends the process.
  virtual bool at_prompt() const { return false; }
};

class StreamInput final : public Input {
 public:
  StreamInput(std::istream* stream, bool echo) : stream_(stream), echo_(echo) {}
  std::optional<std::string> Read(const std::string& prompt) override {
    std::string read;
    const bool got = static_cast<bool>(std::getline(*stream_, read));
    std::string_view line = read;
    if (std::exchange(at_start_, false)) DropByteOrderMark(&line);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (echo_) fmt::print("{}{}\n", prompt, line);
    return got ? std::optional<std::string>(line) : std::nullopt;
  }

 private:
  std::istream* const stream_;
  bool at_start_ = true;
  const bool echo_;
};

class TerminalInput final : public Input {
 public:
  explicit TerminalInput(LineEditor::Candidates candidates)
      : editor_(kHistoryFile, kSeparators, std::move(candidates)) {}
  std::optional<std::string> Read(const std::string& prompt) override {
    std::string line;
    const LineEditor::Outcome outcome = editor_.Read(prompt, &line);
    if (outcome != LineEditor::Outcome::kLine) std::fputc('\n', stdout);
    interrupted_ = outcome == LineEditor::Outcome::kInterrupted;
    if (outcome == LineEditor::Outcome::kEnd) return std::nullopt;
    if (!line.empty()) editor_.Remember(line);
    return line;
  }
  bool TakeInterrupt() override { return std::exchange(interrupted_, false); }
  bool at_prompt() const override { return true; }

 private:
  LineEditor editor_;
  bool interrupted_ = false;
};

// What is worked on.
struct OpenTarget {
  Connection* connection = nullptr;
  api::ClusterControl* cluster = nullptr;  // null: a directory
};

// The session over an open store or a server, and the input that it reads at the moment.
class HBaseShell {
 public:
  HBaseShell(const HBaseShellOptions& options, const OpenTarget& target, bool epoch_timestamps)
      : printer_([](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); },
                 [] { return IsTerminal(STDOUT_FILENO) ? TerminalWidth() : 0; }),
        session_(MakeEnvironment(options, target, epoch_timestamps),
                 options.noninteractive || !options.commands.empty()) {}

  // Runs what 'input' has. Returns false when the session has ended.
  bool RunAll(Input* input) {
    input_ = input;
    while (!session_.ended()) {
      const std::optional<std::string> line = input->Read(session_.Prompt());
      if (input->TakeInterrupt()) {
        session_.Clear();
        continue;
      }
      if (!line.has_value()) break;
      Take(*line);
    }
    if (!session_.ended()) session_.Finish();
    input_ = nullptr;
    return !session_.ended();
  }

  shell::Session* session() { return &session_; }

 private:
  shell::Environment MakeEnvironment(const HBaseShellOptions& options, const OpenTarget& target,
                                     bool epoch_timestamps) {
    shell::Environment environment;
    environment.connection = target.connection;
    environment.cluster = target.cluster;
    environment.printer = &printer_;
    environment.read_line = [this]() -> std::optional<std::string> {
      return input_ == nullptr ? std::nullopt : input_->Read("");
    };
    environment.monotonic_nanos = [] { return Env::Default()->MonotonicNanos(); };
    environment.cancelled = [this] { return cancelled_.load(std::memory_order_relaxed); };
    environment.version = options.version;
    environment.user = EffectiveUserName();
    environment.groups = GroupNames();
    environment.target = client::ShownTarget(options.target);
    environment.epoch_timestamps = epoch_timestamps;
    return environment;
  }

  void Take(const std::string& line) {
    std::optional<InterruptGuard> guard;
    cancelled_ = false;
    if (input_->at_prompt()) guard.emplace([this] { cancelled_ = true; });
    session_.Take(line);
    std::fflush(stdout);
  }

  shell::Printer printer_;
  std::atomic<bool> cancelled_{false};  // written by the guard's thread; read between rows
  Input* input_ = nullptr;
  shell::Session session_;
};

// Commands, then a script, else standard input; a script that was run on a terminal without -n is
// followed by the prompt, as in HBase. Returns false when the script cannot be read.
bool RunInputs(const HBaseShellOptions& options, HBaseShell* shell) {
  if (!options.commands.empty()) {
    std::string text;
    for (const std::string& command : options.commands) text += command + "\n";
    std::istringstream stream(text);
    StreamInput input(&stream, false);
    shell->RunAll(&input);
    return true;
  }
  const bool terminal = IsTerminal(STDIN_FILENO);
  if (!options.script.empty()) {
    std::ifstream file(options.script);
    if (!file.good()) {
      fmt::print(stderr, "ERROR: {}: the script cannot be read\n", options.script);
      return false;
    }
    StreamInput input(&file, !options.quiet);
    if (!shell->RunAll(&input) || options.noninteractive || !terminal) return true;
  }
  if (!terminal) {
    StreamInput input(&std::cin, !options.quiet);
    shell->RunAll(&input);
    return true;
  }
  fmt::print("Bennu {} on {}, with the commands of HBase's shell. help lists them, exit leaves.\n",
             options.version, client::ShownTarget(options.target));
  std::fflush(stdout);
  shell::Session* const session = shell->session();
  TerminalInput input([session](std::string_view before, std::string_view word, std::string_view) {
    const bool quoted = before.ends_with('\'') || before.ends_with('"');
    return quoted ? session->CompleteQuoted(word) : session->Complete(word);
  });
  shell->RunAll(&input);
  return true;
}

// At a prompt every error was told and nothing failed; a script's last word is its exit.
ExitCode ExitCodeOfSession(const HBaseShellOptions& options, const shell::Session& session) {
  const bool at_prompt =
      options.commands.empty() && !options.noninteractive && IsTerminal(STDIN_FILENO);
  if (session.exit_argument() != 0) return static_cast<ExitCode>(session.exit_argument());
  if (!session.failed() || at_prompt) return kExitOk;
  return ExitCodeOf(session.error());
}

// The session on a store or a server that is open.
ExitCode RunOn(const OpenTarget& target, const HBaseShellOptions& options, bool epoch_timestamps) {
  HBaseShell shell(options, target, epoch_timestamps);
  const ExitCode code =
      RunInputs(options, &shell) ? ExitCodeOfSession(options, *shell.session()) : kExitUsage;
  std::fflush(stdout);
  // With -n and -e the error that ended it is told here; else it stands in the transcript.
  const bool stopped = options.noninteractive || !options.commands.empty();
  if (stopped && shell.session()->failed()) {
    fmt::print(stderr, "ERROR: {}\n", shell.session()->error().message());
  }
  return code;
}

ExitCode RunOnServer(const HBaseShellOptions& options,
                     const std::map<std::string, std::string>& properties, bool epoch_timestamps) {
  if (options.read_only) {
    return ReportError(InvalidArgument("--read-only applies to a directory only"), kExitUsage);
  }
  if (const Status fits = CheckServerArguments(options.store); !fits.ok()) {
    return ReportError(fits, kExitUsage);
  }
  const auto client_options =
      ServerOptionsOf(options.target, options.store.config_file, properties);
  if (!client_options.ok()) return ReportError(client_options.status(), kExitUsage);
  const auto connection = client::Connect(*client_options);
  if (!connection.ok()) return ReportError(connection.status(), kExitStore);
  return RunOn({connection->get(), (*connection)->control()}, options, epoch_timestamps);
}

ExitCode RunOnDirectory(const HBaseShellOptions& options,
                        const std::map<std::string, std::string>& properties,
                        bool epoch_timestamps) {
  StoreArguments arguments = options.store;
  arguments.conf.clear();
  auto database_options = DatabaseOptionsOf(arguments);
  if (!database_options.ok()) return ReportError(database_options.status(), kExitUsage);
  const Status applied = ApplyProperties("-D", properties, &*database_options);
  if (!applied.ok()) return ReportError(applied, kExitUsage);
  database_options->read_only = options.read_only;
  database_options->create_if_missing = !options.read_only;
  const Status place =
      options.read_only ? CheckStoreName(options.target) : CheckStorePlace(options.target);
  if (!place.ok()) return ReportError(place, ExitCodeOfPlace(place));
  const bool is_new = !IsMemoryStore(options.target) && !StoreExists(options.target);
  const auto store = front::OpenedStore::Open(options.target, *database_options);
  if (!store.ok()) return ReportError(store.status(), ExitCodeOfOpening(store.status()));
  if (is_new) TellOfNewStore(options.target);
  const ExitCode code = RunOn({(*store)->engine(), nullptr}, options, epoch_timestamps);
  const Status closed = (*store)->Close();
  return closed.ok() ? code : ReportError(closed, kExitStore);
}

}  // namespace

ExitCode RunHBaseShell(const HBaseShellOptions& options) {
  std::map<std::string, std::string> properties;
  const Status read = ReadConfiguration(options.store.conf, &properties);
  if (!read.ok()) return ReportError(read, kExitUsage);
  // The one property of the shell itself.
  bool epoch_timestamps = false;
  if (const auto epoch = properties.extract(kEpochKey); !epoch.empty()) {
    const Result<bool> flag = api::FlagValue(epoch.mapped());
    if (!flag.ok()) {
      return ReportError(
          InvalidArgument(fmt::format("-D {}: {}", kEpochKey, flag.status().message())),
          kExitUsage);
    }
    epoch_timestamps = *flag;
  }
  return client::LooksLikeCluster(options.target)
             ? RunOnServer(options, properties, epoch_timestamps)
             : RunOnDirectory(options, properties, epoch_timestamps);
}

}  // namespace bennu::cli
