// ZooKeeper's protocol as HBase's clients use it (hbase-zookeeper spec, sections 1 to 4).
#include "src/server/zookeeper/zk_session.h"

#include <gtest/gtest.h>

#include "proto/zookeeper.pb.h"
#include "src/base/coding.h"
#include "tests/server/test_channel.h"

namespace bennu::server::zookeeper {
namespace {

Bytes Frame(const Bytes& body) {
  Bytes frame;
  AppendBE32(&frame, static_cast<uint32_t>(body.size()));
  return frame + body;
}

Bytes ConnectRequest() {
  Bytes body;
  AppendBE32(&body, 0);       // protocol version
  AppendBE64(&body, 0);       // last zxid seen
  AppendBE32(&body, 90'000);  // time-out
  AppendBE64(&body, 0);       // session
  AppendBE32(&body, 16);
  body.append(16, '\0');
  body.push_back(0);  // read only
  return Frame(body);
}

Bytes Request(int32_t xid, int32_t type, const std::string& path) {
  Bytes body;
  AppendBE32(&body, static_cast<uint32_t>(xid));
  AppendBE32(&body, static_cast<uint32_t>(type));
  if (!path.empty()) {
    AppendBE32(&body, static_cast<uint32_t>(path.size()));
    body += path;
    body.push_back(0);  // watch
  }
  return Frame(body);
}

class ZkSessionTest : public testing::Test {
 protected:
  static hbase::Identity MakeIdentity() {
    hbase::Identity identity;
    identity.host = "node1.example";
    identity.master_port = 16100;
    identity.region_server_port = 16120;
    identity.start_code = 1795198532752;
    identity.cluster_id = "279a61f5-b690-4eb7-8e90-6564662f5f50";
    return identity;
  }
  static Znodes::Sources MakeSources() {
    return {[] {
              return std::map<std::string, bool>{{"t", true}, {"off", false}};
            },
            [] {
              return std::vector<std::string>{"default", "hbase"};
            }};
  }

  void Feed(const Bytes& bytes) {
    rest_ += bytes;
    while (!rest_.empty()) {
      const auto consumed = session_.Receive(rest_);
      ASSERT_TRUE(consumed.ok()) << consumed.status().ToString();
      if (*consumed == 0) return;
      rest_.erase(0, *consumed);
    }
  }

  // A reply's error; *body gets what follows its header.
  int32_t TakeReply(int32_t xid, Bytes* body) {
    const Bytes sent = channel_->Take();
    ByteView rest = sent;
    uint32_t length = 0, got_xid = 0, error = 0;
    uint64_t zxid = 0;
    EXPECT_TRUE(ConsumeBE32(&rest, &length) && length == rest.size());
    EXPECT_TRUE(ConsumeBE32(&rest, &got_xid) && ConsumeBE64(&rest, &zxid) &&
                ConsumeBE32(&rest, &error));
    EXPECT_EQ(xid, static_cast<int32_t>(got_xid));
    body->assign(rest);
    return static_cast<int32_t>(error);
  }

  Bytes Content(const std::string& path) {
    Feed(Request(9, 4, path));
    Bytes body;
    EXPECT_EQ(0, TakeReply(9, &body)) << path;
    ByteView rest = body;
    uint32_t length = 0;
    ByteView data;
    EXPECT_TRUE(ConsumeBE32(&rest, &length) && ConsumeBytes(&rest, length, &data));
    EXPECT_EQ(68u, rest.size()) << "the node's Stat";
    // 0xff, the writer's id and its length, then the content.
    uint8_t mark = 0;
    uint32_t id_length = 0;
    ByteView id;
    EXPECT_TRUE(ConsumeByte(&data, &mark) && mark == 0xff && ConsumeBE32(&data, &id_length) &&
                ConsumeBytes(&data, id_length, &id));
    return Bytes(data);
  }

  const Znodes znodes_{MakeIdentity(), MakeSources()};
  const std::shared_ptr<TestChannel> channel_ = std::make_shared<TestChannel>();
  ZkSession session_{&znodes_, channel_};
  Bytes rest_;
};

TEST_F(ZkSessionTest, AClientFindsTheServer) {
  Feed(ConnectRequest());
  const Bytes connected = channel_->Take();
  ASSERT_EQ(41u, connected.size());  // as the recorded one
  EXPECT_EQ(40'000u, LoadBE32(connected.data() + 8));

  pb::ClusterId id;
  const Bytes id_bytes = Content("/hbase/hbaseid");
  ASSERT_TRUE(id_bytes.starts_with("PBUF"));
  ASSERT_TRUE(id.ParseFromString(id_bytes.substr(4)));
  EXPECT_EQ("279a61f5-b690-4eb7-8e90-6564662f5f50", id.cluster_id());

  pb::MetaRegionServer meta;
  ASSERT_TRUE(meta.ParseFromString(Content("/hbase/meta-region-server").substr(4)));
  EXPECT_EQ("node1.example", meta.server().host_name());
  EXPECT_EQ(16120u, meta.server().port());
  EXPECT_EQ(pb::RegionState::OPEN, meta.state());

  pb::Master master;
  ASSERT_TRUE(master.ParseFromString(Content("/hbase/master").substr(4)));
  EXPECT_EQ(16100u, master.master().port());

  pb::DeprecatedTableState state;
  ASSERT_TRUE(state.ParseFromString(Content("/hbase/table/off").substr(4)));
  EXPECT_EQ(pb::DeprecatedTableState::DISABLED, state.state());
}

TEST_F(ZkSessionTest, ListsChildrenAndMissesNodes) {
  Feed(ConnectRequest());
  channel_->Take();
  Feed(Request(1, 8, "/hbase"));
  Bytes body;
  ASSERT_EQ(0, TakeReply(1, &body));
  for (const char* name : {"master", "meta-region-server", "hbaseid", "rs", "running", "table"}) {
    EXPECT_NE(Bytes::npos, body.find(name)) << name;
  }
  Feed(Request(2, 8, "/hbase/rs"));
  ASSERT_EQ(0, TakeReply(2, &body));
  EXPECT_NE(Bytes::npos, body.find("node1.example,16120,1795198532752"));
  Feed(Request(3, 4, "/hbase/nothing"));
  EXPECT_EQ(-101, TakeReply(3, &body));
  Feed(Request(4, 3, "/hbase/meta-region-server-1"));
  EXPECT_EQ(-101, TakeReply(4, &body));
}

TEST_F(ZkSessionTest, NothingCanBeWritten) {
  Feed(ConnectRequest());
  channel_->Take();
  Feed(Request(1, 1, "/hbase/mine"));
  Bytes body;
  EXPECT_NE(0, TakeReply(1, &body));
}

TEST_F(ZkSessionTest, PingsAndEnds) {
  Feed(ConnectRequest());
  channel_->Take();
  Feed(Request(-2, 11, ""));
  Bytes body;
  EXPECT_EQ(0, TakeReply(-2, &body));
  Feed(Request(5, -11, ""));
  EXPECT_EQ(0, TakeReply(5, &body));
  EXPECT_TRUE(channel_->closed());
}

TEST_F(ZkSessionTest, AnswersRuok) {
  Feed("ruok");
  EXPECT_EQ("imok", channel_->Take());
  EXPECT_TRUE(channel_->closed());
}

TEST_F(ZkSessionTest, RefusesHugeFrames) {
  Bytes huge;
  AppendBE32(&huge, 100u << 20);
  EXPECT_FALSE(session_.Receive(huge).ok());
}

}  // namespace
}  // namespace bennu::server::zookeeper
