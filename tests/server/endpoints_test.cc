// The endpoints that are built in. What HBase answers to the Java client is compared in tests/peers
// (ClientAnswers.java); here stands what must hold without it.
#include "src/server/hbase/endpoints.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/endpoints.pb.h"
#include "src/encoding/big_decimal.h"
#include "tests/server/table_fixture.h"

namespace bennu::server::hbase {
namespace {

namespace exceptions = rpc::exceptions;

class EndpointsTest : public TableFixture<> {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(OpenStore({"m"}));
    regions_.emplace(engine_.get(), "host,1,1");
    const auto error = regions_->Find(table_->regions().front().RegionName(), &region_);
    ASSERT_FALSE(error.has_value()) << error->message();
  }
  void TearDown() override {
    region_.reset();
    regions_.reset();
    CloseStore();
  }

  // The name of the exception, empty when there is none.
  template <typename Request, typename Response>
  std::string Call(const std::string& service, const std::string& method, const Request& request,
                   Response* response) {
    pb::CoprocessorServiceCall call;
    call.set_service_name(service);
    call.set_method_name(method);
    call.set_request(request.SerializeAsString());
    pb::NameBytesPair value;
    const CallError error = RunEndpoint(*region_, call, &nonces_, &value);
    if (error.has_value()) return std::string(error->type().name);
    EXPECT_TRUE(response->ParseFromString(value.value()));
    return "";
  }
  void Put(const std::string& row, ByteView value) {
    MutationBatch batch;
    batch.StartRow(row);
    batch.Put("f", "q", value);
    ASSERT_TRUE(table_->Write(&batch).ok());
  }
  std::string Value(const std::string& row) {
    bennu::Get get;
    get.row = row;
    const auto found = table_->GetRow(get);
    EXPECT_TRUE(found.ok());
    return found.ok() && !found->cells.empty() ? std::string(found->cells[0].value_view()) : "";
  }

  std::optional<Regions> regions_;
  ServedRegionPtr region_;
  Nonces nonces_;
};

void AddPut(const std::string& row, const std::string& value, pb::MutateRowsRequest* request) {
  pb::MutationProto* const put = request->add_mutation_request();
  put->set_row(row);
  put->set_mutate_type(pb::MutationProto::PUT);
  auto* const family = put->add_column_value();
  family->set_family("f");
  auto* const cell = family->add_qualifier_value();
  cell->set_qualifier("q");
  cell->set_value(value);
}

pb::Condition* AddCondition(const std::string& row, const std::string& value,
                            pb::MutateRowsRequest* request) {
  pb::Condition* const condition = request->add_condition();
  condition->set_row(row);
  condition->set_family("f");
  condition->set_qualifier("q");
  condition->set_compare_type(pb::EQUAL);
  pb::BinaryComparator comparator;
  comparator.mutable_comparable()->set_value(value);
  condition->mutable_comparator()->set_name("org.apache.hadoop.hbase.filter.BinaryComparator");
  condition->mutable_comparator()->set_serialized_comparator(comparator.SerializeAsString());
  return condition;
}

// HBase's RegionScannerImpl.nextRaw counts each row that an endpoint reads, and a look at a region
// that has none; batchMutate counts mutations.
TEST_F(EndpointsTest, RequestsCountAsTheRegions) {
  const auto& counters = *region_->counters;
  pb::AggregateRequest request;
  request.set_interpreter_class_name(
      "org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter");
  request.mutable_scan()->add_column()->set_family("f");
  pb::AggregateResponse response;
  EXPECT_EQ(Call("AggregateService", "GetRowNum", request, &response), "");
  EXPECT_EQ(counters.reads.load(), 1u);
  for (const char* const row : {"a", "b", "c", "z"}) Put(row, "12345678");  // z: the next region's
  EXPECT_EQ(Call("AggregateService", "GetRowNum", request, &response), "");
  EXPECT_EQ(counters.reads.load(), 4u);
  EXPECT_EQ(counters.writes.load(), 0u);
  pb::MutateRowsRequest writes;
  AddPut("a", "1", &writes);
  AddPut("b", "2", &writes);
  pb::MutateRowsResponse written;
  EXPECT_EQ(Call("MultiRowMutationService", "MutateRows", writes, &written), "");
  EXPECT_EQ(counters.writes.load(), 2u);
}

TEST_F(EndpointsTest, RowsAreWrittenIfAllConditionsHold) {
  Put("a", "1");
  Put("b", "2");
  for (const bool hold : {false, true}) {
    pb::MutateRowsRequest request;
    AddPut("c", "new", &request);
    AddPut("a", "new", &request);
    AddCondition("a", "1", &request);
    AddCondition("b", hold ? "2" : "3", &request);
    pb::MutateRowsResponse response;
    EXPECT_EQ(Call("MultiRowMutationService", "MutateRows", request, &response), "");
    EXPECT_EQ(response.processed(), hold);
    EXPECT_EQ(Value("a"), hold ? "new" : "1");
    EXPECT_EQ(Value("c"), hold ? "new" : "");
  }
}

TEST_F(EndpointsTest, RowsOfOtherRegionsAreRefused) {
  pb::MutateRowsResponse response;
  pb::MutateRowsRequest second, first, condition, family;
  AddPut("a", "1", &second);
  AddPut("x", "1", &second);
  EXPECT_EQ(Call("MultiRowMutationService", "MutateRows", second, &response),
            exceptions::kDoNotRetry.name);
  AddPut("x", "1", &first);
  EXPECT_EQ(Call("MultiRowMutationService", "MutateRows", first, &response),
            exceptions::kWrongRegion.name);
  AddPut("a", "1", &condition);
  AddCondition("x", "", &condition);
  EXPECT_EQ(Call("MultiRowMutationService", "MutateRows", condition, &response),
            exceptions::kWrongRegion.name);
  AddPut("a", "1", &family);
  AddCondition("a", "", &family)->set_family("none");
  EXPECT_EQ(Call("MultiRowMutationService", "MutateRows", family, &response),
            exceptions::kNoSuchColumnFamily.name);
  EXPECT_EQ(Value("a"), "");
}

Bytes EncodeDecimal(int unscaled, int32_t scale) {
  Bytes bytes;
  encoding::AppendBigDecimal(&bytes, {unscaled, scale});
  return bytes;
}

TEST_F(EndpointsTest, DecimalsAreAddedUp) {
  Put("a", EncodeDecimal(1005, 3));  // 1.00
  Put("b", EncodeDecimal(-3, 0));
  Put("c", EncodeDecimal(7, -1));  // 70
  pb::AggregateRequest request;
  request.set_interpreter_class_name(
      "org.apache.hadoop.hbase.client.coprocessor.BigDecimalColumnInterpreter");
  request.mutable_scan()->add_column()->set_family("f");
  const struct {
    const char* method;
    std::vector<int> hundredths;
  } tests[] = {{"GetMax", {7000}},
               {"GetMin", {-300}},
               {"GetSum", {6800}},
               {"GetAvg", {6800}},
               {"GetStd", {6800, 491000}}};  // 1 + 9 + 4900
  for (const auto& test : tests) {
    pb::AggregateResponse response;
    ASSERT_EQ(Call("AggregateService", test.method, request, &response), "") << test.method;
    ASSERT_EQ(static_cast<size_t>(response.first_part_size()), test.hundredths.size());
    for (size_t i = 0; i < test.hundredths.size(); ++i) {
      pb::BigDecimalMsg message;
      ASSERT_TRUE(message.ParseFromString(response.first_part(static_cast<int>(i))));
      EXPECT_EQ(message.bigdecimal_msg(), EncodeDecimal(test.hundredths[i], 2)) << test.method;
    }
  }
  // No decimal; one that would take long.
  for (const Bytes& value :
       {Bytes("none"), EncodeDecimal(1, -10001), EncodeDecimal(1, 2000000000), Bytes(4097, '\0')}) {
    Put("d", value);
    pb::AggregateResponse response;
    EXPECT_EQ(Call("AggregateService", "GetSum", request, &response), exceptions::kDoNotRetry.name);
  }
}

// As in HBase, whose server takes the first column off the scan.
TEST_F(EndpointsTest, RowsWithoutTheColumnCountToo) {
  Put("a", "1");
  Put("b", "2");
  pb::AggregateRequest request;
  request.set_interpreter_class_name(
      "org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter");
  auto* const column = request.mutable_scan()->add_column();
  column->set_family("f");
  column->add_qualifier("none");
  pb::AggregateResponse response;
  ASSERT_EQ(Call("AggregateService", "GetRowNum", request, &response), "");
  ASSERT_EQ(response.first_part_size(), 1);
  EXPECT_EQ(response.first_part(0), std::string("\0\0\0\0\0\0\0\2", 8));
}

}  // namespace
}  // namespace bennu::server::hbase
