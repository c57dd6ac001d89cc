// Indexes over a cluster whose servers know nothing of them. An engine without observers stands for
// the servers; each client has SQL and a connection of its own, whose calls a test can stop, fail
// or delay.
#include "src/sql/index/cluster_indexes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/base/status_macros.h"
#include "src/engine/open.h"
#include "src/sql/exec/query.h"
#include "src/sql/session/session.h"
#include "src/sql/session/sql_store.h"
#include "src/sql/types/text.h"

namespace bennu::sql::index {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace std::string_literals;

enum class Call : uint8_t { kWrite, kCheckAndWrite };
enum class When : uint8_t { kBefore, kAfter };
// Told of each write before it reaches the servers and after. An error is what the client sees; one
// that comes before keeps the write from being done.
using Hook = std::function<Status(const std::string& table, Call call, When when)>;

struct Script {
  Hook hook;
  int64_t clock_offset_ms = 0;
  bool phoenix = false;  // the servers have its classes, and tables name them
  std::vector<std::map<std::string, Bytes>> attributes;  // of mutations with some
};

class ScriptedTable : public Table {
 public:
  ScriptedTable(std::shared_ptr<Table> target, Script* script)
      : target_(std::move(target)), script_(script) {}

  const TableName& name() const override { return target_->name(); }
  TableDescriptor descriptor() const override {
    TableDescriptor descriptor = target_->descriptor();
    if (script_->phoenix) return descriptor;
    std::erase_if(descriptor.attributes, [](const auto& attribute) {
      return attribute.first.starts_with("coprocessor$");
    });
    return descriptor;
  }
  std::vector<RegionInfo> regions() const override { return target_->regions(); }
  Status Write(MutationBatch* batch) override {
    RETURN_IF_ERROR(Tell(Call::kWrite, When::kBefore));
    for (size_t i = 0; i < batch->row_count(); ++i) {
      const auto& attributes = batch->options(i).attributes;
      if (!attributes.empty()) script_->attributes.push_back(attributes);
    }
    RETURN_IF_ERROR(target_->Write(batch));
    return Tell(Call::kWrite, When::kAfter);
  }
  Status Mutate(MutationBatch* batch, std::vector<Row>* results) override {
    return target_->Mutate(batch, results);
  }
  Status MutateAtomically(MutationBatch* batch, std::vector<Row>* results) override {
    return target_->MutateAtomically(batch, results);
  }
  Status MutateEach(MutationBatch* batch, std::vector<Outcome>* outcomes) override {
    return target_->MutateEach(batch, outcomes);
  }
  void WriteAsync(MutationBatch* batch, std::function<void(Status)> done) override {
    target_->WriteAsync(batch, std::move(done));
  }
  Result<bool> CheckAndWrite(const Condition& condition, MutationBatch* batch) override {
    RETURN_IF_ERROR(Tell(Call::kCheckAndWrite, When::kBefore));
    ASSIGN_OR_RETURN(const bool written, target_->CheckAndWrite(condition, batch));
    RETURN_IF_ERROR(Tell(Call::kCheckAndWrite, When::kAfter));
    return written;
  }
  Result<CheckedResult> CheckAndMutate(const Condition& condition, MutationBatch* batch) override {
    return target_->CheckAndMutate(condition, batch);
  }
  Result<std::unique_ptr<Scanner>> OpenScanner(const Scan& scan) override {
    return target_->OpenScanner(scan);
  }
  Result<Row> GetRow(const Get& get) override { return target_->GetRow(get); }
  Status GetCells(const Get& get, const std::function<void(const Cell*, size_t)>& use) override {
    return target_->GetCells(get, use);
  }
  Result<std::vector<RowRange>> SplitRange(const RowRange& range, size_t count) override {
    return target_->SplitRange(range, count);
  }

 private:
  Status Tell(Call call, When when) const {
    return script_->hook == nullptr ? Status::Ok() : script_->hook(name().qualifier, call, when);
  }

  const std::shared_ptr<Table> target_;
  Script* const script_;
};

// As a connection to a cluster: no snapshots, and others write, too.
class ScriptedConnection : public Connection {
 public:
  explicit ScriptedConnection(Connection* target) : target_(target) {}

  Script* script() { return &script_; }

  Result<std::shared_ptr<Table>> OpenTable(const TableName& name) override {
    ASSIGN_OR_RETURN(auto table, target_->OpenTable(name));
    return std::shared_ptr<Table>(std::make_shared<ScriptedTable>(std::move(table), &script_));
  }
  Admin* admin() override { return target_->admin(); }
  Capabilities capabilities() const override { return {.shared = true}; }
  std::shared_ptr<const Snapshot> TakeSnapshot() override { return nullptr; }
  int64_t NowMillis() override { return target_->NowMillis() + script_.clock_offset_ms; }

 private:
  Connection* const target_;
  Script script_;
};

// One process with SQL over the cluster.
class Client {
 public:
  explicit Client(Connection* servers, const ClusterIndexes::Options& options = kQuick)
      : connection_(servers),
        indexes_(&connection_, {}, {[] { return false; }, nullptr, [] { return 5 << 16 | 2 << 8; }},
                 options),
        store_(session::SqlStore::Open(&connection_, exec::PrepareQuery).value()) {
    store_->set_cluster_indexes(&indexes_);
    session_ = session::Session::Open(store_.get(), {}).value();
  }

  Script* script() { return connection_.script(); }
  session::Session* session() { return session_.get(); }
  Status Try(const std::string& sql) { return session_->Execute(sql).status(); }
  void Do(const std::string& sql) {
    const Status done = Try(sql);
    ASSERT_TRUE(done.ok()) << sql << ": " << done.ToString();
  }
  std::vector<std::string> Rows(const std::string& sql) {
    auto result = session_->Execute(sql);
    if (!result.ok()) return {result.status().ToString()};
    std::vector<std::string> rows;
    DataChunk chunk;
    for (;;) {
      const Status status = result->rows->Next(&chunk);
      if (!status.ok()) return {status.ToString()};
      if (chunk.size == 0) return rows;
      for (size_t row = 0; row < chunk.size; ++row) {
        std::string text;
        for (size_t column = 0; column < chunk.columns.size(); ++column) {
          const Value value = chunk.columns[column].GetValue(row);
          text += (column == 0 ? "" : "|") + (value.is_null() ? "-" : ToText(value));
        }
        rows.push_back(std::move(text));
      }
    }
  }

  std::string Plan(const std::string& query) {
    std::string plan;
    for (const std::string& line : Rows("EXPLAIN " + query)) plan += line + "\n";
    return plan;
  }

  static constexpr ClusterIndexes::Options kQuick{std::chrono::milliseconds(100),
                                                  std::chrono::milliseconds(300),
                                                  std::chrono::milliseconds(300)};

 private:
  ScriptedConnection connection_;
  ClusterIndexes indexes_;
  std::unique_ptr<session::SqlStore> store_;
  std::unique_ptr<session::Session> session_;
};

class ClusterIndexesTest : public ::testing::Test {
 protected:
  ClusterIndexesTest() : servers_(engine::OpenEngine(":memory:").value()), a_(servers_.get()) {}

  void MakeTable() {
    a_.Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER, X VARCHAR)");
    a_.Do("CREATE INDEX IV ON T (V) INCLUDE (W, X)");
  }
  // What the index says, and what the table says.
  std::vector<std::string> ByIndex(Client* client) {
    const std::string query =
        "SELECT /*+ INDEX(T IV) */ V, W, X, K FROM T WHERE V > 'A' ORDER BY V, K";
    EXPECT_THAT(client->Plan(query), HasSubstr("OVER IV"));
    return client->Rows(query);
  }
  std::vector<std::string> ByTable(Client* client) {
    return client->Rows("SELECT /*+ NO_INDEX */ V, W, X, K FROM T WHERE V > 'A' ORDER BY V, K");
  }
  std::vector<std::string> Differences() { return a_.Rows("CHECK INDEX IV ON T"); }
  // Index rows by their marks: how many are verified, and how many are not.
  std::pair<int, int> Marks(const std::string& index) {
    const auto table = servers_->OpenTable(TableName{"default", index}).value();
    const auto scanner = table->OpenScanner({}).value();
    std::pair<int, int> marks;
    CellBatch found;
    for (;;) {
      EXPECT_TRUE(scanner->Next(100, &found).ok());
      if (found.row_count() == 0) return marks;
      for (const Cell& cell : found.cells) {
        if (cell.qualifier() != ByteView("\0\0\0\0", 4)) continue;
        (cell.value_view() == "\x01" ? marks.first : marks.second) += 1;
      }
    }
  }

  std::unique_ptr<engine::Engine> servers_;
  Client a_;
};

TEST_F(ClusterIndexesTest, AllKindsFollowTheirTable) {
  a_.Do(
      "CREATE TABLE T (K INTEGER NOT NULL, L VARCHAR NOT NULL, V VARCHAR, A.W DECIMAL, B.X INTEGER"
      ", CONSTRAINT PK PRIMARY KEY (K, L DESC)) SALT_BUCKETS = 3");
  a_.Do("CREATE VIEW TV (Y INTEGER) AS SELECT * FROM T WHERE X = 3");
  a_.Do("CREATE INDEX COVERED ON T (V, W DESC) INCLUDE (X)");
  a_.Do("CREATE INDEX FUNCTIONAL ON T (UPPER(V)) INCLUDE (W)");
  a_.Do("CREATE INDEX PARTIAL ON T (W) INCLUDE (X, V) WHERE X > 2");
  a_.Do("CREATE UNCOVERED INDEX BY_X ON T (X)");
  a_.Do("CREATE INDEX OF_VIEW ON TV (Y) INCLUDE (V)");
  std::mt19937 random(20261127);
  const auto any = [&](int count) { return static_cast<int>(random() % count); };
  const auto value = [&](int count) {
    return any(4) == 0 ? std::string("NULL") : std::to_string(any(count));
  };
  const auto text = [&] {
    return any(4) == 0 ? std::string("NULL") : std::string("'v") + std::to_string(any(6)) + "'";
  };
  for (int i = 0; i < 150; ++i) {
    const std::string key = std::to_string(any(6)) + ", 'l" + std::to_string(any(3)) + "'";
    switch (any(6)) {
      case 0: a_.Do("UPSERT INTO T (K, L, V) VALUES (" + key + ", " + text() + ")"); break;
      case 1: a_.Do("UPSERT INTO T (K, L, X) VALUES (" + key + ", " + value(6) + ")"); break;
      case 2: a_.Do("DELETE FROM T WHERE K = " + std::to_string(any(6))); break;
      case 3:
        a_.Do("UPSERT INTO T (K, L, W) VALUES (" + key +
              ", 1) ON DUPLICATE KEY UPDATE W = W + 1, "
              "V = " +
              text());
        break;
      case 4: a_.Do("UPSERT INTO TV (K, L, Y) VALUES (" + key + ", " + value(5) + ")"); break;
      default:
        a_.Do("UPSERT INTO T SELECT K + 1, L, V, W, X FROM T WHERE K < " + std::to_string(any(4)));
    }
  }
  EXPECT_THAT(a_.Rows("CHECK INDEX COVERED ON T"), IsEmpty());
  EXPECT_THAT(a_.Rows("CHECK INDEX FUNCTIONAL ON T"), IsEmpty());
  EXPECT_THAT(a_.Rows("CHECK INDEX PARTIAL ON T"), IsEmpty());
  EXPECT_THAT(a_.Rows("CHECK INDEX BY_X ON T"), IsEmpty());
  EXPECT_THAT(a_.Rows("CHECK INDEX OF_VIEW ON TV"), IsEmpty());
  EXPECT_EQ(Marks("COVERED").second, 0);
  EXPECT_GT(Marks("COVERED").first, 0);
  EXPECT_THAT(a_.Plan("SELECT /*+ INDEX(T BY_X) */ X, V FROM T WHERE X > 1"),
              HasSubstr("OVER BY_X"));
  const std::vector<std::string> same_as[][2] = {
      {a_.Rows(
           "SELECT /*+ INDEX(T COVERED) */ V, W, X, K FROM T WHERE V > 'A' ORDER BY 1, 2, 3, 4"),
       a_.Rows("SELECT /*+ NO_INDEX */ V, W, X, K FROM T WHERE V > 'A' ORDER BY 1, 2, 3, 4")},
      {a_.Rows("SELECT /*+ INDEX(T BY_X) */ X, V FROM T WHERE X > 1 ORDER BY 1, 2"),
       a_.Rows("SELECT /*+ NO_INDEX */ X, V FROM T WHERE X > 1 ORDER BY 1, 2")},
  };
  for (const auto& pair : same_as) {
    EXPECT_THAT(pair[0], testing::ElementsAreArray(pair[1]));
    EXPECT_FALSE(pair[0].empty());
  }
}

// One batch, in which rows repeat: a DELETE between two UPSERTs.
TEST_F(ClusterIndexesTest, OneCommitOfManyRows) {
  MakeTable();
  session::SessionOptions options;
  options.autocommit = false;
  const auto session = session::Session::Open(a_.session()->store(), options).value();
  for (int i = 0; i < 2500; ++i) {
    ASSERT_TRUE(session
                    ->Execute("UPSERT INTO T VALUES (" + std::to_string(i % 2000) + ", 'v" +
                              std::to_string(i % 7) + "', " + std::to_string(i) + ", 'x')")
                    .ok());
  }
  ASSERT_TRUE(session->Execute("DELETE FROM T WHERE K = 5").ok());
  ASSERT_TRUE(session->Execute("UPSERT INTO T (K, V) VALUES (5, 'again')").ok());
  ASSERT_TRUE(session->Commit().ok());
  // Rows up to 499 came twice; row 5 has lost its number.
  const int64_t sum = 1999 * 2000 / 2 + 500 * 2000 - 2005;
  EXPECT_THAT(a_.Rows("SELECT COUNT(*), SUM(W) FROM T"),
              ElementsAre("2000|" + std::to_string(sum)));
  EXPECT_EQ(Marks("IV"), std::make_pair(2000, 0));
  EXPECT_THAT(Differences(), IsEmpty());
}

// A column that was dropped between the look at the table and the lock of its definition.
TEST_F(ClusterIndexesTest, AnIndexIsOfTheTableAsItIs) {
  a_.Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER)");
  Client other(servers_.get());
  bool dropped = false;
  a_.script()->hook = [&](const std::string& table, Call, When) -> Status {
    if (table != "SYSTEM.MUTEX" || std::exchange(dropped, true)) return Status::Ok();
    return other.Try("ALTER TABLE T DROP COLUMN V");
  };
  EXPECT_THAT(a_.Try("CREATE INDEX IV ON T (V)").message(), HasSubstr("Undefined column"));
  EXPECT_TRUE(dropped);
  a_.Do("UPSERT INTO T VALUES (1, 2)");
}

// An index of a column that goes: whoever made it in between, it goes with the column.
TEST_F(ClusterIndexesTest, AnIndexGoesWithItsColumn) {
  for (const std::string definition :
       {"CREATE INDEX IV ON T (V)", "CREATE INDEX IV ON T (UPPER(V))",
        "CREATE INDEX IV ON T (W) WHERE V > 'a'"}) {
    SCOPED_TRACE(definition);
    a_.Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER)");
    Client other(servers_.get());
    bool made = false;
    a_.script()->hook = [&](const std::string& table, Call, When) -> Status {
      if (table != "SYSTEM.MUTEX" || std::exchange(made, true)) return Status::Ok();
      return other.Try(definition);
    };
    Status dropped = a_.Try("ALTER TABLE T DROP COLUMN V");
    EXPECT_TRUE(made);
    // As a rule the statement sees to it by itself.
    if (!dropped.ok()) {
      EXPECT_THAT(dropped.message(), HasSubstr("301"));
      a_.Do("ALTER TABLE T DROP COLUMN V");
    }
    a_.Do("UPSERT INTO T VALUES (1, 2)");
    EXPECT_THAT(a_.Rows("SELECT W FROM T"), ElementsAre("2"));
    EXPECT_THAT(a_.Rows("SELECT COUNT(*) FROM SYSTEM.CATALOG WHERE TABLE_TYPE = 'i'"),
                ElementsAre("0"));
    a_.Do("DROP TABLE T");
  }
}

// Wherever the client dies: what it left is not believed, and the next writer of the row mends it.
TEST_F(ClusterIndexesTest, AClientDiesAfterEachPhase) {
  const std::vector<std::string> writes = {
      "UPSERT INTO T VALUES (1, 'b', 20)",    // moves the row in the index
      "UPSERT INTO T (K, W) VALUES (1, 30)",  // changes what the index includes
      "UPSERT INTO T VALUES (2, 'new', 1)",   // a row that was not there
      "DELETE FROM T WHERE K = 1",
      "UPSERT INTO T (K, V) VALUES (1, NULL)",
      "UPSERT INTO T (K, W) VALUES (1, NULL)",
  };
  MakeTable();
  int clients = 0;
  for (const std::string& write : writes) {
    for (int steps = 0; steps < 6; ++steps) {
      SCOPED_TRACE(write + " after " + std::to_string(steps) + " steps");
      a_.Do("DELETE FROM T");
      a_.Do("UPSERT INTO T VALUES (1, 'a', 10, 'x')");
      Client dying(servers_.get());
      dying.script()->clock_offset_ms = 1000 * ++clients;  // later than what was deleted
      int left = steps;
      dying.script()->hook = [&](const std::string& table, Call, When) -> Status {
        if (table != "T" && table != "IV") return Status::Ok();
        return left-- > 0 ? Status::Ok() : IoError("dead");
      };
      const Status status = dying.Try(write);
      // The third phase is not waited for: the table has the row. A row that is gone, though the
      // answer to that was lost, is as good as deleted.
      const bool is_gone = write.starts_with("DELETE") && steps == 3;
      EXPECT_EQ(status.ok(), steps >= 4 || is_gone) << status.ToString();
      EXPECT_THAT(ByIndex(&a_), testing::ElementsAreArray(ByTable(&a_)));
      // A write of one column makes the whole row of the index right.
      a_.Do("UPSERT INTO T (K, X) VALUES (1, 'y')");
      EXPECT_THAT(ByIndex(&a_), testing::ElementsAreArray(ByTable(&a_)));
      for (const std::string key : {"1", "2"}) {
        a_.Do("UPSERT INTO T VALUES (" + key + ", 'after', 7, 'z')");
      }
      EXPECT_THAT(ByIndex(&a_), ElementsAre("after|7|z|1", "after|7|z|2"));
      EXPECT_GE(Marks("IV").first, 2);
    }
  }
}

// Two writers of one row: the second does all of its write while the first is between any two of
// its calls. Whatever comes out, it is the same by the index and by the table, at each moment.
TEST_F(ClusterIndexesTest, TwoWritersOfOneRow) {
  const std::vector<std::string> writes = {
      "UPSERT INTO T VALUES (1, 'b', 20)",
      "UPSERT INTO T VALUES (1, 'c', 21)",
      "UPSERT INTO T (K, W) VALUES (1, 30)",
      "UPSERT INTO T (K, W) VALUES (1, NULL)",
      "UPSERT INTO T (K, X) VALUES (1, 'other')",
      "DELETE FROM T WHERE K = 1",
      "UPSERT INTO T (K, W) VALUES (1, 5) ON DUPLICATE KEY UPDATE W = W + 1",
  };
  MakeTable();
  Client b(servers_.get());
  for (const bool there : {true, false}) {
    for (const std::string& first : writes) {
      for (const std::string& second : writes) {
        for (int step = 0; step < 6; ++step) {
          // Only who finds no row takes the clock's word for the time.
          for (const int64_t offset :
               there ? std::vector<int64_t>{0} : std::vector{-20L, 0L, 20L}) {
            SCOPED_TRACE(first + " / " + second + " at " + std::to_string(step) + ", clock " +
                         std::to_string(offset) + (there ? "" : ", no row"));
            a_.script()->clock_offset_ms = 0;
            a_.Do("UPSERT INTO T VALUES (1, 'a', 10, 'x')");
            if (!there) a_.Do("DELETE FROM T WHERE K = 1");
            a_.script()->clock_offset_ms = offset;
            int left = step;
            a_.script()->hook = [&](const std::string& table, Call, When) -> Status {
              if ((table != "T" && table != "IV") || left-- != 0) return Status::Ok();
              b.Do(second);
              EXPECT_THAT(ByIndex(&b), testing::ElementsAreArray(ByTable(&b)));
              // A row that was made and goes again leaves no trace that a condition could see.
              if (!there) b.Do("DELETE FROM T WHERE K = 1");
              EXPECT_THAT(ByIndex(&b), testing::ElementsAreArray(ByTable(&b)));
              return Status::Ok();
            };
            a_.Do(first);
            a_.script()->hook = nullptr;
            ASSERT_THAT(ByIndex(&b), testing::ElementsAreArray(ByTable(&b)));
          }
        }
      }
    }
  }
}

// A server dies with the answer to a write, or before the write: the statement goes on, and what
// depends on what was there happens once.
TEST_F(ClusterIndexesTest, AnAnswerThatIsLost) {
  MakeTable();
  for (const When when : {When::kBefore, When::kAfter}) {
    a_.Do("DELETE FROM T");
    int lost = 0;
    a_.script()->hook = [&](const std::string& table, Call call, When now) -> Status {
      const bool loses = table == "T" && call == Call::kCheckAndWrite && now == when && lost++ == 0;
      return loses ? IoError("closed the connection") : Status::Ok();
    };
    for (const std::string write :
         {"UPSERT INTO T VALUES (1, 'a', 10, 'x')", "UPSERT INTO T VALUES (2, 'b', 10, 'x')",
          "UPSERT INTO T (K, V) VALUES (1, 'c')", "DELETE FROM T WHERE K = 2"}) {
      lost = 0;
      a_.Do(write);
      EXPECT_GE(lost, 1) << write;
      EXPECT_THAT(ByIndex(&a_), testing::ElementsAreArray(ByTable(&a_))) << write;
    }
    for (int count = 11; count <= 12; ++count) {
      lost = 0;
      a_.Do("UPSERT INTO T (K) VALUES (1) ON DUPLICATE KEY UPDATE W = W + 1, V = 'd'");
      EXPECT_EQ(lost, when == When::kBefore ? 2 : 1);
      const std::string row = "d|" + std::to_string(count) + "|x|1";
      EXPECT_THAT(ByTable(&a_), ElementsAre(row));
      EXPECT_THAT(ByIndex(&a_), ElementsAre(row));
    }
    lost = 0;
    a_.Do("UPSERT INTO T VALUES (3, 'e', 1, 'x') ON DUPLICATE KEY UPDATE W = W + 1");
    EXPECT_THAT(ByIndex(&a_), ElementsAre("d|12|x|1", "e|1|x|3"));
    a_.script()->hook = nullptr;
  }
}

// The answer to a change that depends on the row is lost, and others come next. What can be known
// is told; the change is never made twice, and never told to be made when it was not.
TEST_F(ClusterIndexesTest, AnAnswerThatIsLostAmongOthers) {
  MakeTable();
  Client b(servers_.get());
  const std::string count = "UPSERT INTO T (K) VALUES (1) ON DUPLICATE KEY UPDATE W = W + 1";
  const std::string make = "UPSERT INTO T VALUES (1, 'c', 50, 'c') ON DUPLICATE KEY IGNORE";
  // Who comes in at the end of the call that is lost, what was there, and what becomes of it.
  struct Case {
    std::string other, first;
    bool there;
    When when;
    bool known;
    std::vector<std::string> rows;
  };
  const std::vector<Case> cases = {
      // The same of the same time. Only one of them was made.
      {count, count, true, When::kBefore, false, {"a|11|x|1"}},
      {count, count, true, When::kAfter, true, {"a|12|x|1"}},
      {"UPSERT INTO T (K, X) VALUES (1, 'b')", count, true, When::kAfter, true, {"a|11|b|1"}},
      {"UPSERT INTO T (K, X) VALUES (1, 'b')", count, true, When::kBefore, false, {"a|10|b|1"}},
      {"DELETE FROM T WHERE K = 1", count, true, When::kAfter, true, {}},
      {"DELETE FROM T WHERE K = 1", count, true, When::kBefore, false, {}},
      {"UPSERT INTO T VALUES (1, 'b', 1, 'b')", make, false, When::kBefore, false, {"b|1|b|1"}},
      {"UPSERT INTO T VALUES (1, 'b', 1, 'b')", make, false, When::kAfter, true, {"b|1|b|1"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.first + " / " + one.other +
                 (one.when == When::kBefore ? " before" : " after"));
    a_.Do("UPSERT INTO T VALUES (1, 'a', 10, 'x')");
    if (!one.there) a_.Do("DELETE FROM T WHERE K = 1");
    // Each write is later than the one before. The clock gets ahead of the delete markers.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    bool lost = false;
    a_.script()->hook = [&](const std::string& table, Call call, When now) -> Status {
      if (table != "T" || call != Call::kCheckAndWrite || now != one.when || lost) {
        return Status::Ok();
      }
      lost = true;
      b.Do(one.other);
      return IoError("closed the connection");
    };
    const Status status = a_.Try(one.first);
    a_.script()->hook = nullptr;
    EXPECT_EQ(status.ok(), one.known) << status.ToString();
    EXPECT_THAT(ByTable(&b), testing::ElementsAreArray(one.rows));
    EXPECT_THAT(ByIndex(&b), testing::ElementsAreArray(one.rows));
  }
}

// An acknowledged write of a row that was not there is seen, though others made and deleted it
// meanwhile by a clock that is ahead.
TEST_F(ClusterIndexesTest, MarkersThatNobodySawHideNothing) {
  MakeTable();
  Client b(servers_.get());
  b.script()->clock_offset_ms = 5000;
  bool done = false;
  a_.script()->hook = [&](const std::string& table, Call call, When when) -> Status {
    if (table != "T" || call != Call::kCheckAndWrite || when != When::kBefore || done) {
      return Status::Ok();
    }
    done = true;
    b.Do("UPSERT INTO T VALUES (1, 'b', 2, 'x')");
    b.Do("DELETE FROM T WHERE K = 1");
    return Status::Ok();
  };
  a_.Do("UPSERT INTO T VALUES (1, 'a', 1, 'x')");
  EXPECT_TRUE(done);
  EXPECT_THAT(ByTable(&a_), ElementsAre("a|1|x|1"));
  EXPECT_THAT(ByIndex(&a_), ElementsAre("a|1|x|1"));
}

TEST_F(ClusterIndexesTest, CountersOfManyWriters) {
  MakeTable();
  constexpr int kWriters = 4;
  constexpr int kTimes = 40;
  a_.Do("UPSERT INTO T (K, V, W) VALUES (1, 'n0', 0)");
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([this, writer] {
      Client client(servers_.get());
      client.script()->clock_offset_ms = writer - 2;
      for (int i = 0; i < kTimes; ++i) {
        client.Do(
            "UPSERT INTO T (K, V, W) VALUES (1, 'none', 0) ON DUPLICATE KEY UPDATE W = W + 1, "
            "V = 'n' || TO_CHAR(W + 1)");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(ByTable(&a_), ElementsAre("n160|160|-|1"));
  EXPECT_THAT(ByIndex(&a_), ElementsAre("n160|160|-|1"));
  a_.Do("UPSERT INTO T (K, V) VALUES (1, 'end')");
  EXPECT_THAT(ByIndex(&a_), ElementsAre("end|160|-|1"));
}

// ---------------------------------------------------------------- definitions

TEST_F(ClusterIndexesTest, AnIndexOfATableWithRows) {
  a_.Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER, X VARCHAR)");
  for (int i = 0; i < 30; ++i) {
    a_.Do("UPSERT INTO T (K, V) VALUES (" + std::to_string(i) + ", 'v" + std::to_string(i % 3) +
          "')");
  }
  a_.Do("CREATE INDEX IV ON T (V) INCLUDE (W, X)");
  EXPECT_EQ(Marks("IV"), std::make_pair(30, 0));
  EXPECT_THAT(Differences(), IsEmpty());
  Client b(servers_.get());
  b.Do("UPSERT INTO T (K, V) VALUES (3, 'moved')");
  EXPECT_THAT(b.Rows("SELECT K FROM T WHERE V = 'moved'"), ElementsAre("3"));
  EXPECT_THAT(Differences(), IsEmpty());
  b.Do("ALTER INDEX IV ON T DISABLE");
  a_.Do("UPSERT INTO T (K, V) VALUES (4, 'unseen')");
  EXPECT_THAT(Differences(), testing::Not(IsEmpty()));
  b.Do("ALTER INDEX IV ON T REBUILD");
  EXPECT_THAT(Differences(), IsEmpty());
  EXPECT_THAT(ByIndex(&a_), testing::ElementsAreArray(ByTable(&a_)));
  b.Do("DROP INDEX IV ON T");
  a_.Do("UPSERT INTO T (K, V) VALUES (5, 'late')");
  EXPECT_FALSE(servers_->admin()->TableExists(TableName{"default", "IV"}).value());
}

// A write that has begun before an index was defined is in the index, too.
TEST_F(ClusterIndexesTest, AWriterWhoDoesNotKnowOfTheIndex) {
  a_.Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER, X VARCHAR)");
  a_.Do("UPSERT INTO T VALUES (1, 'a', 1, 'x')");
  for (const std::string write :
       {"UPSERT INTO T VALUES (1, 'late', 2, 'x')",
        "UPSERT INTO T (K, W) VALUES (1, 0) ON DUPLICATE KEY UPDATE W = 3",
        "DELETE FROM T WHERE K = 1"}) {
    Client b(servers_.get());
    bool made = false;
    b.script()->hook = [&](const std::string& table, Call, When when) -> Status {
      if (table != "T" || when != When::kBefore || made) return Status::Ok();
      made = true;
      a_.Do("CREATE INDEX IV ON T (V) INCLUDE (W, X)");
      return Status::Ok();
    };
    b.Do(write);
    EXPECT_TRUE(made);
    EXPECT_THAT(ByIndex(&b), testing::ElementsAreArray(ByTable(&b))) << write;
    a_.Do("DROP INDEX IV ON T");
  }
}

// A write that has begun before an index was emptied and filled again is in it, and what its row
// was before is not.
TEST_F(ClusterIndexesTest, AWriterWhoIsSlowerThanARebuild) {
  MakeTable();
  for (const std::string write :
       {"UPSERT INTO T VALUES (1, 'late', 2, 'x')",
        "UPSERT INTO T (K, W) VALUES (1, 0) ON DUPLICATE KEY UPDATE W = 3",
        "DELETE FROM T WHERE K = 1"}) {
    a_.Do("UPSERT INTO T VALUES (1, 'a', 1, 'x')");
    Client b(servers_.get());
    bool done = false;
    b.script()->hook = [&](const std::string& table, Call, When when) -> Status {
      if (table != "T" || when != When::kBefore || done) return Status::Ok();
      done = true;
      a_.Do("ALTER INDEX IV ON T REBUILD");
      return Status::Ok();
    };
    b.Do(write);
    EXPECT_TRUE(done);
    EXPECT_THAT(ByIndex(&b), testing::ElementsAreArray(ByTable(&b))) << write;
  }
}

// An index of a view has its rows among those of others, and is mended where it stands.
TEST_F(ClusterIndexesTest, IndexesOfViewsAreMended) {
  a_.Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER)");
  a_.Do("CREATE VIEW U AS SELECT * FROM T WHERE W > 0");
  a_.Do("CREATE VIEW N AS SELECT * FROM T");
  a_.Do("CREATE INDEX UV ON U (V) INCLUDE (W)");
  a_.Do("CREATE INDEX NV ON N (V) INCLUDE (W)");
  const auto differences = [&](const std::string& index) {
    return a_.Rows("CHECK INDEX " + index);
  };
  const auto mended = [&](const std::string& statement) {
    a_.Do(statement);
    EXPECT_THAT(differences("UV ON U"), IsEmpty()) << statement;
    const std::string order = " V, W, K FROM U WHERE V > 'A' ORDER BY V, K";
    const std::string by_index = "SELECT /*+ INDEX(U UV) */" + order;
    EXPECT_THAT(a_.Plan(by_index), HasSubstr("OVER _IDX_T"));
    EXPECT_THAT(a_.Rows(by_index),
                testing::ElementsAreArray(a_.Rows("SELECT /*+ NO_INDEX */" + order)));
    EXPECT_THAT(differences("NV ON N"), IsEmpty()) << statement;
  };
  for (int i = 0; i < 20; ++i) {
    a_.Do("UPSERT INTO T VALUES (" + std::to_string(i) + ", 'v" + std::to_string(i % 3) + "', " +
          std::to_string(i % 4) + ")");
  }
  mended("ALTER INDEX UV ON U REBUILD");
  // What was written while nobody kept it up.
  a_.Do("ALTER INDEX UV ON U DISABLE");
  a_.Do("UPSERT INTO T VALUES (1, 'unseen', 7)");
  a_.Do("UPSERT INTO T VALUES (2, 'v2', 9)");
  a_.Do("UPSERT INTO T VALUES (30, 'new', 5)");
  a_.Do("DELETE FROM T WHERE K = 3");
  EXPECT_THAT(differences("UV ON U"), Not(IsEmpty()));
  mended("ALTER INDEX UV ON U REBUILD");
  // What clients left that died after a phase, of rows that are there and of new ones.
  const std::vector<std::vector<std::string>> writes = {
      {"UPSERT INTO T VALUES (5, 'x', 7)", "UPSERT INTO T (K, W) VALUES (6, 8)",
       "UPSERT INTO T VALUES (40, 'y', 7)", "DELETE FROM T WHERE K = 9"},
      {"UPSERT INTO T VALUES (15, 'x', 7)", "UPSERT INTO T (K, W) VALUES (16, 8)",
       "UPSERT INTO T VALUES (50, 'y', 7)", "DELETE FROM T WHERE K = 19"}};
  for (size_t phase = 0; phase < 2; ++phase) {
    for (const std::string& write : writes[phase]) {
      Client dying(servers_.get());
      size_t left = phase + 1;
      bool dead = false;
      dying.script()->hook = [&](const std::string&, Call, When when) -> Status {
        if (when == When::kBefore && left-- == 0) dead = true;
        return dead ? FailedPrecondition("dead") : Status::Ok();
      };
      EXPECT_EQ(dying.Try(write).ok(), phase == 1) << write;
    }
  }
  // Others change the table, and the index: a row too much, one too few, and a wrong value of
  // later.
  const auto table = servers_->OpenTable(TableName{"default", "T"}).value();
  ASSERT_TRUE(table->DeleteRow("\x80\0\0\x0a"s).ok());
  const auto shared = servers_->OpenTable(TableName{"default", "_IDX_T"}).value();
  const auto scanner = shared->OpenScanner({}).value();
  CellBatch found;
  ASSERT_TRUE(scanner->Next(100, &found).ok());
  for (size_t i = 0; i < 2; ++i) {
    const Cell& cell = found.cells[found.row_starts[i]];
    if (i == 0) {
      ASSERT_TRUE(shared->DeleteRow(cell.row()).ok());
    } else {
      ASSERT_TRUE(shared->Put(cell.row(), cell.family(), "\x80\x0c", "\x80\0\0\x63"s).ok());
    }
  }
  a_.Do("CHECK INDEX NV ON N REPAIR");
  mended("CHECK INDEX UV ON U REPAIR");
}

// Writers of the same rows go on while an index of a view is rebuilt again and again.
TEST_F(ClusterIndexesTest, AnIndexIsMendedUnderWriters) {
  a_.Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER)");
  a_.Do("CREATE VIEW U AS SELECT * FROM T");
  a_.Do("CREATE INDEX UV ON U (V) INCLUDE (W)");
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (unsigned writer = 0; writer < 3; ++writer) {
    threads.emplace_back([&, writer] {
      Client client(servers_.get());
      client.script()->clock_offset_ms = static_cast<int64_t>(writer) * 5 - 5;
      std::mt19937 random(writer);
      const auto number = [&](unsigned below) { return std::to_string(random() % below); };
      while (!stop) {
        // Some die between the phases.
        int left = random() % 10 == 0 ? static_cast<int>(random() % 3) : 1000;
        client.script()->hook = [&](const std::string&, Call, When when) -> Status {
          if (when != When::kBefore || left-- > 0) return Status::Ok();
          left = 0;
          return FailedPrecondition("dead");
        };
        const std::string key = number(30);
        static_cast<void>(client.Try(random() % 3 == 0
                                         ? "DELETE FROM T WHERE K = " + key
                                         : "UPSERT INTO T VALUES (" + key + ", 'v" + number(4) +
                                               "', " + number(100) + ")"));
      }
    });
  }
  for (int round = 0; round < 3; ++round) {
    const Status rebuilt = a_.Try("ALTER INDEX UV ON U REBUILD");
    EXPECT_TRUE(rebuilt.ok()) << rebuilt.ToString();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(a_.Rows("CHECK INDEX UV ON U"), Not(Contains(HasSubstr("MISSING"))));
  a_.Do("ALTER INDEX UV ON U REBUILD");
  EXPECT_THAT(a_.Rows("CHECK INDEX UV ON U"), IsEmpty());
}

TEST_F(ClusterIndexesTest, CheckFindsWhatOthersDid) {
  MakeTable();
  a_.Do("UPSERT INTO T VALUES (1, 'a', 1, 'x')");
  a_.Do("UPSERT INTO T VALUES (2, 'b', 2, 'x')");
  EXPECT_THAT(Differences(), IsEmpty());
  // A client of HBase's changes the table, and takes a row of the index away.
  const auto table = servers_->OpenTable(TableName{"default", "T"}).value();
  ASSERT_TRUE(table->DeleteRow("\x80\0\0\x01"s).ok());
  EXPECT_THAT(Differences(), ElementsAre(HasSubstr("NOT IN TABLE")));
  a_.Do("CHECK INDEX IV ON T REPAIR");
  EXPECT_THAT(Differences(), IsEmpty());
  EXPECT_EQ(Marks("IV"), std::make_pair(1, 0));
}

TEST_F(ClusterIndexesTest, WhatCannotBeSafeIsRefused) {
  a_.Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR)");
  EXPECT_THAT(a_.Try("CREATE LOCAL INDEX L ON T (V)").ToString(), HasSubstr("local index"));
  a_.Do("CREATE TABLE S (K INTEGER PRIMARY KEY, V VARCHAR) UPDATE_CACHE_FREQUENCY = 60000");
  EXPECT_THAT(a_.Try("CREATE INDEX I ON S (V)").ToString(), HasSubstr("UPDATE_CACHE_FREQUENCY"));
  a_.Do(
      "CREATE IMMUTABLE TABLE R (K DATE NOT NULL, V VARCHAR, CONSTRAINT PK PRIMARY KEY (K "
      "ROW_TIMESTAMP))");
  EXPECT_THAT(a_.Try("CREATE INDEX I ON R (V)").ToString(), HasSubstr("ROW_TIMESTAMP"));
  EXPECT_FALSE(servers_->admin()->TableExists(TableName{"default", "I"}).value());
  a_.Do("CREATE VIEW W AS SELECT * FROM T WHERE V = 'a'");
  EXPECT_THAT(a_.Try("CREATE INDEX LATER ON W (K) ASYNC").ToString(), HasSubstr("leave out ASYNC"));
}

// ASYNC: who writes keeps the index up, and a later REBUILD adds what was there before.
TEST_F(ClusterIndexesTest, AnIndexIsBuiltLater) {
  a_.Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER)");
  a_.Do("UPSERT INTO T VALUES (1, 'a', 1)");
  a_.Do("CREATE INDEX IV ON T (V) INCLUDE (W) ASYNC");
  Client b(servers_.get());
  b.Do("UPSERT INTO T VALUES (2, 'b', 2)");
  EXPECT_EQ(Marks("IV"), std::make_pair(1, 0));
  const std::string plan = "EXPLAIN SELECT W FROM T WHERE V = 'a'";
  EXPECT_THAT(a_.Rows(plan), Not(Contains(HasSubstr("IV"))));
  EXPECT_THAT(b.Try("ALTER INDEX IV ON T ACTIVE").ToString(), HasSubstr("ERROR 1028"));
  EXPECT_THAT(b.Try("ALTER INDEX IV ON T REBUILD ASYNC").ToString(), HasSubstr("leave out ASYNC"));
  b.Do("ALTER INDEX IV ON T REBUILD");
  EXPECT_THAT(Differences(), IsEmpty());
  EXPECT_EQ(Marks("IV"), std::make_pair(2, 0));
  EXPECT_THAT(a_.Rows(plan), Contains(HasSubstr("IV")));
  EXPECT_THAT(a_.Rows("SELECT W FROM T WHERE V = 'a'"), ElementsAre("1"));
}

// No query uses it, writers keep it up, and the next REBUILD makes it whole.
TEST_F(ClusterIndexesTest, ARebuildThatIsCancelled) {
  MakeTable();
  a_.Do("UPSERT INTO T VALUES (1, 'a', 1, 'x')");
  a_.Do("UPSERT INTO T VALUES (2, 'b', 2, 'x')");
  const TableName index{"default", "IV"};
  ASSERT_TRUE(servers_->admin()->DisableTable(index).ok());
  ASSERT_TRUE(servers_->admin()->TruncateTable(index, false).ok());
  Client b(servers_.get());
  bool cancelled = false;
  b.script()->hook = [&](const std::string& table, Call, When) -> Status {
    if (table == "IV" && !std::exchange(cancelled, true)) b.session()->Cancel();
    return Status::Ok();
  };
  EXPECT_EQ(b.Try("ALTER INDEX IV ON T REBUILD").code(), StatusCode::kCancelled);
  EXPECT_TRUE(cancelled);
  const std::string query = "SELECT W FROM T WHERE V = 'b'";
  EXPECT_THAT(a_.Plan(query), Not(HasSubstr("IV")));
  EXPECT_THAT(a_.Rows(query), ElementsAre("2"));
  const int verified = Marks("IV").first;
  a_.Do("UPSERT INTO T VALUES (3, 'c', 3, 'x')");
  EXPECT_EQ(Marks("IV").first, verified + 1);
  a_.Do("ALTER INDEX IV ON T REBUILD");
  EXPECT_THAT(Differences(), IsEmpty());
  EXPECT_THAT(ByIndex(&a_), testing::ElementsAreArray(ByTable(&a_)));
}

// Tables with the classes of Phoenix are kept by its servers: who writes the table tells them of
// the indexes, and writes nothing else.
TEST_F(ClusterIndexesTest, TablesOfPhoenix) {
  MakeTable();
  Client b(servers_.get());
  b.script()->phoenix = true;
  int index_writes = 0;
  b.script()->hook = [&](const std::string& table, Call, When) -> Status {
    index_writes += table == "IV" ? 1 : 0;
    return Status::Ok();
  };
  b.Do("UPSERT INTO T VALUES (2, 'b', 1, 'x')");
  EXPECT_EQ(index_writes, 0);
  ASSERT_EQ(b.script()->attributes.size(), 1u);
  std::map<std::string, Bytes> attributes = b.script()->attributes[0];
  EXPECT_EQ(attributes["IdxUUID"].size(), 8u);
  EXPECT_EQ(attributes["_ClientVersion"], Bytes("\0\5\2\0", 4));
  // One index, of a table whose key is an INTEGER that is not null.
  const Bytes& list = attributes["IdxProtoMD"];
  const Bytes head("\1\1\xff\4\1", 5);
  ASSERT_EQ(list.substr(0, head.size()), head);
  EXPECT_GT(list.size(), head.size());
}

// Their indexes are made here, too, by reading the table and writing the index.
TEST_F(ClusterIndexesTest, IndexesOfPhoenixsTablesAreMade) {
  MakeTable();
  a_.Do("UPSERT INTO T VALUES (2, 'b', 1, 'x')");
  Client b(servers_.get());
  b.script()->phoenix = true;
  b.Do("CREATE INDEX FV ON T (UPPER(V)) INCLUDE (W)");
  EXPECT_THAT(a_.Rows("CHECK INDEX FV ON T"), IsEmpty());
  EXPECT_THAT(a_.Rows("SELECT K FROM T WHERE UPPER(V) = 'B'"), ElementsAre("2"));
  // One that could not be described to the servers is not made.
  EXPECT_THAT(b.Try("CREATE INDEX CV ON T (TO_CHAR(W, '000'))").ToString(),
              HasSubstr("cannot be described to Phoenix's servers"));
  EXPECT_FALSE(servers_->admin()->TableExists(TableName{"default", "CV"}).value());
  b.Do("UPSERT INTO T VALUES (3, 'c', 1, 'x')");
  b.Do("DROP INDEX FV ON T");
  b.Do("ALTER INDEX IV ON T REBUILD");
  EXPECT_THAT(a_.Rows("CHECK INDEX IV ON T"), IsEmpty());
}

// Phoenix's servers leave the global indexes of immutable tables to who writes the table.
TEST_F(ClusterIndexesTest, ImmutableTablesOfPhoenix) {
  a_.Do("CREATE IMMUTABLE TABLE M (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER)");
  a_.Do("CREATE INDEX MV ON M (V) INCLUDE (W)");
  Client b(servers_.get());
  b.script()->phoenix = true;
  b.Do("UPSERT INTO M VALUES (1, 'a', 7)");
  b.Do("UPSERT INTO M VALUES (2, 'b', 8)");
  b.Do("DELETE FROM M WHERE K = 2");
  EXPECT_TRUE(b.script()->attributes.empty());
  EXPECT_THAT(a_.Rows("CHECK INDEX MV ON M"), IsEmpty());
  EXPECT_THAT(a_.Rows("SELECT W FROM M WHERE V = 'a'"), ElementsAre("7"));
}

}  // namespace
}  // namespace bennu::sql::index
