// Random mixed load on a store for as long as told, with faults and deaths, and a model that knows
// what must be there:
//
//   stress DIR [--seconds N] [--seed S] [--threads T] [--kill] [--faults]
//
// DIR (made, or emptied of an earlier run's store) holds the store. Process after process opens it,
// checks it with the checker of `bennu check`, compares all of it with the model, and loads it:
//   in order          nothing goes wrong, the store is closed
//   faults            calls of the file system fail at random, writes end in the middle
//   failed point      a named failpoint returns an error
//   kill              SIGKILL at a random moment
//   kill at a point   SIGKILL at a named failpoint, also while the store is opened
//
// The load writes, reads, flushes, compacts, splits, merges, alters (also to other store engines
// and in-memory compactions), clones snapshots and reads the clones. Every third process syncs each
// write. Some rows are written without the log; the model knows from when on they must be there.
//
// Exit status 0 when nothing was ever wrong. A run with one thread and a given seed repeats itself;
// with more the seed repeats the choices, not their order in time.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <string>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/check/checker.h"
#include "src/engine/open.h"
#include "tests/stress/model.h"
#include "tests/stress/verifier.h"
#include "tests/stress/worker.h"
#include "tests/support/chaos_env.h"

namespace bennu::stress {
namespace {

struct Arguments {
  std::string directory;
  int64_t seconds = 10;
  uint64_t seed = 0;
  int threads = 4;
  bool kill = false;
  bool faults = false;
};

enum class Mode { kInOrder, kFaults, kFailedPoint, kKill, kKillAtPoint };
constexpr const char* kModeNames[] = {"in order", "faults", "failed point", "kill",
                                      "kill at a point"};

// ---- in a process of its own

engine::EngineOptions StoreOptions(Env* env, std::mt19937_64* random) {
  engine::EngineOptions options;
  options.env = env;
  options.block_cache_bytes = 2 << 20;
  options.memstore_flush_bytes = 128 << 10;
  options.memstore_total_bytes = 1 << 20;
  options.wal_roll_bytes = 256 << 10;
  options.wal_files_max = 4;
  options.old_wal_files_max = 1;
  options.old_wal_keep_millis = 100;
  options.archive_keep_millis = 50;
  options.background_split = false;
  // A killed process loses nothing that the system has.
  options.wal_sync = (*random)() % 3 == 0 ? engine::WalSync::kFsync : engine::WalSync::kOs;
  options.query_threads = 2;
  options.eager_regions_max = (*random)() % 2 == 0 ? 100 : 1;
  options.flush_on_close = (*random)() % 2 == 0;
  return options;
}

// Whatever happened before, what is on disk is sound.
void CheckDirectory(const std::string& directory) {
  if (!std::filesystem::exists(directory + "/hbase.version")) return;  // died while it was made
  const auto report = check::CheckStore(Env::Default(), directory, {});
  if (!report.ok()) Violation("check: " + report.status().ToString());
  std::string faults;
  for (const check::Finding& finding : report->findings) {
    if (finding.level == check::Level::kFault) faults += check::FormatFinding(finding) + "\n";
  }
  if (!faults.empty()) Violation("the check finds\n" + faults);
}

void EnsureTable(Connection* store) {
  const TableName name{"default", kTableName};
  const auto exists = store->admin()->TableExists(name);
  if (!exists.ok()) Violation("TableExists: " + exists.status().ToString());
  if (*exists) return;
  const Status made = store->admin()->CreateTable(StressTable(kTableName), {"e"});
  if (!made.ok()) Violation("CreateTable: " + made.ToString());
}

void RunProcess(const Arguments& arguments, Model* model, Mode mode, uint64_t seed,
                const std::string& point) {
  std::mt19937_64 random(seed);
  SetLogLevel(LogLevel::kOff);
  CheckDirectory(arguments.directory);
  const int passages = 1 + static_cast<int>(random() % 4);
  const bool dies_opening = mode == Mode::kKillAtPoint && random() % 3 == 0;
  const auto arm = [&] {
    const std::string action = mode == Mode::kKillAtPoint ? "=kill@" : "=error@";
    const Status armed = ArmFailpoints(point + action + std::to_string(passages));
    if (!armed.ok()) Violation(armed.ToString());
  };
  if (dies_opening) arm();
  testing::ChaosEnv env(Env::Default());
  auto engine = engine::OpenEngine(arguments.directory, StoreOptions(&env, &random));
  if (!engine.ok()) Violation("the store does not open: " + engine.status().ToString());
  EnsureTable(engine->get());
  auto mirror = std::make_unique<testing::MemoryStore>();
  VerifyAndSettle(engine->get(), model, mirror.get());

  LoadOptions load;
  load.seed = seed;
  load.threads = arguments.threads;
  load.milliseconds = 200 + static_cast<int64_t>(random() % 600);
  load.may_fail = mode == Mode::kFaults || mode == Mode::kFailedPoint;
  if (!dies_opening && (mode == Mode::kKillAtPoint || mode == Mode::kFailedPoint)) arm();
  if (mode == Mode::kFaults) {
    env.FailReads(random() % 2 == 0);
    env.FailOneIn(20 + random() % 2000);
  }
  if (mode == Mode::kKill) load.milliseconds = 60'000;
  RunLoad(engine->get(), model, mirror.get(), load);
  if (random() % 2 == 0) env.FailOneIn(0);
  const Status closed = (*engine)->Close();
  if (!closed.ok() && !load.may_fail) Violation("Close: " + closed.ToString());
  env.FailOneIn(0);
  engine->reset();
}

// ---- the supervisor: one thread, no store

class Supervisor {
 public:
  explicit Supervisor(const Arguments& arguments)
      : arguments_(arguments), random_(arguments.seed) {}

  int Run() {
    std::filesystem::remove_all(arguments_.directory);
    std::filesystem::create_directories(std::filesystem::path(arguments_.directory).parent_path());
    void* const memory =
        ::mmap(nullptr, sizeof(Model), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 2;
    model_ = new (memory) Model();
    model_->time.store(1000);
    for (auto& made : model_->own_table_made) made.store(OpState::kVoid);
    std::printf("seed %llu\n", static_cast<unsigned long long>(arguments_.seed));
    std::fflush(stdout);
    const uint64_t begin = Env::Default()->MonotonicNanos();
    bool all_well = true;
    while (all_well && (Env::Default()->MonotonicNanos() - begin) / 1'000'000'000 <
                           static_cast<uint64_t>(arguments_.seconds)) {
      all_well = Next(ChooseMode());
    }
    // What the last one left is looked at too.
    all_well = all_well && Next(Mode::kInOrder);
    Summarize(all_well);
    return all_well ? 0 : 1;
  }

 private:
  Mode ChooseMode() {
    std::vector<Mode> modes = {Mode::kInOrder};
    if (arguments_.faults) {
      modes.push_back(Mode::kFaults);
      if (!points_.empty()) modes.push_back(Mode::kFailedPoint);
    }
    if (arguments_.kill) {
      modes.push_back(Mode::kKill);
      if (!points_.empty()) modes.push_back(Mode::kKillAtPoint);
    }
    return modes[random_() % modes.size()];
  }

  // One process; whether it found all well.
  bool Next(Mode mode) {
    const uint64_t seed = random_();
    std::string point;
    if (mode == Mode::kFailedPoint || mode == Mode::kKillAtPoint) {
      auto chosen = points_.begin();
      std::advance(chosen, static_cast<int64_t>(random_() % points_.size()));
      point = *chosen;
    }
    const auto kill_after = std::chrono::milliseconds(50 + random_() % 800);
    const std::string log = arguments_.directory + ".points";
    std::filesystem::remove(log);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setenv("BENNU_FAILPOINT_LOG", log.c_str(), 1);
      static_cast<void>(ArmFailpointsFromEnvironment().ok());
      RunProcess(arguments_, model_, mode, seed, point);
      ::_exit(0);
    }
    if (mode == Mode::kKill) {
      Env::Default()->SleepMicros(static_cast<uint64_t>(kill_after.count()) * 1000);
      ::kill(pid, SIGKILL);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    ReadPoints(log);
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    ++processes_[static_cast<int>(mode)];
    if (killed) ++deaths_;
    const bool may_die = mode == Mode::kKill || mode == Mode::kKillAtPoint;
    if ((WIFEXITED(status) && WEXITSTATUS(status) == 0) || (killed && may_die)) return true;
    std::fprintf(stderr,
                 "stress: a process (%s%s%s) ended with status %d; the store is kept in %s; "
                 "repeat with --seed %llu\n",
                 kModeNames[static_cast<int>(mode)], point.empty() ? "" : ", ", point.c_str(),
                 status, arguments_.directory.c_str(),
                 static_cast<unsigned long long>(arguments_.seed));
    return false;
  }

  void ReadPoints(const std::string& log) {
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);) {
      const size_t space = line.rfind(' ');
      const std::string name = space == std::string::npos ? line : line.substr(space + 1);
      if (line.starts_with("killed ")) {
        died_at_.insert(name);
      } else if (name.find('.') != std::string::npos) {
        points_.insert(name);
      }
    }
  }

  void Summarize(bool all_well) {
    std::printf("%llu operations;", static_cast<unsigned long long>(model_->operations.load()));
    for (int i = 0; i < 5; ++i) std::printf(" %s: %d;", kModeNames[i], processes_[i]);
    std::printf(" deaths: %d, at %zu of %zu points: %s\n", deaths_, died_at_.size(), points_.size(),
                all_well ? "all well" : "FAILED");
    if (!all_well) return;
    std::filesystem::remove_all(arguments_.directory);
    std::filesystem::remove(arguments_.directory + ".points");
  }

  const Arguments arguments_;
  std::mt19937_64 random_;
  Model* model_ = nullptr;
  std::set<std::string> points_;  // that some process has passed
  std::set<std::string> died_at_;
  int processes_[5] = {};
  int deaths_ = 0;
};

int Usage() {
  std::fprintf(stderr,
               "usage: stress DIR [--seconds N] [--seed S] [--threads T] [--kill] [--faults]\n");
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
    } else if (name == "--threads") {
      arguments.threads = static_cast<int>(number());
    } else if (name == "--kill") {
      arguments.kill = true;
    } else if (name == "--faults") {
      arguments.faults = true;
    } else if (name.starts_with("-") || !arguments.directory.empty()) {
      return Usage();
    } else {
      arguments.directory = name;
    }
  }
  const bool fits = arguments.threads >= 1 && arguments.threads <= kThreadsMax;
  if (arguments.directory.empty() || !fits) return Usage();
  return Supervisor(arguments).Run();
}

}  // namespace
}  // namespace bennu::stress

int main(int argc, char** argv) { return bennu::stress::Main(argc, argv); }
