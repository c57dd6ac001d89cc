// TLS between the native client and the server, with certificates made here: who is let in, who is
// refused, and that the data is the same.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/log.h"
#include "src/base/mutex.h"
#include "src/base/tls.h"
#include "src/client/connect.h"
#include "src/server/config/server_config.h"
#include "src/server/net/tls_stream.h"
#include "src/server/server.h"
#include "tests/server/certificates.h"

namespace bennu::server {
namespace {

using ::testing::HasSubstr;

constexpr char kHere[] = "DNS:localhost,IP:127.0.0.1";

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() : authority_("an authority"), stranger_("another authority") {
    std::signal(SIGPIPE, SIG_DFL);  // as in a program that does nothing about it
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_tls_" + std::to_string(Env::Default()->RandomU64()));
    std::filesystem::create_directories(path_);
    authority_.WriteCertificate(File("authority.pem"));
    authority_.Issue(kHere, File("server.pem"));
    authority_.Issue(kHere, File("client.pem"));
    stranger_.WriteCertificate(File("stranger_authority.pem"));
    stranger_.Issue(kHere, File("stranger.pem"));
    server_options_.directory = File("store");
    server_options_.zookeeper_port.reset();
    server_options_.http_port.reset();
    server_options_.phoenix_port.reset();
    server_options_.master_port = 0;
    server_options_.region_server_port = 0;
    server_options_.handler_threads = 4;
    server_options_.io_threads = 2;
    server_options_.engine.wal_sync = engine::WalSync::kOs;
    server_options_.tls.emplace();
    server_options_.tls->keystore.location = File("server.pem");
    server_options_.tls->truststore.location = File("authority.pem");
    client_options_.user = "test";
    client_options_.tls_enabled = true;
    client_options_.tls.truststore.location = File("authority.pem");
    client_options_.tls.keystore.location = File("client.pem");
    client_options_.call_timeout = std::chrono::seconds(20);
    client_options_.operation_timeout = std::chrono::milliseconds(50);
  }
  ~TlsTest() override {
    server_.reset();
    std::filesystem::remove_all(path_);
  }

  std::string File(const std::string& name) const { return path_ + "/" + name; }

  void Start() {
    auto server = Server::Start(server_options_);
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = std::move(server).value();
    const std::string endpoints = server_->Endpoints();
    port_ = static_cast<uint16_t>(std::stoi(endpoints.substr(endpoints.rfind(':') + 1)));
    client_options_.registry = {{"localhost", port_}};
  }

  // Whether a table can be made, filled and read, over many records of TLS.
  static void Use(const client::ClientOptions& options) {
    client::ClientOptions patient = options;
    patient.operation_timeout = std::chrono::seconds(60);
    auto connection = client::Connect(patient);
    ASSERT_TRUE(connection.ok()) << connection.status().ToString();
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    ASSERT_TRUE((*connection)->admin()->CreateTable(descriptor, {}).ok());
    auto table = (*connection)->OpenTable({"default", "t"});
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    const Bytes large(300'000, 'x');
    MutationBatch batch;
    batch.StartRow("row");
    batch.Put("f", "q", large);
    ASSERT_TRUE((*table)->Write(&batch).ok());
    Get get;
    get.row = "row";
    const auto row = (*table)->GetRow(get);
    ASSERT_TRUE(row.ok()) << row.status().ToString();
    ASSERT_EQ(row->cells.size(), 1u);
    EXPECT_EQ(row->cells[0].value_view(), ByteView(large));
  }

  Status Refusal() const { return client::Connect(client_options_).status(); }

  // Sends the bytes without TLS; what comes until the end, or until 'size' bytes did.
  std::string Ask(const std::string& bytes, size_t size) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(0, connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)));
    EXPECT_EQ(send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    std::string answer;
    char buffer[1024];
    while (answer.size() < size) {
      const ssize_t got = recv(socket, buffer, sizeof(buffer), 0);
      if (got <= 0) break;
      answer.append(buffer, static_cast<size_t>(got));
    }
    close(socket);
    return answer;
  }

  const CertificateAuthority authority_;
  const CertificateAuthority stranger_;
  std::string path_;
  ServerOptions server_options_;
  client::ClientOptions client_options_;
  std::unique_ptr<Server> server_;
  uint16_t port_ = 0;
};

TEST_F(TlsTest, BothSidesKnowEachOther) {
  Start();
  Use(client_options_);
}

TEST_F(TlsTest, KeysInPkcs12WithAPassword) {
  authority_.IssuePkcs12(kHere, "secret", File("server.p12"));
  server_options_.tls->keystore = {File("server.p12"), "", "secret"};
  server_options_.tls->client_auth = TlsOptions::ClientAuth::kNone;
  client_options_.tls.keystore = {};
  Start();
  Use(client_options_);
  server_options_.tls->keystore.password = "wrong";
  EXPECT_THAT(Server::Start(server_options_).status().message(), HasSubstr("password"));
}

TEST_F(TlsTest, AClientWithoutCertificateIsRefused) {
  Start();
  client_options_.tls.keystore = {};
  EXPECT_FALSE(Refusal().ok());
}

TEST_F(TlsTest, AClientWithoutCertificateIsLetInWhereItNeedsNone) {
  server_options_.tls->client_auth = TlsOptions::ClientAuth::kWant;
  Start();
  client_options_.tls.keystore = {};
  Use(client_options_);
}

TEST_F(TlsTest, ACertificateOfAStrangerIsRefused) {
  Start();
  client_options_.tls.keystore.location = File("stranger.pem");
  EXPECT_FALSE(Refusal().ok());
}

TEST_F(TlsTest, ACertificateForAnotherAddressIsRefused) {
  authority_.Issue("DNS:elsewhere.example,IP:192.0.2.1", File("elsewhere.pem"));
  Start();
  client_options_.tls.keystore.location = File("elsewhere.pem");
  EXPECT_FALSE(Refusal().ok());
  server_.reset();
  server_options_.tls_verify_address = false;
  Start();
  Use(client_options_);
}

TEST_F(TlsTest, TheClientDoesNotTrustAnyServer) {
  Start();
  client_options_.tls.truststore.location = File("stranger_authority.pem");
  EXPECT_THAT(Refusal().message(), HasSubstr("TLS"));
}

TEST_F(TlsTest, TheClientLooksForTheServersName) {
  authority_.Issue("DNS:elsewhere.example", File("server.pem"));
  Start();
  EXPECT_THAT(Refusal().message(), HasSubstr("TLS"));
  client_options_.tls_verify_host = false;
  Use(client_options_);
}

// An address with a zone is one of a certificate, too, and is looked for.
TEST_F(TlsTest, AZoneIsNoPartOfTheAddressInACertificate) {
  const auto context = MakeClientTls(client_options_.tls);
  ASSERT_TRUE(context.ok()) << context.status().ToString();
  const std::pair<const char*, const char*> hosts[] = {{"fe80::1%lo", "FE80:0:0:0:0:0:0:1"},
                                                       {"::1%1", "0:0:0:0:0:0:0:1"},
                                                       {"127.0.0.5", "127.0.0.5"}};
  for (const auto& [host, address] : hosts) {
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context->get()), SSL_free);
    ASSERT_TRUE(NameTlsPeer(ssl.get(), host, /*verify=*/true).ok()) << host;
    char* const wanted = X509_VERIFY_PARAM_get1_ip_asc(SSL_get0_param(ssl.get()));
    ASSERT_NE(wanted, nullptr) << host;
    EXPECT_EQ(std::string(wanted), address);
    OPENSSL_free(wanted);
  }
}

// The registry's preamble is answered with a frame; four bytes of it are enough to know.
TEST_F(TlsTest, ClientsWithoutTlsAreServedBeside) {
  Start();
  EXPECT_GE(Ask("Regist", 4).size(), 4u);
  client_options_.tls_enabled = false;
  Use(client_options_);
}

TEST_F(TlsTest, ClientsWithoutTlsAreRefusedWhenToldSo) {
  server_options_.tls_plaintext_too = false;
  Start();
  EXPECT_EQ(Ask("Regist", 1), "");
  Use(client_options_);
}

// A client that must show a certificate cannot go round that by leaving TLS out, unless the
// operator lets it.
TEST_F(TlsTest, PlainTextBesideTlsByDefault) {
  const auto plain_too = [this](const std::string& mode, const char* plain) {
    SiteProperties properties;
    properties["hbase.server.netty.tls.enabled"] = {"true", 1};
    properties["hbase.rpc.tls.keystore.location"] = {File("server.pem"), 2};
    properties["hbase.rpc.tls.truststore.location"] = {File("authority.pem"), 3};
    properties["hbase.server.netty.tls.client.auth.mode"] = {mode, 4};
    if (plain != nullptr) properties["hbase.server.netty.tls.supportplaintext"] = {plain, 5};
    config::ServerConfig config;
    std::vector<std::string> unread;
    const Status status = config::Apply("site.xml", properties, &config, &unread);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return config.options.tls_plaintext_too;
  };
  EXPECT_FALSE(plain_too("NEED", nullptr));
  EXPECT_TRUE(plain_too("NEED", "true"));
  EXPECT_TRUE(plain_too("WANT", nullptr));
  EXPECT_TRUE(plain_too("NONE", nullptr));
  EXPECT_FALSE(plain_too("NONE", "false"));
}

TEST_F(TlsTest, WhatIsNoHandshakeEndsTheConnectionAlone) {
  Start();
  EXPECT_NE(Ask("\x16garbage that is no record of TLS at all", 100'000).size(), 100'000u);
  Use(client_options_);
}

TEST_F(TlsTest, OnlyOneProtocol) {
  server_options_.tls->protocols = "TLSv1.3";
  client_options_.tls.protocols = "TLSv1.2";
  Start();
  EXPECT_FALSE(Refusal().ok());
  client_options_.tls.protocols = "TLSv1.3";
  Use(client_options_);
}

// A version of which no suite is named has none, rather than all of them.
TEST_F(TlsTest, OnlySuitesThatAreNamed) {
  server_options_.tls->cipher_suites = "TLS_AES_128_GCM_SHA256";
  Start();
  Use(client_options_);
  client_options_.tls.protocols = "TLSv1.2";
  EXPECT_FALSE(Refusal().ok());
}

TEST_F(TlsTest, SuitesOfAVersionThatIsOff) {
  server_options_.tls->protocols = "TLSv1.2";
  server_options_.tls->cipher_suites = "TLS_AES_128_GCM_SHA256";
  EXPECT_THAT(Server::Start(server_options_).status().message(),
              HasSubstr("hbase.rpc.tls.ciphersuites"));
}

TEST_F(TlsTest, WhatIsMissingIsNamed) {
  const auto problem = [this] { return Server::Start(server_options_).status().message(); };
  server_options_.tls->truststore = {};
  EXPECT_THAT(problem(), HasSubstr("hbase.rpc.tls.truststore.location"));
  server_options_.tls->client_auth = TlsOptions::ClientAuth::kNone;
  server_options_.tls->keystore.location = File("authority.pem");
  EXPECT_THAT(problem(), HasSubstr("no private key"));
  server_options_.tls->keystore.location = File("missing.pem");
  EXPECT_THAT(problem(), HasSubstr("cannot be read"));
  server_options_.tls->keystore.location = File("server.jks");
  EXPECT_THAT(problem(), HasSubstr("PKCS12"));
  server_options_.tls->keystore = {};
  EXPECT_THAT(problem(), HasSubstr("hbase.rpc.tls.keystore.location"));
  server_options_.tls->keystore.location = File("server.pem");
  server_options_.tls->protocols = "SSLv3";
  EXPECT_THAT(problem(), HasSubstr("TLSv1.2"));
  server_options_.tls->protocols = "";
  server_options_.tls->cipher_suites = "TLS_NONE_SUCH";
  EXPECT_THAT(problem(), HasSubstr("TLS_NONE_SUCH"));
}

// The clock of the server may be the one that is wrong: it starts, and tells what others will say.
TEST_F(TlsTest, ACertificateWhoseTimeIsOver) {
  authority_.Issue(kHere, File("server.pem"), -60);
  Mutex mu;
  std::string warnings;
  SetLogSink([&](LogLevel, std::string_view line) {
    MutexLock lock(&mu);
    warnings += line;
  });
  Start();
  SetLogSink(nullptr);
  MutexLock lock(&mu);
  EXPECT_THAT(warnings, HasSubstr("server.pem: the certificate has not been valid since"));
  EXPECT_FALSE(Refusal().ok());
}

// The process would end here by SIGPIPE.
TEST_F(TlsTest, AnswersToOneWhoLeftFail) {
  int sockets[2];
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
  auto context = MakeServerTls(*server_options_.tls);
  ASSERT_TRUE(context.ok()) << context.status().ToString();
  net::TlsStream stream({*context, /*plaintext_too=*/false, /*verify_address=*/false}, sockets[0],
                        "127.0.0.1:1");
  std::thread client([&] {
    auto own = MakeClientTls(client_options_.tls);
    ASSERT_TRUE(own.ok()) << own.status().ToString();
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(own->get()), SSL_free);
    SSL_set_fd(ssl.get(), sockets[1]);
    ASSERT_EQ(SSL_connect(ssl.get()), 1);
    ASSERT_EQ(SSL_write(ssl.get(), "question", 8), 8);
    // The tickets that the server sends are read, so that what follows is no reset.
    char answer[8];
    ASSERT_EQ(SSL_read(ssl.get(), answer, sizeof(answer)), 8);
  });
  char buffer[8];
  ASSERT_EQ(stream.Read(buffer, sizeof(buffer)).size, 8u);
  ASSERT_EQ(stream.Write("question", 8).size, 8u);
  client.join();
  close(sockets[1]);
  const net::IoResult result = stream.Write("answer", 6);
  EXPECT_EQ(result.what, net::IoResult::What::kFailed);
  EXPECT_THAT(result.problem, HasSubstr("Broken pipe"));
  stream.SayGoodbye();
  close(sockets[0]);
}

}  // namespace
}  // namespace bennu::server
