#include "src/server/http/http_session.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>
#include <charconv>
#include <utility>

#include "src/server/net/http_host.h"

namespace bennu::server::http {

namespace {

namespace beast = boost::beast::http;
using boost::system::error_code;

constexpr uint32_t kHeaderMax = 16u << 10;
// Neither a request that does not get on nor a connection that nobody uses stays longer.
constexpr std::chrono::seconds kIdleMax{60};

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string Decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

}  // namespace

struct HttpSession::Parser {
  Parser() {
    request.header_limit(kHeaderMax);
    request.body_limit(uint64_t{0});
  }
  beast::request_parser<beast::empty_body> request;
};

std::string QueryParameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name || equals == std::string_view::npos) continue;
    return Decoded(pair.substr(equals + 1));
  }
  return "";
}

HttpSession::HttpSession(const PageSource* pages, std::shared_ptr<net::Channel> channel,
                         std::string host)
    : pages_(pages),
      channel_(std::move(channel)),
      host_(std::move(host)),
      parser_(std::make_unique<Parser>()) {}

HttpSession::~HttpSession() = default;

Status HttpSession::Tick() {
  if (net::MonotonicNow() - heard_ < kIdleMax) return Status::Ok();
  return IoError("no request came in time");
}

Result<size_t> HttpSession::Receive(ByteView bytes) {
  heard_ = net::MonotonicNow();
  error_code error;
  const size_t consumed =
      parser_->request.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error == beast::error::need_more) return consumed;
  if (error) {
    const bool body = error == beast::error::body_limit || error == beast::error::unexpected_body;
    const bool header = error == beast::error::header_limit;
    const unsigned status = body ? 413 : header ? 431 : 400;
    Refuse(status, error.message());
    return Corruption("HTTP: " + error.message());
  }
  if (parser_->request.is_done()) {
    Answer();
    parser_ = std::make_unique<Parser>();
  }
  return consumed;
}

void HttpSession::Answer() {
  const auto& request = parser_->request.get();
  const bool head = request.method() == beast::verb::head;
  if (!head && request.method() != beast::verb::get) {
    return Refuse(405, "only GET and HEAD are answered");
  }
  const auto host = request.find(beast::field::host);
  if (host != request.end() && !net::IsOwnHost(View(host->value()), host_)) {
    return Refuse(421, "the Host is none of this server's names");
  }
  const std::string_view target = View(request.target());
  const size_t mark = target.find('?');
  const std::string_view path = target.substr(0, mark);
  const std::string_view query =
      mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  Send((*pages_)(path, query), !head, request.keep_alive());
}

void HttpSession::Refuse(unsigned status, const std::string& reason) {
  Send({status, Page().type, reason + "\n"}, /*with_body=*/true, /*keep_alive=*/false);
}

void HttpSession::Send(const Page& page, bool with_body, bool keep_alive) {
  const auto reason = beast::obsolete_reason(static_cast<beast::status>(page.status));
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nConnection: {}\r\n{}\r\n",
      page.status, View(reason), page.type, page.body.size(), keep_alive ? "keep-alive" : "close",
      page.status == 405 ? "Allow: GET, HEAD\r\n" : "");
  if (with_body) text += page.body;
  channel_->Send(text);
  if (!keep_alive) channel_->Close();
}

}  // namespace bennu::server::http
