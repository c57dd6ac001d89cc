#include "src/server/http/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <new>
#include <string_view>
#include <utility>

#include "src/base/ascii.h"
#include "src/server/http/authentication.h"
#include "src/server/http/content_coding.h"
#include "src/server/net/http_host.h"
#include "src/server/net/peer_log.h"

namespace bennu::server::http {

namespace {

namespace beast = boost::beast::http;
using boost::system::error_code;

constexpr uint32_t kHeaderMax = 16u << 10;
// As large as most answers are at most: a frame of rows.
constexpr size_t kLargeAnswer = 1u << 20;

constexpr unsigned kBadRequest = 400;
constexpr unsigned kForbidden = 403;
constexpr unsigned kTimeout = 408;
constexpr unsigned kTooLarge = 413;
constexpr unsigned kMisdirected = 421;
constexpr unsigned kHeaderTooLarge = 431;
constexpr unsigned kUnavailable = 503;

// "0", and two ends of lines.
constexpr size_t kEndOfChunksMin = 5;
constexpr unsigned kHttp11 = 11;  // as the parser writes it

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string Cut(const std::string& text, size_t size_max) {
  return text.size() <= size_max ? text : text.substr(0, size_max) + "…";
}

// A line for whoever wonders why his requests are not answered, or who knocks.
void LogRefusal(const std::string& peer, const Request& request, const Response& response) {
  constexpr size_t kMethodMax = 20;
  constexpr size_t kPathMax = 100;
  if (response.refusal.empty()) return;
  net::WarnOfPeer(peer,
                  fmt::format("HTTP: {} {} is refused with {}: {}", Cut(request.method, kMethodMax),
                              Cut(request.path, kPathMax), response.status, response.refusal));
}

size_t CountOf(const Request& request, std::string_view name) {
  return static_cast<size_t>(
      std::count_if(request.headers.begin(), request.headers.end(), [name](const auto& header) {
        return boost::beast::iequals(header.first, {name.data(), name.size()});
      }));
}

// Whether a page's origin is the server that the request is for: "http://localhost:16010".
bool IsOwnOrigin(std::string_view origin, std::string_view host) {
  const size_t scheme = origin.find("://");
  return scheme != std::string_view::npos && !host.empty() &&
         Lower(origin.substr(scheme + 3)) == Lower(host);
}

bool IsOnThisMachine(std::string_view peer) {
  return peer.starts_with("127.") || peer.starts_with("[::1]") || peer.starts_with("::1:");
}

}  // namespace

struct Session::Parser {
  explicit Parser(size_t body_max) {
    request.header_limit(kHeaderMax);
    request.body_limit(body_max);
    request.eager(true);
  }

  Request Take() {
    auto& parsed = request.get();
    Request taken;
    taken.names_host = parsed.version() >= kHttp11;
    taken.method = View(parsed.method_string());
    const std::string_view target = View(parsed.target());
    const size_t mark = target.find('?');
    taken.path = target.substr(0, mark);
    if (mark != std::string_view::npos) taken.query = target.substr(mark + 1);
    for (const auto& field : parsed) {
      taken.headers.emplace_back(View(field.name_string()), View(field.value()));
    }
    taken.body = std::move(parsed.body());
    return taken;
  }

  beast::request_parser<beast::string_body> request;
  bool greeted = false;  // the header is there, and was looked at
  size_t consumed = 0;
};

Session::Session(const Port* port, std::shared_ptr<net::Channel> channel)
    : port_(port),
      channel_(std::move(channel)),
      caller_(std::make_shared<Caller>(channel_->peer())),
      parser_(std::make_unique<Parser>(port->request_bytes_max.load(std::memory_order_relaxed))),
      body_charge_(port->memory) {}

Session::~Session() { caller_->Leave(); }

bool Session::IsBusy() const {
  State state = State::kBusy;
  return work_->state.compare_exchange_strong(state, State::kAwaited) || state == State::kAwaited;
}

Status Session::Tick() {
  if (work_->state.load() != State::kIdle || net::MonotonicNow() - heard_ < port_->idle_max)
    return Status::Ok();
  return IoError("no request came in time");
}

Result<size_t> Session::Receive(ByteView bytes) {
  heard_ = net::MonotonicNow();
  // Once the parser has seen a chunk of no bytes it takes for granted that the rest of the end is
  // there as well.
  if (parser_->request.is_header_done() && parser_->request.chunked() &&
      bytes.size() < kEndOfChunksMin) {
    return size_t{0};
  }
  error_code error;
  const size_t consumed =
      parser_->request.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error && error != beast::error::need_more) {
    const bool body = error == beast::error::body_limit;
    const bool header = error == beast::error::header_limit;
    return Refuse(
        body     ? kTooLarge
        : header ? kHeaderTooLarge
                 : kBadRequest,
        body ? "the request is larger than hbase.ipc.max.request.size allows" : error.message());
  }
  parser_->consumed += consumed;
  if (!body_charge_.TrySet(parser_->request.get().body().capacity())) {
    return Refuse(kUnavailable, "the memory for messages that are not complete is used up");
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

void Session::ContinueIfExpected() {
  const auto expect = parser_->request.get().find(beast::field::expect);
  if (expect == parser_->request.get().end() ||
      !boost::beast::iequals(expect->value(), "100-continue")) {
    return;
  }
  channel_->Send("HTTP/1.1 100 Continue\r\n\r\n");
}

std::optional<Response> Session::Objection(const Request& request) const {
  // Of two, this server and what stands before it may each look at another one.
  const size_t hosts = CountOf(request, "Host");
  if (hosts > 1) return Refused(kBadRequest, "the request has more than one Host");
  if (hosts == 0 && request.names_host) {
    return Refused(kBadRequest, "the request has no Host, which HTTP/1.1 asks for");
  }
  const std::string* const host = request.Header("Host");
  if (host != nullptr && !net::IsOwnHost(*host, port_->host)) {
    return Refused(kMisdirected, "the Host is none of this server's names");
  }
  // Pages of other sites can make a browser send what they like.
  const std::string* const origin = request.Header("Origin");
  if (origin == nullptr) return std::nullopt;
  if (port_->own_pages && host != nullptr && IsOwnOrigin(*origin, *host)) return std::nullopt;
  return Refused(kForbidden, port_->own_pages ? "requests of other sites' pages are not taken here"
                                              : "requests of web pages are not taken here");
}

Session::Manner Session::MannerOf(const Request& request, bool keep_alive) const {
  Manner manner;
  manner.with_body = request.method != "HEAD";
  manner.keep_alive = keep_alive;
  const std::string* const accepted = request.Header("Accept-Encoding");
  manner.compress =
      accepted != nullptr && AcceptsGzip(*accepted) &&
      (port_->compress == Compress::kAlways ||
       (port_->compress == Compress::kForOtherMachines && !IsOnThisMachine(channel_->peer())));
  return manner;
}

void Session::Begin() {
  const bool keep_alive = parser_->request.get().keep_alive();
  Request request = parser_->Take();
  const Manner manner = MannerOf(request, keep_alive);
  const auto send = [&](Response response) {
    LogRefusal(channel_->peer(), request, response);
    Send(channel_.get(), std::move(response), manner);
  };
  if (std::optional<Response> objection = Objection(request); objection.has_value()) {
    return send(*std::move(objection));
  }
  const bool known = port_->users == nullptr || (port_->is_open && port_->is_open(request));
  if (known && port_->answer_at_once) {
    if (std::optional<Response> response = port_->answer_at_once(request); response.has_value()) {
      return send(*std::move(response));
    }
  }
  if (!channel_->HasRoomFor(kLargeAnswer)) {
    return send(Refused(kUnavailable, "the memory for answers is used up; try again later"));
  }
  if (port_->draining.load(std::memory_order_acquire)) {
    return send(Refused(kUnavailable, "the server is stopping"));
  }
  RunOnHandler(std::move(request), manner);
}

void Session::RunOnHandler(Request request, Manner manner) {
  const size_t bytes = request.body.size();
  work_->state.store(State::kBusy);
  request.caller = caller_;
  auto shared = std::make_shared<Request>(std::move(request));
  const auto run = [port = port_, channel = channel_, work = work_, manner, shared] {
    Response response;
    try {
      response = Answer(*port, shared.get());
    } catch (const std::bad_alloc&) {
      response = Refused(kUnavailable, "there is no memory for the request");
    }
    LogRefusal(channel->peer(), *shared, response);
    *shared = Request();
    Send(channel.get(), std::move(response), manner);
    // Not before, so that no later request is answered first. The connection is to look again.
    if (work->state.exchange(State::kIdle) == State::kAwaited) channel->Send({});
  };
  if (port_->handlers->TrySubmit(run, bytes)) return;
  work_->state.store(State::kIdle);
  Response refused = Refused(kUnavailable, "too many calls are waiting already; try again later");
  LogRefusal(channel_->peer(), *shared, refused);
  Send(channel_.get(), std::move(refused), manner);
}

Response Session::Answer(const Port& port, Request* request) {
  if (port.users != nullptr) {
    const std::string* const told = request->Header("Authorization");
    Result<std::string> user = Authenticate(told, port.users);
    if (!user.ok()) {
      Response challenge = Challenge(user.status());
      // A browser learns only by the first answer that it has to say who asks.
      if (told != nullptr) challenge.refusal = user.status().message();
      return challenge;
    }
    request->user = *std::move(user);
    if (port.answer_at_once) {
      if (std::optional<Response> response = port.answer_at_once(*request); response.has_value()) {
        return *std::move(response);
      }
    }
  }
  net::WireCharge charge(port.memory);  // of what the request becomes, until it is answered
  if (const std::string* const coding = request->Header("Content-Encoding"); coding != nullptr) {
    const size_t bytes_max = port.request_bytes_max.load(std::memory_order_relaxed);
    if (std::optional<Response> refusal = Uncompress(*coding, bytes_max, &charge, &request->body);
        refusal.has_value()) {
      return *std::move(refusal);
    }
  }
  if (port.work_size && !charge.TrySet(charge.bytes() + port.work_size(*request))) {
    return Refused(kUnavailable, "the memory for messages is used up; try again later");
  }
  return port.answer(std::move(*request));
}

Status Session::Refuse(unsigned status, const std::string& reason) {
  Send(channel_.get(), Refused(status, reason), {.keep_alive = false});
  return Corruption(fmt::format("HTTP: a request is refused with {}: {}", status, reason));
}

size_t Session::unfinished_bytes() const { return parser_->consumed; }

bool Session::AnswerUnfinished(Unfinished why) {
  const bool late = why == Unfinished::kLate;
  Send(channel_.get(),
       Refused(late ? kTimeout : kBadRequest,
               late ? "the rest of the request did not come in time" : "the request has no end"),
       {.keep_alive = false});
  parser_ = std::make_unique<Parser>(port_->request_bytes_max.load(std::memory_order_relaxed));
  body_charge_.Set(0);
  return true;
}

void Session::Send(net::Channel* channel, Response response, Manner manner) {
  if (manner.compress) CompressIfWorthwhile(&response);
  const auto reason = beast::obsolete_reason(static_cast<beast::status>(response.status));
  Bytes text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nX-Content-Type-Options: "
      "nosniff\r\n{}",
      response.status, View(reason), response.type, response.body.size(),
      manner.keep_alive ? "" : "Connection: close\r\n");
  bool may_be_kept = false;
  for (const auto& [name, value] : response.headers) {
    text += fmt::format("{}: {}\r\n", name, value);
    may_be_kept |= name == "Cache-Control";
  }
  if (!may_be_kept) text += "Cache-Control: no-store\r\n";
  text += "\r\n";
  if (manner.with_body) text.append(response.body);
  channel->SendOwned(std::move(text));
  if (!manner.keep_alive) channel->Close();
}

}  // namespace bennu::server::http
