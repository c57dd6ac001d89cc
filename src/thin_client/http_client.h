// HttpClient: requests to one server, one after another on one connection, which is made when it is
// needed and again when the server has closed it.
#ifndef BENNU_SRC_THIN_CLIENT_HTTP_CLIENT_H_
#define BENNU_SRC_THIN_CLIENT_HTTP_CLIENT_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/base/tls.h"
#include "src/thin_client/url.h"

namespace bennu::thin_client {

struct HttpOptions {
  std::chrono::milliseconds connect_timeout{10'000};
  TlsContextPtr tls;  // of https
  bool tls_verify_host = true;
  std::string user;  // of BASIC authentication; empty: none
  std::string password;
  // What the server may send at most: far more than a frame has.
  size_t answer_bytes_max = 256u << 20;
};

struct HttpAnswer {
  unsigned status = 0;
  std::string body;
};

// One thread at a time.
class HttpClient {
 public:
  HttpClient(Url url, HttpOptions options);
  ~HttpClient();

  // Waits for the answer, at most as long as 'timeout' says (unset: for ever). A request is sent
  // once: when the connection ends before the answer is there, nobody knows whether it was done.
  // IoError: there is no server, or the connection ended. TimedOut. Corruption: no HTTP.
  Result<HttpAnswer> Post(const std::string& body,
                          std::optional<std::chrono::milliseconds> timeout);
  // The same by GET, of a path below the URL's, with one header.
  Result<HttpAnswer> Get(std::string_view path, std::string_view header, const std::string& value,
                         std::optional<std::chrono::milliseconds> timeout);

 private:
  class Connection;

  template <typename Ask>
  Result<HttpAnswer> OnConnection(const Ask& ask);

  const Url url_;
  const HttpOptions options_;
  std::unique_ptr<Connection> connection_;  // null: not yet, or no longer
};

}  // namespace bennu::thin_client

#endif  // BENNU_SRC_THIN_CLIENT_HTTP_CLIENT_H_
