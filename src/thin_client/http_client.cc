#include "src/thin_client/http_client.h"

#include <fmt/format.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <functional>
#include <utility>

#include "src/base/status_macros.h"
#include "src/base/tls.h"
#include "src/sql/types/bson.h"

namespace bennu::thin_client {

namespace {

namespace beast = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;

}  // namespace

class HttpClient::Connection {
 public:
  Connection(const Url& url, const HttpOptions& options) : url_(url), options_(options) {}

  Status Open() {
    tcp::resolver resolver(context_);
    error_code error;
    const auto found = resolver.resolve(url_.host, std::to_string(url_.port), error);
    if (error) {
      return IoError(fmt::format("{}: the host is not known: {}", url_.host, error.message()));
    }
    const std::string refusal = fmt::format(
        "{} does not answer; is a server running there? (bennu serve DIR --phoenix-port {})",
        url_.Authority(), url_.port);
    RETURN_IF_ERROR(Wait(options_.connect_timeout, refusal, [&](auto done) {
      boost::asio::async_connect(
          socket_, found, [done](const error_code& failed, const tcp::endpoint&) { done(failed); });
    }));
    socket_.set_option(tcp::no_delay(true), error);
    socket_.set_option(boost::asio::socket_base::keep_alive(true), error);
    if (!url_.tls) return Status::Ok();
    return Encrypt();
  }

  // False: the server has closed it since the last answer.
  bool IsOpen() {
    char byte;
    const ssize_t size = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

  Result<HttpAnswer> Post(const std::string& body,
                          std::optional<std::chrono::milliseconds> timeout) {
    beast::request<beast::string_body> request(beast::verb::post, url_.path, 11);
    request.set(beast::field::content_type, "application/octet-stream");
    request.body() = body;
    return Ask(std::move(request), timeout);
  }

  Result<HttpAnswer> Get(std::string_view path, std::string_view header, const std::string& value,
                         std::optional<std::chrono::milliseconds> timeout) {
    const std::string below = url_.path.substr(0, url_.path.find_last_not_of('/') + 1);
    beast::request<beast::string_body> request(beast::verb::get, below + std::string(path), 11);
    request.set({header.data(), header.size()}, value);
    return Ask(std::move(request), timeout);
  }

  bool keep() const { return keep_; }

 private:
  using TlsSocket = boost::asio::ssl::stream<tcp::socket&>;

  Result<HttpAnswer> Ask(beast::request<beast::string_body> request,
                         std::optional<std::chrono::milliseconds> timeout) {
    request.set(beast::field::host, url_.Authority());
    if (!options_.user.empty()) {
      std::string token;
      sql::AppendBase64(options_.user + ":" + options_.password, &token);
      request.set(beast::field::authorization, "Basic " + token);
    }
    request.prepare_payload();
    const std::string lost = fmt::format("the connection to {} ended", url_.Authority());
    RETURN_IF_ERROR(Wait(timeout, lost, [&](auto done) {
      WithStream([&](auto& stream) {
        beast::async_write(stream, request,
                           [done](const error_code& failed, size_t) { done(failed); });
      });
    }));
    beast::response_parser<beast::string_body> parser;
    parser.body_limit(options_.answer_bytes_max);
    RETURN_IF_ERROR(Wait(timeout, lost, [&](auto done) {
      WithStream([&](auto& stream) {
        beast::async_read(stream, buffer_, parser,
                          [done](const error_code& failed, size_t) { done(failed); });
      });
    }));
    HttpAnswer answer;
    answer.status = parser.get().result_int();
    keep_ = parser.get().keep_alive();
    answer.body = std::move(parser.get().body());
    return answer;
  }

  Status Encrypt() {
    if (options_.tls == nullptr) return InvalidArgument("there are no options of TLS");
    SSL_CTX_up_ref(options_.tls.get());
    boost::asio::ssl::context context(options_.tls.get());  // takes over a reference
    tls_ = std::make_unique<TlsSocket>(socket_, context);
    SSL* const ssl = tls_->native_handle();
    RETURN_IF_ERROR(NameTlsPeer(ssl, url_.host, options_.tls_verify_host));
    return Wait(options_.connect_timeout,
                fmt::format("{} refuses TLS, or its certificate is not trusted", url_.Authority()),
                [&](auto done) {
                  tls_->async_handshake(TlsSocket::client,
                                        [done](const error_code& failed) { done(failed); });
                });
  }

  template <typename Body>
  void WithStream(const Body& body) {
    if (tls_ != nullptr) return body(*tls_);
    body(socket_);
  }

  // Starts an operation and runs it to its end. 'what' says what has failed.
  template <typename Start>
  Status Wait(std::optional<std::chrono::milliseconds> timeout, const std::string& what,
              const Start& start) {
    std::optional<error_code> outcome;
    context_.restart();
    start(std::function<void(const error_code&)>(
        [&outcome](const error_code& error) { outcome = error; }));
    if (timeout.has_value()) {
      context_.run_for(*timeout);
    } else {
      context_.run();
    }
    if (!outcome.has_value()) {
      // The operation still refers to what lies here.
      error_code ignored;
      socket_.close(ignored);
      context_.restart();
      context_.run();
      return Status(StatusCode::kTimedOut,
                    fmt::format("{}: no answer within {} ms", what,
                                timeout.value_or(std::chrono::milliseconds(0)).count()));
    }
    if (*outcome) return IoError(fmt::format("{}: {}", what, outcome->message()));
    return Status::Ok();
  }

  const Url& url_;
  const HttpOptions& options_;
  boost::asio::io_context context_{1};
  tcp::socket socket_{context_};
  std::unique_ptr<TlsSocket> tls_;
  boost::beast::flat_buffer buffer_;
  bool keep_ = true;
};

HttpClient::HttpClient(Url url, HttpOptions options)
    : url_(std::move(url)), options_(std::move(options)) {}

HttpClient::~HttpClient() = default;

template <typename Ask>
Result<HttpAnswer> HttpClient::OnConnection(const Ask& ask) {
  if (connection_ != nullptr && !connection_->IsOpen()) connection_ = nullptr;
  if (connection_ == nullptr) {
    auto connection = std::make_unique<Connection>(url_, options_);
    RETURN_IF_ERROR(connection->Open());
    connection_ = std::move(connection);
  }
  auto answer = ask(connection_.get());
  if (!answer.ok() || !connection_->keep()) connection_ = nullptr;
  return answer;
}

Result<HttpAnswer> HttpClient::Post(const std::string& body,
                                    std::optional<std::chrono::milliseconds> timeout) {
  return OnConnection([&](Connection* connection) { return connection->Post(body, timeout); });
}

Result<HttpAnswer> HttpClient::Get(std::string_view path, std::string_view header,
                                   const std::string& value,
                                   std::optional<std::chrono::milliseconds> timeout) {
  return OnConnection(
      [&](Connection* connection) { return connection->Get(path, header, value, timeout); });
}

}  // namespace bennu::thin_client
