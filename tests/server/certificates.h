// Certificates made for a test, as files.
#ifndef BENNU_TESTS_SERVER_CERTIFICATES_H_
#define BENNU_TESTS_SERVER_CERTIFICATES_H_

#include <openssl/x509.h>

#include <memory>
#include <string>

namespace bennu::server {

class CertificateAuthority {
 public:
  explicit CertificateAuthority(const std::string& name);

  // PEM: the authority's own certificate.
  void WriteCertificate(const std::string& path) const;
  // A certificate that it signs, for 'alternative_names' ("DNS:localhost,IP:127.0.0.1"), with its
  // key: PEM, or PKCS12 with a password. 'valid_seconds': from now on.
  void Issue(const std::string& alternative_names, const std::string& pem_path,
             int valid_seconds = kValidSeconds) const;
  void IssuePkcs12(const std::string& alternative_names, const std::string& password,
                   const std::string& path) const;

 private:
  static constexpr int kValidSeconds = 3600;
  using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
  using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

  static Key NewKey();
  Certificate Sign(EVP_PKEY* key, const std::string& alternative_names,
                   int valid_seconds = kValidSeconds) const;

  const Key key_;
  Certificate own_;
};

}  // namespace bennu::server

#endif  // BENNU_TESTS_SERVER_CERTIFICATES_H_
