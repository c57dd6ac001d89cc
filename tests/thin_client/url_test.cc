// Addresses of query servers, as RFC 3986 writes them.
#include "src/thin_client/url.h"

#include <gtest/gtest.h>

namespace bennu::thin_client {
namespace {

TEST(UrlTest, HostPortAndPath) {
  const Url plain = ParseUrl("http://db.example.org:9000").value();
  EXPECT_FALSE(plain.tls);
  EXPECT_EQ(plain.host, "db.example.org");
  EXPECT_EQ(plain.port, 9000);
  EXPECT_EQ(plain.path, "/");
  EXPECT_EQ(plain.Authority(), "db.example.org:9000");
  const Url other = ParseUrl("https://h/phoenix/sql").value();
  EXPECT_TRUE(other.tls);
  EXPECT_EQ(other.port, 8765);
  EXPECT_EQ(other.path, "/phoenix/sql");
  const Url six = ParseUrl("http://[::1]:80/").value();
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.Authority(), "[::1]:80");
}

TEST(UrlTest, AUserAndAPassword) {
  const Url one = ParseUrl("http://ann@h:80/").value();
  EXPECT_EQ(one.user, "ann");
  EXPECT_EQ(one.password, "");
  EXPECT_EQ(one.Authority(), "h:80");
  const Url both = ParseUrl("https://a%40b:p%3a@:w@[::1]").value();
  EXPECT_EQ(both.user, "a@b");
  EXPECT_EQ(both.password, "p:@:w");
  EXPECT_EQ(both.host, "::1");
  EXPECT_EQ(both.port, 8765);
}

TEST(UrlTest, AMessageShowsNoPassword) {
  const Status status = ParseUrl("http://ann:s3cret@h:0").status();
  EXPECT_NE(status.message().find("http://ann:…@h:0"), std::string::npos) << status.message();
}

TEST(UrlTest, WhatIsNoUrlIsRefusedWithAnExample) {
  for (const char* text :
       {"localhost:8765", "ftp://h", "http://", "http://:80", "http://h:", "http://h:0",
        "http://h:70000", "http://h:8x", "http://[::1", "http://[::1]x", "http://@h:80"}) {
    const auto url = ParseUrl(text);
    if (std::string_view(text) == "http://h:") {
      EXPECT_TRUE(url.ok());  // an empty port is the default one
      continue;
    }
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_NE(std::string(url.status().message()).find("http://localhost:8765"), std::string::npos);
  }
}

}  // namespace
}  // namespace bennu::thin_client
