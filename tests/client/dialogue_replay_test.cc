// That replays of dialogues find what is wrong, and that files which are no dialogues are told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "proto/registry.pb.h"
#include "src/base/env.h"
#include "src/client/channel.h"
#include "src/rpc/greeting.h"
#include "tests/client/dialogue.h"
#include "tests/client/dialogue_fixture.h"
#include "tests/client/dialogue_player.h"

namespace bennu::client {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::chrono::seconds kTimeout{60};
constexpr char kService[] = "ClientMetaService";

Dialogue Asked(const std::vector<std::string>& methods) {
  Dialogue dialogue;
  dialogue.registry = "master.example.com:16000";
  dialogue.greetings[kService] = rpc::Greeting("somebody", kService);
  for (const std::string& method : methods) {
    Exchange exchange;
    exchange.question = {dialogue.registry, kService, method, {}, {}, {}};
    pb::GetClusterIdResponse answer;
    answer.set_cluster_id("id\\ \n\xff ");
    exchange.body = static_cast<char>(answer.ByteSizeLong()) + answer.SerializeAsString();
    dialogue.exchanges.push_back(exchange);
  }
  return dialogue;
}

// A client that asks for these, of the server of Asked.
std::vector<std::string> Replay(
    Dialogue dialogue, const std::vector<std::string>& methods,
    const std::string& user = "somebody",
    const google::protobuf::MessageLite& request = pb::GetClusterIdRequest()) {
  DialoguePlayer player(std::move(dialogue));
  {
    Channels channels(user, {}, [&](const Address& server) { return player.ReachedAt(server); });
    for (const std::string& method : methods) {
      const CallOutcome outcome =
          channels.Get(player.registry(), kService, kTimeout)->Call(method, request, {}, kTimeout);
      if (!outcome.status.ok()) continue;
      pb::GetClusterIdResponse answer;
      EXPECT_TRUE(outcome.answer.Parse(&answer).ok());
      EXPECT_EQ(answer.cluster_id(), "id\\ \n\xff ");
    }
  }
  return player.Finish();
}

TEST(DialogueReplayTest, WhatWasRecorded) {
  EXPECT_THAT(Replay(Asked({"GetClusterId"}), {"GetClusterId"}), IsEmpty());
  // In another order.
  EXPECT_THAT(Replay(Asked({"GetClusterId", "Other", "GetClusterId"}),
                     {"Other", "GetClusterId", "GetClusterId"}),
              IsEmpty());
}

TEST(DialogueReplayTest, WhatWasNotRecorded) {
  EXPECT_THAT(Replay(Asked({"GetClusterId"}), {"GetClusterId", "GetClusterId"}),
              ElementsAre(HasSubstr("was asked ClientMetaService.GetClusterId, once more than it "
                                    "was recorded")));
  EXPECT_THAT(
      Replay(Asked({"GetClusterId"}), {"GetClusterId", "Other"}),
      ElementsAre(HasSubstr("was asked ClientMetaService.Other, and no such call is left")));
  pb::GetClusterIdResponse request;  // any message with bytes in it
  request.set_cluster_id("x");
  EXPECT_THAT(Replay(Asked({"GetClusterId"}), {"GetClusterId"}, "somebody", request),
              ElementsAre(AllOf(HasSubstr("which was not recorded; the nearest that was:"),
                                HasSubstr("the parameter differs at byte 0"),
                                HasSubstr("asked:    \\x0A\\x01x")),
                          HasSubstr("was not asked ClientMetaService.GetClusterId")));
  EXPECT_THAT(Replay(Asked({"GetClusterId"}), {"GetClusterId"}, "somebody else"),
              ElementsAre(HasSubstr("the greeting differs"), HasSubstr("was not asked")));
}

TEST(DialogueReplayTest, WhatIsNotAskedAnyLonger) {
  EXPECT_THAT(Replay(Asked({"GetClusterId", "Other"}), {"GetClusterId"}),
              ElementsAre(HasSubstr("was not asked ClientMetaService.Other, as it was recorded "
                                    "(call 2 of 2)")));
}

// A file whose test has another name by now would be replayed by nobody.
TEST(DialogueFolderTest, EachFileHasItsTest) {
  std::vector<std::string> expected;
  const auto& tests = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < tests.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *tests.GetTestSuite(i);
    if (std::string(suite.name()) != "DialogueTest") continue;
    for (int j = 0; j < suite.total_test_count(); ++j) {
      expected.push_back(DialogueFileOf(suite.GetTestInfo(j)->name()));
    }
  }
  const auto files = Env::Default()->ListDirectory(DialogueFolder());
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  EXPECT_THAT(*files, ::testing::UnorderedElementsAreArray(expected));
}

TEST(DialogueTextTest, ToTextAndBack) {
  Dialogue dialogue = Asked({"GetClusterId", "Other"});
  Exchange& exchange = dialogue.exchanges[1];
  exchange.question.cells = std::string(300, '\0') + std::string(300, ' ');
  exchange.question.more = "\\x41";
  exchange.header = "# call registry > ";
  for (int byte = 0; byte < 256; ++byte) exchange.body.push_back(static_cast<char>(byte));
  const auto read = DialogueFromText(DialogueToText(dialogue));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(*read, dialogue);
}

TEST(DialogueTextTest, TextsThatAreNone) {
  const std::string head = "bennu dialogue 1\n";
  const auto problem = [](const std::string& text) {
    return DialogueFromText(text).status().ToString();
  };
  EXPECT_EQ(problem(""), "Corruption: there is no call");
  EXPECT_EQ(problem("bennu dialogue 2\n"), "Corruption: line 1: expected 'bennu dialogue 1'");
  EXPECT_EQ(problem(head + "call a:1 S M\n"), "Corruption: a call of M has no answer");
  EXPECT_THAT(problem(head + "call a:1 S\n"), HasSubstr("line 2: expected 'registry ADDRESS'"));
  EXPECT_THAT(problem(head + "> x\n"), HasSubstr("line 2: these bytes belong to no call"));
  EXPECT_THAT(problem(head + "call a:1 S M\n? x\n"), HasSubstr("line 3: expected one of >"));
  EXPECT_THAT(problem(head + "call a:1 S M\n= \\x0\n"),
              HasSubstr("line 3: a backslash without its digits"));
  EXPECT_THAT(problem(head + "call a:1 S M\n= \\xzz\n"),
              HasSubstr("line 3: a backslash without its digits"));
  EXPECT_THAT(problem(head + "call a:1 S M\n= \\n\n"), HasSubstr("line 3: a backslash before"));
  EXPECT_THAT(problem(head + "call a:1 S M\n= \\\n"), HasSubstr("line 3: a backslash without"));
  EXPECT_THAT(problem(head + "call a:1 S M\n= \t\n"), HasSubstr("line 3: a character that is not"));
  EXPECT_THAT(problem(head + "call a:1 S M\n= x"), HasSubstr("the last line does not end"));
  EXPECT_THAT(problem(head + "greeting S\n= x\n"), HasSubstr("line 3: these bytes belong"));
}

}  // namespace
}  // namespace bennu::client
