#include "src/client/options.h"

#include <fmt/format.h>

#include "src/api/attributes.h"

namespace bennu::client {

Status SetOption(std::string_view name, std::string_view value, ClientOptions* options) {
  const auto number = api::ParseInteger(value);
  const bool fits = number.has_value() && *number > 0;
  const std::chrono::milliseconds millis(number.value_or(0));
  if (name == "hbase.rpc.timeout") {
    options->call_timeout = millis;
  } else if (name == "hbase.client.operation.timeout") {
    options->operation_timeout = millis;
  } else if (name == "hbase.client.pause") {
    options->pause = millis;
  } else if (name == "hbase.client.scanner.max.result.size") {
    options->scan_bytes_max = static_cast<uint64_t>(number.value_or(0));
  } else {
    return InvalidArgument(fmt::format("{} means nothing to a client of a server", name));
  }
  if (fits) return Status::Ok();
  return InvalidArgument(fmt::format("{} is '{}'; expected a positive number", name, value));
}

}  // namespace bennu::client
