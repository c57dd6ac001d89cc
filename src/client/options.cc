#include "src/client/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

struct Flag {
  std::string_view name;
  bool ClientOptions::*place;
};
constexpr Flag kFlags[] = {
    {"hbase.client.netty.tls.enabled", &ClientOptions::tls_enabled},
    {"hbase.client.netty.tls.verify.server.hostname", &ClientOptions::tls_verify_host},
};

// A positive number of milliseconds.
struct Time {
  std::string_view name;
  std::chrono::milliseconds ClientOptions::*place;
};
constexpr Time kTimes[] = {
    {"hbase.client.operation.timeout", &ClientOptions::operation_timeout},
    {"hbase.client.pause", &ClientOptions::pause},
    {"hbase.rpc.timeout", &ClientOptions::call_timeout},
};

constexpr std::string_view kCellBytesMax = "hbase.client.keyvalue.maxsize";
constexpr std::string_view kScanBytesMax = "hbase.client.scanner.max.result.size";

template <typename Entry, size_t count>
const Entry* Find(const Entry (&table)[count], std::string_view name) {
  const auto* const found = std::find_if(std::begin(table), std::end(table),
                                         [&](const Entry& entry) { return entry.name == name; });
  return found == std::end(table) ? nullptr : found;
}

Status Unfit(std::string_view name, std::string_view value, std::string_view expected) {
  return InvalidArgument(fmt::format("{} is '{}'; expected {}", name, value, expected));
}

}  // namespace

bool IsOption(std::string_view name) {
  return Find(kTexts, name) != nullptr || Find(kFlags, name) != nullptr ||
         Find(kTimes, name) != nullptr || name == kCellBytesMax || name == kScanBytesMax;
}

Status SetOption(std::string_view name, std::string_view value, ClientOptions* options) {
  if (!IsOption(name)) {
    return InvalidArgument(fmt::format("{} means nothing to a client of a server", name));
  }
  if (const Text* const text = Find(kTexts, name); text != nullptr) {
    *text->place(options) = value;
    return Status::Ok();
  }
  if (const Flag* const flag = Find(kFlags, name); flag != nullptr) {
    if (value != "true" && value != "false") return Unfit(name, value, "true or false");
    options->*(flag->place) = value == "true";
    return Status::Ok();
  }
  const auto number = api::ParseInteger(value);
  if (name == kCellBytesMax) {
    if (!number.has_value()) return Unfit(name, value, "a number");
    options->cell_bytes_max = static_cast<uint64_t>(std::max<int64_t>(*number, 0));
    return Status::Ok();
  }
  if (!number.has_value() || *number <= 0) return Unfit(name, value, "a positive number");
  if (name == kScanBytesMax) {
    options->scan_bytes_max = static_cast<uint64_t>(*number);
  } else {
    options->*(Find(kTimes, name)->place) = std::chrono::milliseconds(*number);
  }
  return Status::Ok();
}

}  // namespace bennu::client
