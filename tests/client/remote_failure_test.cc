// What servers' exceptions mean for a client.
#include "src/rpc/remote_failure.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace bennu::client {
namespace {

// The texts are those of HBase 2.5's RegionMovedException.
TEST(RemoteFailureTest, WhereARegionMoved) {
  constexpr char kMoved[] = "org.apache.hadoop.hbase.exceptions.RegionMovedException";
  const auto moved_to = [&](const std::string& text) {
    return rpc::FailureOf(kMoved, std::string(kMoved) + ": " + text).moved_to;
  };
  EXPECT_EQ(
      moved_to("Region moved to: hostname=rs2.example.com port=16020 startCode=1609459200000. "
               "As of locationSeqNum=17."),
      (rpc::Place{"rs2.example.com", 16020}));
  for (const char* text : {"", "hostname=", "hostname=x port=", "hostname= port=1 ",
                           "hostname=x port=0 ", "hostname=x port=70000 ", "hostname=x port=y "}) {
    EXPECT_EQ(moved_to(text), std::nullopt) << text;
  }
  EXPECT_EQ(moved_to("hostname=" + std::string(300, 'x') + " port=1 "), std::nullopt);
  pb::ExceptionResponse response;
  response.set_exception_class_name(kMoved);
  response.set_hostname("h");
  response.set_port(-1);
  EXPECT_EQ(rpc::FailureOf(response).moved_to, std::nullopt);
  response.set_port(5);
  EXPECT_EQ(rpc::FailureOf(response).moved_to, (rpc::Place{"h", 5}));
}

TEST(RemoteFailureTest, WhatAClassMeans) {
  struct Case {
    const char* name;
    rpc::Remedy remedy;
    bool overloaded;
  };
  for (const Case& known :
       {Case{"CallQueueTooBigException", rpc::Remedy::kWait, true},
        Case{"CallDroppedException", rpc::Remedy::kWait, true},
        Case{"RegionTooBusyException", rpc::Remedy::kWait, false},
        Case{"NotServingRegionException", rpc::Remedy::kRelocate, false},
        Case{"MultiActionResultTooLarge", rpc::Remedy::kAtOnce, false},
        Case{"UnknownScannerException", rpc::Remedy::kReopen, false},
        Case{"exceptions.ScannerResetException", rpc::Remedy::kReopen, false},
        Case{"exceptions.OutOfOrderScannerNextException", rpc::Remedy::kReopen, false},
        Case{"regionserver.LeaseException", rpc::Remedy::kReopen, false},
        Case{"exceptions.TimeoutIOException", rpc::Remedy::kWait, false},
        Case{"quotas.RpcThrottlingException", rpc::Remedy::kWait, false},
        Case{"snapshot.SnapshotCreationException", rpc::Remedy::kNone, false},
        Case{"OfALaterVersionException", rpc::Remedy::kRelocate, false},
        Case{"DoNotRetryIOException", rpc::Remedy::kNone, false}}) {
    const rpc::RemoteFailure failure =
        rpc::FailureOf(std::string("org.apache.hadoop.hbase.") + known.name, "text");
    EXPECT_EQ(failure.remedy, known.remedy) << known.name;
    EXPECT_EQ(failure.overloaded, known.overloaded) << known.name;
  }
  pb::ExceptionResponse response;
  response.set_exception_class_name("RegionTooBusyException");
  response.set_server_overloaded(true);
  EXPECT_TRUE(rpc::FailureOf(response).overloaded) << "the server says so itself";
  response.set_exception_class_name("java.io.IOException");
  EXPECT_EQ(rpc::FailureOf(response).remedy, rpc::Remedy::kRelocate);
  EXPECT_TRUE(rpc::FailureOf(response).in_doubt);
  response.set_do_not_retry(true);
  EXPECT_EQ(rpc::FailureOf(response).remedy, rpc::Remedy::kNone);
  response.set_exception_class_name("org.apache.hadoop.hbase.UnknownScannerException");
  EXPECT_EQ(rpc::FailureOf(response).remedy, rpc::Remedy::kReopen) << "it is one that HBase marks";
}

// Texts are those of HBase's RpcThrottlingException.
TEST(RemoteFailureTest, HowLongAThrottledClientWaits) {
  const auto wait = [](const std::string& text) {
    const std::string name = "org.apache.hadoop.hbase.quotas.RpcThrottlingException";
    return rpc::FailureOf(name, name + ": " + text).wait.count();
  };
  EXPECT_EQ(wait("number of requests exceeded - wait 500ms"), 500);
  EXPECT_EQ(wait("read size limit exceeded - wait 7sec, 0ms"), 7000);
  EXPECT_EQ(wait("write size limit exceeded - wait 2hrs, 1min, 3sec, 4ms"), 7263004);
  EXPECT_EQ(wait("number of requests exceeded - wait 1hr, 59mins, 0ms"), 7140000);
  for (const char* text :
       {"", "- wait ", "- wait soon", "- wait 5", "- wait -5ms", "- wait 99999999999999999999ms"}) {
    EXPECT_EQ(wait(text), 0) << text;
  }
}

}  // namespace
}  // namespace bennu::client
