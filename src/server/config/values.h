// Values of properties from their texts. InvalidArgument says what was expected, and what came.
#ifndef BENNU_SRC_SERVER_CONFIG_VALUES_H_
#define BENNU_SRC_SERVER_CONFIG_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bennu/status.h"

namespace bennu::server::config {

Result<int64_t> ParseInteger(std::string_view text, int64_t min, int64_t max);
// Bytes; k, m, g and t after the number are powers of 1024, as in Hadoop.
Result<uint64_t> ParseBytes(std::string_view text);
// A share of the whole, more than 0 and at most 1.
Result<double> ParseShare(std::string_view text);
Result<bool> ParseBool(std::string_view text);
// 0: any that is free. Unset for -1, by which HBase turns a port off, and "none".
Result<std::optional<uint16_t>> ParsePort(std::string_view text);
// The path of a directory of this machine, from "file:///path", "file:/path" or a path.
Result<std::string> ParseDirectory(std::string_view text);

}  // namespace bennu::server::config

#endif  // BENNU_SRC_SERVER_CONFIG_VALUES_H_
