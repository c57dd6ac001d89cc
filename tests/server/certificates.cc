#include "tests/server/certificates.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <cstdio>

namespace bennu::server {

namespace {

constexpr long kBeforeSeconds = -7200;

void SetName(X509* certificate, const std::string& name) {
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
}

void AddExtension(X509* certificate, int id, const std::string& value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str());
  ASSERT_NE(extension, nullptr) << value;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

X509* NewCertificate(EVP_PKEY* key, const std::string& name, int valid_seconds) {
  static std::atomic<long> serial{1};
  X509* const certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), kBeforeSeconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate), valid_seconds);
  X509_set_pubkey(certificate, key);
  SetName(certificate, name);
  return certificate;
}

}  // namespace

CertificateAuthority::Key CertificateAuthority::NewKey() {
  return {EVP_EC_gen("P-256"), EVP_PKEY_free};
}

CertificateAuthority::CertificateAuthority(const std::string& name)
    : key_(NewKey()), own_(NewCertificate(key_.get(), name, kValidSeconds), X509_free) {
  X509_set_issuer_name(own_.get(), X509_get_subject_name(own_.get()));
  AddExtension(own_.get(), NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(own_.get(), key_.get(), EVP_sha256());
}

CertificateAuthority::Certificate CertificateAuthority::Sign(EVP_PKEY* key,
                                                             const std::string& alternative_names,
                                                             int valid_seconds) const {
  Certificate certificate(NewCertificate(key, "of a test", valid_seconds), X509_free);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(own_.get()));
  AddExtension(certificate.get(), NID_subject_alt_name, alternative_names);
  X509_sign(certificate.get(), key_.get(), EVP_sha256());
  return certificate;
}

void CertificateAuthority::WriteCertificate(const std::string& path) const {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  PEM_write_X509(file, own_.get());
  std::fclose(file);
}

void CertificateAuthority::Issue(const std::string& alternative_names, const std::string& pem_path,
                                 int valid_seconds) const {
  const Key key = NewKey();
  const Certificate certificate = Sign(key.get(), alternative_names, valid_seconds);
  std::FILE* const file = std::fopen(pem_path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  PEM_write_X509(file, certificate.get());
  std::fclose(file);
}

void CertificateAuthority::IssuePkcs12(const std::string& alternative_names,
                                       const std::string& password, const std::string& path) const {
  const Key key = NewKey();
  const Certificate certificate = Sign(key.get(), alternative_names);
  PKCS12* const bundle =
      PKCS12_create(password.c_str(), "own", key.get(), certificate.get(), nullptr, 0, 0, 0, 0, 0);
  ASSERT_NE(bundle, nullptr);
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  i2d_PKCS12_fp(file, bundle);
  std::fclose(file);
  PKCS12_free(bundle);
}

}  // namespace bennu::server
