// HTTP/1.1 on one connection: small pages for GET and HEAD.
#ifndef BENNU_SRC_SERVER_HTTP_HTTP_SESSION_H_
#define BENNU_SRC_SERVER_HTTP_HTTP_SESSION_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "src/server/net/channel.h"
#include "src/server/net/clock.h"

namespace bennu::server::http {

struct Page {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

// 'path' begins with '/'; 'query' is what follows the '?', as it came. Called on the connection's
// loop: it must not wait.
using PageSource = std::function<Page(std::string_view path, std::string_view query)>;

// The value of a parameter in a query, %XX and '+' resolved; empty: there is none.
std::string QueryParameter(std::string_view query, std::string_view name);

class HttpSession final : public net::Session {
 public:
  // 'pages' outlives the session. 'host': a name under which the server may be asked, besides
  // addresses and "localhost".
  HttpSession(const PageSource* pages, std::shared_ptr<net::Channel> channel,
              std::string host = "");
  ~HttpSession() override;

  Result<size_t> Receive(ByteView bytes) override;
  Status Tick() override;

 private:
  struct Parser;

  void Answer();
  void Refuse(unsigned status, const std::string& reason);
  void Send(const Page& page, bool with_body, bool keep_alive);

  const PageSource* const pages_;
  const std::shared_ptr<net::Channel> channel_;
  const std::string host_;
  std::unique_ptr<Parser> parser_;
  std::chrono::nanoseconds heard_ = net::MonotonicNow();
};

}  // namespace bennu::server::http

#endif  // BENNU_SRC_SERVER_HTTP_HTTP_SESSION_H_
