// How far a running statement is: a call of Bennu's own beside those of Avatica. Phoenix's query
// server answers it with an error of HTTP, and so tells that it does not have it.
//
//   GET /bennu/v1/running          {"id": 12, "text": "SELECT …", "start_ms": 1795633601000,
//   Bennu-Connection: its id        "rows_read": 18432, "rows_returned": 0, "parts": 13,
//                                   "parts_done": 4, "memory_bytes": 622592}
//
// The id of a connection is the client's secret, as in the other calls: who has it may run
// statements there, and whoever has it not, or is another user, learns nothing. When nothing runs
// the answer is {}.
#ifndef BENNU_SRC_AVATICA_RUNNING_STATEMENT_H_
#define BENNU_SRC_AVATICA_RUNNING_STATEMENT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bennu::avatica {

inline constexpr std::string_view kRunningPath = "/bennu/v1/running";
inline constexpr std::string_view kConnectionHeader = "Bennu-Connection";
// A longer text is cut.
inline constexpr size_t kRunningTextMax = 1000;

struct RunningStatement {
  int64_t id = 0;  // of the server since its start, ascending
  std::string text;
  int64_t start_millis = 0;    // since 1970, by the server's clock
  uint64_t rows_read = 0;      // of tables, so far
  uint64_t rows_returned = 0;  // so far
  uint64_t parts = 0;          // that the scans begun so far are cut into
  uint64_t parts_done = 0;
  int64_t memory_bytes = 0;  // of sorts, groups and joins, now
};

// Unset: nothing runs.
std::string WriteRunning(const std::optional<RunningStatement>& statement);
// False: the text is no such answer. Untrusted bytes.
bool ParseRunning(std::string_view text, std::optional<RunningStatement>* statement);

}  // namespace bennu::avatica

#endif  // BENNU_SRC_AVATICA_RUNNING_STATEMENT_H_
