// HTTP for Phoenix's clients. What must hold is RFC 9112, and that no page of another site gets in.
#include "src/server/phoenix/avatica_session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/server/test_channel.h"

namespace bennu::server::phoenix {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kOpen = R"({"request":"openConnection","connectionId":"c"})";

class AvaticaSessionTest : public testing::Test {
 protected:
  AvaticaSessionTest() {
    port_.service = &service_;
    port_.handlers = &handlers_;
    port_.memory = &memory_;
    port_.host = "db.example.org";
    port_.request_bytes_max = 100'000;
    session_ = std::make_unique<AvaticaSession>(&port_, channel_);
  }

  static std::unique_ptr<front::OpenedStore> OpenStore() {
    DatabaseOptions options;
    options.memory_bytes = 128u << 20;
    return front::OpenedStore::Open(std::string(engine::kMemoryStore), options).value();
  }
  static std::string Post(const std::string& body, const std::string& headers = "Host: h\r\n") {
    const std::string hosted = headers == "Host: h\r\n" ? "Host: localhost\r\n" : headers;
    return fmt::format("POST / HTTP/1.1\r\n{}Content-Length: {}\r\n\r\n{}", hosted, body.size(),
                       body);
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

  const std::unique_ptr<front::OpenedStore> store_ = OpenStore();
  AvaticaService service_{store_.get(), "h:8765", {}};
  net::WireMemory memory_{1u << 20};
  AvaticaPort port_;
  std::shared_ptr<TestChannel> channel_ = std::make_shared<TestChannel>();
  net::Handlers handlers_{2, 10};
  std::unique_ptr<AvaticaSession> session_;
  std::string rest_;
};

TEST_F(AvaticaSessionTest, AnswersInTheFormOfTheRequest) {
  const std::string answer = Ask(Post(kOpen));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: application/json;charset=utf-8\r\n"));
  EXPECT_THAT(answer, HasSubstr(R"({"response":"openConnection")"));
  const std::string other = Ask(Post("\x0a\x01x"));
  EXPECT_THAT(other, StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
  EXPECT_THAT(other, HasSubstr("Content-Type: application/octet-stream;charset=utf-8\r\n"));
  EXPECT_FALSE(channel_->closed());
}

TEST_F(AvaticaSessionTest, RequestsInARowAreAnsweredInTheirOrder) {
  std::string requests;
  for (int i = 0; i < 20; ++i) {
    requests += Post(fmt::format(R"({{"request":"openConnection","connectionId":"{}"}})", i / 2));
  }
  const std::string answers = Ask(requests);
  size_t at = 0;
  for (int i = 0; i < 20; ++i) {
    at = answers.find("HTTP/1.1 ", at);
    ASSERT_NE(at, std::string::npos);
    // Every second one opens what is there already.
    EXPECT_EQ(answers.substr(at + 9, 3), i % 2 == 0 ? "200" : "500") << i;
    ++at;
  }
}

TEST_F(AvaticaSessionTest, BytesMayComeOneByOneAndInChunks) {
  for (const char c : Post(kOpen)) ASSERT_TRUE(Feed(std::string(1, c)).ok());
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "10\r\n{\"request\":\"open\r\n1f\r\nConnection\",\"connectionId\":\"d\"}\r\n"
                  "0\r\n\r\n"),
              StartsWith("HTTP/1.1 200 "));
}

TEST_F(AvaticaSessionTest, AClientMayAskBeforeItSendsTheBody) {
  EXPECT_EQ(Ask("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                "Content-Length: 47\r\n\r\n"),
            "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_THAT(Ask(kOpen), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AvaticaSessionTest, OnlyPostsAreCalls) {
  const std::string answer = Ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer, HasSubstr("This server expects only POST calls."));
  EXPECT_THAT(Ask(fmt::format("GET / HTTP/1.1\r\nHost: localhost\r\nrequest: {}\r\n\r\n", kOpen)),
              StartsWith("HTTP/1.1 200 "));
}

TEST_F(AvaticaSessionTest, PagesOfOtherSitesAreTurnedAway) {
  EXPECT_THAT(Ask(Post(kOpen, "Host: evil.example.com\r\n")), StartsWith("HTTP/1.1 421 "));
  EXPECT_THAT(Ask(Post(kOpen, "Host: localhost\r\nOrigin: http://evil.example.com\r\n")),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_EQ(service_.connection_count(), 0u);
  EXPECT_THAT(Ask(Post(kOpen, "Host: DB.example.org:8765\r\n")), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AvaticaSessionTest, ARequestThatIsTooLargeIsSaidToBe) {
  EXPECT_FALSE(Feed("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n").ok());
  const std::string answer = channel_->Take();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(answer, HasSubstr("hbase.ipc.max.request.size"));
  EXPECT_TRUE(channel_->closed());
}

TEST_F(AvaticaSessionTest, HeadersAreBounded) {
  EXPECT_FALSE(Feed("POST / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x')).ok());
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(AvaticaSessionTest, BodiesOfAllConnectionsShareOneBound) {
  ASSERT_TRUE(memory_.TryTake((1u << 20) - 1000));
  EXPECT_FALSE(Feed("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n" +
                    std::string(50'000, 'x'))
                   .ok());
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 503 "));
  session_.reset();
  EXPECT_EQ(memory_.used(), (1u << 20) - 1000u);
}

TEST_F(AvaticaSessionTest, GarbageEndsTheConnection) {
  EXPECT_FALSE(Feed(std::string(300, '\0')).ok());
  EXPECT_THAT(channel_->Take(), StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(channel_->closed());
}

TEST_F(AvaticaSessionTest, WhoWantsTheConnectionClosedGetsThat) {
  const std::string answer = Ask(Post(kOpen, "Host: localhost\r\nConnection: close\r\n"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(channel_->closed());
}

TEST_F(AvaticaSessionTest, AServerThatStopsTakesNoCalls) {
  port_.draining = true;
  EXPECT_THAT(Ask(Post(kOpen)), StartsWith("HTTP/1.1 503 "));
}

}  // namespace
}  // namespace bennu::server::phoenix
