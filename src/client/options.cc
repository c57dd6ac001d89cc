#include "src/client/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/api/attributes.h"

namespace bennu::client {

namespace {

struct Text {
  std::string_view name;
  std::string* (*place)(ClientOptions*);
};
constexpr Text kTexts[] = {
    {"hbase.rpc.tls.ciphersuites", [](ClientOptions* o) { return &o->tls.cipher_suites; }},
    {"hbase.rpc.tls.enabledProtocols", [](ClientOptions* o) { return &o->tls.protocols; }},
    {"hbase.rpc.tls.keystore.location", [](ClientOptions* o) { return &o->tls.keystore.location; }},
    {"hbase.rpc.tls.keystore.password", [](ClientOptions* o) { return &o->tls.keystore.password; }},
    {"hbase.rpc.tls.keystore.type", [](ClientOptions* o) { return &o->tls.keystore.type; }},
    {"hbase.rpc.tls.truststore.location",
     [](ClientOptions* o) { return &o->tls.truststore.location; }},
    {"hbase.rpc.tls.truststore.password",
     [](ClientOptions* o) { return &o->tls.truststore.password; }},
    {"hbase.rpc.tls.truststore.type", [](ClientOptions* o) { return &o->tls.truststore.type; }},
};

Status SetFlag(std::string_view name, std::string_view value, bool* flag) {
  if (value != "true" && value != "false") {
    return InvalidArgument(fmt::format("{} is '{}'; expected true or false", name, value));
  }
  *flag = value == "true";
  return Status::Ok();
}

}  // namespace

Status SetOption(std::string_view name, std::string_view value, ClientOptions* options) {
  for (const Text& text : kTexts) {
    if (name != text.name) continue;
    *text.place(options) = value;
    return Status::Ok();
  }
  if (name == "hbase.client.netty.tls.enabled") return SetFlag(name, value, &options->tls_enabled);
  if (name == "hbase.client.netty.tls.verify.server.hostname") {
    return SetFlag(name, value, &options->tls_verify_host);
  }
  const auto number = api::ParseInteger(value);
  if (name == "hbase.client.keyvalue.maxsize") {
    if (!number.has_value()) {
      return InvalidArgument(fmt::format("{} is '{}'; expected a number", name, value));
    }
    options->cell_bytes_max = static_cast<uint64_t>(std::max<int64_t>(*number, 0));
    return Status::Ok();
  }
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
