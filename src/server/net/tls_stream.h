// TLS on one connection of a server, on a socket that does not block.
#ifndef BENNU_SRC_SERVER_NET_TLS_STREAM_H_
#define BENNU_SRC_SERVER_NET_TLS_STREAM_H_

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "src/base/tls.h"

namespace bennu::server::net {

// How the connections of a port speak TLS. Source: HBase 2.6, NettyRpcServer.
struct TlsListener {
  TlsContextPtr context;
  bool plaintext_too = true;  // clients that do not begin with TLS are served without
  // A client's certificate, if there is one, must be for the address that it comes from.
  bool verify_address = true;
};

// What came of reading or writing.
struct IoResult {
  enum class What { kDone, kAwaitInput, kAwaitOutput, kEnd, kFailed };
  What what = What::kDone;
  size_t size = 0;
  bool more = false;  // there is more to read, of which the socket does not tell
  std::string problem = {};

  static IoResult Done(size_t size) { return {What::kDone, size}; }
  static IoResult Failed(std::string problem) {
    return {What::kFailed, 0, false, std::move(problem)};
  }
};

// Never raises SIGPIPE, whatever the process does with that signal.
class TlsStream {
 public:
  // 'peer': "address:port".
  TlsStream(const TlsListener& listener, int socket, std::string peer);

  IoResult Read(char* buffer, size_t size);
  IoResult Write(const char* bytes, size_t size);
  // Tells the other side that this is the end, as far as that is possible at once.
  void SayGoodbye();

 private:
  // After the handshake: whether the client's certificate is for its address.
  bool IsForPeer() const;
  IoResult Explain(int outcome) const;

  const bool verify_address_;
  const std::string peer_;
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  bool verified_ = false;
};

}  // namespace bennu::server::net

#endif  // BENNU_SRC_SERVER_NET_TLS_STREAM_H_
