// What is refused leaves a line in the log, with who asked and why; strangers cannot fill the disk
// by it. That a request whose rest does not come is answered with 408 is RFC 9110, 15.5.9.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "src/base/log.h"
#include "src/base/mutex.h"
#include "src/server/http/session.h"
#include "src/server/net/io_loops.h"
#include "src/server/net/peer_log.h"

namespace bennu::server::http {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class HttpRefusalsTest : public testing::Test {
 protected:
  HttpRefusalsTest() {
    SetLogSink([this](LogLevel, std::string_view line) {
      MutexLock lock(&mu_);
      lines_.emplace_back(line);
    });
    port_.handlers = &handlers_;
    port_.answer = [](Request&& request) {
      return request.path == "/known" ? Response() : Refused(404, "no such page");
    };
    number_ = loops_.Bind({.message_time_max = std::chrono::seconds(1)}).value();
    loops_.Serve(number_, [this](std::shared_ptr<net::Channel> channel) {
      return std::make_unique<Session>(&port_, std::move(channel));
    });
  }
  ~HttpRefusalsTest() override {
    loops_.Stop();
    SetLogSink(nullptr);
  }

  // What is answered until the connection ends. 'half_closed': no more is sent, and that is said.
  std::string Ask(const std::string& bytes, bool half_closed = false) const {
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(number_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(0, connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)));
    EXPECT_EQ(static_cast<ssize_t>(bytes.size()),
              send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    if (half_closed) shutdown(client, SHUT_WR);
    std::string answer;
    char part[4096];
    for (ssize_t size; (size = recv(client, part, sizeof(part), 0)) > 0;) {
      answer.append(part, static_cast<size_t>(size));
    }
    close(client);
    return answer;
  }
  std::string AskAndClose(const std::string& line, const std::string& headers) const {
    return Ask(line + " HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n");
  }
  std::vector<std::string> lines() const {
    MutexLock lock(&mu_);
    return lines_;
  }

  mutable Mutex mu_;
  std::vector<std::string> lines_ GUARDED_BY(mu_);
  Port port_;
  net::Handlers handlers_{2, 10};
  net::IoLoops loops_{1};
  uint16_t number_ = 0;
};

constexpr char kHost[] = "Host: localhost\r\n";

TEST_F(HttpRefusalsTest, AreToldWithWhoAskedAndWhy) {
  AskAndClose("GET /x", "Host: evil.example.com\r\n");
  EXPECT_THAT(lines(), Contains(AllOf(StartsWith("connection from 127.0.0.1:"),
                                      HasSubstr("GET /x is refused with 421"))));
  AskAndClose("GET /x", std::string(kHost) + "Origin: null\r\n");
  EXPECT_THAT(lines(), Contains(HasSubstr("GET /x is refused with 403")));
  AskAndClose("GET /x", "");
  EXPECT_THAT(lines(), Contains(HasSubstr("GET /x is refused with 400: the request has no Host")));
  AskAndClose("GET /../etc/passwd", kHost);
  EXPECT_THAT(lines(), Contains(HasSubstr("GET /../etc/passwd is refused with 404: no such page")));
  AskAndClose("POST /x", std::string(kHost) + "Content-Encoding: br\r\n");
  EXPECT_THAT(lines(), Contains(HasSubstr("POST /x is refused with 415")));
  AskAndClose("POST /x", std::string(kHost) + "Content-Encoding: gzip\r\n");
  EXPECT_THAT(lines(), Contains(HasSubstr("POST /x is refused with 400")));
  AskAndClose("POST /x", std::string(kHost) + "Content-Length: 99999999999\r\n");
  EXPECT_THAT(lines(), Contains(HasSubstr("a request is refused with 413")));
  Ask("HBas\r\n\r\n");
  EXPECT_THAT(lines(), Contains(HasSubstr("a request is refused with 400")));
  EXPECT_EQ(lines().size(), 8u);
}

TEST_F(HttpRefusalsTest, WhatIsAnsweredIsNotTold) {
  EXPECT_THAT(AskAndClose("GET /known", kHost), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(lines(), testing::IsEmpty());
}

TEST_F(HttpRefusalsTest, AreOneLineOfBoundedLength) {
  AskAndClose("GET /\x1b[2J\xc2\x85" + std::string(5000, 'x'), kHost);
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_LT(lines()[0].size(), 500u);
  EXPECT_THAT(lines()[0], Not(HasSubstr("\x1b")));
  EXPECT_THAT(lines()[0], Not(HasSubstr("\xc2\x85")));
}

TEST_F(HttpRefusalsTest, ARequestWithoutItsEndIsAnswered) {
  EXPECT_THAT(Ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf", true),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(lines(), Contains(HasSubstr("left within a message")));
  EXPECT_THAT(Ask("POST / HTTP/1.1\r\nHost: loc", true), StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(lines().size(), 2u);
}

// The body's bytes are consumed as they come, those of the header are not.
TEST_F(HttpRefusalsTest, ASlowRequestIsAnsweredAndEnds) {
  for (const char* begun : {"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf",
                            "POST / HTTP/1.1\r\nHost: loc"}) {
    const std::string answer = Ask(begun);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 408 "));
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  }
  EXPECT_EQ(lines().size(), 2u);
  EXPECT_THAT(lines(), testing::Each(HasSubstr("a message is not complete after 1 s")));
}

TEST(LineBudget, LastsForSomeLinesAndThenForFew) {
  using std::chrono::milliseconds;
  net::LineBudget budget;
  std::chrono::nanoseconds now = std::chrono::hours(1);
  for (uint32_t i = 0; i < net::LineBudget::kLinesAtOnce; ++i) {
    EXPECT_EQ(budget.Take(now), 0u);
  }
  EXPECT_EQ(budget.Take(now), std::nullopt);
  EXPECT_EQ(budget.Take(now), std::nullopt);
  uint32_t written = 0;
  uint64_t left_out = 0;
  for (int i = 0; i < 10'000; ++i) {
    now += milliseconds(1);
    const auto taken = budget.Take(now);
    written += taken.has_value() ? 1 : 0;
    left_out += taken.value_or(0);
  }
  EXPECT_EQ(written, 10 * net::LineBudget::kLinesPerSecond);
  EXPECT_EQ(left_out, 10'002u - written) << "the last line tells of all before it";
}

}  // namespace
}  // namespace bennu::server::http
