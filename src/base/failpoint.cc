#include "src/base/failpoint.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "src/base/mutex.h"
#include "src/base/status_macros.h"

namespace bennu {

namespace internal {
// Written when points are armed, read at each passage; a stale 'false' only delays the arming.
std::atomic<bool> g_failpoints_active{false};
std::atomic<bool> g_env_failpoints_active{false};
}  // namespace internal

namespace {

constexpr std::string_view kEnvPrefix = "env.";
constexpr std::string_view kAnyEnvPoint = "env.any";
constexpr std::string_view kAppendPoint = "env.append";

enum class Action { kKill, kError, kFull, kShort, kTorn };

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

std::optional<Action> ParseAction(std::string_view text, std::string_view point) {
  if (text == "kill") return Action::kKill;
  if (text == "error") return Action::kError;
  if (text == "full" && point.starts_with(kEnvPrefix)) return Action::kFull;
  if (text == "short" && point == kAppendPoint) return Action::kShort;
  if (text == "torn" && point == kAppendPoint) return Action::kTorn;
  return std::nullopt;
}

Result<std::pair<std::string, ArmedPoint>> ParsePoint(std::string_view text) {
  const Status bad = InvalidArgument("failpoint '" + std::string(text) +
                                     "': expected name=kill@N or name=error@N with N from 1; of "
                                     "env.… also full@N, of env.append also short@N and torn@N");
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
  const auto parsed = ParseAction(action, text.substr(0, equals));
  if (!parsed.has_value()) return bad;
  point.action = *parsed;
  return std::make_pair(std::string(text.substr(0, equals)), point);
}

[[noreturn]] void Die(const std::string& log_path, std::string_view name) {
  AppendToLog(log_path, "killed " + std::string(name));
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();  // the signal may reach another thread first
}

// What is to happen at this passage of an armed point; nullopt: nothing.
std::optional<Action> Count(Registry* registry, std::string_view name) REQUIRES(registry->mu) {
  const auto armed = registry->armed.find(name);
  if (armed == registry->armed.end()) return std::nullopt;
  ArmedPoint& point = armed->second;
  if (++point.passed != point.at) return std::nullopt;
  return point.action;
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

  const auto action = Count(&registry, name);
  if (!action.has_value()) return Status::Ok();
  if (*action == Action::kKill) Die(registry.log_path, name);
  return IoError("failpoint " + std::string(name) + ": told to fail at passage " +
                 std::to_string(registry.armed.find(name)->second.at));
}

EnvFault PassEnvFailpoint(std::string_view name) {
  Registry& registry = GetRegistry();
  MutexLock lock(&registry.mu);
  auto action = Count(&registry, name);
  if (const auto any = Count(&registry, kAnyEnvPoint); !action.has_value()) action = any;
  if (!action.has_value()) return EnvFault::kNone;
  switch (*action) {
    case Action::kKill: Die(registry.log_path, name);
    case Action::kError: return EnvFault::kError;
    case Action::kFull: return EnvFault::kFull;
    case Action::kShort: return EnvFault::kShort;
    case Action::kTorn: return EnvFault::kTorn;
  }
  return EnvFault::kNone;
}

}  // namespace internal

void DieAtEnvFailpoint(std::string_view name) {
  Registry& registry = GetRegistry();
  MutexLock lock(&registry.mu);
  Die(registry.log_path, name);
}

uint64_t FailpointPassages(std::string_view name) {
  Registry& registry = GetRegistry();
  MutexLock lock(&registry.mu);
  const auto armed = registry.armed.find(name);
  return armed == registry.armed.end() ? 0 : armed->second.passed;
}

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
  const bool of_env =
      std::any_of(registry.armed.begin(), registry.armed.end(),
                  [](const auto& item) { return item.first.starts_with(kEnvPrefix); });
  internal::g_env_failpoints_active.store(of_env, std::memory_order_relaxed);
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
