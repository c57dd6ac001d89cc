// What regions count and add up by HBase's AggregateImplementation.
#include <optional>

#include "src/api/server_aggregates.h"
#include "src/base/coding.h"
#include "tests/client/dialogue_fixture.h"

namespace bennu::client {
namespace {

using api::ServerAggregate;

constexpr char kClass[] = "|org.apache.hadoop.hbase.coprocessor.AggregateImplementation||";

// Rows 0 to 14 with f:n = 3 * row - 10, as eight bytes; row 15 without it.
Status PutNumbers(Table* table, const std::function<Bytes(int)>& row_of) {
  MutationBatch batch;
  for (int i = 0; i < 15; ++i) {
    Bytes number;
    AppendBE64(&number, static_cast<uint64_t>(int64_t{3} * i - 10));
    batch.StartRow(row_of(i));
    batch.Put("f", "n", number);
  }
  batch.StartRow(row_of(15));
  batch.Put("f", "other", "x");
  return table->Write(&batch);
}

Result<std::optional<int64_t>> Aggregate(Table* table, ServerAggregate what, const Scan& scan) {
  auto* const servers = dynamic_cast<api::ServerAggregates*>(table);
  if (servers == nullptr) return NotSupported("a table without aggregates of servers");
  return servers->Aggregate(what, scan);
}

TEST_F(DialogueTest, AggregatesOfRegions) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  TableDescriptor descriptor = Describe("aggregates", {"f"});
  descriptor.attributes["coprocessor$1"] = kClass;
  const auto table = Create(connection.get(), descriptor, {RowOf(5), RowOf(10)});
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(PutNumbers(table.get(), &RowOf).ok());
  const auto of = [&](ServerAggregate what, const Scan& scan) -> std::optional<int64_t> {
    const auto value = Aggregate(table.get(), what, scan);
    EXPECT_TRUE(value.ok()) << value.status().ToString();
    return value.ok() ? *value : std::nullopt;
  };
  Scan numbers;
  numbers.columns["f"] = {"n"};
  EXPECT_EQ(of(ServerAggregate::kCount, {.columns = {{"f", {}}}}), 16);
  EXPECT_EQ(of(ServerAggregate::kCount, numbers), 15);
  // 3 * (0 + … + 14) - 15 * 10.
  EXPECT_EQ(of(ServerAggregate::kSum, numbers), 165);
  EXPECT_EQ(of(ServerAggregate::kMin, numbers), -10);
  EXPECT_EQ(of(ServerAggregate::kMax, numbers), 32);
  numbers.range.start = RowOf(8);
  numbers.range.stop = RowOf(12);
  EXPECT_EQ(of(ServerAggregate::kCount, numbers), 4);
  EXPECT_EQ(of(ServerAggregate::kSum, numbers), 14 + 17 + 20 + 23);
  numbers.range.start = RowOf(15);
  numbers.range.stop = {};
  EXPECT_EQ(of(ServerAggregate::kSum, numbers), std::nullopt);
}

TEST_F(DialogueTest, RegionsWithoutAggregates) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("no_aggregates", {"f"}));
  ASSERT_NE(table, nullptr);
  Scan scan;
  scan.columns["f"] = {"n"};
  EXPECT_EQ(Aggregate(table.get(), ServerAggregate::kSum, scan).status().code(),
            StatusCode::kNotSupported);
  EXPECT_TRUE(partner()->Answered("No registered"));
  // This is remembered: no question more is in the dialogue.
  EXPECT_EQ(Aggregate(table.get(), ServerAggregate::kSum, scan).status().code(),
            StatusCode::kNotSupported);
}

}  // namespace
}  // namespace bennu::client
