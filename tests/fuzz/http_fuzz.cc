// One connection of HTTP, from its first byte on: requests that are cut anywhere, with bodies of
// every coding. What the bodies mean is for the other targets.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "src/server/http/message.h"
#include "src/server/http/session.h"
#include "src/server/net/handlers.h"
#include "src/server/net/wire_memory.h"
#include "src/server/phoenix/avatica_port.h"
#include "tests/server/test_channel.h"

namespace {

namespace http = bennu::server::http;

// What a process has one of.
struct Server {
  Server() {
    port.handlers = &handlers;
    port.memory = &memory;
    port.host = "db.example.org";
    port.request_bytes_max = 1u << 20;
    port.compress = http::Compress::kAlways;
    port.work_size = bennu::server::phoenix::MessageSize;
    port.answer = [](http::Request&& request) {
      http::Response response;
      response.body = http::QueryParameter(request.query, "q") + request.body;
      return response;
    };
  }

  bennu::server::net::Handlers handlers{1, 100};
  bennu::server::net::WireMemory memory{8u << 20};
  http::Port port;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Server* const server = new Server();
  if (size == 0) return 0;
  // The first byte: how many bytes come at a time, as sockets give them; 0: all at once.
  const size_t piece = data[0] == 0 ? size : data[0];
  const bennu::ByteView input(reinterpret_cast<const char*>(data) + 1, size - 1);
  {
    http::Session session(&server->port, std::make_shared<bennu::server::TestChannel>());
    bennu::Bytes rest;
    bool open = true;
    for (size_t at = 0; open && at < input.size(); at += piece) {
      rest.append(input.substr(at, piece));
      while (open && !rest.empty()) {
        while (session.IsBusy()) std::this_thread::yield();
        const auto consumed = session.Receive(rest);
        open = consumed.ok();
        if (!open || *consumed == 0) break;
        rest.erase(0, *consumed);
      }
    }
    (void)session.Tick().ok();
  }
  while (server->handlers.pending() > 0) std::this_thread::yield();
  return 0;
}
