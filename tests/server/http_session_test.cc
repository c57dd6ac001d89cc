// What must hold is RFC 9112, as far as small pages need it.
#include "src/server/http/http_session.h"
#include "src/server/net/http_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/test_channel.h"

namespace bennu::server::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class HttpSessionTest : public testing::Test {
 protected:
  bool Feed(std::string_view bytes) {
    rest_.append(bytes);
    while (!rest_.empty()) {
      const auto consumed = session_.Receive(rest_);
      if (!consumed.ok()) return false;
      if (*consumed == 0) break;
      rest_.erase(0, *consumed);
    }
    return true;
  }

  PageSource pages_ = [](std::string_view path, std::string_view query) {
    Page page;
    if (path != "/page") page.status = 404;
    page.body = "[" + QueryParameter(query, "q") + "]";
    return page;
  };
  std::shared_ptr<TestChannel> channel_ = std::make_shared<TestChannel>();
  HttpSession session_{&pages_, channel_, "h"};
  std::string rest_;
};

TEST_F(HttpSessionTest, AnswersRequestsOneAfterAnother) {
  ASSERT_TRUE(
      Feed("GET /page?a=1&q=x%2Cy+z HTTP/1.1\r\nHost: h\r\n\r\n"
           "GET /other HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Bytes sent = channel_->Take();
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(sent, HasSubstr("Content-Length: 7\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\n\r\n[x,y z]HTTP/1.1 404 Not Found\r\n"));
  EXPECT_FALSE(channel_->closed());
}

TEST_F(HttpSessionTest, BytesMayComeOneByOne) {
  for (const char c : std::string("GET /page HTTP/1.1\r\nHost: h\r\n\r\n")) {
    ASSERT_TRUE(Feed(std::string(1, c)));
  }
  EXPECT_THAT(channel_->Take(), EndsWith("\r\n\r\n[]"));
}

TEST_F(HttpSessionTest, HeadHasNoBody) {
  ASSERT_TRUE(Feed("HEAD /page HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Bytes sent = channel_->Take();
  EXPECT_THAT(sent, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_THAT(sent, EndsWith("\r\n\r\n"));
}

TEST_F(HttpSessionTest, ClosesWhenAskedTo) {
  ASSERT_TRUE(Feed("GET /page HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(channel_->Take(), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(channel_->closed());
}

TEST_F(HttpSessionTest, OtherMethodsAreRefused) {
  ASSERT_TRUE(Feed("DELETE /page HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Bytes sent = channel_->Take();
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(sent, HasSubstr("Allow: GET, HEAD\r\n"));
}

TEST_F(HttpSessionTest, WhatIsNoRequestEndsTheConnection) {
  EXPECT_FALSE(Feed("HBas\r\n\r\n"));
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(channel_->closed());
}

TEST_F(HttpSessionTest, SizesAreBounded) {
  std::string request = "GET /page HTTP/1.1\r\n";
  for (int i = 0; i < 1000; ++i) request += "X-Header: " + std::string(50, 'x') + "\r\n";
  EXPECT_FALSE(Feed(request));
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpSessionTest, BodiesAreRefused) {
  EXPECT_FALSE(Feed("GET /page HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"));
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 413 "));
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
