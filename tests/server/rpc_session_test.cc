// HBase's RPC on one connection, byte by byte. What must hold is in the hbase-rpc spec, sections 1
// and 2, and its golden bytes in section 9.
#include "src/server/hbase/rpc_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "proto/registry.pb.h"
#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/server/hbase/identity.h"
#include "src/server/hbase/meta_service.h"
#include "tests/server/test_channel.h"

namespace bennu::server::hbase {
namespace {

Bytes FromHex(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != ' ') digits.push_back(c);
  }
  auto bytes = HexDecode(digits);
  EXPECT_TRUE(bytes.ok()) << text;
  return bytes.ok() ? *bytes : Bytes();
}

Bytes Frame(const google::protobuf::MessageLite& message) {
  Bytes frame;
  AppendBE32(&frame, static_cast<uint32_t>(message.ByteSizeLong()));
  message.AppendToString(&frame);
  return frame;
}

class RpcSessionTest : public testing::Test {
 protected:
  RpcSessionTest() : handlers_(2, 2), identity_(MakeIdentity()), meta_(&identity_) {
    port_.services = {&meta_};
    port_.handlers = &handlers_;
    port_.cluster_id = identity_.cluster_id;
    session_ = std::make_unique<RpcSession>(&port_, channel_);
  }

  static Identity MakeIdentity() {
    Identity identity;
    identity.host = "node1.example";
    identity.master_port = 16100;
    identity.region_server_port = 16120;
    identity.start_code = 1795198532752;
    identity.cluster_id = "279a61f5-b690-4eb7-8e90-6564662f5f50";
    return identity;
  }

  // Hands the bytes in as a connection does; false when the session ended.
  bool Feed(ByteView bytes) {
    rest_.append(bytes);
    while (!rest_.empty()) {
      const auto consumed = session_->Receive(rest_);
      if (!consumed.ok()) return false;
      if (*consumed == 0) break;
      rest_.erase(0, *consumed);
    }
    return true;
  }

  static Bytes Preamble() { return Bytes("HBas\0\x50", 6); }
  static Bytes Header(const std::string& service) {
    pb::ConnectionHeader header;
    header.mutable_user_info()->set_effective_user("root");
    header.set_service_name(service);
    header.set_cell_block_codec_class("org.apache.hadoop.hbase.codec.KeyValueCodec");
    return Frame(header);
  }
  static Bytes Request(uint32_t id, const std::string& method) {
    pb::RequestHeader header;
    header.set_call_id(id);
    header.set_method_name(method);
    Bytes frame;
    rpc::AppendRequest(&header, pb::GetClusterIdRequest(), {}, &frame);
    return frame;
  }

  // The header of the only response that was sent; *result gets what follows it.
  pb::ResponseHeader TakeResponse(Bytes* result = nullptr) {
    const Bytes sent = channel_->Take();
    pb::ResponseHeader header;
    if (sent.size() < 4 || LoadBE32(sent.data()) != sent.size() - 4) {
      ADD_FAILURE() << "not one frame: " << HexEncode(sent);
      return header;
    }
    ByteView rest = ByteView(sent).substr(4);
    uint64_t length = 0;
    EXPECT_TRUE(ConsumeVarint64(&rest, &length));
    EXPECT_TRUE(header.ParseFromArray(rest.data(), static_cast<int>(length)));
    rest.remove_prefix(length);
    if (result != nullptr) {
      EXPECT_TRUE(ConsumeVarint64(&rest, &length));
      result->assign(rest.substr(0, length));
    }
    return header;
  }

  net::Handlers handlers_;
  const Identity identity_;
  ClientMetaService meta_;
  RpcPort port_;
  const std::shared_ptr<TestChannel> channel_ = std::make_shared<TestChannel>();
  std::unique_ptr<RpcSession> session_;
  Bytes rest_;
};

// A client's trace is found in the log by its id (W3C's Trace Context, its own example).
TEST_F(RpcSessionTest, TracedCallsAreInTheLog) {
  const struct {
    std::string parent, id;
  } tests[] = {{"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "0af7651916cd43dd8448eb211c80319c"},
               {"00-0af7651916cd43dd8448eb211c80319c", ""},
               {"00-0af7651916cd43dd8448eb211c80319\n-b7ad6b7169203331-01", ""},
               {"", ""}};
  RpcMetrics metrics;
  port_.metrics = &metrics;
  ASSERT_TRUE(Feed(Preamble() + Header("ClientMetaService")));
  std::vector<std::string> lines;
  const LogLevel level = GetLogLevel();
  SetLogSink([&lines](LogLevel, std::string_view line) { lines.emplace_back(line); });
  for (const LogLevel at : {LogLevel::kDebug, LogLevel::kInfo}) {
    SetLogLevel(at);
    for (const auto& test : tests) {
      lines.clear();
      pb::RequestHeader header;
      header.set_call_id(7);
      header.set_method_name("GetClusterId");
      (*header.mutable_trace_info()->mutable_headers())["traceparent"] = test.parent;
      Bytes frame;
      rpc::AppendRequest(&header, pb::GetClusterIdRequest(), {}, &frame);
      EXPECT_TRUE(Feed(frame));
      EXPECT_EQ(TakeResponse().call_id(), 7u);
      if (test.id.empty() || at == LogLevel::kInfo) {
        EXPECT_THAT(lines, testing::IsEmpty());
        continue;
      }
      EXPECT_THAT(lines, testing::ElementsAre(testing::AllOf(
                             testing::StartsWith("(traced): {\"method\":\"GetClusterId\""),
                             testing::HasSubstr("\"traceid\":\"" + test.id + "\""))));
    }
  }
  SetLogSink(nullptr);
  SetLogLevel(level);
}

// The spec's golden bytes: what a client and a real server said.
TEST_F(RpcSessionTest, AnswersAsTheRealServerDid) {
  ASSERT_TRUE(
      Feed(FromHex("48426173 00 50 00000048 0a060a04726f6f74 1211436c69656e744d65746153657276"
                   "696365 1a2b6f72672e6170616368652e6861646f6f702e68626173652e636f6465632e4b"
                   "657956616c7565436f646563")));
  ASSERT_TRUE(Feed(FromHex("00000014 1208011a0c476574436c7573746572496420 0100")));
  Bytes expected = FromHex("0000002a 02 0801 26 0a24");
  expected += identity_.cluster_id;
  EXPECT_EQ(HexEncode(expected), HexEncode(channel_->Take()));
}

TEST_F(RpcSessionTest, BytesMayComeOneByOne) {
  const Bytes all = Preamble() + Header("ClientMetaService") + Request(7, "GetMasters");
  for (const char byte : all) ASSERT_TRUE(Feed(ByteView(&byte, 1)));
  Bytes result;
  EXPECT_EQ(7u, TakeResponse(&result).call_id());
  pb::GetMastersResponse masters;
  ASSERT_TRUE(masters.ParseFromString(result));
  ASSERT_EQ(1, masters.master_servers_size());
  EXPECT_TRUE(masters.master_servers(0).is_active());
  EXPECT_EQ(16100u, masters.master_servers(0).server_name().port());
}

TEST_F(RpcSessionTest, TellsWhatIsWrongWithAPreamble) {
  const struct {
    Bytes preamble;
    const char* exception;
  } cases[] = {
      {"GET / ", "org.apache.hadoop.hbase.ipc.FatalConnectionException"},
      {Bytes("HBas\1\x50", 6), "org.apache.hadoop.hbase.ipc.WrongVersionException"},
      {Bytes("HBas\0\x60", 6), "org.apache.hadoop.hbase.ipc.BadAuthException"},
  };
  for (const auto& test : cases) {
    session_ = std::make_unique<RpcSession>(&port_, channel_);
    rest_.clear();
    EXPECT_FALSE(Feed(test.preamble));
    const pb::ResponseHeader header = TakeResponse();
    EXPECT_EQ(0xffffffffu, header.call_id());
    EXPECT_EQ(test.exception, header.exception().exception_class_name());
    EXPECT_TRUE(header.exception().do_not_retry());
  }
}

TEST_F(RpcSessionTest, NewerClientsAskForTheClusterFirst) {
  ASSERT_TRUE(Feed("Regist"));
  Bytes result;
  EXPECT_EQ(0xffffffffu, TakeResponse(&result).call_id());
  pb::GetConnectionRegistryResponse registry;
  ASSERT_TRUE(registry.ParseFromString(result));
  EXPECT_EQ(identity_.cluster_id, registry.cluster_id());
  EXPECT_TRUE(channel_->closed());
}

TEST_F(RpcSessionTest, NewerClientsAreToldThatThereIsNoSecurity) {
  ASSERT_TRUE(Feed("Securi"));
  EXPECT_EQ("org.apache.hadoop.hbase.security.SecurityNotEnabledException",
            TakeResponse().exception().exception_class_name());
  ASSERT_TRUE(Feed(Preamble() + Header("ClientMetaService") + Request(1, "GetClusterId")));
  EXPECT_FALSE(TakeResponse().has_exception());
}

TEST_F(RpcSessionTest, ClientsThatBeginWithSaslGoOnWithoutIt) {
  ASSERT_TRUE(Feed(Bytes("HBas\0\x51", 6)));
  EXPECT_EQ("00000000ffffffa8", HexEncode(channel_->Take()));
  ASSERT_TRUE(Feed(FromHex("00000003 010203")));
  ASSERT_TRUE(Feed(Header("ClientMetaService") + Request(1, "GetClusterId")));
  EXPECT_FALSE(TakeResponse().has_exception());
}

TEST_F(RpcSessionTest, AnUnknownServiceEndsTheConnectionWithoutAFrame) {
  EXPECT_FALSE(Feed(Preamble() + Header("NoSuchService")));
  EXPECT_EQ("", channel_->Take());
}

TEST_F(RpcSessionTest, AnUnknownMethodFailsItsCallOnly) {
  ASSERT_TRUE(Feed(Preamble() + Header("ClientMetaService") + Request(3, "NoSuchMethod")));
  const pb::ResponseHeader header = TakeResponse();
  EXPECT_EQ(3u, header.call_id());
  EXPECT_EQ("org.apache.hadoop.hbase.DoNotRetryIOException",
            header.exception().exception_class_name());
  ASSERT_TRUE(Feed(Request(4, "GetClusterId")));
  EXPECT_EQ(4u, TakeResponse().call_id());
}

TEST_F(RpcSessionTest, CallsAreRefusedWhileTheServerStops) {
  RpcMetrics metrics;
  port_.metrics = &metrics;
  port_.draining = true;
  ASSERT_TRUE(Feed(Preamble() + Header("ClientMetaService") + Request(3, "GetClusterId")));
  const pb::ResponseHeader header = TakeResponse();
  EXPECT_EQ(3u, header.call_id());
  EXPECT_EQ("org.apache.hadoop.hbase.regionserver.RegionServerStoppedException",
            header.exception().exception_class_name());
  EXPECT_FALSE(header.exception().do_not_retry());
  EXPECT_EQ(metrics.in_flight(), 0u);
}

TEST_F(RpcSessionTest, ATooLargeRequestEndsTheConnection) {
  port_.request_bytes_max = 1000;
  ASSERT_TRUE(Feed(Preamble() + Header("ClientMetaService")));
  Bytes length;
  AppendBE32(&length, 1001);
  EXPECT_TRUE(Feed(length));  // whose call it is comes next
  EXPECT_FALSE(Feed(Request(42, "GetClusterId").substr(4)));
  const pb::ResponseHeader header = TakeResponse();
  EXPECT_EQ("org.apache.hadoop.hbase.exceptions.RequestTooBigException",
            header.exception().exception_class_name());
  EXPECT_TRUE(header.exception().do_not_retry());
  EXPECT_EQ(42u, header.call_id());
}

// Where that does not tell whose call it is, no call is answered.
TEST_F(RpcSessionTest, ATooLargeRequestOfNobody) {
  port_.request_bytes_max = 1000;
  ASSERT_TRUE(Feed(Preamble() + Header("ClientMetaService")));
  Bytes frame;
  AppendBE32(&frame, 1001);
  EXPECT_FALSE(Feed(frame + Bytes(20, '\xff')));
  const pb::ResponseHeader header = TakeResponse();
  EXPECT_EQ("org.apache.hadoop.hbase.exceptions.RequestTooBigException",
            header.exception().exception_class_name());
  EXPECT_EQ(rpc::kNoCallId, header.call_id());
}

// A client that does not tell its version gets rows by its codec all the same, but for Gets.
TEST_F(RpcSessionTest, ClientsWithoutAVersionHaveTheirCodec) {
  auto connection = std::make_shared<ClientConnection>();
  connection->codec = rpc::CellCodec::kKeyValue;
  Call old(channel_, connection, pb::RequestHeader(), {});
  EXPECT_EQ(old.result_codec(), rpc::CellCodec::kKeyValue);
  EXPECT_EQ(old.get_codec(), rpc::CellCodec::kNone);
  old.Drop();
  auto newer = std::make_shared<ClientConnection>(*connection);
  newer->has_version = true;
  Call call(channel_, newer, pb::RequestHeader(), {});
  EXPECT_EQ(call.get_codec(), rpc::CellCodec::kKeyValue);
  call.Drop();
}

// A call that finds no memory fails; the handler and the process go on.
TEST_F(RpcSessionTest, ACallWithoutMemoryFails) {
  pb::RequestHeader header;
  header.set_call_id(3);
  auto connection = std::make_shared<ClientConnection>();
  PrepareAndRun(std::make_unique<Call>(channel_, connection, header, rpc::RequestParts()),
                [](CallPtr) { throw std::bad_alloc(); });
  const pb::ResponseHeader answer = TakeResponse();
  EXPECT_EQ(answer.call_id(), 3u);
  EXPECT_EQ(answer.exception().exception_class_name(), "java.io.IOException");
}

TEST_F(RpcSessionTest, WhoSaysNothingIsNotWaitedForForEver) {
  port_.greeting_max = std::chrono::seconds(0);
  EXPECT_FALSE(session_->Tick().ok());
  ASSERT_TRUE(Feed(Preamble() + Header("ClientMetaService")));
  EXPECT_TRUE(session_->Tick().ok());  // an idle client may stay
}

class WaitingService : public Service {
 public:
  WaitingService() : Service("Waiting") {
    Add("Wait", RunOn::kHandler, [this](CallPtr call) {
      std::unique_lock lock(mu_);
      go_.wait(lock, [this] { return open_; });
      call->Respond(pb::GetClusterIdResponse());
    });
  }
  void Open() {
    const std::lock_guard lock(mu_);
    open_ = true;
    go_.notify_all();
  }

 private:
  std::mutex mu_;
  std::condition_variable go_;
  bool open_ = false;
};

TEST_F(RpcSessionTest, AFullQueueIsToldAndLeavesMemoryFlat) {
  WaitingService waiting;
  port_.services.push_back(&waiting);
  ASSERT_TRUE(Feed(Preamble() + Header("Waiting")));
  ASSERT_TRUE(Feed(Request(1, "Wait") + Request(2, "Wait")));
  ASSERT_TRUE(Feed(Request(3, "Wait")));
  const pb::ResponseHeader header = TakeResponse();
  EXPECT_EQ(3u, header.call_id());
  EXPECT_EQ("org.apache.hadoop.hbase.CallQueueTooBigException",
            header.exception().exception_class_name());
  EXPECT_FALSE(header.exception().do_not_retry());
  EXPECT_TRUE(header.exception().server_overloaded());
  waiting.Open();
  while (handlers_.pending() > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace bennu::server::hbase
