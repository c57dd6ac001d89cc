// What must hold is RFC 9110 and 9112, as far as a server of small pages and messages needs them,
// and that no page of another site gets in.
#include "src/server/http/session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "src/base/memory_env.h"
#include "src/hfile/codec.h"
#include "src/server/net/http_host.h"
#include "tests/server/test_channel.h"

namespace bennu::server::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class HttpSessionTest : public testing::Test {
 protected:
  HttpSessionTest() {
    port_.handlers = &handlers_;
    port_.memory = &memory_;
    port_.host = "db.example.org";
    port_.request_bytes_max = 100'000;
    port_.answer = [this](Request&& request) {
      ++answered_;
      Response response;
      if (request.path == "/large") response.body = std::string(5000, 'a');
      if (request.path == "/long") std::this_thread::sleep_for(std::chrono::milliseconds(30));
      if (response.body.empty()) {
        response.body = fmt::format("{} {} ?{} [{}] by '{}'", request.method, request.path,
                                    QueryParameter(request.query, "q"), request.body, request.user);
      }
      return response;
    };
    port_.answer_at_once = [](const Request& request) -> std::optional<Response> {
      if (request.path != "/healthz") return std::nullopt;
      return Response{200, std::string(kTextType), "ok"};
    };
    port_.is_open = [](const Request& request) { return request.path == "/healthz"; };
    session_ = std::make_unique<Session>(&port_, channel_);
  }

  static std::string Post(const std::string& body, const std::string& headers = "") {
    return fmt::format("POST / HTTP/1.1\r\nHost: localhost\r\n{}Content-Length: {}\r\n\r\n{}",
                       headers, body.size(), body);
  }
  static std::string Get(const std::string& path, const std::string& headers = "") {
    return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, headers);
  }
  // As a connection does it: what is not taken while a call runs waits for its answer.
  Status Feed(std::string_view bytes) {
    rest_.append(bytes);
    while (!rest_.empty()) {
      if (session_->IsBusy()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      const auto consumed = session_->Receive(rest_);
      if (!consumed.ok()) return consumed.status();
      if (*consumed == 0) break;
      rest_.erase(0, *consumed);
    }
    while (session_->IsBusy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Status::Ok();
  }
  std::string Ask(const std::string& request) {
    EXPECT_TRUE(Feed(request).ok());
    return channel_->Take();
  }
  void AddUser(const std::string& name, const std::string& password) {
    ASSERT_TRUE(env_.CreateDirectories("/memory").ok());
    ASSERT_TRUE(SetPassword(&env_, "/memory/users", name, password).ok());
    users_ = PasswordFile::Open(&env_, "/memory/users").value();
    port_.users = users_.get();
  }

  MemoryEnv env_{Env::Default(), "/memory"};
  std::unique_ptr<PasswordFile> users_;
  net::WireMemory memory_{1u << 20};
  Port port_;
  int answered_ = 0;
  std::shared_ptr<TestChannel> channel_ = std::make_shared<TestChannel>();
  net::Handlers handlers_{2, 10};
  std::unique_ptr<Session> session_;
  std::string rest_;
};

TEST_F(HttpSessionTest, AnswersRequestsInTheirOrder) {
  const std::string sent =
      Ask(Get("/long?a=1&q=x%2Cy+z") + Post("body") + Get("/healthz") + Get("/other"));
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(sent, HasSubstr("Content-Length: 25\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\n\r\nGET /long ?x,y z [] by ''HTTP/1.1 200 OK\r\n"));
  EXPECT_LT(sent.find("POST / ? [body] by ''"), sent.find("\r\n\r\nok"));
  EXPECT_LT(sent.find("\r\n\r\nok"), sent.find("GET /other"));
  EXPECT_FALSE(channel_->closed());
}

TEST_F(HttpSessionTest, BytesMayComeOneByOneAndInChunks) {
  for (const char c : Post("body")) ASSERT_TRUE(Feed(std::string(1, c)).ok());
  EXPECT_THAT(channel_->Take(), EndsWith("[body] by ''"));
  const std::string chunked =
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n";
  EXPECT_THAT(Ask(chunked), EndsWith("[body] by ''"));
  for (const char c : chunked) ASSERT_TRUE(Feed(std::string(1, c)).ok());
  EXPECT_THAT(channel_->Take(), EndsWith("[body] by ''"));
}

TEST_F(HttpSessionTest, AClientMayAskBeforeItSendsTheBody) {
  EXPECT_EQ(Ask("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                "Content-Length: 4\r\n\r\n"),
            "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_THAT(Ask("body"), EndsWith("[body] by ''"));
}

TEST_F(HttpSessionTest, HeadHasNoBody) {
  const std::string sent = Ask("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(sent, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_THAT(sent, EndsWith("\r\n\r\n"));
}

TEST_F(HttpSessionTest, WhoWantsTheConnectionClosedGetsThat) {
  EXPECT_THAT(Ask(Get("/page", "Connection: close\r\n")), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(channel_->closed());
}

TEST_F(HttpSessionTest, WhatIsNoRequestEndsTheConnection) {
  EXPECT_FALSE(Feed("HBas\r\n\r\n").ok());
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(channel_->closed());
}

TEST_F(HttpSessionTest, GarbageEndsTheConnection) {
  EXPECT_FALSE(Feed(std::string(300, '\0')).ok());
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(channel_->closed());
}

// Two lengths are how a request is hidden from whoever looks at it on the way.
TEST_F(HttpSessionTest, ABodyHasOneLength) {
  EXPECT_FALSE(Feed("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
                    "Content-Length: 5\r\n\r\nbody")
                   .ok());
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(answered_, 0);
}

TEST_F(HttpSessionTest, ARequestThatIsTooLargeIsSaidToBe) {
  EXPECT_FALSE(Feed("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n").ok());
  const std::string answer = channel_->Take();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(answer, HasSubstr("hbase.ipc.max.request.size"));
  EXPECT_TRUE(channel_->closed());
}

TEST_F(HttpSessionTest, HeadersAreBounded) {
  EXPECT_FALSE(Feed("POST / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x')).ok());
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpSessionTest, BodiesOfAllConnectionsShareOneBound) {
  ASSERT_TRUE(memory_.TryTake((1u << 20) - 1000));
  EXPECT_FALSE(Feed("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n" +
                    std::string(50'000, 'x'))
                   .ok());
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 503 "));
  session_.reset();
  EXPECT_EQ(memory_.used(), (1u << 20) - 1000u);
}

// RFC 9112, section 3.2.
TEST_F(HttpSessionTest, ARequestHasOneHost) {
  EXPECT_THAT(Ask("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask("GET / HTTP/1.0\r\nHost: localhost\r\nhost: db.example.org\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(answered_, 0);
}

TEST_F(HttpSessionTest, ARequestOfHttp10MayHaveNoHost) {
  EXPECT_THAT(Ask("GET / HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpSessionTest, PagesOfOtherSitesAreTurnedAway) {
  EXPECT_THAT(Ask("GET / HTTP/1.1\r\nHost: evil.example.com\r\n\r\n"), StartsWith("HTTP/1.1 421 "));
  EXPECT_THAT(Ask(Post("", "Origin: http://evil.example.com\r\n")), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Ask(Post("", "Origin: null\r\n")), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Ask(Post("", "Origin: http://localhost\r\n")), StartsWith("HTTP/1.1 403 "));
  EXPECT_EQ(answered_, 0);
  EXPECT_THAT(Ask("GET / HTTP/1.1\r\nHost: DB.example.org:8765\r\n\r\n"),
              StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpSessionTest, APortWithPagesTakesWhatTheyAskAndNothingElse) {
  port_.own_pages = true;
  EXPECT_THAT(Ask(Post("", "Origin: http://localhost\r\n")), StartsWith("HTTP/1.1 200 "));
  for (const char* other : {"http://localhost:81", "http://evil.example.com", "null", "localhost",
                            "http://localhost.evil.example.com"}) {
    EXPECT_THAT(Ask(Post("", fmt::format("Origin: {}\r\n", other))), StartsWith("HTTP/1.1 403 "))
        << other;
  }
}

TEST_F(HttpSessionTest, AServerThatStopsStillTellsItsHealth) {
  port_.draining = true;
  EXPECT_THAT(Ask(Post("")), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(Ask(Get("/healthz")), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpSessionTest, AnswersAreCompressedForThoseWhoTakeIt) {
  port_.compress = Compress::kAlways;
  for (const char* taken : {"gzip", "deflate, GZIP;q=0.5", "*", "br;q=1.0, x-gzip"}) {
    const std::string sent = Ask(Get("/large", fmt::format("Accept-Encoding: {}\r\n", taken)));
    EXPECT_THAT(sent, HasSubstr("Content-Encoding: gzip\r\n")) << taken;
    Bytes body;
    ASSERT_TRUE(hfile::DecompressUnsized(Compression::kGz, sent.substr(sent.find("\r\n\r\n") + 4),
                                         1 << 20, &body)
                    .ok());
    EXPECT_EQ(body, std::string(5000, 'a'));
  }
  for (const char* refused : {"deflate", "gzip;q=0", "identity", "br, gzip; q=0.0", "*;q=0"}) {
    const std::string sent = Ask(Get("/large", fmt::format("Accept-Encoding: {}\r\n", refused)));
    EXPECT_THAT(sent, Not(HasSubstr("Content-Encoding"))) << refused;
    EXPECT_THAT(sent, HasSubstr("Content-Length: 5000\r\n")) << refused;
  }
  EXPECT_THAT(Ask(Get("/page", "Accept-Encoding: gzip\r\n")), Not(HasSubstr("Content-Encoding")));
}

TEST_F(HttpSessionTest, WithinOneMachineNothingIsCompressed) {
  const auto here = std::make_shared<TestChannel>("127.0.0.1:4711");
  channel_ = here;
  session_ = std::make_unique<Session>(&port_, here);
  EXPECT_THAT(Ask(Get("/large", "Accept-Encoding: gzip\r\n")), Not(HasSubstr("Content-Encoding")));
  const auto there = std::make_shared<TestChannel>("10.0.0.7:4711");
  channel_ = there;
  session_ = std::make_unique<Session>(&port_, there);
  EXPECT_THAT(Ask(Get("/large", "Accept-Encoding: gzip\r\n")), HasSubstr("Content-Encoding"));
}

TEST_F(HttpSessionTest, ARequestMayBeCompressed) {
  Bytes body;
  ASSERT_TRUE(hfile::Compress(Compression::kGz, "a body", &body).ok());
  EXPECT_THAT(Ask(Post(body, "Content-Encoding: gzip\r\n")), EndsWith("[a body] by ''"));
  EXPECT_THAT(Ask(Post("plain", "Content-Encoding: identity\r\n")), EndsWith("[plain] by ''"));
  EXPECT_THAT(Ask(Post(body.substr(0, body.size() - 9), "Content-Encoding: gzip\r\n")),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask(Post(body + "x", "Content-Encoding: gzip\r\n")), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask(Post("x", "Content-Encoding: br\r\n")), StartsWith("HTTP/1.1 415 "));
}

TEST_F(HttpSessionTest, ASmallBodyDoesNotGrowPastTheBound) {
  Bytes body;
  ASSERT_TRUE(hfile::Compress(Compression::kGz, std::string(50'000'000, '\0'), &body).ok());
  ASSERT_LT(body.size(), 100'000u);
  EXPECT_THAT(Ask(Post(body, "Content-Encoding: gzip\r\n")), StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(answered_, 0);
}

TEST_F(HttpSessionTest, WhatACompressedBodyBecomesCountsAsWell) {
  Bytes body;
  ASSERT_TRUE(hfile::Compress(Compression::kGz, std::string(90'000, ' '), &body).ok());
  ASSERT_TRUE(memory_.TryTake((1u << 20) - 50'000));
  EXPECT_THAT(Ask(Post(body, "Content-Encoding: gzip\r\n")), StartsWith("HTTP/1.1 503 "));
  memory_.Release(200'000);
  EXPECT_THAT(Ask(Post(body, "Content-Encoding: gzip\r\n")), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(memory_.used(), (1u << 20) - 250'000u);
}

TEST_F(HttpSessionTest, UsersAloneAreLetIn) {
  AddUser("ann", "s3cret:ä");
  const std::string challenge = Ask(Get("/page"));
  EXPECT_THAT(challenge, StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(challenge,
              HasSubstr("WWW-Authenticate: Basic realm=\"Bennu\", charset=\"UTF-8\"\r\n"));
  for (const char* wrong :
       {"Basic YW5uOndyb25n" /* ann:wrong */, "Basic Ym9iOnMzY3JldDrDpA==" /* bob:… */, "Basic",
        "Basic !!!!", "Bearer YW5uOnMzY3JldDrDpA==", "Basic YW5u" /* ann */, ""}) {
    EXPECT_THAT(Ask(Get("/page", fmt::format("Authorization: {}\r\n", wrong))),
                StartsWith("HTTP/1.1 401 "))
        << wrong;
  }
  EXPECT_EQ(answered_, 0);
  for (const char* scheme : {"Basic", "basic", "BASIC "}) {
    EXPECT_THAT(
        Ask(Get("/page", fmt::format("Authorization: {} YW5uOnMzY3JldDrDpA==\r\n", scheme))),
        EndsWith("by 'ann'"));
  }
  EXPECT_THAT(Ask(Get("/healthz")), EndsWith("\r\n\r\nok"));
}

TEST(QueryParameter, IsDecoded) {
  EXPECT_EQ(QueryParameter("qry=Hadoop%3Aservice%3DHBase,sub=*", "qry"),
            "Hadoop:service=HBase,sub=*");
  EXPECT_EQ(QueryParameter("a=%zz%4", "a"), "%zz%4");
  EXPECT_EQ(QueryParameter("ab=1", "a"), "");
  EXPECT_EQ(QueryParameter("", "a"), "");
}

// A site whose name leads to this machine must not have a browser read the pages.
TEST(HttpHost, OwnNamesAndAddressesOnly) {
  for (const char* own : {"localhost", "LOCALHOST:16010", "127.0.0.1:16010", "[::1]:16010",
                          "10.1.2.3", "db.example.org", "DB.example.org:16010"}) {
    EXPECT_TRUE(net::IsOwnHost(own, "db.example.org")) << own;
  }
  for (const char* other : {"", "evil.example.com", "localhost.evil.example.com",
                            "127.0.0.1.nip.io:80", "db.example.org.evil.com", "[::1", "a:b:c"}) {
    EXPECT_FALSE(net::IsOwnHost(other, "db.example.org")) << other;
  }
  EXPECT_FALSE(net::IsOwnHost("db.example.org", ""));
}

}  // namespace
}  // namespace bennu::server::http
