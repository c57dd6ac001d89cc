// Walks a fixed schedule of calls (walk_schedule.h) from one change of the file system to the next,
// and lets each of them in turn be the one where something happens:
//
//   crash_walk DIR MODE… [--stride N] [--act NAME] [--at N] [--keep-going] [--in-memory]
//
//   kill    the process dies in its place, and every other time also while it opens the store again
//   torn    an append writes half of its bytes, then the process dies
//   power   the machine dies: of what was not synced all is lost, or every other time some
//   error   it fails with EIO
//   full    it fails with ENOSPC
//   short   an append writes half of its bytes, then fails with ENOSPC
//
// After a death the store is opened: it must hold what was acknowledged, the call that was cut off
// wholly or not at all, take writes, and leave `bennu check` nothing to find. Before it is opened
// `bennu check` must find no fault: what an opening mends is none, and --repair, tried every third
// time, takes nothing away that the opening would have kept. After an error the
// call must say so, the store must hold the same, and the call must go well when it is made again,
// if need be (and told) in a store that was opened again.
// --stride N: only every N-th place. --act, --at: only that one, to repeat a failure. --keep-going:
// tell all failures, and not the first one only. DIR is made, and removed when all went well. Exit
// status 0 when it did.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/failpoint.h"
#include "src/base/fault_env.h"
#include "src/base/log.h"
#include "src/check/checker.h"
#include "tests/crash/walk_model.h"
#include "tests/crash/walk_schedule.h"
#include "tests/support/violation.h"

namespace bennu::walk {
namespace {

// Every kind of change of the file system; a walk of all places must die at each.
constexpr const char* kEnvPoints[] = {"env.create",  "env.append", "env.sync",  "env.rename",
                                      "env.link",    "env.unlink", "env.rmdir", "env.mkdir",
                                      "env.syncdir", "env.lock"};

enum class Mode { kKill, kTorn, kPower, kError, kFull, kShort };
constexpr const char* kModeNames[] = {"kill", "torn", "power", "error", "full", "short"};

constexpr unsigned kChildSecondsMax = 300;  // a process that hangs is a failure, on any machine
constexpr int kWaitsMax = 24'000;           // two minutes
constexpr uint64_t kWaitMicros = 5'000;
constexpr uint64_t kPlacesMax = 5000;      // of an act
constexpr uint64_t kPlacesOfOpening = 60;  // about as many changes as an opening makes

bool IsDeath(Mode mode) { return mode <= Mode::kPower; }

std::string PointOf(Mode mode) {
  return mode == Mode::kTorn || mode == Mode::kShort ? "env.append" : "env.any";
}

// What a child tells its parent; outlives its death.
struct Shared {
  std::atomic<size_t> acknowledged;  // steps of the act
  std::atomic<bool> met;             // the place was come to
};

void Arm(const std::string& point, const std::string& action, uint64_t at) {
  Must(ArmFailpoints(point + "=" + action + "@" + std::to_string(at)), "arming");
}

// ---- in a process of its own: the calls of an act

class ActRunner {
 public:
  // 'states': before the act, then after each step.
  ActRunner(const Act& act, const std::vector<State>& states, const std::string& directory,
            Shared* shared)
      : act_(act),
        states_(states),
        power_env_(Env::Default(), directory + ".aside"),
        run_(directory),
        powered_run_(directory, &power_env_),
        shared_(shared) {}

  // Leaves the store as a death would.
  [[noreturn]] void WithoutFault() {
    if (!act_.starts_closed) Must(run_.Open(), "open");
    for (const Step& step : act_.steps) Must(step.call(&run_), step.name);
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
  }

  void WithDeath(Mode mode, uint64_t at) {
    if (!act_.starts_closed) Must(run_.Open(), "open");
    Arm(PointOf(mode), kModeNames[static_cast<int>(mode)], at);
    for (const Step& step : act_.steps) {
      Must(step.call(&run_), step.name);
      shared_->acknowledged.fetch_add(1);
    }
    // Also what the background does meanwhile may be the place of the death.
    ::_exit(0);
  }

  void WithPowerFailure(uint64_t at) {
    if (!act_.starts_closed) Must(powered_run_.Open(), "open");
    // The seed 0 takes all; the others keep some of it.
    power_env_.CutPower(at, at % 2 == 0 ? at : 0, [] {
      ::kill(::getpid(), SIGKILL);
      for (;;) ::pause();
    });
    for (const Step& step : act_.steps) {
      Must(step.call(&powered_run_), step.name);
      shared_->acknowledged.fetch_add(1);
    }
    ::_exit(0);
  }

  void WithError(Mode mode, uint64_t at) {
    if (!act_.starts_closed) Must(run_.Open(), "open");
    Arm(PointOf(mode), kModeNames[static_cast<int>(mode)], at);
    for (size_t i = 0; i < act_.steps.size(); ++i) {
      const Status status = act_.steps[i].call(&run_);
      if (!status.ok()) Repeat(i, status, FailpointPassages(PointOf(mode)) >= at);
      shared_->acknowledged.fetch_add(1);
    }
    shared_->met.store(FailpointPassages(PointOf(mode)) >= at);
    Must(ArmFailpoints(""), "disarming");
    if (run_.is_open()) ExpectState(act_.steps.size(), "at the end");
    const Status closed = run_.Close();
    // What the background could not do is done now, or by the next opening.
    if (!closed.ok() && !shared_->met.load()) Must(closed, "close");
    ::_exit(0);
  }

 private:
  void Repeat(size_t index, const Status& failure, bool met) {
    const Step& step = act_.steps[index];
    const std::string what = step.name + " (" + failure.ToString() + ")";
    if (!met) Violation(what + ": failed, and nothing was wrong");
    ExpectClear(failure, what);
    if (!run_.is_open()) Must(run_.Open(), what + ": open again");
    if (IsDone(index, what)) return;
    Status again = step.call(&run_);
    if (!again.ok() && again.message().find("the disk is full") != std::string::npos) {
      // Until a flush has gone well; the background tries one from time to time.
      FlushTables(what);
      again = step.call(&run_);
    }
    if (again.ok()) return;
    if (!TellsToOpenAgain(again)) {
      Violation(what + ": the second time: " + again.ToString());
    }
    static_cast<void>(run_.Close().ok());
    Must(run_.Open(), what + ": open again");
    if (!IsDone(index, what)) Must(step.call(&run_), what + ": after the store was opened again");
  }

  void FlushTables(const std::string& what) {
    for (const TableName& table : Must(run_.admin()->ListTables(), what + ": tables")) {
      if (!Must(run_.admin()->IsTableEnabled(table), what + ": state")) continue;
      Must(run_.admin()->Flush(table), what + ": flush once there is space again");
    }
  }

  // That the store takes no more writes until it is opened again.
  static bool TellsToOpenAgain(const Status& status) {
    return status.message().find("reopen") != std::string::npos ||
           status.message().find("open it again") != std::string::npos;
  }

  // Tells the fault, or that the store takes no more writes because of it.
  static void ExpectClear(const Status& failure, const std::string& what) {
    const bool tells_fault = failure.message().find("(errno ") != std::string::npos;
    if (!tells_fault && !TellsToOpenAgain(failure))
      Violation(what + ": the message does not tell the fault");
  }

  // Whether a step that failed has happened nevertheless, as far as can be seen. It has not by
  // half.
  bool IsDone(size_t index, const std::string& what) {
    const State found = Must(ReadState(run_.engine(), /*deep=*/false), what + ": reading");
    const State before = Shallow(states_[index]);
    const std::string differences = Difference(found, before);
    // What changes nothing that is looked at here is always done again.
    if (differences.empty()) return false;
    std::vector<State> others;
    for (const Effect& partial : act_.steps[index].partials) {
      others.push_back(states_[index]);
      partial(&others.back());
    }
    for (const State& partial : others) {
      if (Difference(found, Shallow(partial)).empty()) return false;
    }
    if (Difference(found, Shallow(states_[index + 1])).empty()) return true;
    Violation(what + ": afterwards, against what was before:\n" + differences);
  }

  void ExpectState(size_t index, const std::string& what) {
    const State found = Must(ReadState(run_.engine(), /*deep=*/false), what + ": reading");
    const std::string difference = Difference(found, Shallow(states_[index]));
    if (!difference.empty()) Violation(what + ":\n" + difference);
  }

  const Act& act_;
  const std::vector<State>& states_;
  FaultInjectionEnv power_env_;
  Run run_;
  Run powered_run_;
  Shared* const shared_;
};

// ---- in another one: what became of the store

class Verifier {
 public:
  Verifier(const Act& act, const std::vector<State>& states, const std::string& directory,
           size_t acknowledged)
      : act_(act), states_(states), directory_(directory), acknowledged_(acknowledged) {}

  // Of the store as it was left; every store that is opened next must be free of faults.
  void CheckBeforeOpening(bool repair) const {
    // Its creation may have died before it was one.
    if (!Must(Env::Default()->Exists(directory_ + "/hbase.version"), "looking for the store")) {
      return;
    }
    check::CheckOptions options;
    options.sql_catalog = false;
    options.repair = repair;
    const auto report = Must(check::CheckStore(Env::Default(), directory_, options), "check");
    std::string faults;
    for (const check::Finding& finding : report.findings) {
      if (finding.level == check::Level::kFault) faults += check::FormatFinding(finding) + "\n";
    }
    if (!faults.empty()) Violation("the check before opening finds\n" + faults);
  }

  void Verify() {
    Run run(directory_);
    Must(run.Open(), "opening afterwards");
    State found = Must(ReadState(run.engine(), /*deep=*/true), "reading afterwards");
    ReadBackup(&found);
    Compare(found);
    UseTables(&run);
    Must(run.Close(), "closing afterwards");
    CheckDirectory();
  }

 private:
  // A backup is a store or it is none; if it is one it has all.
  void ReadBackup(State* found) {
    if (act_.name != "backup") return;
    engine::EngineOptions options;
    options.read_only = true;
    auto opened = engine::OpenEngine(directory_ + ".backup", options);
    if (!opened.ok()) return;
    const State copied = Must(ReadState(opened->get(), /*deep=*/false), "reading the backup");
    State expected = states_.back();
    expected.erase("backup");
    const std::string difference = Difference(copied, Shallow(expected));
    if (!difference.empty()) Violation("the backup:\n" + difference);
    (*found)["backup"] = "there";
  }

  void Compare(const State& found) const {
    std::vector<State> allowed = {states_[acknowledged_]};
    if (acknowledged_ < act_.steps.size()) {
      allowed.push_back(states_[acknowledged_ + 1]);
      for (const Effect& partial : act_.steps[acknowledged_].partials) {
        allowed.push_back(states_[acknowledged_]);
        partial(&allowed.back());
      }
    }
    std::string differences;
    for (const State& state : allowed) {
      const std::string difference = Difference(found, state);
      if (difference.empty()) return;
      differences += "or\n" + difference;
    }
    Violation("after " + std::to_string(acknowledged_) + " of the calls:\n" +
              differences.substr(3));
  }

  // The regions that others have replaced go once these are compacted, in the background.
  void AwaitJanitor(const Table& table) const {
    std::set<std::string> known;
    for (const RegionInfo& region : table.regions()) known.insert(region.EncodedName());
    const std::string directory = directory_ + "/data/default/" + table.name().qualifier;
    for (int i = 0; i < kWaitsMax; ++i) {
      const auto names = Must(Env::Default()->ListDirectory(directory), "listing a table");
      const bool all_known = std::all_of(names.begin(), names.end(), [&](const auto& name) {
        return name.starts_with('.') || known.contains(name);
      });
      if (all_known) return;
      Env::Default()->SleepMicros(kWaitMicros);
    }
    Violation("replaced regions stay in " + directory);
  }

  // Everything that is there works.
  void UseTables(Run* run) const {
    for (const TableName& name : Must(run->admin()->ListTables(), "tables")) {
      if (name.name_space != "default") continue;
      const auto table = Must(run->engine()->OpenTable(name), "opening a table");
      MutationBatch batch;
      for (const char* row : {"after", "zafter"}) {
        batch.StartRow(row);
        batch.Put("f", "q", "v");
      }
      Must(table->Write(&batch), "writing afterwards");
      Must(run->admin()->Compact(name, /*major=*/true), "compacting afterwards");
      AwaitJanitor(*table);
      Get get;
      get.row = "zafter";
      if (Must(table->GetRow(get), "reading afterwards").cells.empty()) {
        Violation("a row that was just written is not in table " + name.qualifier);
      }
    }
  }

  void CheckDirectory() const {
    check::CheckOptions options;
    options.sql_catalog = false;
    const auto report = Must(check::CheckStore(Env::Default(), directory_, options), "check");
    std::string findings;
    for (const check::Finding& finding : report.findings) {
      findings += check::FormatFinding(finding) + "\n";
    }
    if (!findings.empty()) Violation("the check finds\n" + findings);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      const std::string path = entry.path();
      // A repair before the opening puts them aside.
      if (path.starts_with(directory_ + "/corrupt/")) continue;
      if (path.find(".tmp-") != std::string::npos) Violation("left behind: " + path);
    }
  }

  const Act& act_;
  const std::vector<State>& states_;
  const std::string directory_;
  const size_t acknowledged_;
};

// ---- the walk: a process without threads, that has no store open

struct Arguments {
  std::string directory;
  std::vector<Mode> modes;
  uint64_t stride = 1;
  std::string act;
  uint64_t at = 0;
  bool keep_going = false;
};

class Walk {
 public:
  explicit Walk(const Arguments& arguments)
      : arguments_(arguments),
        store_(arguments.directory + "/store"),
        template_(arguments.directory + "/before") {}

  int Run() {
    std::filesystem::remove_all(arguments_.directory);
    std::filesystem::create_directories(template_);
    void* const memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 2;
    shared_ = new (memory) Shared();
    const std::vector<Act> acts = MakeSchedule();
    for (size_t i = 0; i < acts.size(); ++i) {
      if (!WalkAct(acts[i], i)) return Fail();
    }
    Summarize();
    if (failed_ || !AllPointsHit()) return 1;
    std::filesystem::remove_all(arguments_.directory);
    return 0;
  }

 private:
  bool WalkAct(const Act& act, size_t number) {
    states_.assign(1, state_);
    for (const Step& step : act.steps) {
      states_.push_back(states_.back());
      step.effect(&states_.back());
    }
    if (arguments_.act.empty() || arguments_.act == act.name) {
      for (const Mode mode : arguments_.modes) {
        // Acts begin at different places, so that a sample has all kinds of them.
        uint64_t at = arguments_.at > 0 ? arguments_.at : 1 + number * 5 % arguments_.stride;
        bool met = true;
        while (met) {
          if (!Try(act, mode, at, &met)) {
            if (!arguments_.keep_going) return false;
            Fail();
            failed_ = true;
            met = true;
            if (at > kPlacesMax) break;
          }
          if (met) ++places_[kModeNames[static_cast<int>(mode)]];
          if (arguments_.at > 0) break;
          at += arguments_.stride;
        }
      }
    }
    return GoOn(act);
  }

  // Whether all was well with something happening at place 'at' of the act.
  bool Try(const Act& act, Mode mode, uint64_t at, bool* met) {
    place_ = std::string(kModeNames[static_cast<int>(mode)]) + " --act '" + act.name + "' --at " +
             std::to_string(at);
    Prepare(act);
    const bool is_death = IsDeath(mode);
    bool died = false;
    const bool fine = InChild(&died, [&] {
      ActRunner runner(act, states_, store_, shared_);
      if (mode == Mode::kPower) runner.WithPowerFailure(at);
      is_death ? runner.WithDeath(mode, at) : runner.WithError(mode, at);
    });
    if (!fine || (died && !is_death)) return false;
    *met = is_death ? died : shared_->met.load();
    const size_t acknowledged = shared_->acknowledged.load();
    // The last step of all is done: what comes now is another act's.
    if (is_death && died && at % 2 == 0 && !DieOpening(at)) return false;
    const bool checked = InChild(&died, [&] {
      Verifier(act, states_, store_, acknowledged).CheckBeforeOpening(at % 3 == 0);
    });
    if (!checked || died) return false;
    const bool verified =
        InChild(&died, [&] { Verifier(act, states_, store_, acknowledged).Verify(); });
    return verified && !died;
  }

  bool DieOpening(uint64_t at) {
    bool died = false;
    return InChild(&died, [&] {
      Arm("env.any", "kill", 1 + at * 7919 % kPlacesOfOpening);
      walk::Run run(store_);
      Must(run.Open(), "opening afterwards");
    });
  }

  void Prepare(const Act& act) {
    for (const char* ending : {"", ".load", ".backup", ".aside"}) {
      std::filesystem::remove_all(store_ + ending);
    }
    std::filesystem::copy(template_, store_, std::filesystem::copy_options::recursive);
    if (std::filesystem::is_empty(store_)) std::filesystem::remove(store_);
    shared_->acknowledged.store(0);
    shared_->met.store(false);
    if (act.prepare == nullptr) return;
    walk::Run run(store_);
    act.prepare(&run);
  }

  // Does the act without anything happening, for the next ones.
  bool GoOn(const Act& act) {
    place_ = "the act " + act.name;
    Prepare(act);
    bool died = false;
    const bool fine =
        InChild(&died, [&] { ActRunner(act, states_, store_, shared_).WithoutFault(); });
    if (!fine || !died) return false;
    std::filesystem::remove_all(template_);
    std::filesystem::copy(store_, template_, std::filesystem::copy_options::recursive);
    if (!InChild(&died, [&] { Verifier(act, states_, store_, act.steps.size()).Verify(); })) {
      return false;
    }
    state_ = states_.back();
    state_.erase("backup");
    return true;
  }

  // False: the child found something wrong. 'died': it was killed at a point.
  template <typename Work>
  bool InChild(bool* died, Work work) {
    const std::string log = arguments_.directory + "/points";
    std::filesystem::remove(log);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::alarm(kChildSecondsMax);
      ::setenv("BENNU_FAILPOINT_LOG", log.c_str(), 1);
      ::unsetenv("BENNU_FAILPOINTS");
      static_cast<void>(ArmFailpointsFromEnvironment().ok());
      SetLogLevel(LogLevel::kOff);
      work();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    *died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (*died) ReadPoint(log);
    return *died || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  void ReadPoint(const std::string& log) {
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("killed ")) ++deaths_[line.substr(7)];
    }
  }

  int Fail() const {
    std::fprintf(stderr, "crash_walk: at: %s; the store is kept in %s\n", place_.c_str(),
                 store_.c_str());
    return 1;
  }

  void Summarize() const {
    for (const auto& [mode, count] : places_) {
      std::printf("%s: %d places; ", mode.c_str(), count);
    }
    std::printf("deaths:");
    for (const auto& [point, count] : deaths_) std::printf(" %s %d", point.c_str(), count);
    std::printf("\n");
  }

  bool AllPointsHit() const {
    const bool is_whole = arguments_.stride == 1 && arguments_.act.empty();
    if (!is_whole || arguments_.modes.front() != Mode::kKill) return true;
    bool all = true;
    for (const char* point : kEnvPoints) {
      if (deaths_.contains(point)) continue;
      std::fprintf(stderr, "crash_walk: nobody died at %s\n", point);
      all = false;
    }
    return all;
  }

  const Arguments arguments_;
  const std::string store_;
  const std::string template_;  // the store before the act
  Shared* shared_ = nullptr;
  bool failed_ = false;
  State state_;
  std::vector<State> states_;
  std::string place_;
  std::map<std::string, int> places_;
  std::map<std::string, int> deaths_;
};

// A name that no other walk on this machine has.
std::string InMemory(const std::string& directory) {
  const std::string memory = "/dev/shm";
  if (::access(memory.c_str(), W_OK) != 0) return directory;
  return memory + "/bennu_" + std::filesystem::path(directory).filename().string() + "_" +
         std::to_string(::getpid());
}

int Usage() {
  std::fprintf(stderr,
               "usage: crash_walk DIR kill|torn|power|error|full|short… [--stride N] [--act NAME] "
               "[--at N] [--keep-going] [--in-memory]\n");
  return 2;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  bool in_memory = false;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const auto next = [&] { return i + 1 < argc ? argv[++i] : ""; };
    const auto mode = std::find(std::begin(kModeNames), std::end(kModeNames), text);
    if (text == "--stride") {
      arguments.stride = std::strtoull(next(), nullptr, 10);
    } else if (text == "--act") {
      arguments.act = next();
    } else if (text == "--keep-going") {
      arguments.keep_going = true;
    } else if (text == "--in-memory") {
      in_memory = true;
    } else if (text == "--at") {
      arguments.at = std::strtoull(next(), nullptr, 10);
    } else if (mode != std::end(kModeNames)) {
      arguments.modes.push_back(static_cast<Mode>(mode - std::begin(kModeNames)));
    } else if (text.starts_with("-") || !arguments.directory.empty()) {
      return Usage();
    } else {
      arguments.directory = text;
    }
  }
  if (arguments.directory.empty() || arguments.modes.empty() || arguments.stride == 0) {
    return Usage();
  }
  if (in_memory) arguments.directory = InMemory(arguments.directory);
  return Walk(arguments).Run();
}

}  // namespace
}  // namespace bennu::walk

int main(int argc, char** argv) { return bennu::walk::Main(argc, argv); }
