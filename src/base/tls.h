// What TLS needs of files: certificates, keys and whom to trust, as OpenSSL's contexts.
#ifndef BENNU_SRC_BASE_TLS_H_
#define BENNU_SRC_BASE_TLS_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "bennu/status.h"

namespace bennu {

// HBase's hbase.rpc.tls.* and the like. Source: HBase 2.6, org.apache.hadoop.hbase.io.crypto.tls.
struct TlsOptions {
  // A file of certificates, and of a key: PEM (both in one file), or PKCS12. An empty type: by the
  // name's end (.pem, .p12, .pfx). Java's own JKS is not read.
  struct Store {
    std::string location;
    std::string type;
    std::string password;
  };
  Store keystore;    // of this side; a client's may be missing
  Store truststore;  // whom the other side's certificate must lead to
  // Whether a server asks for its clients' certificates. HBase's NONE, WANT, NEED.
  enum class ClientAuth { kNone, kWant, kNeed };
  ClientAuth client_auth = ClientAuth::kNeed;
  // Names with commas between them; empty: TLSv1.2 and TLSv1.3, OpenSSL's default suites.
  std::string protocols;
  std::string cipher_suites;
};

using TlsContextPtr = std::shared_ptr<SSL_CTX>;

// InvalidArgument, IoError: names the property's file and what is wrong with it. Read once, so that
// new certificates count at the next start.
Result<TlsContextPtr> MakeServerTls(const TlsOptions& options);
Result<TlsContextPtr> MakeClientTls(const TlsOptions& options);

// Tells a client's stream whom it speaks to: the name for the server's choice of a certificate, and
// if 'verify' the name or address that the certificate must be for. Internal: OpenSSL refuses it;
// then nothing may be sent.
Status NameTlsPeer(SSL* ssl, const std::string& host, bool verify);

// What OpenSSL has to say of the call that failed on this thread last.
std::string TlsProblem();

}  // namespace bennu

#endif  // BENNU_SRC_BASE_TLS_H_
