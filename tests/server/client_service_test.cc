// Mutations are answered alike, whichever thread carries them out: an io thread those that need not
// wait, a handler the others, such as those whose cells came compressed.
#include "src/server/hbase/client_service.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "proto/filter.pb.h"
#include "src/base/coding.h"
#include "src/rpc/block_codec.h"
#include "src/rpc/cell_codec.h"
#include "tests/server/table_fixture.h"
#include "tests/server/test_channel.h"

namespace bennu::server::hbase {
namespace {

class ClientServiceTest : public TableFixture<testing::TestWithParam<rpc::BlockCompression>> {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(OpenStore());
    regions_ = std::make_unique<Regions>(engine_.get(), "host,1,1");
    service_ = std::make_unique<ClientService>(regions_.get(), &scanners_, handlers_.get(), nullptr,
                                               engine_->env(), directory_.Join("store"),
                                               ClientFolders{}, 2u << 20);
    connection_ = std::make_shared<ClientConnection>();
    connection_->codec = rpc::CellCodec::kKeyValue;
    connection_->compression = GetParam();
    connection_->has_version = true;
  }
  void TearDown() override {
    handlers_.reset();
    service_.reset();
    regions_.reset();
    CloseStore();
  }

  // The answer to one mutation of one cell, whose bytes stand behind the message.
  pb::MutateResponse Mutate(pb::MutationProto::MutationType type, ByteView value,
                            const std::string* expected = nullptr) {
    pb::MutateRequest request;
    request.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
    request.mutable_region()->set_value(table_->regions().front().RegionName());
    pb::MutationProto* const mutation = request.mutable_mutation();
    mutation->set_row("row");
    mutation->set_mutate_type(type);
    mutation->set_associated_cell_count(1);
    if (expected != nullptr) {
      pb::Condition* const condition = request.mutable_condition();
      condition->set_row("row");
      condition->set_family("f");
      condition->set_qualifier("q");
      condition->set_compare_type(pb::EQUAL);
      pb::BinaryComparator comparator;
      comparator.mutable_comparable()->set_value(*expected);
      condition->mutable_comparator()->set_name("org.apache.hadoop.hbase.filter.BinaryComparator");
      condition->mutable_comparator()->set_serialized_comparator(comparator.SerializeAsString());
    }
    const Bytes parameter = request.SerializeAsString();
    const Bytes block = BlockOf(value);
    rpc::RequestParts parts;
    parts.parameter = parameter;
    parts.cells = block;
    pb::RequestHeader header;
    header.set_call_id(7);
    header.set_method_name("Mutate");
    service_->Find("Mutate")->run(std::make_unique<Call>(channel_, connection_, header, parts));
    return Answer();
  }
  Bytes BlockOf(ByteView value) const {
    MutationBatch batch;
    batch.StartRow("row");
    batch.Put("f", "q", value);
    Cell cell;
    CellAt(batch.buffer(), 0, &cell);
    Bytes cells, block;
    rpc::AppendCell(connection_->codec, cell, &cells);
    EXPECT_TRUE(rpc::CompressBlock(connection_->compression, cells, &block).ok());
    return block;
  }
  // Waits for the one that was not taken yet.
  pb::MutateResponse Answer() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    Bytes frame = channel_->Take();
    while (frame.empty() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      frame = channel_->Take();
    }
    pb::ResponseHeader header;
    pb::MutateResponse response;
    ByteView rest = frame;
    uint64_t length = 0;
    if (rest.size() < 4) {
      ADD_FAILURE() << "no answer";
      return response;
    }
    rest.remove_prefix(4);
    EXPECT_TRUE(ConsumeVarint64(&rest, &length));
    EXPECT_TRUE(header.ParseFromArray(rest.data(), static_cast<int>(length)));
    EXPECT_FALSE(header.has_exception()) << header.exception().stack_trace();
    rest.remove_prefix(length);
    EXPECT_TRUE(ConsumeVarint64(&rest, &length));
    EXPECT_TRUE(response.ParseFromArray(rest.data(), static_cast<int>(length)));
    return response;
  }

  std::unique_ptr<Regions> regions_;
  Scanners scanners_{std::chrono::seconds(60)};
  std::unique_ptr<net::Handlers> handlers_ = std::make_unique<net::Handlers>(1, 10);
  std::unique_ptr<ClientService> service_;
  std::shared_ptr<ClientConnection> connection_;
  const std::shared_ptr<TestChannel> channel_ = std::make_shared<TestChannel>();
};

TEST_P(ClientServiceTest, MutationsWithoutAResultSayThatTheyWereProcessed) {
  for (const auto type : {pb::MutationProto::PUT, pb::MutationProto::DELETE}) {
    const pb::MutateResponse response = Mutate(type, "1");
    EXPECT_TRUE(response.processed());
    EXPECT_FALSE(response.has_result());
  }
}

TEST_P(ClientServiceTest, IncrementsAndAppendsAnswerTheNewCell) {
  for (const auto type : {pb::MutationProto::INCREMENT, pb::MutationProto::APPEND}) {
    const pb::MutateResponse response = Mutate(type, ByteView("\0\0\0\0\0\0\0\1", 8));
    EXPECT_FALSE(response.has_processed());
    EXPECT_EQ(response.result().associated_cell_count(), 1);
  }
}

TEST_P(ClientServiceTest, ConditionsSayWhetherTheyHeld) {
  const std::string one = "1", two = "2";
  Mutate(pb::MutationProto::PUT, one);
  const pb::MutateResponse refused = Mutate(pb::MutationProto::PUT, two, &two);
  EXPECT_TRUE(refused.has_processed());
  EXPECT_FALSE(refused.processed());
  const pb::MutateResponse done = Mutate(pb::MutationProto::PUT, two, &one);
  EXPECT_TRUE(done.processed());
}

// A regular expression may take long with each cell: the thread that serves other connections does
// not wait for it.
TEST_P(ClientServiceTest, FiltersAreAskedByHandlers) {
  Mutate(pb::MutationProto::PUT, "1");
  pb::Filter filter;
  filter.set_name("org.apache.hadoop.hbase.filter.PrefixFilter");
  pb::PrefixFilter prefix;
  prefix.set_prefix("other");  // nothing passes: no log has to be waited for
  filter.set_serialized_filter(prefix.SerializeAsString());
  pb::GetRequest get;
  get.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  get.mutable_region()->set_value(table_->regions().front().RegionName());
  get.mutable_get()->set_row("row");
  pb::MutateRequest mutate;
  *mutate.mutable_region() = get.region();
  mutate.mutable_mutation()->set_row("row");
  mutate.mutable_mutation()->set_mutate_type(pb::MutationProto::DELETE);
  auto* const family = mutate.mutable_mutation()->add_column_value();
  family->set_family("f");
  auto* const value = family->add_qualifier_value();
  value->set_qualifier("none");
  value->set_delete_type(pb::MutationProto::DELETE_ONE_VERSION);
  mutate.mutable_condition()->set_row("row");
  // Whether it is answered while the one handler is busy.
  const auto at_once = [this](const char* method, const google::protobuf::MessageLite& message) {
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future();
    EXPECT_TRUE(handlers_->TrySubmit([gone] { gone.wait(); }));
    const Bytes parameter = message.SerializeAsString();
    rpc::RequestParts parts;
    parts.parameter = parameter;
    pb::RequestHeader header;
    header.set_call_id(7);
    header.set_method_name(method);
    service_->Find(method)->run(std::make_unique<Call>(channel_, connection_, header, parts));
    const bool answered = !channel_->Take().empty();
    go.set_value();
    if (!answered) Answer();
    return answered;
  };
  EXPECT_TRUE(at_once("Get", get)) << "the row is at hand";
  *get.mutable_get()->mutable_filter() = filter;
  EXPECT_FALSE(at_once("Get", get));
  *mutate.mutable_condition()->mutable_filter() = filter;
  EXPECT_FALSE(at_once("Mutate", mutate));
}

INSTANTIATE_TEST_SUITE_P(Compressions, ClientServiceTest,
                         testing::Values(rpc::BlockCompression::kNone,
                                         rpc::BlockCompression::kGzip));

}  // namespace
}  // namespace bennu::server::hbase
