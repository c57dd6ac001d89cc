#include "src/server/net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace bennu::server::net {

namespace {

// As OpenSSL's own writing to a socket, but without SIGPIPE where the other side has gone: the
// program that this is a part of may not expect it.
int SendWithoutSignal(BIO* bio, const char* bytes, int size) {
  int socket = -1;
  BIO_get_fd(bio, &socket);
  errno = 0;
  const auto sent =
      static_cast<int>(::send(socket, bytes, static_cast<size_t>(size), MSG_NOSIGNAL));
  BIO_clear_retry_flags(bio);
  if (sent <= 0 && BIO_sock_should_retry(sent) != 0) BIO_set_retry_write(bio);
  return sent;
}

// OpenSSL's methods of sockets with another way to write. Lives as long as the process.
const BIO_METHOD* SocketMethods() {
  static BIO_METHOD* const methods = [] {
    const BIO_METHOD* const usual = BIO_s_socket();
    BIO_METHOD* const own = BIO_meth_new(BIO_TYPE_SOCKET, "socket without SIGPIPE");
    if (own == nullptr) return own;
    BIO_meth_set_write(own, SendWithoutSignal);
    BIO_meth_set_read(own, BIO_meth_get_read(usual));
    BIO_meth_set_puts(own, BIO_meth_get_puts(usual));
    BIO_meth_set_ctrl(own, BIO_meth_get_ctrl(usual));
    BIO_meth_set_create(own, BIO_meth_get_create(usual));
    BIO_meth_set_destroy(own, BIO_meth_get_destroy(usual));
    return own;
  }();
  return methods;
}

constexpr char kNoStream[] = "TLS: OpenSSL has no memory for the connection";

// Null: OpenSSL has no memory.
std::unique_ptr<SSL, decltype(&SSL_free)> NewStream(SSL_CTX* context, int socket) {
  std::unique_ptr<SSL, decltype(&SSL_free)> stream(SSL_new(context), SSL_free);
  const BIO_METHOD* const methods = SocketMethods();
  BIO* const bio = stream == nullptr || methods == nullptr ? nullptr : BIO_new(methods);
  if (bio == nullptr) return {nullptr, SSL_free};
  BIO_set_fd(bio, socket, BIO_NOCLOSE);
  SSL_set_bio(stream.get(), bio, bio);
  SSL_set_accept_state(stream.get());
  return stream;
}

}  // namespace

TlsStream::TlsStream(const TlsListener& listener, int socket, std::string peer)
    : verify_address_(listener.verify_address),
      peer_(std::move(peer)),
      ssl_(NewStream(listener.context.get(), socket)) {}

IoResult TlsStream::Explain(int outcome) const {
  switch (SSL_get_error(ssl_.get(), outcome)) {
    case SSL_ERROR_WANT_READ: return {IoResult::What::kAwaitInput};
    case SSL_ERROR_WANT_WRITE: return {IoResult::What::kAwaitOutput};
    case SSL_ERROR_ZERO_RETURN: return {IoResult::What::kEnd};
    case SSL_ERROR_SYSCALL:
      if (errno != 0) return IoResult::Failed(std::strerror(errno));
      return {IoResult::What::kEnd};
    default: return IoResult::Failed("TLS: " + TlsProblem());
  }
}

IoResult TlsStream::Read(char* buffer, size_t size) {
  if (ssl_ == nullptr) return IoResult::Failed(kNoStream);
  size_t filled = 0;
  while (filled < size) {
    ERR_clear_error();
    errno = 0;
    size_t read = 0;
    const int outcome = SSL_read_ex(ssl_.get(), buffer + filled, size - filled, &read);
    if (outcome != 1) {
      // What came before an end or a failure is dealt with first; the next read finds it again.
      if (filled > 0) break;
      return Explain(outcome);
    }
    if (!verified_) {
      if (!IsForPeer()) return IoResult::Failed("TLS: its certificate is not for its address");
      verified_ = true;
    }
    filled += read;
  }
  IoResult result = IoResult::Done(filled);
  result.more = SSL_pending(ssl_.get()) > 0;
  return result;
}

IoResult TlsStream::Write(const char* bytes, size_t size) {
  if (ssl_ == nullptr) return IoResult::Failed(kNoStream);
  ERR_clear_error();
  errno = 0;
  size_t written = 0;
  const int outcome = SSL_write_ex(ssl_.get(), bytes, size, &written);
  return outcome == 1 ? IoResult::Done(written) : Explain(outcome);
}

void TlsStream::SayGoodbye() {
  if (ssl_ == nullptr) return;
  if (SSL_is_init_finished(ssl_.get()) == 1) SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

bool TlsStream::IsForPeer() const {
  if (!verify_address_) return true;
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      SSL_get1_peer_certificate(ssl_.get()), X509_free);
  if (certificate == nullptr) return true;  // none was needed
  std::string address = peer_.substr(0, peer_.rfind(':'));
  if (X509_check_ip_asc(certificate.get(), address.c_str(), 0) == 1) return true;
  const bool loopback = address.starts_with("127.") || address == "::1";
  return loopback && X509_check_host(certificate.get(), "localhost", 0, 0, nullptr) == 1;
}

}  // namespace bennu::server::net
