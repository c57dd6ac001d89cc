// Scans over a cluster whose servers answer in parts, late, or not at all: which calls a scan
// makes, and that no cell is lost or comes twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>

#include "src/api/region_scans.h"
#include "src/base/env.h"
#include "src/base/mutex.h"
#include "tests/client/scripted_cluster.h"

namespace bennu::client {
namespace {

using ::testing::HasSubstr;

// What a scan hands out, as "row/qualifier", in order.
struct Seen {
  Status status;
  std::vector<std::string> cells;
  std::vector<size_t> sizes;  // of its rows or pieces
};

void Read(Scanner* scanner, size_t row_limit, Seen* seen) {
  CellBatch batch;
  while (true) {
    seen->status = scanner->Next(row_limit, &batch);
    if (!seen->status.ok() || batch.row_count() == 0) return;
    for (size_t row = 0; row < batch.row_count(); ++row) {
      seen->sizes.push_back(batch.row_end(row) - batch.row_starts[row]);
    }
    for (const Cell& cell : batch.cells) {
      seen->cells.push_back(Bytes(cell.row()) + "/" + Bytes(cell.qualifier()));
    }
  }
}

Seen ReadAll(Table* table, const Scan& scan, size_t row_limit = 1000) {
  Seen seen;
  auto scanner = table->OpenScanner(scan);
  seen.status = scanner.status();
  if (scanner.ok()) Read(scanner->get(), row_limit, &seen);
  return seen;
}

void Fill(ScriptedCluster* cluster, int rows, int columns) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      cluster->Put(RowOf(row), "q" + std::to_string(column));
    }
  }
}

// One call for each region; a scanner that its server has closed is not closed again.
TEST(ScanTest, OneCallForEachRegion) {
  ScriptedCluster cluster(1, {RowOf(10), RowOf(20)});
  Fill(&cluster, 30, 2);
  const auto table = cluster.Open(cluster.options());
  const Seen seen = ReadAll(table.get(), {});
  EXPECT_TRUE(seen.status.ok()) << seen.status.ToString();
  EXPECT_EQ(seen.cells, cluster.Cells());
  EXPECT_EQ(cluster.Count("Scan"), 3);
  EXPECT_EQ(cluster.closes(), 0);
  EXPECT_EQ(cluster.meta_scans(), 1);
}

TEST(ScanTest, ASmallLimitIsOneCall) {
  ScriptedCluster cluster(1, {RowOf(10), RowOf(20)});
  Fill(&cluster, 30, 2);
  const auto table = cluster.Open(cluster.options());
  Scan scan;
  scan.range.start = RowOf(3);
  scan.row_limit = 5;
  const Seen seen = ReadAll(table.get(), scan);
  EXPECT_EQ(seen.sizes.size(), 5u);
  EXPECT_EQ(cluster.Count("Scan"), 1);
  EXPECT_EQ(cluster.closes(), 0);
  EXPECT_EQ(cluster.open_scanners(), 0u);
}

// A limit counts over regions, and what is asked for shrinks with what has come.
TEST(ScanTest, ALimitGoesOverRegions) {
  ScriptedCluster cluster(1, {RowOf(10)});
  Fill(&cluster, 30, 2);
  cluster.SetCellsMax([] { return 3; });
  std::atomic<uint32_t> last_limit = 0;
  cluster.SetHook([&](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    last_limit = call.received.Parse<pb::ScanRequest>().limit_of_rows();
    return {};
  });
  const auto table = cluster.Open(cluster.options());
  Scan scan;
  scan.row_limit = 12;
  EXPECT_EQ(ReadAll(table.get(), scan).sizes.size(), 12u);
  EXPECT_LE(last_limit, 2u);
  EXPECT_EQ(cluster.open_scanners(), 0u);
}

// While the caller has one answer the next call has been made already, and none behind it.
TEST(ScanTest, ReadsOneAnswerAhead) {
  ScriptedCluster cluster(1, {RowOf(10)});
  Fill(&cluster, 20, 1);
  cluster.SetCellsMax([] { return 5; });
  const auto table = cluster.Open(cluster.options());
  auto scanner = table->OpenScanner({});
  ASSERT_TRUE(scanner.ok());
  EXPECT_EQ(cluster.Count("Scan"), 1) << "nobody reads yet";
  CellBatch batch;
  for (int answer = 1; answer <= 4; ++answer) {
    EXPECT_LE(cluster.Count("Scan"), answer);
    ASSERT_TRUE((*scanner)->Next(100, &batch).ok());
    EXPECT_EQ(batch.row_count(), 5u);
    EXPECT_TRUE(cluster.AwaitCalls("Scan", std::min(answer + 1, 4))) << answer;
  }
  ASSERT_TRUE((*scanner)->Next(100, &batch).ok());
  EXPECT_EQ(batch.row_count(), 0u);
  EXPECT_EQ(cluster.Count("Scan"), 4);
}

// Scans that know how little they want, and those of which a navigator decides what comes next.
TEST(ScanTest, SomeDoNotReadAhead) {
  class All final : public RowNavigator {
   public:
    Decision Navigate(ByteView, Bytes*) override { return Decision::kInclude; }
    std::unique_ptr<RowNavigator> Clone() const override { return std::make_unique<All>(); }
  };
  for (const bool steered : {false, true}) {
    ScriptedCluster cluster(1, {});
    Fill(&cluster, 20, 1);
    cluster.SetCellsMax([] { return 5; });
    const auto table = cluster.Open(cluster.options());
    Scan scan;
    if (steered) {
      scan.navigator = std::make_shared<All>();
    } else {
      scan.row_limit = 20;
    }
    auto scanner = table->OpenScanner(scan);
    ASSERT_TRUE(scanner.ok());
    CellBatch batch;
    ASSERT_TRUE((*scanner)->Next(2, &batch).ok());
    scanner->reset();  // any call that had been made would come before the one that closes
    EXPECT_TRUE(cluster.AwaitCalls("Scan", 2));
    EXPECT_EQ(cluster.Count("Scan"), 2);
    EXPECT_EQ(cluster.closes(), 1);
  }
}

// The answer to a call that was under way is held back: nobody waits for it, and when it comes the
// scanner that it leaves open is closed.
TEST(ScanTest, ClosingDoesNotWait) {
  ScriptedCluster cluster(1, {});
  Fill(&cluster, 20, 1);
  cluster.SetCellsMax([] { return 5; });
  std::atomic<int> calls = 0;
  cluster.SetHook([&](const ScriptedCluster::Call&) -> std::optional<Reply> {
    if (++calls != 2) return {};
    pb::ScanResponse response;  // a heartbeat
    response.set_more_results(true);
    response.set_more_results_in_region(true);
    return Reply::Of(response).Held();
  });
  const auto table = cluster.Open(cluster.options());
  auto scanner = table->OpenScanner({});
  ASSERT_TRUE(scanner.ok());
  CellBatch batch;
  ASSERT_TRUE((*scanner)->Next(5, &batch).ok());
  ASSERT_TRUE(cluster.AwaitCalls("Scan", 2));
  scanner->reset();
  EXPECT_EQ(cluster.closes(), 0);
  // The hook's answer may still be on its way into the server's queue.
  for (int i = 0; i < 60'000 && cluster.closes() == 0; ++i) {
    cluster.server(0)->Release();
    Env::Default()->SleepMicros(1'000);
  }
  EXPECT_EQ(cluster.closes(), 1);
}

// Pieces have the asked-for size, however the answers were cut.
TEST(ScanTest, PiecesHaveTheirSize) {
  for (const size_t cut : {1, 2, 3, 4, 100}) {
    ScriptedCluster cluster(1, {});
    Fill(&cluster, 3, 7);
    cluster.SetCellsMax([cut] { return cut; });
    const auto table = cluster.Open(cluster.options());
    Scan scan;
    scan.batch = 3;
    const Seen seen = ReadAll(table.get(), scan);
    EXPECT_EQ(seen.cells, cluster.Cells());
    EXPECT_EQ(seen.sizes, (std::vector<size_t>{3, 3, 1, 3, 3, 1, 3, 3, 1})) << cut;
  }
}

// The server that has the region now is in the exception: nobody asks hbase:meta.
TEST(ScanTest, AMovedRegionIsFollowed) {
  ScriptedCluster cluster(2, {RowOf(10)});
  Fill(&cluster, 20, 1);
  cluster.SetCellsMax([] { return 3; });
  const auto table = cluster.Open(cluster.options());
  auto scanner = table->OpenScanner({});
  ASSERT_TRUE(scanner.ok());
  cluster.Move(RowOf(0), 1);
  Seen seen;
  Read(scanner->get(), 100, &seen);
  EXPECT_EQ(seen.cells, cluster.Cells());
  EXPECT_EQ(cluster.meta_scans(), 1);
}

// A scan of one region says so when that is gone, and does not go by what was known before.
TEST(ScanTest, ARegionIsReadAlone) {
  ScriptedCluster cluster(2, {RowOf(10), RowOf(20)});
  Fill(&cluster, 30, 1);
  const auto table = cluster.Open(cluster.options());
  auto* const regions = dynamic_cast<api::RegionScans*>(table.get());
  ASSERT_NE(regions, nullptr);
  const auto read = [&](const RegionInfo& region) {
    Scan scan;
    scan.range = {region.start_key, true, region.end_key, false};
    Seen seen;
    auto scanner = regions->OpenRegionScanner(region, scan);
    seen.status = scanner.status();
    if (scanner.ok()) Read(scanner->get(), 3, &seen);
    return seen;
  };
  const auto known = table->regions();
  ASSERT_EQ(known.size(), 3u);
  cluster.SetCellsMax([] { return 4; });
  EXPECT_EQ(read(known[1]).cells.size(), 10u);
  cluster.Move(RowOf(15), 1);
  EXPECT_EQ(read(known[1]).cells.size(), 10u);

  Scan scan;
  scan.range = {known[1].start_key, true, known[1].end_key, false};
  auto lost = regions->OpenRegionScanner(known[1], scan);
  ASSERT_TRUE(lost.ok());
  cluster.Split(RowOf(13));
  Seen seen;
  Read(lost->get(), 3, &seen);
  EXPECT_EQ(seen.status.code(), StatusCode::kNotFound) << seen.status.ToString();
  EXPECT_THAT(seen.status.ToString(), HasSubstr("is not there any more"));
  EXPECT_EQ(read(known[1]).status.code(), StatusCode::kNotFound);
  EXPECT_EQ(read(table->regions()[2]).cells.size(), 7u);

  cluster.Merge(RowOf(0));
  EXPECT_EQ(read(table->regions()[0]).cells.size(), 13u);
  EXPECT_EQ(read(known[0]).status.code(), StatusCode::kNotFound);
}

// A region is asked for its references until it has none, and then no more.
TEST(ScanTest, ReferencesOfARegionAreAskedFor) {
  ScriptedCluster cluster(2, {RowOf(10)});
  const auto table = cluster.Open(cluster.options());
  auto* const regions = dynamic_cast<api::RegionScans*>(table.get());
  ASSERT_NE(regions, nullptr);
  const auto has_references = [&](const RegionInfo& region) {
    const auto has = regions->HasReferences(region);
    EXPECT_TRUE(has.ok()) << has.status().ToString();
    return has.ok() && *has;
  };
  const auto known = table->regions();
  ASSERT_EQ(known.size(), 2u);
  cluster.SetReferences(3);
  EXPECT_TRUE(has_references(known[0]));
  EXPECT_TRUE(regions->WaitForCompaction(known[0]).ok());
  EXPECT_FALSE(has_references(known[0]));
  EXPECT_TRUE(regions->WaitForCompaction(known[0]).ok());
  EXPECT_EQ(cluster.Count("GetRegionInfo"), 4);

  cluster.Move(RowOf(15), 1);
  EXPECT_FALSE(has_references(known[1]));
  cluster.Split(RowOf(5));
  EXPECT_EQ(regions->HasReferences(table->regions()[0]).status().code(), StatusCode::kOk);
  EXPECT_FALSE(has_references(known[0]));  // which nobody asks again
}

// The parts of a region that was split are others, and the region is none.
TEST(ScanTest, ARegionThatIsGoneHasNoReferences) {
  ScriptedCluster cluster(1, {});
  const auto table = cluster.Open(cluster.options());
  auto* const regions = dynamic_cast<api::RegionScans*>(table.get());
  ASSERT_NE(regions, nullptr);
  const RegionInfo parent = table->regions()[0];
  cluster.Split(RowOf(5));
  EXPECT_EQ(regions->HasReferences(parent).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(regions->WaitForCompaction(parent).code(), StatusCode::kNotFound);
}

TEST(ScanTest, ARegionThatNobodyCompactsIsNamed) {
  ScriptedCluster cluster(1, {});
  cluster.SetReferences(1'000'000);
  ClientOptions options = cluster.options();
  options.operation_timeout = std::chrono::milliseconds(100);
  const auto table = cluster.Open(options);
  const RegionInfo region = table->regions()[0];
  const Status waited = dynamic_cast<api::RegionScans&>(*table).WaitForCompaction(region);
  EXPECT_EQ(waited.code(), StatusCode::kAborted);
  EXPECT_THAT(waited.ToString(), HasSubstr("run major_compact 't'"));
  EXPECT_THAT(waited.ToString(), HasSubstr(region.RegionName()));
}

// A server that has too much to do is asked the same again; the scanner stays as it is.
TEST(ScanTest, ABusyServerIsAskedAgain) {
  ScriptedCluster cluster(1, {});
  Fill(&cluster, 10, 1);
  cluster.SetCellsMax([] { return 5; });
  std::atomic<int> calls = 0;
  cluster.SetHook([&](const ScriptedCluster::Call&) -> std::optional<Reply> {
    const int call = ++calls;
    if (call == 1 || call == 3) {
      return Reply::Exception(std::string(kHBase) + "CallQueueTooBigException");
    }
    return {};
  });
  const auto table = cluster.Open(cluster.options());
  EXPECT_EQ(ReadAll(table.get(), {}).cells, cluster.Cells());
  EXPECT_EQ(cluster.Count("Scan"), 4);
}

// Whatever happens in the middle: regions move, split and are merged, scanners are lost,
// connections break, answers come in parts and without rows.
TEST(ScanTest, NothingIsLostOrRepeated) {
  std::atomic<int> lost = 0;
  for (uint32_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Mutex mu;  // hooks run on the threads of several servers
    const auto any = [&](uint32_t count) {
      MutexLock lock(&mu);
      return random() % count;
    };
    ScriptedCluster cluster(3, {RowOf(7), RowOf(15)});
    Fill(&cluster, 25, 1 + static_cast<int>(any(6)));
    cluster.SetCellsMax([&] { return any(5) == 0 ? 0 : 1 + any(8); });
    cluster.SetHook([&](const ScriptedCluster::Call&) -> std::optional<Reply> {
      const Bytes row = RowOf(static_cast<int>(any(25)));
      switch (any(12)) {
        case 0: cluster.Move(row, any(3)); break;
        case 1: cluster.Split(row); break;
        case 2: cluster.Merge(row); break;
        case 3: cluster.ForgetScanners(); break;
        case 4: ++lost; return Reply::Drop();
        case 5:
          return Reply::Exception(std::string(kHBase) + (any(2) == 0 ? "CallDroppedException"
                                                                     : "RegionTooBusyException"));
        case 6: return Reply::Exception(std::string(kHBase) + "exceptions.ScannerResetException");
        default: break;
      }
      return {};
    });
    ClientOptions options = cluster.options();
    options.retries_max = 1000;
    const auto table = cluster.Open(options);
    Scan scan;
    scan.reversed = any(2) == 1;
    const uint32_t mode = any(3);
    if (mode == 1) scan.batch = 2;
    if (mode == 2) scan.allow_partial_results = true;
    const Seen seen = ReadAll(table.get(), scan, 1 + any(10));
    ASSERT_TRUE(seen.status.ok()) << seen.status.ToString();
    // Within a row the order is the same in both directions.
    std::vector<std::string> expected = cluster.Cells();
    if (scan.reversed) {
      std::stable_sort(expected.begin(), expected.end(), [](const auto& left, const auto& right) {
        return left.substr(0, 5) > right.substr(0, 5);
      });
    }
    ASSERT_EQ(seen.cells, expected);
    if (mode == 0) {
      ASSERT_EQ(seen.sizes.size(), 25u);
    }
  }
  EXPECT_GT(lost, 0);
}

// The error says what was tried on what, and with which bounds.
TEST(ScanTest, TheErrorNamesThePlace) {
  ScriptedCluster cluster(1, {RowOf(10)});
  Fill(&cluster, 20, 1);
  cluster.SetHook([](const ScriptedCluster::Call&) -> std::optional<Reply> {
    return Reply::Exception(std::string(kHBase) + "CallQueueTooBigException", "the queue is full");
  });
  ClientOptions options = cluster.options();
  options.retries_max = 2;
  const auto table = cluster.Open(options);
  Scan scan;
  scan.range.start = Bytes("1001\x01", 5);
  const Seen seen = ReadAll(table.get(), scan);
  EXPECT_EQ(seen.status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(cluster.Count("Scan"), 3);
  for (const char* part :
       {"table t, row '1001\\x01'", "region 't,,", "on 127.0.0.1:", "given up after 3 attempts",
        "hbase.client.retries.number is 2", "the queue is full"}) {
    EXPECT_THAT(seen.status.message(), HasSubstr(part));
  }
}

// Bytes that are no answer end the connection, and the scan goes on over another one.
TEST(ScanTest, AHostileAnswer) {
  ScriptedCluster cluster(1, {});
  Fill(&cluster, 10, 1);
  const std::vector<Bytes> answers = {
      Bytes("\x7f\xff\xff\xff", 4),                  // longer than any answer
      Bytes("\x00\x00\x00\x04\xff\xff\xff\xff", 8),  // no header
      Bytes("\x00\x00\x00\x00", 4),                  // nothing
  };
  for (const Bytes& answer : answers) {
    std::atomic<int> calls = 0;
    cluster.SetHook([&](const ScriptedCluster::Call&) -> std::optional<Reply> {
      if (++calls == 1) return Reply::Raw(answer);
      return {};
    });
    const auto table = cluster.Open(cluster.options());
    EXPECT_EQ(ReadAll(table.get(), {}).cells, cluster.Cells());
    EXPECT_GT(calls, 1);
  }
}

}  // namespace
}  // namespace bennu::client
