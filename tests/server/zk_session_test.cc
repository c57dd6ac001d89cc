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
  Znodes::Sources MakeSources() {
    return {[this] { return tables_; },
            [] {
              return std::vector<std::string>{"default", "hbase"};
            },
            [this] { return balancer_on_; }};
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

  // "TYPE PATH; " of each event that was sent; nothing else was.
  std::string TakeEvents() {
    const Bytes sent = channel_->Take();
    std::string events;
    for (ByteView rest = sent; !rest.empty();) {
      uint32_t length = 0, xid = 0, error = 0, type = 0, state = 0, path_length = 0;
      uint64_t zxid = 0;
      ByteView path;
      EXPECT_TRUE(ConsumeBE32(&rest, &length) && ConsumeBE32(&rest, &xid) &&
                  ConsumeBE64(&rest, &zxid) && ConsumeBE32(&rest, &error) &&
                  ConsumeBE32(&rest, &type) && ConsumeBE32(&rest, &state) &&
                  ConsumeBE32(&rest, &path_length) && ConsumeBytes(&rest, path_length, &path));
      EXPECT_EQ(static_cast<int32_t>(xid), -1);
      EXPECT_EQ(static_cast<int64_t>(zxid), -1);
      EXPECT_EQ(state, 3u);
      events += std::to_string(type) + " " + std::string(path) + "; ";
    }
    return events;
  }
  // Asks, and passes over the reply.
  void Watch(int32_t type, const std::string& path) {
    Bytes request = Request(1, type, path);
    request.back() = 1;
    Feed(request);
    channel_->Take();
  }
  void SetWatches(int64_t last_seen, const std::vector<std::vector<std::string>>& lists) {
    Bytes body;
    AppendBE32(&body, static_cast<uint32_t>(-8));
    AppendBE32(&body, 101);
    AppendBE64(&body, static_cast<uint64_t>(last_seen));
    for (const auto& list : lists) {
      AppendBE32(&body, static_cast<uint32_t>(list.size()));
      for (const std::string& path : list) {
        AppendBE32(&body, static_cast<uint32_t>(path.size()));
        body += path;
      }
    }
    Feed(Frame(body));
  }

  std::map<std::string, bool> tables_ = {{"t", true}, {"off", false}};
  bool balancer_on_ = true;
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

TEST_F(ZkSessionTest, WatchesFireOnce) {
  Feed(ConnectRequest());
  channel_->Take();
  Watch(4, "/hbase/table/t");    // data
  Watch(3, "/hbase/table/new");  // existence, of what is not there
  Watch(8, "/hbase/table");      // children
  Watch(4, "/hbase/balancer");
  Watch(4, "/hbase/master");
  Watch(4, "/hbase/table/other");  // not there: reading it watches nothing
  ASSERT_TRUE(session_.Tick().ok());
  EXPECT_EQ(TakeEvents(), "");

  tables_["t"] = false;
  ASSERT_TRUE(session_.Tick().ok());
  EXPECT_EQ(TakeEvents(), "3 /hbase/table/t; ");
  tables_["t"] = true;
  balancer_on_ = false;
  tables_["new"] = true;
  tables_["other"] = true;
  ASSERT_TRUE(session_.Tick().ok());
  EXPECT_EQ(TakeEvents(), "1 /hbase/table/new; 3 /hbase/balancer; 4 /hbase/table; ");
  tables_.clear();
  ASSERT_TRUE(session_.Tick().ok());
  EXPECT_EQ(TakeEvents(), "");
}

// A client is told of a change before it reads what is new.
TEST_F(ZkSessionTest, WatchesFireBeforeTheNextAnswer) {
  Feed(ConnectRequest());
  channel_->Take();
  Watch(4, "/hbase/table/t");
  Watch(8, "/hbase/table/t");
  tables_.erase("t");
  Feed(Request(2, 4, "/hbase/table/off"));
  const Bytes sent = channel_->Take();
  const Bytes deleted = sent.substr(0, 4 + LoadBE32(sent.data()));
  channel_->Send(deleted);
  EXPECT_EQ(TakeEvents(), "2 /hbase/table/t; ") << "once for both watches";
  EXPECT_EQ(LoadBE32(sent.data() + deleted.size() + 4), 2u) << "then the answer";
}

// A client that comes back sets its watches again, and is told of what it may have missed.
TEST_F(ZkSessionTest, WatchesAreRestored) {
  const int64_t start = MakeIdentity().start_code;
  Feed(ConnectRequest());
  channel_->Take();
  const auto restore = [this](int64_t last_seen,
                              const std::vector<std::vector<std::string>>& lists) {
    SetWatches(last_seen, lists);
    const Bytes sent = channel_->Take();
    EXPECT_EQ(LoadBE32(sent.data() + 16), 0u) << "no error";
    channel_->Send(ByteView(sent).substr(4 + LoadBE32(sent.data())));
    return TakeEvents();
  };
  // To the same process: its nodes that never change have not.
  EXPECT_EQ(restore(start, {{"/hbase/master", "/hbase/table/t", "/hbase/table/gone"},
                            {"/hbase/table/off", "/hbase/table/later"},
                            {"/hbase/rs", "/hbase/table"}}),
            "1 /hbase/table/off; 2 /hbase/table/gone; 3 /hbase/table/t; 4 /hbase/table; ");
  tables_["later"] = true;
  ASSERT_TRUE(session_.Tick().ok());
  EXPECT_EQ(TakeEvents(), "1 /hbase/table/later; ");
  // To another one: a master that came anew.
  EXPECT_EQ(restore(start - 1, {{"/hbase/master"}, {"/hbase/none"}, {"/hbase/rs"}}),
            "3 /hbase/master; 4 /hbase/rs; ");
}

TEST_F(ZkSessionTest, WatchesHaveABound) {
  Feed(ConnectRequest());
  channel_->Take();
  const std::string name(1000, 'x');
  int32_t error = 0;
  Bytes body;
  for (int i = 0; i < 1000 && error != -1; ++i) {
    Bytes request = Request(1, 3, "/hbase/table/" + name + std::to_string(i));
    request.back() = 1;
    Feed(request);
    error = TakeReply(1, &body);
    EXPECT_TRUE(error == -101 || (error == -1 && i > 100)) << error;
  }
  EXPECT_EQ(error, -1);
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
