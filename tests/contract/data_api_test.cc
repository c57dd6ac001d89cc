// What every implementation of the data API must do, run over each of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <optional>
#include <thread>

#include "bennu/admin.h"
#include "bennu/table.h"
#include "src/base/coding.h"
#include "tests/contract/store_factory.h"

namespace bennu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int32_t kAllVersions = std::numeric_limits<int32_t>::max();

std::string Text(const Cell& cell) {
  return Bytes(cell.row()) + "/" + Bytes(cell.family()) + ":" + Bytes(cell.qualifier()) + "@" +
         std::to_string(cell.timestamp()) + "=" + Bytes(cell.value_view());
}

Get GetOf(ByteView row) {
  Get get;
  get.row = Bytes(row);
  return get;
}

class DataApiTest : public ::testing::TestWithParam<StoreFactory> {
 protected:
  void SetUp() override { store_ = GetParam().make(); }

  Connection* connection() { return store_->connection(); }
  Admin* admin() { return connection()->admin(); }

  std::shared_ptr<Table> Create(const std::string& name, std::vector<Bytes> splits = {},
                                std::map<std::string, std::string> attributes = {}) {
    TableDescriptor descriptor;
    descriptor.name = *TableName::Parse(name);
    descriptor.families.resize(2);
    descriptor.families[0].name = "f";
    descriptor.families[0].attributes = attributes;
    descriptor.families[1].name = "g";
    const Status status = admin()->CreateTable(descriptor, splits);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return Open(name);
  }
  std::shared_ptr<Table> Open(const std::string& name) {
    auto table = connection()->OpenTable(*TableName::Parse(name));
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? *table : nullptr;
  }
  void Put(Table* table, ByteView row, ByteView qualifier, ByteView value, int64_t timestamp,
           ByteView family = "f") {
    MutationBatch batch;
    batch.StartRow(row);
    batch.Put(family, qualifier, value, timestamp);
    const Status status = table->Write(&batch);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::vector<std::string> ScanAll(Table* table, const Scan& scan = {}, size_t step = 3) {
    std::vector<std::string> cells;
    auto scanner = table->OpenScanner(scan);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    if (!scanner.ok()) return cells;
    CellBatch batch;
    for (;;) {
      const Status status = (*scanner)->Next(step, &batch);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok() || batch.row_count() == 0) break;
      EXPECT_LE(batch.row_count(), step);
      for (const Cell& cell : batch.cells) cells.push_back(Text(cell));
    }
    return cells;
  }
  std::vector<std::string> ReadRow(Table* table, const Get& get) {
    std::vector<std::string> cells;
    auto row = table->GetRow(get);
    EXPECT_TRUE(row.ok()) << row.status().ToString();
    if (row.ok()) {
      for (const Cell& cell : row->cells) cells.push_back(Text(cell));
    }
    return cells;
  }

  std::unique_ptr<StoreUnderTest> store_;
};

INSTANTIATE_TEST_SUITE_P(Stores, DataApiTest, ::testing::ValuesIn(AllStores()),
                         [](const auto& info) { return info.param.name; });

// What was acknowledged is read back by scans and gets, in HBase's order.
TEST_P(DataApiTest, ReadsWhatWasWritten) {
  auto table = Create("t");
  Put(table.get(), "b", "q", "1", 10);
  Put(table.get(), "a", "q2", "2", 10);
  Put(table.get(), "a", "q1", "3", 10, "g");
  Put(table.get(), "a", "q1", "4", 11);
  EXPECT_THAT(ScanAll(table.get()),
              ElementsAre("a/f:q1@11=4", "a/f:q2@10=2", "a/g:q1@10=3", "b/f:q@10=1"));
  EXPECT_THAT(ReadRow(table.get(), GetOf("a")),
              ElementsAre("a/f:q1@11=4", "a/f:q2@10=2", "a/g:q1@10=3"));
  Get column = GetOf("a");
  column.columns["f"].insert("q2");
  EXPECT_THAT(ReadRow(table.get(), column), ElementsAre("a/f:q2@10=2"));
  EXPECT_THAT(ReadRow(table.get(), GetOf("absent")), IsEmpty());
}

// Versions come newest first, at most VERSIONS of them, a time range chooses among them.
TEST_P(DataApiTest, Versions) {
  auto table = Create("t", {}, {{"VERSIONS", "3"}});
  for (int64_t time : {5, 1, 3, 4, 2}) {
    Put(table.get(), "r", "q", "v" + std::to_string(time), time);
  }
  Get get = GetOf("r");
  EXPECT_THAT(ReadRow(table.get(), get), ElementsAre("r/f:q@5=v5"));
  get.max_versions = kAllVersions;
  EXPECT_THAT(ReadRow(table.get(), get), ElementsAre("r/f:q@5=v5", "r/f:q@4=v4", "r/f:q@3=v3"));
  get.time_range = {0, 5};
  get.max_versions = 1;
  EXPECT_THAT(ReadRow(table.get(), get), ElementsAre("r/f:q@4=v4"));
}

// Markers of a family stand in the column without a qualifier, and outlive its surplus versions
// whatever is rewritten.
TEST_P(DataApiTest, MarkersOfFamiliesOutliveVersionsOfTheColumnWithoutQualifier) {
  for (const bool old_flushed : {false, true}) {
    auto table = Create(old_flushed ? "apart" : "together");
    Put(table.get(), "r", "q", "old", 40);
    Put(table.get(), "r", "q2", "old", 30);
    if (old_flushed) {
      ASSERT_TRUE(admin()->Flush(table->name()).ok());
    }
    MutationBatch batch;
    batch.StartRow("r");
    batch.DeleteFamilyVersion("f", 40);
    batch.DeleteFamily("f", 35);
    ASSERT_TRUE(table->Write(&batch).ok());
    for (int64_t time : {100, 200, 300}) Put(table.get(), "r", "", "new", time);
    EXPECT_THAT(ReadRow(table.get(), GetOf("r")), ElementsAre("r/f:@300=new"));
    ASSERT_TRUE(admin()->Flush(table->name()).ok());
    EXPECT_THAT(ReadRow(table.get(), GetOf("r")), ElementsAre("r/f:@300=new"));
    for (const bool major : {false, true}) {
      ASSERT_TRUE(admin()->Compact(table->name(), major).ok());
      EXPECT_THAT(ReadRow(table.get(), GetOf("r")), ElementsAre("r/f:@300=new"));
    }
  }
}

// Each kind of delete hides what HBase says it hides.
TEST_P(DataApiTest, Deletes) {
  auto table = Create("t", {}, {{"VERSIONS", "9"}});
  for (const char* row : {"column", "family", "newest", "one"}) {
    for (int64_t time : {1, 2, 3}) Put(table.get(), row, "q", "v", time);
  }
  MutationBatch batch;
  batch.StartRow("one");
  batch.DeleteVersion("f", "q", 2);
  batch.StartRow("newest");
  batch.DeleteVersion("f", "q");
  batch.DeleteVersion("f", "q");
  batch.StartRow("column");
  batch.DeleteColumn("f", "q", 2);
  batch.StartRow("family");
  batch.DeleteFamily("f");
  ASSERT_TRUE(table->Write(&batch).ok());
  Scan scan;
  scan.max_versions = kAllVersions;
  EXPECT_THAT(ScanAll(table.get(), scan),
              ElementsAre("column/f:q@3=v", "newest/f:q@1=v", "one/f:q@3=v", "one/f:q@1=v"));
}

// LATEST is the store's clock, one for the batch, and never goes back.
TEST_P(DataApiTest, StampsWithTheClock) {
  auto table = Create("t");
  const int64_t before = connection()->NowMillis();
  MutationBatch batch;
  batch.StartRow("a");
  batch.Put("f", "q", "1");
  batch.StartRow("b");
  batch.Put("f", "q", "2");
  ASSERT_TRUE(table->Write(&batch).ok());
  const int64_t after = connection()->NowMillis();
  const auto a = table->GetRow(GetOf("a"));
  const auto b = table->GetRow(GetOf("b"));
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_EQ(a->cells.size(), 1u);
  EXPECT_GE(a->cells[0].timestamp(), before);
  EXPECT_LE(a->cells[0].timestamp(), after);
  EXPECT_EQ(a->cells[0].timestamp(), b->cells[0].timestamp());
}

// The same column twice in one batch: the later one counts.
TEST_P(DataApiTest, LastOfABatchWins) {
  auto table = Create("t");
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "q", "first", 7);
  batch.Put("f", "q", "second", 7);
  batch.StartRow("s");
  batch.Put("f", "q", "third", 7);
  batch.StartRow("r");
  batch.Put("f", "q", "fourth", 7);
  ASSERT_TRUE(table->Write(&batch).ok());
  EXPECT_THAT(ScanAll(table.get()), ElementsAre("r/f:q@7=fourth", "s/f:q@7=third"));
  if (!store_->Reopen()) return;
  table = Open("t");
  EXPECT_THAT(ScanAll(table.get()), ElementsAre("r/f:q@7=fourth", "s/f:q@7=third"));
}

// A batch over several regions, rows in any order, lands where it belongs; scans cross borders in
// both directions.
TEST_P(DataApiTest, Regions) {
  auto table = Create("t", {"m", "d", "t"});
  ASSERT_EQ(table->regions().size(), 4u);
  EXPECT_EQ(table->regions()[1].start_key, "d");
  EXPECT_EQ(table->regions()[1].end_key, "m");
  MutationBatch batch;
  for (const char* row : {"z", "a", "m", "d", "c", "l", "t", "s"}) {
    batch.StartRow(row);
    batch.Put("f", "q", row, 1);
  }
  ASSERT_TRUE(table->Write(&batch).ok());
  Scan scan;
  EXPECT_THAT(ScanAll(table.get(), scan),
              ElementsAre("a/f:q@1=a", "c/f:q@1=c", "d/f:q@1=d", "l/f:q@1=l", "m/f:q@1=m",
                          "s/f:q@1=s", "t/f:q@1=t", "z/f:q@1=z"));
  scan.range = {"c", false, "s", true};
  EXPECT_THAT(ScanAll(table.get(), scan),
              ElementsAre("d/f:q@1=d", "l/f:q@1=l", "m/f:q@1=m", "s/f:q@1=s"));
  scan.range = {"s", true, "c", false};
  scan.reversed = true;
  EXPECT_THAT(ScanAll(table.get(), scan),
              ElementsAre("s/f:q@1=s", "m/f:q@1=m", "l/f:q@1=l", "d/f:q@1=d"));
  scan.range = {};
  scan.row_limit = 3;
  EXPECT_THAT(ScanAll(table.get(), scan, 2), ElementsAre("z/f:q@1=z", "t/f:q@1=t", "s/f:q@1=s"));
}

// Jumps to every row whose second letter is the wanted one, as a skip scan does.
class SecondLetter final : public RowNavigator {
 public:
  explicit SecondLetter(char wanted) : wanted_(wanted) {}
  Decision Navigate(ByteView row, Bytes* seek_row) override {
    if (row[0] == 'x') return Decision::kDone;
    if (row[1] == wanted_) return Decision::kInclude;
    if (row[1] < wanted_) {
      *seek_row = Bytes{row[0], wanted_};
    } else {
      *seek_row = Bytes{static_cast<char>(row[0] + 1), wanted_};
    }
    return Decision::kSeek;
  }
  std::unique_ptr<RowNavigator> Clone() const override {
    return std::make_unique<SecondLetter>(wanted_);
  }

 private:
  const char wanted_;
};

TEST_P(DataApiTest, Navigator) {
  auto table = Create("t", {"c", "e"});
  MutationBatch batch;
  for (char first = 'a'; first <= 'g'; ++first) {
    for (char second = 'a'; second <= 'e'; ++second) {
      batch.StartRow(Bytes{first, second});
      batch.Put(first % 2 == 0 ? "f" : "g", "q", "", 1);
    }
  }
  batch.StartRow("xc");
  batch.Put("f", "q", "", 1);
  ASSERT_TRUE(table->Write(&batch).ok());
  Scan scan;
  scan.navigator = std::make_shared<SecondLetter>('c');
  EXPECT_THAT(ScanAll(table.get(), scan),
              ElementsAre("ac/g:q@1=", "bc/f:q@1=", "cc/g:q@1=", "dc/f:q@1=", "ec/g:q@1=",
                          "fc/f:q@1=", "gc/g:q@1="));
  scan.columns["f"];
  EXPECT_THAT(ScanAll(table.get(), scan), ElementsAre("bc/f:q@1=", "dc/f:q@1=", "fc/f:q@1="));
}

TEST_P(DataApiTest, CheckAndWrite) {
  auto table = Create("t");
  MutationBatch batch;
  const auto try_put = [&](const Table::Condition& condition, ByteView value) {
    batch.Clear();
    batch.StartRow("r");
    batch.Put("f", "q", value);
    const auto applied = table->CheckAndWrite(condition, &batch);
    EXPECT_TRUE(applied.ok()) << applied.status().ToString();
    return applied.ok() && *applied;
  };
  Table::Condition condition{.row = "r", .family = "f", .qualifier = "q", .value = "5"};
  EXPECT_FALSE(try_put(condition, "no"));
  condition.expect_absent = true;
  EXPECT_TRUE(try_put(condition, "5"));
  EXPECT_FALSE(try_put(condition, "no"));
  condition.expect_absent = false;
  EXPECT_TRUE(try_put(condition, "6"));
  condition.op = CompareOperator::kGreaterOrEqual;  // given 5 >= current 6
  EXPECT_FALSE(try_put(condition, "no"));
  condition.op = CompareOperator::kLess;
  EXPECT_TRUE(try_put(condition, "7"));
  const auto row = table->GetRow(GetOf("r"));
  ASSERT_TRUE(row.ok());
  ASSERT_EQ(row->cells.size(), 1u);
  EXPECT_EQ(row->cells[0].value_view(), "7");
}

// Counters lose nothing when many threads add at once.
TEST_P(DataApiTest, Increments) {
  auto table = Create("t");
  EXPECT_EQ(*table->Increment("r", "f", "n", 5), 5);
  EXPECT_EQ(*table->Increment("r", "f", "n", -7), -2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto value = table->Increment("r", "f", "n", 1);
        ASSERT_TRUE(value.ok()) << value.status().ToString();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(*table->Increment("r", "f", "n", 0), 198);
  Put(table.get(), "s", "n", "short", 1);
  const auto wrong = table->Increment("s", "f", "n", 1);
  EXPECT_EQ(wrong.status().code(), StatusCode::kInvalidArgument);
}

// A snapshot and a running scan keep seeing their moment, whatever happens meanwhile.
TEST_P(DataApiTest, SnapshotsAreStable) {
  if (!store_->HasSnapshots()) GTEST_SKIP() << "a cluster has no moment over all its regions";
  auto table = Create("t", {"m"});
  Put(table.get(), "a", "q", "old", 1);
  Put(table.get(), "z", "q", "old", 1);
  const auto snapshot = connection()->TakeSnapshot();
  auto running = table->OpenScanner({});
  ASSERT_TRUE(running.ok());
  CellBatch batch;
  ASSERT_TRUE((*running)->Next(1, &batch).ok());
  ASSERT_EQ(batch.row_count(), 1u);
  EXPECT_EQ(Text(batch.cells[0]), "a/f:q@1=old");

  Put(table.get(), "a", "q", "new", 1);
  Put(table.get(), "n", "q", "new", 1);
  MutationBatch gone;
  gone.StartRow("z");
  gone.DeleteFamily("f");
  ASSERT_TRUE(table->Write(&gone).ok());
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  ASSERT_TRUE(admin()->Compact(table->name(), true).ok());

  ASSERT_TRUE((*running)->Next(1, &batch).ok());
  ASSERT_EQ(batch.row_count(), 1u);
  EXPECT_EQ(Text(batch.cells[0]), "z/f:q@1=old");
  Scan scan;
  scan.snapshot = snapshot;
  EXPECT_THAT(ScanAll(table.get(), scan), ElementsAre("a/f:q@1=old", "z/f:q@1=old"));
  Get at_snapshot = GetOf("z");
  at_snapshot.snapshot = snapshot;
  EXPECT_THAT(ReadRow(table.get(), at_snapshot), ElementsAre("z/f:q@1=old"));
  EXPECT_THAT(ScanAll(table.get()), ElementsAre("a/f:q@1=new", "n/f:q@1=new"));
}

// What cannot be is refused, and the message names it.
TEST_P(DataApiTest, Refusals) {
  auto table = Create("t");
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("nofam", "q", "v");
  Status status = table->Write(&batch);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("nofam"));
  EXPECT_THAT(ScanAll(table.get()), IsEmpty());

  Scan scan;
  scan.columns["nofam"];
  EXPECT_EQ(table->OpenScanner(scan).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(connection()->OpenTable({"default", "absent"}).status().code(), StatusCode::kNotFound);
  TableDescriptor twice = table->descriptor();
  EXPECT_EQ(admin()->CreateTable(twice, {}).code(), StatusCode::kAlreadyExists);
  twice.name.qualifier = "u";
  twice.families[0].attributes["VERSIONS"] = "none";
  status = admin()->CreateTable(twice, {});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("VERSIONS"));
}

// Cells beyond HBase's limit of 10 MiB are refused, and the batch with them.
TEST_P(DataApiTest, RefusesHugeCells) {
  auto table = Create("t");
  MutationBatch batch;
  batch.StartRow("a");
  batch.Put("f", "q", "v");
  batch.StartRow("b");
  batch.Put("f", "q", Bytes(11 << 20, 'x'));
  EXPECT_EQ(table->Write(&batch).code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(ScanAll(table.get()), IsEmpty());
}

TEST_P(DataApiTest, DropAndCreateAgain) {
  auto table = Create("t");
  Put(table.get(), "r", "q", "old", 1);
  ASSERT_TRUE(admin()->DropTable(table->name()).ok());
  EXPECT_FALSE(*admin()->TableExists(table->name()));
  EXPECT_EQ(table->GetRow(GetOf("r")).status().code(), StatusCode::kNotFound);
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "q", "v");
  EXPECT_EQ(table->Write(&batch).code(), StatusCode::kNotFound);
  EXPECT_EQ(admin()->DropTable(table->name()).code(), StatusCode::kNotFound);
  table = Create("t");
  EXPECT_THAT(ScanAll(table.get()), IsEmpty());
  if (!store_->Reopen()) return;
  table = Open("t");
  EXPECT_THAT(ScanAll(table.get()), IsEmpty());
}

// A family that goes takes its data along; one of the same name that comes is empty, also after a
// replay of the log.
TEST_P(DataApiTest, AlterTable) {
  auto table = Create("t", {"m"});
  Put(table.get(), "a", "q", "f", 1, "f");
  Put(table.get(), "a", "q", "g", 1, "g");
  TableDescriptor descriptor = table->descriptor();
  const auto g = descriptor.families[1];
  descriptor.families.pop_back();
  descriptor.families[0].attributes["VERSIONS"] = "2";
  ASSERT_TRUE(admin()->AlterTable(descriptor).ok());
  EXPECT_THAT(ScanAll(table.get()), ElementsAre("a/f:q@1=f"));
  descriptor.families.push_back(g);
  ASSERT_TRUE(admin()->AlterTable(descriptor).ok());
  EXPECT_THAT(ScanAll(table.get()), ElementsAre("a/f:q@1=f"));
  Put(table.get(), "a", "q", "g2", 2, "g");
  Put(table.get(), "a", "q", "f2", 2, "f");
  Get get = GetOf("a");
  get.max_versions = kAllVersions;
  EXPECT_THAT(ReadRow(table.get(), get), ElementsAre("a/f:q@2=f2", "a/f:q@1=f", "a/g:q@2=g2"));
  if (!store_->Reopen()) return;
  table = Open("t");
  EXPECT_EQ(table->descriptor().families[0].max_versions(), 2);
  EXPECT_THAT(ReadRow(table.get(), get), ElementsAre("a/f:q@2=f2", "a/f:q@1=f", "a/g:q@2=g2"));
}

TEST_P(DataApiTest, Namespaces) {
  EXPECT_THAT(*admin()->ListNamespaces(), ElementsAre("default", "hbase"));
  TableDescriptor descriptor;
  descriptor.name = {"ns", "t"};
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  EXPECT_EQ(admin()->CreateTable(descriptor, {}).code(), StatusCode::kNotFound);
  ASSERT_TRUE(admin()->CreateNamespace("ns").ok());
  EXPECT_EQ(admin()->CreateNamespace("ns").code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(admin()->CreateTable(descriptor, {}).ok());
  EXPECT_EQ(admin()->DropNamespace("ns").code(), StatusCode::kFailedPrecondition);
  if (store_->Reopen()) {
    EXPECT_THAT(*admin()->ListNamespaces(), ElementsAre("default", "hbase", "ns"));
  }
  EXPECT_TRUE(*admin()->TableExists(descriptor.name));
  ASSERT_TRUE(admin()->DropTable(descriptor.name).ok());
  ASSERT_TRUE(admin()->DropNamespace("ns").ok());
  EXPECT_THAT(*admin()->ListNamespaces(), ElementsAre("default", "hbase"));
}

// The ranges cover what was asked for, in order, without gap or overlap.
TEST_P(DataApiTest, SplitRange) {
  auto table = Create("t", {"r3000", "r5000"});
  MutationBatch batch;
  for (int i = 1000; i < 9000; ++i) {
    batch.StartRow("r" + std::to_string(i));
    batch.Put("f", "q", Bytes(50, 'v'), 1);
  }
  ASSERT_TRUE(table->Write(&batch).ok());
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  for (const size_t count : {1, 2, 3, 8}) {
    const auto ranges = table->SplitRange({"r2000", false, "r8000", true}, count);
    ASSERT_TRUE(ranges.ok());
    ASSERT_FALSE(ranges->empty());
    EXPECT_LE(ranges->size(), std::max<size_t>(count, 1));
    EXPECT_EQ(ranges->front().start, "r2000");
    EXPECT_FALSE(ranges->front().start_inclusive);
    EXPECT_EQ(ranges->back().stop, "r8000");
    size_t rows = 0;
    for (size_t i = 0; i < ranges->size(); ++i) {
      if (i > 0) {
        EXPECT_EQ((*ranges)[i].start, (*ranges)[i - 1].stop);
      }
      Scan scan;
      scan.range = (*ranges)[i];
      rows += ScanAll(table.get(), scan, 1000).size();
    }
    EXPECT_EQ(rows, 6000u) << count;
  }
}

// Rows of a batch are never seen by halves, and a reader never sees an earlier state after a later.
TEST_P(DataApiTest, RowsAreAtomic) {
  auto table = Create("t");
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    MutationBatch batch;
    for (int i = 1; !stop.load() && i < 4000; ++i) {
      batch.Clear();
      batch.StartRow("r");
      const Bytes value = std::to_string(i);
      batch.Put("f", "a", value);
      batch.Put("f", "b", value);
      batch.Put("g", "c", value);
      ASSERT_TRUE(table->Write(&batch).ok());
    }
    stop.store(true);
  });
  int last = 0;
  while (!stop.load()) {
    Bytes values[3];
    size_t count = 0;
    ASSERT_TRUE(table
                    ->GetCells(GetOf("r"),
                               [&](const Cell* cells, size_t n) {
                                 count = n;
                                 for (size_t i = 0; i < n && i < 3; ++i) {
                                   values[i] = Bytes(cells[i].value_view());
                                 }
                               })
                    .ok());
    if (count == 0) continue;
    ASSERT_EQ(count, 3u);
    ASSERT_EQ(values[0], values[1]);
    ASSERT_EQ(values[0], values[2]);
    ASSERT_GE(std::stoi(values[0]), last);
    last = std::stoi(values[0]);
    if (last > 1500) stop.store(true);
  }
  writer.join();
}

// Asynchronous writes end once each, and count only when they did.
TEST_P(DataApiTest, WriteAsync) {
  auto table = Create("t", {"5"});
  constexpr size_t kCount = 200;
  std::vector<MutationBatch> batches(kCount);
  std::atomic<size_t> ended{0};
  for (size_t i = 0; i < kCount; ++i) {
    batches[i].StartRow(std::to_string(i));
    batches[i].Put("f", "q", "v", 1);
    batches[i].StartRow(std::to_string(999 - i));
    batches[i].Put("f", "q", "v", 1);
    table->WriteAsync(&batches[i], [&](Status status) {
      EXPECT_TRUE(status.ok()) << status.ToString();
      ended.fetch_add(1);
    });
  }
  while (ended.load() < kCount) std::this_thread::yield();
  EXPECT_EQ(ScanAll(table.get(), {}, 50).size(), 2 * kCount);
}

// One row at a time, without a batch: what is put is read back, by its row and by its column.
TEST_P(DataApiTest, RowsAreWrittenAndReadWithoutABatch) {
  auto table = Create("t", {}, {{"VERSIONS", "3"}});
  ASSERT_TRUE(table->Put("r", "f", "q", "old", 5).ok());
  ASSERT_TRUE(table->Put("r", "f", "q", "new", 7).ok());
  ASSERT_TRUE(table->Put("r", "g", "q", "other", 6).ok());
  ASSERT_TRUE(table->Put("r2", "f", "q", "elsewhere", 8).ok());
  EXPECT_THAT(ScanAll(table.get()),
              ElementsAre("r/f:q@7=new", "r/g:q@6=other", "r2/f:q@8=elsewhere"));

  const auto row = table->ReadRow("r");
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  ASSERT_EQ(row->cells.size(), 2u);
  EXPECT_EQ(Text(row->cells[0]), "r/f:q@7=new");
  EXPECT_EQ(Text(row->cells[1]), "r/g:q@6=other");
  EXPECT_TRUE(table->ReadRow("absent").value().empty());

  EXPECT_EQ(table->ReadValue("r", "f", "q").value(), "new");
  EXPECT_EQ(table->ReadValue("r", "g", "q").value(), "other");
  EXPECT_EQ(table->ReadValue("r", "f", "absent").value(), std::nullopt);
  EXPECT_EQ(table->ReadValue("absent", "f", "q").value(), std::nullopt);

  // A value may be empty, which is another thing than none.
  ASSERT_TRUE(table->Put("empty", "f", "q", "").ok());
  EXPECT_EQ(table->ReadValue("empty", "f", "q").value(), "");
}

// Without a timestamp a put gets the store's clock.
TEST_P(DataApiTest, PutsGetTheTimeOfTheStore) {
  auto table = Create("t");
  const int64_t before = connection()->NowMillis();
  ASSERT_TRUE(table->Put("r", "f", "q", "v").ok());
  const auto row = table->ReadRow("r");
  ASSERT_TRUE(row.ok() && row->cells.size() == 1);
  EXPECT_GE(row->cells[0].timestamp(), before);
  EXPECT_LE(row->cells[0].timestamp(), connection()->NowMillis());
}

TEST_P(DataApiTest, RowsAndColumnsAreDeletedWithoutABatch) {
  auto table = Create("t", {}, {{"VERSIONS", "3"}});
  for (const int64_t time : {10, 20, 30}) {
    ASSERT_TRUE(table->Put("r", "f", "q", "v" + std::to_string(time), time).ok());
  }
  ASSERT_TRUE(table->Put("r", "f", "q2", "stays", 10).ok());
  ASSERT_TRUE(table->Put("r", "g", "q", "of another family", 10).ok());

  // All versions up to the timestamp, not that one alone.
  ASSERT_TRUE(table->DeleteColumn("r", "f", "q", 20).ok());
  Get versions = GetOf("r");
  versions.max_versions = kAllVersions;
  EXPECT_THAT(ReadRow(table.get(), versions),
              ElementsAre("r/f:q@30=v30", "r/f:q2@10=stays", "r/g:q@10=of another family"));
  ASSERT_TRUE(table->DeleteColumn("r", "f", "q").ok());
  EXPECT_THAT(ReadRow(table.get(), versions),
              ElementsAre("r/f:q2@10=stays", "r/g:q@10=of another family"));

  ASSERT_TRUE(table->DeleteRow("r", 9).ok());
  EXPECT_THAT(ReadRow(table.get(), versions),
              ElementsAre("r/f:q2@10=stays", "r/g:q@10=of another family"));
  ASSERT_TRUE(table->DeleteRow("r").ok());
  EXPECT_THAT(ReadRow(table.get(), versions), IsEmpty());
}

// They are refused as the same in a batch is.
TEST_P(DataApiTest, WrongRowsAndFamiliesAreRefusedWithoutABatch) {
  auto table = Create("t");
  EXPECT_EQ(table->Put("", "f", "q", "v").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(table->DeleteRow("").code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(table->Put("r", "nofamily", "q", "v").ToString(), HasSubstr("nofamily"));
  EXPECT_THAT(table->DeleteColumn("r", "nofamily", "q").ToString(), HasSubstr("nofamily"));
  EXPECT_THAT(table->ReadValue("r", "nofamily", "q").status().ToString(), HasSubstr("nofamily"));
}

}  // namespace
}  // namespace bennu::testing
