// Writers of SQL on a table with an index of each kind (crash/indexed_store.h), among flushes,
// compactions, splits, merges, deaths and further indexes that come and go:
//
//   index_stress DIR [--seconds N] [--writers W] [--seed S]
//
// Process after process opens the store, compares each index with the table both ways and the table
// with what was acknowledged, and writes until it is killed at a random moment or closes the store.
// Each writer has keys of its own. It writes them by UPSERT VALUES, UPSERT SELECT, in transactions
// of several rows, and deletes them by key and by each index. Some rows are all writers', who write
// whole rows and single columns of them, change them by ON DUPLICATE KEY and delete them, by two
// columns at the same moment: what the indexes have of them must be what the table has. Others are
// counters, of which no step may be lost. Queries by the indexes run beside, and must find each row
// of the snapshot once. Exit status 0 when nothing was ever wrong; DIR is removed then.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "src/base/log.h"
#include "src/check/checker.h"
#include "tests/crash/indexed_store.h"
#include "tests/support/violation.h"

namespace bennu::indexed {
namespace {

constexpr int kWritersMax = 32;
constexpr int kKeys = 40;     // of each writer
constexpr int kShared = 6;    // rows that all write: few, so that they meet
constexpr int kCounters = 3;  // rows that all count up
constexpr int kNone = -1;     // no row
constexpr int kValues = 50;
constexpr unsigned kProcessSecondsMax = 300;

// What writers know of their rows; outlives the processes. A row's value says all of it.
struct Model {
  struct Row {
    std::atomic<int> acknowledged;
    std::atomic<int> pending;  // what a call that has not come back makes of it
  };
  Row rows[kWritersMax][kKeys];
  // Steps of the counters: those that were begun, and those that came back.
  std::atomic<int> begun[kCounters];
  std::atomic<int> counted[kCounters];
  std::atomic<uint64_t> operations;
};

std::string RowOf(int writer, int key, int value) {
  const std::string number = std::to_string(value);
  return "(" + std::to_string(key) + ", 'w" + std::to_string(writer) + "', " +
         (value % 7 == 0 ? "NULL" : number) + ", 'text" + number + "', " + number + ".5)";
}

// ---- one writer

class Writer {
 public:
  Writer(int number, uint64_t seed, Model* model, Store* store)
      : number_(number),
        random_(seed * kWritersMax + static_cast<uint64_t>(number)),
        model_(model),
        connection_(Must(store->Connect(), "connecting")) {}

  void WriteOnce() {
    switch (random_() % 14) {
      case 0: return DeleteByKey();
      case 1: return DeleteBy("w = 'text" + std::to_string(Some()) + "'");
      case 2: return DeleteBy("v = " + std::to_string(Some()));
      case 3: return WriteSeveral();
      case 4: return Copy();
      case 5:
      case 6:
      case 7:
      case 8: return Do(ChangeOfShared());
      case 9: return WriteSeveralShared();
      case 10: return CountUp();
      default: return WriteOne();
    }
  }

 private:
  Model::Row& Row(int key) { return model_->rows[number_][key]; }
  int Some() { return static_cast<int>(random_() % kValues); }
  int Key() { return static_cast<int>(random_() % kKeys); }
  std::string Mine() const { return " l = 'w" + std::to_string(number_) + "'"; }

  void Do(const std::string& sql) {
    Must(Store::Execute(connection_.get(), sql), sql);
    model_->operations.fetch_add(1);
  }
  void Acknowledge() {
    for (int key = 0; key < kKeys; ++key) Row(key).acknowledged.store(Row(key).pending.load());
  }

  void WriteOne() {
    const int key = Key();
    const int value = Some();
    Row(key).pending.store(value);
    Do("UPSERT INTO it VALUES " + RowOf(number_, key, value));
    Acknowledge();
  }

  // Without autocommit.
  void WriteSeveral() {
    Must(connection_->SetAutocommit(false), "autocommit");
    std::set<int> keys;
    while (keys.size() < 5) keys.insert(Key());
    for (const int key : keys) {
      const int value = Some();
      Row(key).pending.store(value);
      Do("UPSERT INTO it VALUES " + RowOf(number_, key, value));
    }
    Must(connection_->Commit(), "commit");
    Must(connection_->SetAutocommit(true), "autocommit");
    Acknowledge();
  }

  // A statement that changes rows that all write: the whole row, some of its columns, by what it
  // has, or away with it, by its key or by an index.
  std::string ChangeOfShared() {
    const std::string key = std::to_string(random_() % kShared);
    const std::string value = std::to_string(Some());
    const std::string of_key = "(" + key + ", 's', ";
    const std::string all = "UPSERT INTO it VALUES " + of_key + value + ", 'text" + value + "', " +
                            std::to_string(Some()) + ".5)";
    switch (random_() % 12) {
      case 0: return "UPSERT INTO it (k, l, v) VALUES " + of_key + value + ")";
      case 1: return "UPSERT INTO it (k, l, w) VALUES " + of_key + "'text" + value + "')";
      case 2: return "UPSERT INTO it (k, l, n) VALUES " + of_key + value + ".25)";
      case 3: return "UPSERT INTO it (k, l, v, n) VALUES " + of_key + "NULL, " + value + ")";
      case 4: return all + " ON DUPLICATE KEY UPDATE v = v + 1, w = 'more" + value + "'";
      case 5: return all + " ON DUPLICATE KEY UPDATE n = n + 1";
      case 6: return all + " ON DUPLICATE KEY IGNORE";
      case 7: return "DELETE FROM it WHERE k = " + key + " AND l = 's'";
      case 8: return "DELETE FROM it WHERE w = 'text" + value + "' AND l = 's'";
      case 9: return "DELETE FROM it WHERE v = " + value + " AND l = 's'";
      case 10:
        return "UPSERT INTO it SELECT " + key +
               ", l, v, w, n FROM it WHERE l = 's' AND k = " + std::to_string(random_() % kShared);
      default: return all;
    }
  }

  // In one transaction, in any order: others hold the same rows.
  void WriteSeveralShared() {
    Must(connection_->SetAutocommit(false), "autocommit");
    for (int i = 0; i < 4; ++i) Do(ChangeOfShared());
    Must(connection_->Commit(), "commit");
    Must(connection_->SetAutocommit(true), "autocommit");
  }

  void CountUp() {
    const size_t counter = random_() % kCounters;
    model_->begun[counter].fetch_add(1);
    Do("UPSERT INTO it VALUES (" + std::to_string(counter) +
       ", 'c', 1, 'counter', 1) ON DUPLICATE KEY UPDATE v = v + 1, n = n + 1");
    model_->counted[counter].fetch_add(1);
  }

  // One of its rows to another key, if it is there.
  void Copy() {
    const int from = Key();
    const int to = Key();
    const int value = Row(from).acknowledged.load();
    if (value == kNone) return;
    Row(to).pending.store(value);
    Do("UPSERT INTO it SELECT " + std::to_string(to) +
       ", l, v, w, n FROM it WHERE k = " + std::to_string(from) + " AND" + Mine());
    Acknowledge();
  }

  void DeleteByKey() {
    const int key = Key();
    Row(key).pending.store(kNone);
    Do("DELETE FROM it WHERE k = " + std::to_string(key) + " AND" + Mine());
    Acknowledge();
  }

  // By an index: the condition is "w = 'textN'" or "v = N".
  void DeleteBy(const std::string& condition) {
    const bool by_text = condition.starts_with("w");
    const int value = std::atoi(condition.c_str() + (by_text ? 9 : 4));
    for (int key = 0; key < kKeys; ++key) {
      const bool meets = Row(key).acknowledged.load() == value && (by_text || value % 7 != 0);
      if (meets) Row(key).pending.store(kNone);
    }
    Do("DELETE FROM it WHERE " + condition + " AND" + Mine());
    Acknowledge();
  }

  const int number_;
  std::mt19937_64 random_;
  Model* const model_;
  const std::unique_ptr<SqlConnection> connection_;
};

// ---- a process

struct Arguments {
  std::string directory;
  int64_t seconds = 10;
  int writers = 8;
  uint64_t seed = 0;
};

class Process {
 public:
  Process(const Arguments& arguments, Model* model, uint64_t seed)
      : arguments_(arguments), model_(model), seed_(seed), store_(arguments.directory) {}

  void Run(bool ends) {
    if (std::filesystem::exists(arguments_.directory + "/hbase.version")) CheckDirectory();
    Must(store_.Open(), "opening");
    MakeTable();
    CheckIndexes("after the opening");
    CheckRows();
    CheckCounters();
    std::vector<std::thread> threads;
    for (int i = 0; i < arguments_.writers; ++i) {
      threads.emplace_back([&, i] {
        Writer writer(i, seed_, model_, &store_);
        while (!stopped_.load()) writer.WriteOnce();
      });
    }
    threads.emplace_back([&] { Administer(); });
    threads.emplace_back([&] { Query(); });
    Env::Default()->SleepMicros(ends ? 1'500'000 : kProcessSecondsMax * 1'000'000UL);
    stopped_.store(true);
    for (std::thread& thread : threads) thread.join();
    CheckIndexes("after the load");
    CheckRows();
    CheckCounters();
    Must(store_.Close(), "closing");
  }

 private:
  void CheckDirectory() const {
    const auto report = Must(check::CheckStore(Env::Default(), arguments_.directory, {}), "check");
    for (const check::Finding& finding : report.findings) {
      if (finding.level == check::Level::kFault) Violation(check::FormatFinding(finding));
    }
  }

  void MakeTable() {
    for (std::string sql : kDefinitions) {
      const size_t name = sql.find(" it");
      sql.insert(name, " IF NOT EXISTS");
      Must(store_.Execute(sql), sql);
    }
  }

  void CheckIndexes(const std::string& when) {
    const std::string differences = Must(store_.DifferencesOfIndexes(), when + ": CHECK INDEX");
    if (!differences.empty()) Violation(when + ": indexes differ from the table:\n" + differences);
  }

  void CheckRows() {
    std::map<std::pair<int, int>, int> found;
    for (const std::string& row :
         Must(store_.Execute("SELECT /*+ NO_INDEX */ l, k, w FROM it WHERE l LIKE 'w%'"),
              "reading the table")) {
      const size_t first = row.find('|');
      const size_t second = row.find('|', first + 1);
      found[{std::atoi(row.c_str() + 1), std::atoi(row.c_str() + first + 1)}] =
          std::atoi(row.c_str() + second + 5);
    }
    for (int writer = 0; writer < arguments_.writers; ++writer) {
      for (int key = 0; key < kKeys; ++key) {
        Model::Row& row = model_->rows[writer][key];
        const auto it = found.find({writer, key});
        const int value = it == found.end() ? kNone : it->second;
        const int acknowledged = row.acknowledged.load();
        if (value != acknowledged && value != row.pending.load()) {
          Violation("row " + std::to_string(key) + " of writer " + std::to_string(writer) +
                    " has the value " + std::to_string(value) + ", and not " +
                    std::to_string(acknowledged) + " or " + std::to_string(row.pending.load()));
        }
        row.acknowledged.store(value);
        row.pending.store(value);
      }
    }
  }

  // Of steps that did not come back the last ones may be there or not.
  void CheckCounters() {
    for (int counter = 0; counter < kCounters; ++counter) {
      const auto rows =
          Must(store_.Execute("SELECT /*+ NO_INDEX */ v, n FROM it WHERE l = 'c' AND k = " +
                              std::to_string(counter)),
               "reading a counter");
      const int value = rows.empty() ? 0 : std::atoi(rows.front().c_str());
      const int counted = model_->counted[counter].load();
      const int begun = model_->begun[counter].load();
      const std::string number = std::to_string(value);
      if (value < counted || value > begun ||
          (!rows.empty() && rows.front() != number + "|" + number)) {
        Violation("counter " + std::to_string(counter) + " is " +
                  (rows.empty() ? "not there" : rows.front()) + " after " +
                  std::to_string(counted) + " steps, with " + std::to_string(begun) + " begun");
      }
      model_->counted[counter].store(value);
      model_->begun[counter].store(value);
    }
  }

  // Makes an index that no query reads, while all go on, and compares it at once. The background
  // may be at what a death has left half made.
  void BuildIndex(bool local) {
    const std::string name = local ? "it_y" : "it_x";
    Must(store_.Execute("DROP INDEX IF EXISTS " + name + " ON it"), "dropping an index");
    const std::string sql = std::string(local ? "CREATE LOCAL INDEX " : "CREATE INDEX ") + name +
                            " ON it (k * 2 + LENGTH(l)) INCLUDE (n, v)";
    const auto made = store_.Execute(sql);
    if (!made.ok()) {
      const std::string error = made.status().ToString();
      if (error.find("is being built already") == std::string::npos) Violation(sql + ": " + error);
      return;
    }
    for (const std::string& row : Must(store_.Execute("CHECK INDEX " + name + " ON it"), name)) {
      Violation("index " + name + " is not as its table once it is built: " + row);
    }
  }

  // A split or merge may come too late for what it wants; all else must go well.
  void Administer() {
    std::mt19937_64 random(seed_ + 1);
    const TableName name{"default", "IT"};
    Admin* const admin = store_.admin();
    while (!stopped_.load()) {
      Env::Default()->SleepMicros(20'000);
      switch (random() % 7) {
        case 0: Must(admin->Flush(name), "flush"); break;
        case 1: Must(admin->Compact(name, random() % 2 == 0), "compact"); break;
        case 2: Must(admin->Flush({"default", "IT_C"}), "flush of an index"); break;
        case 3: Split(static_cast<char>(random() % kKeys)); break;
        case 4: BuildIndex(/*local=*/false); break;
        case 5: BuildIndex(/*local=*/true); break;
        default: Merge(); break;
      }
    }
  }
  void Split(char key) {
    const TableName name{"default", "IT"};
    const auto table = Must(store_.engine()->OpenTable(name), "opening the table");
    if (table->regions().size() > 4) return;
    static_cast<void>(store_.admin()->SplitTable(name, Bytes{'\x80', '\0', '\0', key}).ok());
  }
  void Merge() {
    const auto table = Must(store_.engine()->OpenTable({"default", "IT"}), "opening the table");
    const std::vector<RegionInfo> regions = table->regions();
    if (regions.size() < 2) return;
    static_cast<void>(
        store_.admin()->MergeRegions({regions[0].EncodedName(), regions[1].EncodedName()}).ok());
  }

  // A row is in each index once, whatever is written meanwhile, so that no key comes twice.
  void Query() {
    std::mt19937_64 random(seed_ + 2);
    const auto connection = Must(store_.Connect(), "connecting");
    const std::vector<std::string> conditions = {"v > 5", "v + k > 10 AND UPPER(w) > 'A'", "n > 3",
                                                 "w >= 'text1'", "v > 20 AND w > 'a'"};
    while (!stopped_.load()) {
      const std::string sql =
          "SELECT k, l FROM it WHERE " + conditions[random() % conditions.size()];
      std::set<std::string> seen;
      for (const std::string& row : Must(Store::Execute(connection.get(), sql), sql)) {
        if (!seen.insert(row).second) Violation(sql + " gives " + row + " twice");
      }
    }
  }

  const Arguments& arguments_;
  Model* const model_;
  const uint64_t seed_;
  Store store_;
  std::atomic<bool> stopped_{false};
};

// ---- the supervisor: one thread, no store

int Supervise(const Arguments& arguments) {
  std::filesystem::remove_all(arguments.directory);
  void* const memory =
      ::mmap(nullptr, sizeof(Model), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  auto* const model = new (memory) Model();
  for (auto& writer : model->rows) {
    for (Model::Row& row : writer) {
      row.acknowledged.store(kNone);
      row.pending.store(kNone);
    }
  }
  std::printf("seed %llu\n", static_cast<unsigned long long>(arguments.seed));
  std::fflush(stdout);
  std::mt19937_64 random(arguments.seed);
  int processes = 0;
  int deaths = 0;
  const uint64_t begin = Env::Default()->MonotonicNanos();
  for (bool last = false; !last;) {
    // What the last death left is looked at too.
    last = (Env::Default()->MonotonicNanos() - begin) / 1'000'000'000 >=
           static_cast<uint64_t>(arguments.seconds);
    const uint64_t seed = random();
    // The first one makes the table; an index whose making was cut short is not read for a while.
    const bool ends = last || processes == 0 || random() % 4 == 0;
    const uint64_t millis = 300 + random() % 2500;
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::alarm(kProcessSecondsMax);
      SetLogLevel(LogLevel::kOff);
      Process(arguments, model, seed).Run(ends);
      ::_exit(0);
    }
    if (!ends) {
      Env::Default()->SleepMicros(millis * 1000);
      ::kill(pid, SIGKILL);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    ++processes;
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (killed) ++deaths;
    if ((killed && !ends) || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) continue;
    std::fprintf(stderr, "index_stress: a process ended with status %d; the store is kept in %s\n",
                 status, arguments.directory.c_str());
    return 1;
  }
  std::printf("%llu statements, %d processes, %d deaths: all well\n",
              static_cast<unsigned long long>(model->operations.load()), processes, deaths);
  std::filesystem::remove_all(arguments.directory);
  return 0;
}

int Usage() {
  std::fprintf(stderr, "usage: index_stress DIR [--seconds N] [--writers W] [--seed S]\n");
  return 2;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  arguments.seed = Env::Default()->RandomU64() % 1'000'000;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (name == "--seconds") {
      arguments.seconds = static_cast<int64_t>(number());
    } else if (name == "--seed") {
      arguments.seed = number();
    } else if (name == "--writers") {
      arguments.writers = static_cast<int>(number());
    } else if (name.starts_with("-") || !arguments.directory.empty()) {
      return Usage();
    } else {
      arguments.directory = name;
    }
  }
  const bool fits = arguments.writers >= 1 && arguments.writers <= kWritersMax;
  if (arguments.directory.empty() || !fits) return Usage();
  return Supervise(arguments);
}

}  // namespace
}  // namespace bennu::indexed

int main(int argc, char** argv) { return bennu::indexed::Main(argc, argv); }
