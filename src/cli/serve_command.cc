#include "src/cli/serve_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "src/base/env.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/cli/error_report.h"
#include "src/cli/exit_code.h"
#include "src/cli/log_format.h"
#include "src/cli/serve_config.h"
#include "src/cli/service_manager.h"
#include "src/cli/store_place.h"
#include "src/server/gateway.h"
#include "src/server/server.h"

namespace bennu::cli {

namespace {

// The signals that end or reload a server; blocked in all threads, for one to wait for.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

// Answers of scans and calls with many changes take a megabyte or two each. By its defaults glibc
// gives such memory back to the kernel at once, which clears it anew for the next one. The server
// gives back what stays unused (src/base/free_memory.h). Each arena keeps what its threads have
// freed: with glibc's eight for a processor that is several times what all of them use at a time.
void KeepFreedMemory() {
  constexpr int kMegabyte = 1 << 20;
  constexpr int kArenasPerProcessor = 2;
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);
  mallopt(M_TRIM_THRESHOLD, 64 * kMegabyte);
  const auto processors = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  mallopt(M_ARENA_MAX, kArenasPerProcessor * processors);
}

void ApplyLog(const server::config::ServerConfig& config, LogLevel level_otherwise) {
  SetLogLevel(config.log_level.value_or(level_otherwise));
  LogAsJson(config.log_format == server::config::LogFormat::kJson);
}

void WarnOfUnread(const ServeOptions& options, const ServeConfig& config) {
  if (config.unread.empty()) return;
  LogWarning("{}: {} properties are unknown and ignored: {}", options.config_file,
             config.unread.size(), fmt::join(config.unread, ", "));
}

int CheckConfig(const ServeOptions& options, const ServeConfig& config) {
  WarnOfUnread(options, config);
  std::fputs(DescribeServeConfig(config).c_str(), stdout);
  std::fputs("the configuration is valid\n", stdout);
  return std::fflush(stdout) == 0 ? kExitOk : kExitStore;
}

// What a SIGHUP asks for. 'started' is what the server was started with; a file with errors changes
// nothing.
void Reload(const ServeOptions& options, LogLevel level_otherwise, server::RunningServer* server,
            const ServeConfig& started) {
  auto read = ReadServeConfig(options);
  if (!read.ok()) {
    LogError("SIGHUP: nothing was changed: {}", read.status().message());
    return;
  }
  ApplyLog(read->server, level_otherwise);
  server->Reload(read->server.options.live);
  WarnOfUnread(options, *read);
  const auto late = server::config::NeedRestart(started.properties, read->properties);
  if (!late.empty()) {
    LogWarning("SIGHUP: these properties take effect at the next start: {}", fmt::join(late, ", "));
  }
  LogInfo("SIGHUP: the configuration was read again");
}

Status TellReady(const ServeOptions& options, const server::RunningServer& server) {
  const std::string ready = "ready " + server.Endpoints() + "\n";
  if (!options.ready_file.empty()) {
    RETURN_IF_ERROR(Env::Default()->WriteFileAtomically(options.ready_file, ready));
  }
  std::fputs(ready.c_str(), stdout);
  std::fflush(stdout);
  LogInfo("serving {}", server.Endpoints());
  NotifyServiceManager("READY=1\nSTATUS=" + ready);
  return Status::Ok();
}

// Until a signal ends it.
int Serve(const ServeOptions& options, const ServeConfig& config, LogLevel level_otherwise,
          const sigset_t& signals, server::RunningServer* server) {
  if (const Status status = TellReady(options, *server); !status.ok()) {
    return ReportError(status, kExitStore);
  }
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGHUP) break;
    NotifyServiceManager(
        fmt::format("RELOADING=1\nMONOTONIC_USEC={}", Env::Default()->MonotonicNanos() / 1000));
    Reload(options, level_otherwise, server, config);
    NotifyServiceManager("READY=1");
  }
  NotifyServiceManager("STOPPING=1");
  const Status stopped = server->Stop();
  return stopped.ok() ? static_cast<int>(kExitOk) : ReportError(stopped, kExitStore);
}

// What keeps a server from starting.
int ReportStart(const Status& status) {
  const bool usage = status.code() == StatusCode::kInvalidArgument;
  return ReportError(status, usage ? kExitUsage : ExitCodeOfOpening(status));
}

int ServeCluster(const ServeOptions& options, const ServeConfig& config, LogLevel level_otherwise) {
  if (options.directory.has_value()) {
    return ReportError(InvalidArgument("--cluster stands in place of a directory, and " +
                                       *options.directory + " is given as well"),
                       kExitUsage);
  }
  server::GatewayOptions gateway;
  gateway.cluster = options.cluster;
  gateway.server = config.server.options;
  gateway.database.site_file = options.config_file;
  const auto memory = config.properties.find("bennu.memory");
  if (memory != config.properties.end()) {
    gateway.database.configuration["bennu.memory"] = memory->second.value;
  }
  const sigset_t signals = BlockSignals();
  KeepFreedMemory();
  auto server = server::StartGateway(gateway);
  if (!server.ok()) return ReportStart(server.status());
  return Serve(options, config, level_otherwise, signals, server->get());
}

}  // namespace

int RunServe(const ServeOptions& options) {
  const LogLevel level_otherwise = GetLogLevel();
  auto config = ReadServeConfig(options);
  if (!config.ok()) return ReportError(config.status(), kExitUsage);
  ApplyLog(config->server, level_otherwise);
  if (options.check_config) return CheckConfig(options, *config);
  WarnOfUnread(options, *config);
  if (!options.cluster.empty()) return ServeCluster(options, *config, level_otherwise);
  const std::string directory = options.directory.value_or(config->server.options.directory);
  const Status place = CheckStorePlace(directory);
  if (!place.ok()) return ReportError(place, ExitCodeOfPlace(place));
  const bool is_new = !IsMemoryStore(directory) && !StoreExists(directory);
  const sigset_t signals = BlockSignals();
  KeepFreedMemory();
  server::ServerOptions server_options = config->server.options;
  server_options.stop_asked = [] { kill(getpid(), SIGTERM); };
  server_options.reload_asked = [] { kill(getpid(), SIGHUP); };
  auto server = server::Server::Start(server_options);
  if (!server.ok()) return ReportStart(server.status());
  if (is_new) TellOfNewStore(directory);
  return Serve(options, *config, level_otherwise, signals, server->get());
}

}  // namespace bennu::cli
