// What the library tells its operator: one line per event, through a sink that the embedding
// program may replace. Thread-safe.
//
//   LogInfo("recovery: replayed {} edits from {}", edits, path);
#ifndef BENNU_SRC_BASE_LOG_H_
#define BENNU_SRC_BASE_LOG_H_

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace bennu {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// DEBUG, INFO, WARNING, ERROR; empty for kOff.
std::string_view LogLevelName(LogLevel level);

// Lines below 'level' are dropped. Default: warnings and errors go to standard error; the variable
// BENNU_LOG (debug, info, warning, error, off) changes that.
void SetLogLevel(LogLevel level);
LogLevel GetLogLevel();
using LogSink = std::function<void(LogLevel, std::string_view line)>;
void SetLogSink(LogSink sink);  // null restores standard error

void LogLine(LogLevel level, std::string_view line);

template <typename... Args>
void Log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (level >= GetLogLevel()) LogLine(level, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kInfo, format, std::forward<Args>(args)...);
}
template <typename... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kWarning, format, std::forward<Args>(args)...);
}
template <typename... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kError, format, std::forward<Args>(args)...);
}

}  // namespace bennu

#endif  // BENNU_SRC_BASE_LOG_H_
