#include "src/base/log.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "src/base/mutex.h"
#include "src/base/utf8.h"

namespace bennu {

namespace {

LogLevel LevelFromEnvironment() {
  const char* text = std::getenv("BENNU_LOG");
  const std::string_view name = text == nullptr ? "" : text;
  if (name == "debug") return LogLevel::kDebug;
  if (name == "info") return LogLevel::kInfo;
  if (name == "error") return LogLevel::kError;
  if (name == "off") return LogLevel::kOff;
  return LogLevel::kWarning;
}

// Written by SetLogLevel, read by every logging call; a stale value costs one line more or less.
std::atomic<LogLevel>& Level() {
  static std::atomic<LogLevel> level{LevelFromEnvironment()};
  return level;
}

struct SinkSlot {
  Mutex mu;
  std::shared_ptr<const LogSink> sink GUARDED_BY(mu);  // null: standard error
};

SinkSlot& Sink() {
  static SinkSlot* const slot = new SinkSlot;  // outlives threads that log while the process ends
  return *slot;
}

// Logging is the one reader of the clock outside Env: its lines are for people, nothing replays
// them. UTC, to the millisecond.
std::string TimeText() {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts;
  ::gmtime_r(&now.tv_sec, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     now.tv_nsec / 1000000);
}

// Controls (C1 too: U+009B begins a terminal's command), the separators of lines and paragraphs,
// and the marks that turn the direction of writing.
bool IsShown(std::string_view character) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  switch (character.size()) {
    case 1: return at(0) >= 0x20 && at(0) != 0x7f;
    case 2: return at(0) != 0xc2 || at(1) >= 0xa0;
    case 3: {
      const bool is_mark = at(0) == 0xe2 && ((at(1) == 0x80 && at(2) >= 0xa8 && at(2) <= 0xae) ||
                                             (at(1) == 0x81 && at(2) >= 0xa6 && at(2) <= 0xa9));
      return !is_mark;
    }
    default: return true;
  }
}

// What clients send gets into messages, and must not look like lines or move a terminal's cursor.
// Bytes that are no characters are written out, too: a reader of the log may take them for others.
std::string Printable(std::string_view line) {
  std::string text;
  text.reserve(line.size());
  while (!line.empty()) {
    const size_t size = Utf8CharacterSize(line);
    const std::string_view character = line.substr(0, std::max<size_t>(size, 1));
    if (size > 0 && IsShown(character)) {
      text += character;
    } else {
      for (const char c : character) {
        text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    line.remove_prefix(character.size());
  }
  return text;
}

}  // namespace

std::string_view LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "DEBUG";
    case LogLevel::kInfo: return "INFO";
    case LogLevel::kWarning: return "WARNING";
    case LogLevel::kError: return "ERROR";
    case LogLevel::kOff: break;
  }
  return "";
}

void SetLogLevel(LogLevel level) { Level().store(level, std::memory_order_relaxed); }

LogLevel GetLogLevel() { return Level().load(std::memory_order_relaxed); }

void SetLogSink(LogSink sink) {
  SinkSlot& slot = Sink();
  MutexLock lock(&slot.mu);
  slot.sink = sink ? std::make_shared<const LogSink>(std::move(sink)) : nullptr;
}

void LogLine(LogLevel level, std::string_view message) {
  const std::string line = Printable(message);
  std::shared_ptr<const LogSink> sink;
  {
    SinkSlot& slot = Sink();
    MutexLock lock(&slot.mu);
    sink = slot.sink;
  }
  // Called without the lock, so that a sink may log or replace itself.
  if (sink != nullptr) {
    (*sink)(level, line);
    return;
  }
  const std::string text = fmt::format("{} {} {}\n", TimeText(), LogLevelName(level), line);
  std::fwrite(text.data(), 1, text.size(), stderr);  // one call, so that lines do not mix
}

}  // namespace bennu
