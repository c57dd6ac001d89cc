// How lines of the log look.
#ifndef BENNU_SRC_CLI_LOG_FORMAT_H_
#define BENNU_SRC_CLI_LOG_FORMAT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/log.h"

namespace bennu::cli {

// One JSON object in a line, with its '\n': time (ISO 8601, UTC), level, thread, message. Bytes
// that are no UTF-8 become U+FFFD.
std::string JsonLogLine(int64_t now_millis, LogLevel level, std::string_view thread,
                        std::string_view message);

// From now on the log goes to standard error as such objects, or as text again.
void LogAsJson(bool json);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_LOG_FORMAT_H_
