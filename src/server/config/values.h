// Values of the server's own kinds of properties (the others: src/api/property_values.h).
// InvalidArgument says what was expected, and what came.
#ifndef BENNU_SRC_SERVER_CONFIG_VALUES_H_
#define BENNU_SRC_SERVER_CONFIG_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bennu/status.h"

namespace bennu::server::config {

// 0: any that is free. Unset for -1, by which HBase turns a port off, and "none".
Result<std::optional<uint16_t>> ParsePort(std::string_view text);
// The path of a directory of this machine, from "file:///path", "file:/path" or a path.
Result<std::string> ParseDirectory(std::string_view text);
// The same of a file.
Result<std::string> ParseFile(std::string_view text);

}  // namespace bennu::server::config

#endif  // BENNU_SRC_SERVER_CONFIG_VALUES_H_
