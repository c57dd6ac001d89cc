#include "src/client/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

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

// Times end up as nanoseconds in 64 bits, and in 32 bits of a request's header as milliseconds.
constexpr int64_t kMillisMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kAnyMax = std::numeric_limits<int64_t>::max();

struct Number {
  std::string_view name;
  int64_t min;
  int64_t max;
  void (*set)(int64_t, ClientOptions*);
};
constexpr Number kNumbers[] = {
    {"hbase.client.keyvalue.maxsize", std::numeric_limits<int64_t>::min(), kAnyMax,
     [](int64_t n, ClientOptions* o) {
       o->cell_bytes_max = static_cast<uint64_t>(std::max<int64_t>(n, 0));
     }},
    {"hbase.client.max.perrequest.heapsize", 1, kAnyMax,
     [](int64_t n, ClientOptions* o) { o->request_bytes_max = static_cast<uint64_t>(n); }},
    {"hbase.client.max.perserver.tasks", 1, 1000,
     [](int64_t n, ClientOptions* o) { o->requests_per_server_max = static_cast<uint32_t>(n); }},
    {"hbase.client.operation.timeout", 1, kMillisMax,
     [](int64_t n, ClientOptions* o) { o->operation_timeout = std::chrono::milliseconds(n); }},
    {"hbase.client.pause", 1, kMillisMax,
     [](int64_t n, ClientOptions* o) { o->pause = std::chrono::milliseconds(n); }},
    {"hbase.client.pause.server.overloaded", 1, kMillisMax,
     [](int64_t n, ClientOptions* o) { o->pause_overloaded = std::chrono::milliseconds(n); }},
    {"hbase.client.primaryCallTimeout.get", 0, kMillisMax,
     [](int64_t n, ClientOptions* o) { o->primary_patience_get = std::chrono::microseconds(n); }},
    {"hbase.client.replicaCallTimeout.scan", 0, kMillisMax,
     [](int64_t n, ClientOptions* o) { o->primary_patience_scan = std::chrono::microseconds(n); }},
    {"hbase.client.retries.number", 0, std::numeric_limits<int32_t>::max(),
     [](int64_t n, ClientOptions* o) { o->retries_max = static_cast<uint32_t>(n); }},
    {"hbase.client.scanner.max.result.size", 1, kAnyMax,
     [](int64_t n, ClientOptions* o) { o->scan_bytes_max = static_cast<uint64_t>(n); }},
    {"hbase.rpc.timeout", 1, kMillisMax,
     [](int64_t n, ClientOptions* o) { o->call_timeout = std::chrono::milliseconds(n); }},
};

std::string RangeOf(const Number& number) {
  if (number.min < 0) return "a number";
  if (number.min == 1) return fmt::format("a positive number of at most {}", number.max);
  return fmt::format("a number from {} to {}", number.min, number.max);
}

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
         Find(kNumbers, name) != nullptr;
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
  const Number& known = *Find(kNumbers, name);
  if (!number.has_value() || *number < known.min || *number > known.max) {
    return Unfit(name, value, RangeOf(known));
  }
  known.set(*number, options);
  return Status::Ok();
}

}  // namespace bennu::client
