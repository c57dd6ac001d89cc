#include "src/cli/log_format.h"

#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <cstdio>
#include <ctime>

#include "src/base/env.h"
#include "src/base/json_text.h"

namespace bennu::cli {

namespace {

constexpr int64_t kMillisPerSecond = 1000;

std::string TimeText(int64_t millis) {
  const std::time_t seconds = millis / kMillisPerSecond;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     millis % kMillisPerSecond);
}

std::string ThreadName() {
  std::array<char, 16> name{};  // Linux has no longer ones
  if (pthread_getname_np(pthread_self(), name.data(), name.size()) != 0) return "";
  return name.data();
}

}  // namespace

std::string JsonLogLine(int64_t now_millis, LogLevel level, std::string_view thread,
                        std::string_view message) {
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","thread":)", TimeText(now_millis),
                                 LogLevelName(level));
  AppendJsonString(thread, &line);
  line += R"(,"message":)";
  AppendJsonString(message, &line);
  line += "}\n";
  return line;
}

void LogAsJson(bool json) {
  if (!json) return SetLogSink(nullptr);
  SetLogSink([](LogLevel level, std::string_view message) {
    const std::string line = JsonLogLine(Env::Default()->NowMillis(), level, ThreadName(), message);
    std::fwrite(line.data(), 1, line.size(), stderr);  // one call, so that lines do not mix
  });
}

}  // namespace bennu::cli
