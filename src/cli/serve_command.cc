#include "src/cli/serve_command.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "src/base/env.h"
#include "src/base/log.h"
#include "src/cli/error_report.h"
#include "src/cli/exit_code.h"
#include "src/server/server.h"

namespace bennu::cli {

namespace {

Result<std::optional<uint16_t>> ParsePort(const std::string& text, const char* option) {
  if (text == "none") return std::optional<uint16_t>();
  unsigned port = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, port);
  if (parsed.ec != std::errc() || parsed.ptr != end ||
      port > std::numeric_limits<uint16_t>::max()) {
    return InvalidArgument(fmt::format(
        "{} {}: a port is a number up to 65535, 0 for any that is free, or none", option, text));
  }
  return std::optional<uint16_t>(static_cast<uint16_t>(port));
}

Result<server::ServerOptions> ToServerOptions(const ServeOptions& options) {
  server::ServerOptions server;
  std::error_code error;
  server.directory = std::filesystem::absolute(options.directory, error).string();
  if (error) server.directory = options.directory;
  server.address = options.address;
  server.allow_unauthenticated = options.allow_unauthenticated;
  ASSIGN_OR_RETURN(server.zookeeper_port, ParsePort(options.zookeeper_port, "--zk-port"));
  ASSIGN_OR_RETURN(server.master_port, ParsePort(options.master_port, "--master-port"));
  ASSIGN_OR_RETURN(server.region_server_port, ParsePort(options.region_server_port, "--rs-port"));
  return server;
}

// The signals that end or reload a server; blocked in all threads, for one to wait for.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

}  // namespace

int RunServe(const ServeOptions& options) {
  const auto server_options = ToServerOptions(options);
  if (!server_options.ok()) {
    std::fputs(FormatError(server_options.status(), "", 0).c_str(), stderr);
    return kExitUsage;
  }
  if (options.verbose) SetLogLevel(LogLevel::kInfo);
  const sigset_t signals = BlockSignals();
  auto server = server::Server::Start(*server_options);
  if (!server.ok()) {
    std::fputs(FormatError(server.status(), "", 0).c_str(), stderr);
    return server.status().code() == StatusCode::kInvalidArgument
               ? static_cast<int>(kExitUsage)
               : static_cast<int>(ExitCodeOfOpening(server.status()));
  }
  const std::string ready = "ready " + (*server)->Endpoints() + "\n";
  if (!options.ready_file.empty()) {
    const Status written = Env::Default()->WriteFileAtomically(options.ready_file, ready);
    if (!written.ok()) {
      std::fputs(FormatError(written, "", 0).c_str(), stderr);
      return kExitStore;
    }
  }
  std::fputs(ready.c_str(), stdout);
  std::fflush(stdout);
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGHUP) break;
    LogInfo("SIGHUP: nothing to read again");
  }
  const Status stopped = (*server)->Stop();
  if (!stopped.ok()) {
    std::fputs(FormatError(stopped, "", 0).c_str(), stderr);
    return kExitStore;
  }
  return kExitOk;
}

}  // namespace bennu::cli
