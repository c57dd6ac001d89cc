#include "src/base/tls.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <utility>

#include "src/base/log.h"
#include "src/base/status_macros.h"

namespace bennu {

namespace {

template <typename T, void (*release)(T*)>
struct Releaser {
  void operator()(T* held) const { release(held); }
};
using Key = std::unique_ptr<EVP_PKEY, Releaser<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Releaser<X509, X509_free>>;
using Bundle = std::unique_ptr<PKCS12, Releaser<PKCS12, PKCS12_free>>;

void ReleaseChain(STACK_OF(X509) * chain) { sk_X509_pop_free(chain, X509_free); }
using Chain = std::unique_ptr<STACK_OF(X509), Releaser<STACK_OF(X509), ReleaseChain>>;

// What one file holds.
struct Content {
  Key key;  // null: none
  Certificate own;
  Chain others;
};

bool EndsLike(const std::string& name, std::string_view end) {
  return name.size() >= end.size() &&
         std::equal(end.rbegin(), end.rend(), name.rbegin(),
                    [](char left, char right) { return left == std::tolower(right); });
}

bool IsPem(const TlsOptions::Store& store) {
  return store.type == "PEM" || (store.type.empty() && EndsLike(store.location, ".pem"));
}

bool IsPkcs12(const TlsOptions::Store& store) {
  return store.type == "PKCS12" || (store.type.empty() && (EndsLike(store.location, ".p12") ||
                                                           EndsLike(store.location, ".pfx")));
}

Status Bad(const TlsOptions::Store& store, const std::string& what) {
  return InvalidArgument(fmt::format("{}: {}", store.location, what));
}

int TellPassword(char* buffer, int size, int /*writing*/, void* password) {
  const auto& text = *static_cast<const std::string*>(password);
  const auto length = std::min(text.size(), static_cast<size_t>(size));
  std::copy_n(text.data(), length, buffer);
  return static_cast<int>(length);
}

Result<Content> ReadPem(const TlsOptions::Store& store) {
  Content content;
  content.others.reset(sk_X509_new_null());
  auto* const password = const_cast<std::string*>(&store.password);
  BIO* const keys = BIO_new_file(store.location.c_str(), "r");
  if (keys == nullptr) return IoError(store.location + ": cannot be read");
  content.key.reset(PEM_read_bio_PrivateKey(keys, nullptr, TellPassword, password));
  BIO_free(keys);
  BIO* const certificates = BIO_new_file(store.location.c_str(), "r");
  if (certificates == nullptr) return IoError(store.location + ": cannot be read");
  while (X509* const one = PEM_read_bio_X509(certificates, nullptr, TellPassword, password)) {
    if (content.own == nullptr) {
      content.own.reset(one);
    } else {
      sk_X509_push(content.others.get(), one);
    }
  }
  BIO_free(certificates);
  ERR_clear_error();  // the end of the file is one
  return content;
}

Result<Content> ReadPkcs12(const TlsOptions::Store& store) {
  std::FILE* const file = std::fopen(store.location.c_str(), "rb");
  if (file == nullptr) return IoError(store.location + ": cannot be read");
  const Bundle bundle(d2i_PKCS12_fp(file, nullptr));
  std::fclose(file);
  if (bundle == nullptr) return Bad(store, "is no PKCS12 file");
  EVP_PKEY* key = nullptr;
  X509* own = nullptr;
  STACK_OF(X509)* others = nullptr;
  if (PKCS12_parse(bundle.get(), store.password.c_str(), &key, &own, &others) != 1) {
    return Bad(store, "the password does not open it: " + TlsProblem());
  }
  Content content;
  content.key.reset(key);
  content.own.reset(own);
  content.others.reset(others == nullptr ? sk_X509_new_null() : others);
  return content;
}

Result<Content> ReadStore(const TlsOptions::Store& store) {
  if (IsPem(store)) return ReadPem(store);
  if (IsPkcs12(store)) return ReadPkcs12(store);
  return Bad(store, fmt::format("a store of type '{}' is not read; PEM and PKCS12 are (keytool "
                                "-importkeystore -deststoretype PKCS12 makes one of Java's)",
                                store.type.empty() ? "of its name" : store.type));
}

// The clock may be wrong, and others may not look at the time; those who do refuse the certificate,
// and tell of it on their side only.
void WarnOfTime(const TlsOptions::Store& store, const X509* certificate) {
  const ASN1_TIME* const begin = X509_get0_notBefore(certificate);
  const ASN1_TIME* const end = X509_get0_notAfter(certificate);
  const bool early = X509_cmp_current_time(begin) > 0;
  if (!early && X509_cmp_current_time(end) > 0) return;
  std::tm time{};
  ASN1_TIME_to_tm(early ? begin : end, &time);
  LogWarning("{}: the certificate {} {:04}-{:02}-{:02} {:02}:{:02} UTC: others will refuse it",
             store.location, early ? "is not valid before" : "has not been valid since",
             time.tm_year + 1900, time.tm_mon + 1, time.tm_mday, time.tm_hour, time.tm_min);
}

Status UseKeystore(const TlsOptions::Store& store, SSL_CTX* context) {
  ASSIGN_OR_RETURN(const Content content, ReadStore(store));
  if (content.key == nullptr) return Bad(store, "no private key in it, or another password");
  if (content.own == nullptr) return Bad(store, "no certificate in it");
  if (SSL_CTX_use_certificate(context, content.own.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, content.key.get()) != 1) {
    return Bad(store, "certificate and key do not fit: " + TlsProblem());
  }
  WarnOfTime(store, content.own.get());
  for (int i = 0; i < sk_X509_num(content.others.get()); ++i) {
    if (SSL_CTX_add1_chain_cert(context, sk_X509_value(content.others.get(), i)) != 1) {
      return Bad(store, "a certificate of its chain cannot be used: " + TlsProblem());
    }
  }
  return Status::Ok();
}

Status UseTruststore(const TlsOptions::Store& store, SSL_CTX* context) {
  ASSIGN_OR_RETURN(const Content content, ReadStore(store));
  X509_STORE* const trusted = SSL_CTX_get_cert_store(context);
  int count = 0;
  if (content.own != nullptr) count += X509_STORE_add_cert(trusted, content.own.get());
  for (int i = 0; i < sk_X509_num(content.others.get()); ++i) {
    count += X509_STORE_add_cert(trusted, sk_X509_value(content.others.get(), i));
  }
  return count > 0 ? Status::Ok() : Bad(store, "no certificate in it");
}

Status AllowVersions(bool old, bool present, SSL_CTX* context) {
  if (SSL_CTX_set_min_proto_version(context, old ? TLS1_2_VERSION : TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_max_proto_version(context, present ? TLS1_3_VERSION : TLS1_2_VERSION) != 1) {
    return Internal("OpenSSL refuses the versions of TLS: " + TlsProblem());
  }
  return Status::Ok();
}

Status UseProtocols(const std::string& names, SSL_CTX* context) {
  const bool old = names.empty() || names.find("TLSv1.2") != std::string::npos;
  const bool present = names.empty() || names.find("TLSv1.3") != std::string::npos;
  if (!old && !present) {
    return InvalidArgument(fmt::format(
        "hbase.rpc.tls.enabledProtocols: '{}' names neither TLSv1.2 nor TLSv1.3", names));
  }
  return AllowVersions(old, present, context);
}

// By Java's names (TLS_…) or OpenSSL's.
Status UseSuites(const std::string& names, SSL_CTX* context) {
  if (names.empty()) return Status::Ok();
  std::string old, present;
  for (size_t begin = 0; begin < names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    begin = end + 1;
    const SSL_CIPHER* known = nullptr;
    const auto* const all = SSL_CTX_get_ciphers(context);
    for (int i = 0; i < sk_SSL_CIPHER_num(all); ++i) {
      const SSL_CIPHER* const one = sk_SSL_CIPHER_value(all, i);
      const char* const java = SSL_CIPHER_standard_name(one);
      if (name == SSL_CIPHER_get_name(one) || (java != nullptr && name == java)) known = one;
    }
    if (known == nullptr) {
      return InvalidArgument(fmt::format("hbase.rpc.tls.ciphersuites: no suite '{}'", name));
    }
    std::string& list = SSL_CIPHER_get_protocol_id(known) >> 8 == 0x13 ? present : old;
    list += (list.empty() ? "" : ":") + std::string(SSL_CIPHER_get_name(known));
  }
  // A version of which no suite is named is off: else all of its suites would be on.
  const bool old_on = !old.empty() && SSL_CTX_get_min_proto_version(context) == TLS1_2_VERSION;
  const bool present_on =
      !present.empty() && SSL_CTX_get_max_proto_version(context) == TLS1_3_VERSION;
  if (!old_on && !present_on) {
    return InvalidArgument(
        fmt::format("hbase.rpc.tls.ciphersuites: '{}' are suites of versions of TLS that "
                    "hbase.rpc.tls.enabledProtocols does not name",
                    names));
  }
  if (SSL_CTX_set_ciphersuites(context, present.c_str()) != 1 ||
      (!old.empty() && SSL_CTX_set_cipher_list(context, old.c_str()) != 1)) {
    return InvalidArgument(
        fmt::format("hbase.rpc.tls.ciphersuites: '{}': {}", names, TlsProblem()));
  }
  return AllowVersions(old_on, present_on, context);
}

Result<TlsContextPtr> Make(const TlsOptions& options, const SSL_METHOD* method) {
  TlsContextPtr context(SSL_CTX_new(method), SSL_CTX_free);
  if (context == nullptr) return Internal("no context of OpenSSL: " + TlsProblem());
  RETURN_IF_ERROR(UseProtocols(options.protocols, context.get()));
  RETURN_IF_ERROR(UseSuites(options.cipher_suites, context.get()));
  if (!options.keystore.location.empty()) {
    RETURN_IF_ERROR(
        UseKeystore(options.keystore, context.get()).Annotate("hbase.rpc.tls.keystore.location"));
  }
  if (!options.truststore.location.empty()) {
    RETURN_IF_ERROR(UseTruststore(options.truststore, context.get())
                        .Annotate("hbase.rpc.tls.truststore.location"));
  }
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  return context;
}

}  // namespace

Result<TlsContextPtr> MakeServerTls(const TlsOptions& options) {
  if (options.keystore.location.empty()) {
    return InvalidArgument(
        "hbase.rpc.tls.keystore.location: a server with TLS needs a certificate and its key");
  }
  const bool asks = options.client_auth != TlsOptions::ClientAuth::kNone;
  if (asks && options.truststore.location.empty()) {
    return InvalidArgument(
        "hbase.rpc.tls.truststore.location: clients' certificates are asked for, and nothing says "
        "whom to trust; name a store, or set hbase.server.netty.tls.client.auth.mode to NONE");
  }
  ASSIGN_OR_RETURN(TlsContextPtr context, Make(options, TLS_server_method()));
  if (asks) {
    const bool needed = options.client_auth == TlsOptions::ClientAuth::kNeed;
    SSL_CTX_set_verify(context.get(),
                       SSL_VERIFY_PEER | (needed ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
  }
  // Sessions are not resumed: a certificate is looked at each time.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  return context;
}

Result<TlsContextPtr> MakeClientTls(const TlsOptions& options) {
  ASSIGN_OR_RETURN(TlsContextPtr context, Make(options, TLS_client_method()));
  // Without a store of our own, whom the machine trusts.
  if (options.truststore.location.empty() && SSL_CTX_set_default_verify_paths(context.get()) != 1) {
    return Internal("OpenSSL does not find whom this machine trusts: " + TlsProblem());
  }
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return context;
}

Status NameTlsPeer(SSL* ssl, const std::string& host, bool verify) {
  // A zone, as in "fe80::1%eth0", says which way the address lies and is in no certificate.
  const std::string address = host.substr(0, host.find('%'));
  std::array<unsigned char, sizeof(in6_addr)> parsed{};
  const bool is_address = inet_pton(AF_INET, address.c_str(), parsed.data()) == 1 ||
                          inet_pton(AF_INET6, address.c_str(), parsed.data()) == 1;
  bool is_named = is_address || SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
  if (verify && is_named) {
    is_named = is_address ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), address.c_str()) == 1
                          : SSL_set1_host(ssl, host.c_str()) == 1;
  }
  if (is_named) return Status::Ok();
  return Internal("OpenSSL cannot look for " + host + " in a certificate: " + TlsProblem());
}

std::string TlsProblem() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "no reason given";
  char text[256];
  ERR_error_string_n(code, text, sizeof(text));
  return text;
}

}  // namespace bennu
