// Which files are logs: by their names, or by what they begin with.
#ifndef BENNU_SRC_WAL_LOG_FILE_H_
#define BENNU_SRC_WAL_LOG_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/base/env.h"

namespace bennu::wal {

// The time in a log's name, "<server>.<milliseconds>" and perhaps ".meta" or ".syncrep"; nullopt
// when it is not the name of a log. Source: HBase's AbstractFSWALProvider.
std::optional<int64_t> LogCreationTime(std::string_view name);

// Whether the file has the name of a log, whatever it holds, or begins as logs do, whatever its
// name is. All else in a folder of logs is somebody else's.
Result<bool> IsLogFile(Env* env, const std::string& path);

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_LOG_FILE_H_
