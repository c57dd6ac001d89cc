// Messages of Phoenix's clients over HTTP; what HTTP itself does is in tests/server/http.
#include "src/server/phoenix/avatica_port.h"
#include "src/bennu/opened_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace bennu::server::phoenix {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kOpen = R"({"request":"openConnection","connectionId":"c"})";
constexpr const char* kClose = R"({"request":"closeConnection","connectionId":"c"})";
constexpr const char* kCreate = R"({"request":"createStatement","connectionId":"c"})";

class AvaticaPortTest : public testing::Test {
 protected:
  static std::unique_ptr<front::OpenedStore> OpenStore() {
    DatabaseOptions options;
    options.memory_bytes = 128u << 20;
    return front::OpenedStore::Open(std::string(engine::kMemoryStore), options).value();
  }
  http::Response Ask(std::string body, std::string method = "POST", std::string user = "",
                     std::string header = "") {
    http::Request request;
    request.method = std::move(method);
    request.path = "/";
    request.body = std::move(body);
    request.user = std::move(user);
    if (!header.empty()) request.headers.emplace_back("Request", header);
    return AnswerMessage(&service_, std::move(request));
  }

  const std::unique_ptr<front::OpenedStore> store_ = OpenStore();
  AvaticaService service_{store_->sql_host(), "h:8765", {}};
};

TEST_F(AvaticaPortTest, AnswersInTheFormOfTheRequest) {
  const http::Response answer = Ask(kOpen);
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.type, "application/json;charset=utf-8");
  EXPECT_THAT(answer.body, StartsWith(R"({"response":"openConnection")"));
  const http::Response other = Ask("\x0a\x01x");
  EXPECT_EQ(other.status, 500u);
  EXPECT_EQ(other.type, "application/octet-stream;charset=utf-8");
}

TEST_F(AvaticaPortTest, OnlyPostsAreCallsButForOnesInAHeader) {
  const http::Response answer = Ask("", "GET");
  EXPECT_EQ(answer.status, 400u);
  EXPECT_THAT(answer.body, HasSubstr("This server expects only POST calls."));
  EXPECT_EQ(Ask("", "GET", "", kOpen).status, 200u);
  EXPECT_EQ(service_.connection_count(), 1u);
}

// The ids are the clients', who may choose the same.
TEST_F(AvaticaPortTest, NobodyGetsAtTheConnectionsOfAnotherUser) {
  EXPECT_EQ(Ask(kOpen, "POST", "ann").status, 200u);
  EXPECT_THAT(Ask(kCreate, "POST", "bob").body, HasSubstr("Connection not found"));
  EXPECT_EQ(Ask(kClose, "POST", "bob").status, 200u);  // of what is not there
  EXPECT_EQ(service_.connection_count(), 1u);
  EXPECT_EQ(Ask(kCreate, "POST", "ann").status, 200u);
  EXPECT_EQ(Ask(kOpen, "POST", "bob").status, 200u);
  EXPECT_EQ(service_.connection_count(), 2u);
  EXPECT_EQ(Ask(kClose, "POST", "ann").status, 200u);
  EXPECT_EQ(service_.connection_count(), 1u);
  EXPECT_EQ(Ask(kCreate, "POST", "bob").status, 200u);
}

// Who does not have the connection's id, or is another user, learns nothing, not even whether there
// is such a connection.
TEST_F(AvaticaPortTest, HowFarAStatementIsOnlyItsConnectionLearns) {
  const auto ask = [this](std::string user, std::string id, std::string method = "GET") {
    http::Request request;
    request.method = std::move(method);
    request.path = "/bennu/v1/running";
    request.user = std::move(user);
    if (!id.empty()) request.headers.emplace_back("bennu-connection", id);
    return AnswerRunning(service_, request);
  };
  EXPECT_EQ(Ask(kOpen, "POST", "ann").status, 200u);
  const auto idle = ask("ann", "c");
  ASSERT_TRUE(idle.has_value());
  EXPECT_EQ(idle->status, 200u);
  EXPECT_EQ(idle->body, "{}\n");
  const auto missing = ask("ann", "d");
  ASSERT_TRUE(missing.has_value());
  EXPECT_EQ(missing->status, 404u);
  for (const auto& other : {ask("bob", "c"), ask("", "c"), ask("ann", "")}) {
    ASSERT_TRUE(other.has_value());
    EXPECT_EQ(other->status, 404u);
    EXPECT_EQ(other->body, missing->body);
  }
  EXPECT_FALSE(ask("ann", "c", "POST").has_value());  // a message, whatever its path
}

}  // namespace
}  // namespace bennu::server::phoenix
