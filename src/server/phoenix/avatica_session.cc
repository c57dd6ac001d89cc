#include "src/server/phoenix/avatica_session.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/verb.hpp>
#include <string_view>
#include <utility>

#include "src/server/net/http_host.h"

namespace bennu::server::phoenix {

namespace {

namespace beast = boost::beast::http;
using boost::system::error_code;

constexpr uint32_t kHeaderMax = 16u << 10;
// Clients keep a connection for the next statement; the one at the other end may be a person.
constexpr std::chrono::minutes kIdleMax{10};

constexpr std::string_view kProtobufType = "application/octet-stream;charset=utf-8";
constexpr std::string_view kJsonType = "application/json;charset=utf-8";
constexpr std::string_view kTextType = "text/plain;charset=utf-8";

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

void Send(net::Channel* channel, unsigned status, std::string_view type, std::string_view body,
          bool keep_alive) {
  const auto reason = beast::obsolete_reason(static_cast<beast::status>(status));
  Bytes text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\n{}\r\n",
      status, View(reason), type, body.size(), keep_alive ? "" : "Connection: close\r\n");
  text.append(body);
  channel->SendOwned(std::move(text));
  if (!keep_alive) channel->Close();
}

}  // namespace

struct AvaticaSession::Parser {
  explicit Parser(size_t body_max) {
    request.header_limit(kHeaderMax);
    request.body_limit(body_max);
    request.eager(true);
  }
  beast::request_parser<beast::string_body> request;
  bool greeted = false;  // the header is there, and was looked at
};

AvaticaSession::AvaticaSession(const AvaticaPort* port, std::shared_ptr<net::Channel> channel)
    : port_(port),
      channel_(std::move(channel)),
      parser_(std::make_unique<Parser>(port->request_bytes_max.load(std::memory_order_relaxed))),
      body_charge_(port->memory) {}

AvaticaSession::~AvaticaSession() = default;

bool AvaticaSession::IsBusy() const {
  State state = State::kBusy;
  return work_->state.compare_exchange_strong(state, State::kAwaited) || state == State::kAwaited;
}

Status AvaticaSession::Tick() {
  if (work_->state.load() != State::kIdle || net::MonotonicNow() - heard_ < kIdleMax)
    return Status::Ok();
  return IoError("no request came in time");
}

Result<size_t> AvaticaSession::Receive(ByteView bytes) {
  heard_ = net::MonotonicNow();
  error_code error;
  const size_t consumed =
      parser_->request.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error && error != beast::error::need_more) {
    const bool body = error == beast::error::body_limit;
    const bool header = error == beast::error::header_limit;
    return Refuse(
        body     ? 413
        : header ? 431
                 : 400,
        body ? "the request is larger than hbase.ipc.max.request.size allows" : error.message());
  }
  if (!body_charge_.TrySet(parser_->request.get().body().capacity())) {
    return Refuse(503, "the memory for messages that are not complete is used up");
  }
  if (parser_->request.is_header_done() && !parser_->greeted) {
    parser_->greeted = true;
    ContinueIfExpected();
  }
  if (parser_->request.is_done()) {
    Begin();
    parser_ = std::make_unique<Parser>(port_->request_bytes_max.load(std::memory_order_relaxed));
    body_charge_.Set(0);
  }
  return consumed;
}

void AvaticaSession::ContinueIfExpected() {
  const auto expect = parser_->request.get().find(beast::field::expect);
  if (expect == parser_->request.get().end() ||
      !boost::beast::iequals(expect->value(), "100-continue")) {
    return;
  }
  channel_->Send("HTTP/1.1 100 Continue\r\n\r\n");
}

void AvaticaSession::Begin() {
  auto& request = parser_->request.get();
  const bool keep_alive = request.keep_alive();
  const auto refuse = [&](unsigned status, std::string_view reason) {
    Send(channel_.get(), status, kTextType, std::string(reason) + "\n", keep_alive);
  };
  const auto host = request.find(beast::field::host);
  if (host != request.end() && !net::IsOwnHost(View(host->value()), port_->host)) {
    return refuse(421, "the Host is none of this server's names");
  }
  // Pages of other sites can make a browser send what they like; no client of Phoenix is a page.
  if (request.find(beast::field::origin) != request.end()) {
    return refuse(403, "requests of web pages are not taken here");
  }
  // A client of JSON may have its request in a header.
  const auto told = request.find("request");
  if (told != request.end() && request.body().empty()) request.body() = View(told->value());
  if (request.method() != beast::verb::post && told == request.end()) {
    return refuse(400, "This server expects only POST calls.");
  }
  if (port_->draining.load(std::memory_order_acquire)) {
    return refuse(503, "the server is stopping");
  }
  auto body = std::make_shared<std::string>(std::move(request.body()));
  work_->state.store(State::kBusy);
  const auto run = [port = port_, channel = channel_, work = work_, keep_alive, body] {
    const avatica::Form form = avatica::FormOf(*body);
    const std::string_view type = form == avatica::Form::kJson ? kJsonType : kProtobufType;
    Answer answer;
    try {
      answer = port->service->Handle(*body);
    } catch (const std::bad_alloc&) {
      answer = port->service->Refuse(ResourceExhausted("there is no memory for the request"), form);
    }
    body->clear();
    Send(channel.get(), answer.http_status, type, answer.body, keep_alive);
    // Not before, so that no later request is answered first. The connection is to look again.
    if (work->state.exchange(State::kIdle) == State::kAwaited) channel->Send({});
  };
  if (port_->handlers->TrySubmit(run, body->size())) return;
  work_->state.store(State::kIdle);
  refuse(503, "too many calls are waiting already; try again later");
}

Status AvaticaSession::Refuse(unsigned status, const std::string& reason) {
  Send(channel_.get(), status, kTextType, reason + "\n", /*keep_alive=*/false);
  return Corruption("HTTP: " + reason);
}

}  // namespace bennu::server::phoenix
