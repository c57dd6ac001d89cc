#include "src/server/phoenix_front.h"

#include <fmt/format.h>

#include <utility>

#include "src/server/phoenix/avatica_port.h"

namespace bennu::server {

namespace {

// Statements of Phoenix's clients that run at a time; a query itself uses the store's query
// threads.
constexpr size_t kPhoenixHandlers = 32;
constexpr size_t kPhoenixQueued = 1000;

}  // namespace

PhoenixFront::PhoenixFront(front::SqlHost* sql, const Options& options)
    : service_(sql, fmt::format("{}:{}", options.host, options.port), options.bounds),
      handlers_(std::make_unique<net::Handlers>(kPhoenixHandlers, kPhoenixQueued,
                                                options.memory->bytes_max(), "phoenix")) {
  port_.handlers = handlers_.get();
  port_.memory = options.memory;
  port_.host = options.host;
  port_.users = options.users;
  port_.compress = options.compress;
  port_.answer = [this](http::Request&& request) {
    return phoenix::AnswerMessage(&service_, std::move(request));
  };
  // Whoever asks this mostly does so while statements have the threads.
  port_.answer_at_once = [this](const http::Request& request) {
    return phoenix::AnswerRunning(service_, request);
  };
  port_.work_size = phoenix::MessageSize;
}

void PhoenixFront::Stop() {
  service_.Stop();
  handlers_.reset();
}

}  // namespace bennu::server
