#include "src/base/failpoint.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <utility>

#include "src/base/mutex.h"

namespace bennu {

namespace internal {
// Written when points are armed, read at each passage; a stale 'false' only delays the arming.
std::atomic<bool> g_failpoints_active{false};
}  // namespace internal

namespace {

enum class Action { kKill, kError };

struct ArmedPoint {
  Action action = Action::kError;
  uint64_t at = 1;  // the passage that acts, from 1, counted since the point was armed
  uint64_t passed = 0;
};

struct Registry {
  Mutex mu;
  std::map<std::string, ArmedPoint, std::less<>> armed GUARDED_BY(mu);
  std::map<std::string, uint64_t, std::less<>> passages GUARDED_BY(mu);
  std::string log_path GUARDED_BY(mu);  // empty: no log
};

Registry& GetRegistry() {
  static Registry* const registry = new Registry;
  return *registry;
}

// Straight to the system, past Env: the line must be there after the SIGKILL that follows, and an
// Env under test must not be able to lose it.
void AppendToLog(const std::string& path, std::string line) {
  if (path.empty()) return;
  line += '\n';
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return;
  static_cast<void>(!::write(fd, line.data(), line.size()));
  ::close(fd);
}

Result<std::pair<std::string, ArmedPoint>> ParsePoint(std::string_view text) {
  const Status bad = InvalidArgument("failpoint '" + std::string(text) +
                                     "': expected name=kill@N or name=error@N with N from 1");
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return bad;
  std::string_view action = text.substr(equals + 1);
  ArmedPoint point;
  if (const size_t at = action.find('@'); at != std::string_view::npos) {
    const std::string_view number = action.substr(at + 1);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), point.at);
    if (error != std::errc() || end != number.data() + number.size() || point.at == 0) return bad;
    action = action.substr(0, at);
  }
  if (action == "kill") {
    point.action = Action::kKill;
  } else if (action == "error") {
    point.action = Action::kError;
  } else {
    return bad;
  }
  return std::make_pair(std::string(text.substr(0, equals)), point);
}

}  // namespace

namespace internal {

Status PassFailpoint(std::string_view name) {
  Registry& registry = GetRegistry();
  MutexLock lock(&registry.mu);
  auto passage = registry.passages.find(name);
  if (passage == registry.passages.end()) {
    passage = registry.passages.emplace(std::string(name), 0).first;
    AppendToLog(registry.log_path, std::string(name));
  }
  ++passage->second;

  const auto armed = registry.armed.find(name);
  if (armed == registry.armed.end()) return Status::Ok();
  ArmedPoint& point = armed->second;
  if (++point.passed != point.at) return Status::Ok();
  if (point.action == Action::kKill) {
    AppendToLog(registry.log_path, "killed " + std::string(name));
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();  // the signal may reach another thread first
  }
  return IoError("failpoint " + std::string(name) + ": told to fail at passage " +
                 std::to_string(point.at));
}

}  // namespace internal

Status ArmFailpoints(std::string_view spec) {
  std::map<std::string, ArmedPoint, std::less<>> armed;
  while (!spec.empty()) {
    const size_t comma = spec.find(',');
    ASSIGN_OR_RETURN(auto point, ParsePoint(spec.substr(0, comma)));
    armed.insert_or_assign(std::move(point.first), point.second);
    spec = comma == std::string_view::npos ? std::string_view() : spec.substr(comma + 1);
  }
  Registry& registry = GetRegistry();
  MutexLock lock(&registry.mu);
  registry.armed = std::move(armed);
  const bool active = !registry.armed.empty() || !registry.log_path.empty();
  internal::g_failpoints_active.store(active, std::memory_order_relaxed);
  return Status::Ok();
}

Status ArmFailpointsFromEnvironment() {
  const char* log_path = std::getenv("BENNU_FAILPOINT_LOG");
  {
    Registry& registry = GetRegistry();
    MutexLock lock(&registry.mu);
    registry.log_path = log_path == nullptr ? "" : log_path;
    registry.passages.clear();  // the log names every point from here on
  }
  const char* spec = std::getenv("BENNU_FAILPOINTS");
  return ArmFailpoints(spec == nullptr ? "" : spec);
}

}  // namespace bennu
