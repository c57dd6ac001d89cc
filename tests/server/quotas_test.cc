// Throttle quotas: what is kept in hbase:quota (bytes as the real HBase 2.5 keeps them), who has to
// wait and for how long, in HBase's words.
#include "src/server/hbase/quotas.h"

#include <gtest/gtest.h>

#include <string>

#include "bennu/admin.h"
#include "src/api/descriptor_pb.h"
#include "src/base/hex.h"
#include "src/engine/open.h"
#include "tests/base/temp_directory.h"

namespace bennu::server::hbase {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(RateLimiterTest, GrowsAgainEvenly) {
  RateLimiter limiter(5, minutes(1), seconds(0));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(limiter.CanTake(1, seconds(0)));
    limiter.Take(1);
  }
  EXPECT_FALSE(limiter.CanTake(1, seconds(0)));
  EXPECT_EQ(limiter.Wait(1), milliseconds(12'000));
  EXPECT_FALSE(limiter.CanTake(1, seconds(11)));
  EXPECT_TRUE(limiter.CanTake(1, seconds(13)));
  EXPECT_FALSE(limiter.CanTake(6, seconds(1000)));  // never more than the limit
}

TEST(WaitTextTest, IsWhatClientsRead) {
  EXPECT_EQ(WaitText(milliseconds(12'000)), "12sec, 0ms");
  EXPECT_EQ(WaitText(milliseconds(250)), "250ms");
  EXPECT_EQ(WaitText(std::chrono::hours(2) + minutes(1) + milliseconds(3)), "2hrs, 1min, 3ms");
}

class QuotasTest : public testing::Test {
 protected:
  void SetUp() override { Open(); }
  void TearDown() override { Close(); }

  void Open() {
    auto opened = engine::OpenEngine(directory_.Join("store"));
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    engine_ = std::move(opened).value();
    switches_ = std::make_unique<Switches>(engine_->env(), directory_.Join("store"));
    auto quotas = Quotas::Open(engine_.get(), switches_.get());
    ASSERT_TRUE(quotas.ok()) << quotas.status().ToString();
    quotas_ = std::move(quotas).value();
  }
  void Close() {
    quotas_.reset();
    ASSERT_NE(engine_, nullptr);
    EXPECT_TRUE(engine_->Close().ok());
    engine_.reset();
  }

  static pb::SetQuotaRequest Throttles(pb::ThrottleType type, uint64_t limit, pb::TimeUnit unit) {
    pb::SetQuotaRequest request;
    request.mutable_throttle()->set_type(type);
    pb::TimedQuota* const quota = request.mutable_throttle()->mutable_timed_quota();
    quota->set_time_unit(unit);
    quota->set_soft_limit(limit);
    quota->set_scope(pb::MACHINE);
    return request;
  }
  static pb::SetQuotaRequest ForTable(pb::SetQuotaRequest request) {
    api::TableNameToPb(TableName{"default", "q"}, request.mutable_table_name());
    return request;
  }
  static pb::SetQuotaRequest ForUser(pb::SetQuotaRequest request) {
    request.set_user_name("root");
    return request;
  }
  static pb::SetQuotaRequest ForNamespace(pb::SetQuotaRequest request) {
    request.set_namespace_("default");
    return request;
  }
  void Set(const pb::SetQuotaRequest& request) {
    const CallError error = quotas_->Set(request);
    EXPECT_FALSE(error.has_value()) << error->ToString();
  }

  // "" when it may pass.
  std::string Ask(const std::string& user, uint64_t reads, uint64_t writes,
                  const TableName& table = {"default", "q"}) {
    QuotaUse use;
    const CallError error = quotas_->Take(user, table, reads, writes, kOperationBytes, &use);
    return error ? error->ToString() : "";
  }

  // Of a cell of hbase:quota; "" where there is none.
  std::string Kept(const Bytes& row, const Bytes& qualifier) {
    auto table = engine_->OpenTable({"hbase", "quota"});
    EXPECT_TRUE(table.ok());
    Get get;
    get.row = row;
    get.columns["q"].emplace(qualifier);
    const auto found = (*table)->GetRow(get);
    EXPECT_TRUE(found.ok());
    return found->empty() ? "" : ToStringBinary(found->cells.front().value_view());
  }

  TempDirectory directory_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<Switches> switches_;
  std::unique_ptr<Quotas> quotas_;
};

// The values are those that a real HBase 2.5.10 had after the same calls.
TEST_F(QuotasTest, KeepsThemAsHBase) {
  Set(ForTable(Throttles(pb::REQUEST_NUMBER, 5, pb::MINUTES)));
  Set(ForUser(Throttles(pb::WRITE_SIZE, 10'000, pb::HOURS)));
  Set(ForUser(ForTable(Throttles(pb::READ_NUMBER, 3, pb::DAYS))));
  Set(ForUser(ForNamespace(Throttles(pb::WRITE_NUMBER, 4, pb::SECONDS))));
  Set(ForNamespace(Throttles(pb::REQUEST_SIZE, 1'000'000, pb::SECONDS)));
  pb::SetQuotaRequest bypass;
  bypass.set_user_name("carl");
  bypass.set_bypass_globals(true);
  Set(bypass);
  EXPECT_EQ(Kept("t.q", "s"), "PBUF\\x12\\x08\\x0A\\x06\\x08\\x05\\x10\\x05 \\x02");
  EXPECT_EQ(Kept("u.root", "s"), "PBUF\\x12\\x09\"\\x07\\x08\\x06\\x10\\x90N \\x02");
  EXPECT_EQ(Kept("u.root", "s.q"), "PBUF\\x12\\x08*\\x06\\x08\\x07\\x10\\x03 \\x02");
  EXPECT_EQ(Kept("u.root", "s.default:"), "PBUF\\x12\\x08\\x1A\\x06\\x08\\x04\\x10\\x04 \\x02");
  EXPECT_EQ(Kept("n.default", "s"), "PBUF\\x12\\x0A\\x12\\x08\\x08\\x04\\x10\\xC0\\x84= \\x02");
  EXPECT_EQ(Kept("u.carl", "s"), "PBUF\\x08\\x01");

  pb::SetQuotaRequest no_reads;
  no_reads.mutable_throttle()->set_type(pb::READ_NUMBER);
  Set(ForUser(ForTable(no_reads)));
  EXPECT_EQ(Kept("u.root", "s.q"), "");
  EXPECT_EQ(Kept("u.root", "s.default:"), "PBUF\\x12\\x08\\x1A\\x06\\x08\\x04\\x10\\x04 \\x02");
  bypass.set_bypass_globals(false);
  Set(bypass);
  EXPECT_EQ(Kept("u.carl", "s"), "PBUF\\x08\\x00");
  EXPECT_FALSE(quotas_->ForgetTable({"default", "q"}).has_value());
  EXPECT_EQ(Kept("t.q", "s"), "");
}

TEST_F(QuotasTest, RefusesInHBasesWords) {
  const CallError zero = quotas_->Set(ForTable(Throttles(pb::REQUEST_NUMBER, 0, pb::MINUTES)));
  ASSERT_TRUE(zero.has_value());
  EXPECT_EQ(
      zero->ToString(),
      "org.apache.hadoop.hbase.DoNotRetryIOException: java.lang.UnsupportedOperationException: "
      "The throttle limit must be greater then 0, got 0");
  pb::SetQuotaRequest space;
  space.mutable_space_limit();
  EXPECT_TRUE(quotas_->Set(ForTable(space)).has_value());
  EXPECT_TRUE(quotas_->Set(Throttles(pb::REQUEST_NUMBER, 1, pb::MINUTES)).has_value());
  EXPECT_EQ(Kept("t.q", "s"), "");
}

// Messages are those of HBase's SpaceViolationPolicyEnforcement, values those of its Quota.proto.
TEST_F(QuotasTest, TablesPastTheirSpace) {
  TableDescriptor descriptor;
  descriptor.name.qualifier = "q";
  descriptor.families.emplace_back().name = "f";
  ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
  auto table = engine_->OpenTable({"default", "q"});
  ASSERT_TRUE(table.ok());
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "q", Bytes(5000, 'v'));
  ASSERT_TRUE((*table)->Write(&batch).ok());
  ASSERT_TRUE(engine_->admin()->Flush({"default", "q"}).ok());
  Regions regions(engine_.get(), "localhost,16020,1");
  const auto allowed = [&](pb::MutationProto::MutationType type) {
    ServedRegionPtr region;
    EXPECT_FALSE(regions.Find((*table)->regions().front().RegionName(), &region).has_value());
    const CallError error = CheckSpacePolicy(region->space_policy->load(), type);
    return error ? error->ToString() : "";
  };
  const auto limit = [](uint64_t bytes, pb::SpaceViolationPolicy policy) {
    pb::SetQuotaRequest request;
    request.mutable_space_limit()->mutable_quota()->set_soft_limit(bytes);
    request.mutable_space_limit()->mutable_quota()->set_violation_policy(policy);
    return request;
  };
  const auto look = [&] { EXPECT_TRUE(quotas_->space()->Look(&regions).ok()); };
  Set(ForTable(limit(1000, pb::NO_INSERTS)));
  EXPECT_EQ(Kept("t.q", "s"), "PBUF\\x1A\\x05\\x08\\xE8\\x07\\x10\\x04");
  EXPECT_EQ(allowed(pb::MutationProto::PUT), "");
  look();
  EXPECT_EQ(allowed(pb::MutationProto::PUT),
            "org.apache.hadoop.hbase.quotas.SpaceLimitingException: NO_INSERTS Puts are disallowed "
            "due to a space quota.");
  EXPECT_NE(allowed(pb::MutationProto::INCREMENT), "");
  EXPECT_NE(allowed(pb::MutationProto::APPEND), "");
  EXPECT_EQ(allowed(pb::MutationProto::DELETE), "");
  EXPECT_TRUE(quotas_->space()->view().tables.at("q").quota_status().in_violation());

  Set(ForTable(limit(1000, pb::NO_WRITES)));
  look();
  EXPECT_NE(allowed(pb::MutationProto::DELETE), "");
  // A table's own quota counts, whatever its namespace's says; then that does.
  Set(ForTable(limit(1 << 20, pb::NO_WRITES)));
  Set(ForNamespace(limit(1, pb::DISABLE)));
  look();
  EXPECT_EQ(allowed(pb::MutationProto::PUT), "");
  pb::SetQuotaRequest none;
  none.mutable_space_limit()->mutable_quota()->set_remove(true);
  Set(ForTable(none));
  EXPECT_EQ(Kept("t.q", "s"), "");
  look();
  EXPECT_EQ(*engine_->admin()->IsTableEnabled({"default", "q"}), false);
  const CallError enable = quotas_->space()->CheckEnable("q");
  ASSERT_TRUE(enable.has_value());
  EXPECT_EQ(enable->ToString(),
            "org.apache.hadoop.hbase.security.AccessDeniedException: Enabling the table 'q' is "
            "disallowed due to a violated space quota.");
  Set(ForNamespace(none));
  look();
  EXPECT_FALSE(quotas_->space()->CheckEnable("q").has_value());
  EXPECT_EQ(*engine_->admin()->IsTableEnabled({"default", "q"}), true);
  EXPECT_EQ(allowed(pb::MutationProto::PUT), "");
}

// HBase's QuotaObserverChore: whatever ends the violation, or its policy, enables the table. That
// the quota has disabled it is known after a start, and so is what the table takes.
TEST_F(QuotasTest, TablesThatAQuotaDisabledAreEnabledAgain) {
  const TableName name = {"default", "q"};
  TableDescriptor descriptor;
  descriptor.name = name;
  descriptor.families.emplace_back().name = "f";
  ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
  {
    const auto table = engine_->OpenTable(name).value();
    MutationBatch batch;
    batch.StartRow("r");
    batch.Put("f", "q", Bytes(5000, 'v'));
    ASSERT_TRUE(table->Write(&batch).ok());
    ASSERT_TRUE(engine_->admin()->Flush(name).ok());
  }
  const auto limit = [](uint64_t bytes, pb::SpaceViolationPolicy policy) {
    pb::SetQuotaRequest request;
    request.mutable_space_limit()->mutable_quota()->set_soft_limit(bytes);
    request.mutable_space_limit()->mutable_quota()->set_violation_policy(policy);
    return request;
  };
  pb::SetQuotaRequest none;
  none.mutable_space_limit()->mutable_quota()->set_remove(true);
  const auto is_enabled = [&] {
    Regions regions(engine_.get(), "localhost,16020,1");
    EXPECT_TRUE(quotas_->space()->Look(&regions).ok());
    return engine_->admin()->IsTableEnabled(name).value();
  };
  const pb::SetQuotaRequest ends[] = {ForTable(limit(1 << 20, pb::DISABLE)),
                                      ForTable(limit(1000, pb::NO_WRITES)), ForTable(none)};
  for (const bool again : {false, true}) {
    for (const pb::SetQuotaRequest& end : ends) {
      for (const bool of_namespace : {false, true}) {
        const auto whose = [&](pb::SetQuotaRequest request) {
          if (!of_namespace) return request;
          request.clear_table_name();
          return ForNamespace(request);
        };
        Set(whose(ForTable(limit(1000, pb::DISABLE))));
        ASSERT_FALSE(is_enabled());
        if (again) {
          Close();
          Open();
        }
        ASSERT_FALSE(is_enabled());
        EXPECT_TRUE(quotas_->space()->CheckEnable("q").has_value());
        Set(whose(end));
        EXPECT_TRUE(is_enabled()) << end.ShortDebugString();
        EXPECT_TRUE(is_enabled());
        Set(whose(ForTable(none)));
      }
    }
  }
  // One that no quota has disabled stays as it is.
  Set(ForTable(limit(1 << 20, pb::DISABLE)));
  ASSERT_TRUE(is_enabled());
  ASSERT_TRUE(engine_->admin()->DisableTable(name).ok());
  EXPECT_FALSE(is_enabled());
  Set(ForTable(none));
  EXPECT_FALSE(is_enabled());
}

TEST_F(QuotasTest, WhoTakesTooMuchHasToWait) {
  Set(ForTable(Throttles(pb::REQUEST_NUMBER, 5, pb::MINUTES)));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Ask("root", i % 2, 1 - i % 2), "");
  EXPECT_EQ(Ask("root", 1, 0),
            "org.apache.hadoop.hbase.quotas.RpcThrottlingException: number of requests exceeded - "
            "wait 12sec, 0ms");
  EXPECT_NE(Ask("anybody", 0, 1), "");
  EXPECT_EQ(Ask("root", 1, 0, {"default", "other"}), "");
  EXPECT_FALSE(switches_->Set(Switch::kRpcThrottle, false, nullptr).has_value());
  EXPECT_EQ(Ask("root", 1, 0), "");
  EXPECT_FALSE(switches_->Set(Switch::kRpcThrottle, true, nullptr).has_value());
  EXPECT_NE(Ask("root", 1, 0), "");
}

TEST_F(QuotasTest, TheNarrowestOfAUsersQuotasCounts) {
  Set(ForUser(Throttles(pb::WRITE_NUMBER, 1, pb::DAYS)));
  Set(ForUser(ForTable(Throttles(pb::WRITE_NUMBER, 2, pb::DAYS))));
  EXPECT_EQ(Ask("root", 0, 2), "");
  EXPECT_NE(Ask("root", 0, 1).find("number of write requests exceeded - wait 12hrs, 0ms"),
            std::string::npos);
  EXPECT_NE(Ask("root", 0, 1), "");
  EXPECT_EQ(Ask("root", 5, 0), "");  // reads are not bounded
  EXPECT_EQ(Ask("root", 0, 1, {"default", "other"}), "");
  EXPECT_NE(Ask("root", 0, 1, {"default", "other"}), "");
}

// In MasterQuotaManager of HBase 2.5 a user whose own quotas have become none loses his row.
TEST_F(QuotasTest, WithItsOwnAUserLosesThoseForTablesAndNamespaces) {
  const auto set = [this] {
    Set(ForUser(Throttles(pb::WRITE_NUMBER, 1, pb::DAYS)));
    Set(ForUser(ForTable(Throttles(pb::READ_NUMBER, 1, pb::DAYS))));
    Set(ForUser(ForNamespace(Throttles(pb::READ_SIZE, 100, pb::DAYS))));
  };
  const auto kept = [this] {
    return Kept("u.root", "s") + Kept("u.root", "s.q") + Kept("u.root", "s.default:");
  };
  pb::SetQuotaRequest none;
  none.mutable_throttle();
  set();
  Set(ForUser(none));
  EXPECT_EQ(kept(), "");
  EXPECT_EQ(Ask("root", 9, 9), "");
  EXPECT_EQ(Ask("root", 9, 9, {"default", "other"}), "");

  // Of one kind: the others stay until the last.
  set();
  pb::SetQuotaRequest no_reads;
  no_reads.mutable_throttle()->set_type(pb::READ_NUMBER);
  Set(ForUser(no_reads));
  EXPECT_NE(Kept("u.root", "s"), "");
  EXPECT_NE(Kept("u.root", "s.q"), "");
  EXPECT_NE(Ask("root", 9, 0), "");
  pb::SetQuotaRequest no_writes;
  no_writes.mutable_throttle()->set_type(pb::WRITE_NUMBER);
  Set(ForUser(no_writes));
  EXPECT_EQ(kept(), "");
  EXPECT_EQ(Ask("root", 9, 9), "");

  // He may bypass the quotas of others: that is a quota of his own.
  set();
  pb::SetQuotaRequest bypass;
  bypass.set_bypass_globals(true);
  Set(ForUser(bypass));
  Set(ForUser(none));
  EXPECT_EQ(Kept("u.root", "s"), "PBUF\\x08\\x01");
  EXPECT_NE(Ask("root", 9, 0), "");
}

// Also when it comes in the millisecond in which the one before was removed.
TEST_F(QuotasTest, TheNextQuotaIsKept) {
  pb::SetQuotaRequest none;
  none.mutable_throttle();
  for (int i = 0; i < 60; ++i) {
    Set(ForUser(none));
    Set(ForUser(ForTable(Throttles(pb::READ_NUMBER, 1, pb::DAYS))));
    ASSERT_NE(Kept("u.root", "s.q"), "") << i;
    Set(ForTable(none));
    Set(ForTable(Throttles(pb::READ_NUMBER, 1, pb::DAYS)));
    ASSERT_NE(Kept("t.q", "s"), "") << i;
  }
}

TEST_F(QuotasTest, UsersMayBypassTheOthers) {
  Set(ForNamespace(Throttles(pb::READ_NUMBER, 1, pb::DAYS)));
  pb::SetQuotaRequest bypass;
  bypass.set_user_name("carl");
  bypass.set_bypass_globals(true);
  Set(bypass);
  EXPECT_EQ(Ask("carl", 9, 0), "");
  EXPECT_EQ(Ask("root", 1, 0), "");
  EXPECT_NE(Ask("root", 1, 0), "");
}

TEST_F(QuotasTest, BytesCountOnceTheyAreKnown) {
  Set(ForTable(Throttles(pb::READ_SIZE, 10'000, pb::DAYS)));
  QuotaUse use;
  ASSERT_FALSE(quotas_->Take("root", {"default", "q"}, 1, 0, kOperationBytes, &use).has_value());
  use.Done(9'950, 0);
  EXPECT_NE(Ask("root", 1, 0).find("read size limit exceeded - wait "), std::string::npos);
}

TEST_F(QuotasTest, HoldAfterARestart) {
  Set(ForTable(Throttles(pb::REQUEST_NUMBER, 1, pb::DAYS)));
  Close();
  Open();
  EXPECT_EQ(Ask("root", 1, 0), "");
  EXPECT_NE(Ask("root", 1, 0), "");
}

}  // namespace
}  // namespace bennu::server::hbase
