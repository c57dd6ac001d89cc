// Walks a fixed list of SQL statements, flushes, compactions, splits and merges over a table with
// an index of each kind (indexed_store.h), and lets each change of the file system in turn be the
// one where something happens:
//
//   index_walk DIR MODE… [--stride N] [--at N] [--in-memory]
//
// The modes are those of crash_walk (kill, torn, power, error, full, short), and power-unsynced. In
// power-unsynced the store syncs no write, so that any that are not in files yet may be lost with
// the machine, but not those of the table alone. Afterwards the store is opened: each index must
// have exactly what the table has, the table what was acknowledged and, of the call that was cut
// off, each row as it was or as it was to be. Then both are written again, through the table and by
// an index, and compared once more. After an error (EIO, ENOSPC, half of an append) the call must
// say so, indexes and table must agree, and the call must go well when it is made again: every
// other time in the store as it is, if need be (and told) in one that was opened again. In the end
// the store is closed, opened, and looked at once more.
// --stride N: only every N-th place. --at N: only that one, to repeat a failure. DIR is made, and
// removed when all went well. Exit status 0 when it did.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "src/base/failpoint.h"
#include "src/base/fault_env.h"
#include "src/base/log.h"
#include "src/check/checker.h"
#include "tests/crash/indexed_store.h"
#include "tests/support/violation.h"

namespace bennu::indexed {
namespace {

enum class Mode { kKill, kTorn, kPower, kPowerUnsynced, kError, kFull, kShort };
constexpr const char* kModeNames[] = {"kill",  "torn", "power", "power-unsynced",
                                      "error", "full", "short"};

bool IsDeath(Mode mode) { return mode <= Mode::kPowerUnsynced; }
std::string PointOf(Mode mode) {
  return mode == Mode::kTorn || mode == Mode::kShort ? "env.append" : "env.any";
}
void Arm(Mode mode, uint64_t at) {
  Must(ArmFailpoints(PointOf(mode) + "=" + kModeNames[static_cast<int>(mode)] + "@" +
                     std::to_string(at)),
       "arming");
}

bool CutsPower(Mode mode) { return mode == Mode::kPower || mode == Mode::kPowerUnsynced; }
constexpr unsigned kChildSecondsMax = 300;  // a process that hangs is a failure, on any machine
constexpr uint64_t kPlacesMax = 20'000;

// What a child tells its parent; outlives its death.
struct Shared {
  std::atomic<size_t> acknowledged;  // steps
  std::atomic<bool> met;             // the place was come to
};

// ---- the steps

// By key, "k|l", the rest of the row: "v|w|n".
using Rows = std::map<std::string, std::string>;

struct Step {
  std::string name;
  std::function<Status(Store*)> call;
  std::function<void(Rows*)> effect = [](Rows*) {};
  bool repeats = true;  // when it is made again after it has happened it does nothing, or fails
};

Step Sql(
    const std::string& sql, std::function<void(Rows*)> effect = [](Rows*) {}) {
  return {sql, [sql](Store* store) { return store->Execute(sql).status(); }, std::move(effect)};
}

Step Upsert(int k, const std::string& l, const std::string& v, const std::string& w,
            const std::string& n) {
  const auto text = [](const std::string& value) {
    return value == "NULL" ? value : "'" + value + "'";
  };
  return Sql("UPSERT INTO it VALUES (" + std::to_string(k) + ", '" + l + "', " + v + ", " +
                 text(w) + ", " + n + ")",
             [=](Rows* rows) { (*rows)[std::to_string(k) + "|" + l] = v + "|" + w + "|" + n; });
}

// Rows whose columns begin so; of those of one region all go at one moment or none does.
Step Delete(const std::string& condition, const std::string& begin) {
  return Sql("DELETE FROM it WHERE " + condition, [begin](Rows* rows) {
    std::erase_if(*rows, [&](const auto& row) { return row.second.starts_with(begin); });
  });
}

Step Administer(const std::string& name, std::function<Status(Admin*)> call) {
  return {name, [call = std::move(call)](Store* store) { return call(store->admin()); },
          [](Rows*) {}, /*repeats=*/false};
}

const TableName& It() {
  static const TableName name{"default", "IT"};
  return name;
}

Step Flush() {
  return Administer("flush", [](Admin* admin) { return admin->Flush(It()); });
}
Step Compact(bool major) {
  return Administer("compact", [=](Admin* admin) { return admin->Compact(It(), major); });
}
// Keys begin with the integer k, whose sign bit is turned.
Step Split(char k) {
  return Administer("split", [=](Admin* admin) {
    return admin->SplitTable(It(), Bytes{'\x80', '\0', '\0', k});
  });
}
Step Merge() {
  Step step;
  step.name = "merge";
  step.repeats = false;
  step.call = [](Store* store) -> Status {
    const auto table = store->engine()->OpenTable(It());
    if (!table.ok()) return table.status();
    const std::vector<RegionInfo> regions = (*table)->regions();
    if (regions.size() < 2) return Status::Ok();
    return store->admin()->MergeRegions({regions[0].EncodedName(), regions[1].EncodedName()});
  };
  return step;
}

std::vector<Step> MakeSteps() {
  std::vector<Step> steps;
  const auto add = [&](Step step) { steps.push_back(std::move(step)); };
  add(Upsert(1, "a", "10", "one", "1.5"));
  add(Upsert(1, "b", "20", "two", "NULL"));
  add(Upsert(2, "a", "NULL", "NULL", "2.25"));
  add(Upsert(3, "c", "30", "three", "-1"));
  add(Upsert(40, "d", "30", "four", "0.5"));
  add(Upsert(50, "e", "50", "Four", "7"));
  add(Flush());
  add(Upsert(1, "a", "25", "one", "1.5"));  // enters the partial index
  add(Upsert(1, "b", "20", "TWO", "3"));
  add(Upsert(40, "d", "NULL", "four", "0.5"));
  add(Split(30));
  add(Upsert(3, "c", "5", "three", "4"));
  add(Upsert(50, "e", "10", "five", "NULL"));
  add(Flush());
  add(Delete("v = 20", "20|"));                   // by the index that includes n
  add(Delete("UPPER(w) = 'FOUR'", "NULL|four"));  // by that of expressions
  add(Compact(false));
  add(Sql("UPSERT INTO it (k, l, v, w, n) SELECT k + 200, l, v, w, n FROM it WHERE v = 10",
          [](Rows* rows) {
            const Rows before = *rows;
            for (const auto& [key, row] : before) {
              if (!row.starts_with("10|")) continue;
              const size_t bar = key.find('|');
              (*rows)[std::to_string(std::stoi(key.substr(0, bar)) + 200) + key.substr(bar)] = row;
            }
          }));
  steps.back().repeats = false;  // its own rows meet the condition, too
  add(Sql("DROP INDEX IF EXISTS it_u ON it"));
  add(Upsert(4, "f", "60", "six", "6"));
  add(Sql("CREATE UNCOVERED INDEX IF NOT EXISTS it_u ON it (w DESC)"));
  add(Compact(true));
  add(Merge());
  add(Sql("ALTER INDEX it_c ON it REBUILD"));
  add(Upsert(4, "f", "61", "six", "6"));
  add(Sql("ALTER INDEX it_l ON it REBUILD"));
  add(Delete("w = 'one'", "25|one"));
  add(Flush());
  return steps;
}

// ---- in a process of its own

Rows ReadRows(Store* store) {
  Rows rows;
  for (const std::string& row :
       Must(store->Execute("SELECT /*+ NO_INDEX */ k, l, v, w, n FROM it"), "reading the table")) {
    const size_t end = row.find('|', row.find('|') + 1);
    rows[row.substr(0, end)] = row.substr(end + 1);
  }
  return rows;
}

std::string At(const Rows& rows, const std::string& key) {
  const auto it = rows.find(key);
  return it == rows.end() ? "no row" : it->second;
}

// Each row as in one of the two.
void ExpectRows(const Rows& found, const Rows& before, const Rows& after, const std::string& when) {
  Rows keys = found;
  keys.insert(before.begin(), before.end());
  keys.insert(after.begin(), after.end());
  for (const auto& [key, unused] : keys) {
    const std::string row = At(found, key);
    if (row == At(before, key) || row == At(after, key)) continue;
    Violation(when + ": row " + key + " is '" + row + "', and not '" + At(before, key) + "' or '" +
              At(after, key) + "'");
  }
}

void ExpectIndexes(Store* store, const std::string& when) {
  const std::string differences = Must(store->DifferencesOfIndexes(), when + ": CHECK INDEX");
  if (!differences.empty()) Violation(when + ": indexes differ from the table:\n" + differences);
}

class Runner {
 public:
  Runner(const std::vector<Step>& steps, const std::vector<Rows>& states,
         const std::string& directory, Shared* shared)
      : steps_(steps), states_(states), directory_(directory), shared_(shared) {}

  void WithDeath(Mode mode, uint64_t at) {
    FaultInjectionEnv power(Env::Default(), directory_ + ".aside");
    const bool cuts_power = CutsPower(mode);
    Store store(directory_, cuts_power ? &power : Env::Default(), SyncOf(mode));
    Must(store.Open(), "open");
    if (cuts_power) {
      // The seed 0 takes all that was not synced; the others keep some of it.
      power.CutPower(at, at % 2 == 0 ? at : 0, [] {
        ::kill(::getpid(), SIGKILL);
        for (;;) ::pause();
      });
    } else {
      Arm(mode, at);
    }
    for (const Step& step : steps_) {
      Must(step.call(&store), step.name);
      shared_->acknowledged.fetch_add(1);
    }
    ::_exit(0);
  }

  void WithError(Mode mode, uint64_t at) {
    Store store(directory_);
    Must(store.Open(), "open");
    Arm(mode, at);
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Status status = steps_[i].call(&store);
      if (!status.ok()) Repeat(mode, i, status, at, &store);
    }
    shared_->met.store(FailpointPassages(PointOf(mode)) >= at);
    Must(ArmFailpoints(""), "disarming");
    ExpectAcknowledged(&store, states_.size() - 1);
    ExpectIndexes(&store, "at the end");
    // What the background could not do is done now, or by the next opening.
    static_cast<void>(store.Close().ok());
    Verify(mode, states_.size() - 1);
  }

  // After a death or a closing; the store was left with so many steps done.
  void Verify(Mode mode, size_t acknowledged) {
    const auto report = Must(check::CheckStore(Env::Default(), directory_, {}), "check");
    for (const check::Finding& finding : report.findings) {
      if (finding.level == check::Level::kFault) Violation(check::FormatFinding(finding));
    }
    Store store(directory_);
    Must(store.Open(), "opening afterwards");
    if (mode != Mode::kPowerUnsynced) ExpectAcknowledged(&store, acknowledged);
    Finish(&store);
  }

 private:
  void Repeat(Mode mode, size_t index, const Status& failure, uint64_t at, Store* store) {
    const std::string what = steps_[index].name + " (" + failure.ToString() + ")";
    if (FailpointPassages(PointOf(mode)) < at) {
      Violation(what + ": failed, and nothing was wrong");
    }
    const bool tells_fault = failure.message().find("(errno ") != std::string::npos;
    if (!tells_fault && !TellsToOpenAgain(failure)) {
      Violation(what + ": the message does not tell the fault");
    }
    if (at % 2 == 0) OpenAgain(store, what);
    if (IsDone(index, store, what)) return;
    Status again = steps_[index].call(store);
    if (!again.ok() && again.message().find("the disk is full") != std::string::npos) {
      // Until a flush has gone well; the background tries one from time to time.
      FlushTables(store, what);
      again = steps_[index].call(store);
    }
    if (!again.ok() && TellsToOpenAgain(again)) {
      OpenAgain(store, what);
      if (IsDone(index, store, what)) return;
      again = steps_[index].call(store);
    }
    if (steps_[index].repeats) Must(again, what + ": the second time");
  }

  // That the store takes no more writes until it is opened again.
  static bool TellsToOpenAgain(const Status& status) {
    return status.message().find("reopen") != std::string::npos ||
           status.message().find("open it again") != std::string::npos;
  }
  static void OpenAgain(Store* store, const std::string& what) {
    static_cast<void>(store->Close().ok());
    Must(store->Open(), what + ": open again");
  }
  static void FlushTables(Store* store, const std::string& what) {
    for (const TableName& table : Must(store->admin()->ListTables(), what + ": tables")) {
      if (!Must(store->admin()->IsTableEnabled(table), what + ": state")) continue;
      Must(store->admin()->Flush(table), what + ": flush once there is space again");
    }
  }

  // Whether a step that failed has happened nevertheless, and must not be made again.
  bool IsDone(size_t index, Store* store, const std::string& what) const {
    const Rows found = ReadRows(store);
    ExpectRows(found, states_[index], states_[index + 1], what);
    ExpectIndexes(store, what);
    return !steps_[index].repeats && found == states_[index + 1];
  }

  static WriteSync SyncOf(Mode mode) {
    return mode == Mode::kPower ? WriteSync::kFsync : WriteSync::kOs;
  }

  void ExpectAcknowledged(Store* store, size_t done) {
    const Rows& after = states_[std::min(done + 1, states_.size() - 1)];
    ExpectRows(ReadRows(store), states_[done], after, "afterwards");
  }

  static void Finish(Store* store) {
    ExpectIndexes(store, "afterwards");
    for (const char* sql :
         {"UPSERT INTO it VALUES (7, 'z', 99, 'last', 9)", "DELETE FROM it WHERE v = 30",
          "UPSERT INTO it (k, l, w) SELECT k, l, "
          "'all' FROM it WHERE v > 0"}) {
      Must(store->Execute(sql), sql);
    }
    Must(store->admin()->Flush(It()), "flush afterwards");
    ExpectIndexes(store, "after more writes");
    Must(store->Close(), "closing afterwards");
  }

  const std::vector<Step>& steps_;
  const std::vector<Rows>& states_;
  const std::string directory_;
  Shared* const shared_;
};

// ---- the walk: a process without threads, that has no store open

class Walk {
 public:
  Walk(std::string directory, uint64_t stride)
      : directory_(std::move(directory)),
        store_(directory_ + "/store"),
        template_(directory_ + "/before"),
        stride_(stride),
        steps_(MakeSteps()) {}

  int Run(const std::vector<Mode>& modes, uint64_t only) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
    void* const memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 2;
    shared_ = new (memory) Shared();
    states_.emplace_back();
    for (const Step& step : steps_) {
      states_.push_back(states_.back());
      step.effect(&states_.back());
    }
    bool died = false;
    if (!InChild(&died, [&] { MakeTemplate(); }) || died) return 1;
    for (const Mode mode : modes) {
      int places = 0;
      bool met = true;
      for (uint64_t at = only > 0 ? only : 1; met && at < kPlacesMax; at += stride_) {
        if (!Try(mode, at, &met)) {
          std::fprintf(stderr, "index_walk: %s --at %llu; the store is kept in %s\n",
                       kModeNames[static_cast<int>(mode)], static_cast<unsigned long long>(at),
                       store_.c_str());
          return 1;
        }
        if (met) ++places;
        if (only > 0) break;
      }
      std::printf("%s: %d places\n", kModeNames[static_cast<int>(mode)], places);
      std::fflush(stdout);
    }
    std::filesystem::remove_all(directory_);
    return 0;
  }

 private:
  void MakeTemplate() const {
    Store store(template_);
    Must(store.Open(), "open");
    for (const std::string& sql : kDefinitions) Must(store.Execute(sql), sql);
    Must(store.Close(), "close");
  }

  // Whether all was well with something happening at place 'at'.
  bool Try(Mode mode, uint64_t at, bool* met) {
    std::filesystem::remove_all(store_);
    std::filesystem::remove_all(store_ + ".aside");
    std::filesystem::copy(template_, store_, std::filesystem::copy_options::recursive);
    shared_->acknowledged.store(0);
    shared_->met.store(false);
    bool died = false;
    Runner runner(steps_, states_, store_, shared_);
    if (!IsDeath(mode)) {
      const bool fine = InChild(&died, [&] { runner.WithError(mode, at); });
      *met = shared_->met.load();
      return fine && !died;
    }
    if (!InChild(&died, [&] { runner.WithDeath(mode, at); })) return false;
    *met = died;
    const size_t acknowledged = shared_->acknowledged.load();
    return InChild(&died, [&] { runner.Verify(mode, acknowledged); }) && !died;
  }

  // False: the child found something wrong. 'died': it was killed at a point.
  template <typename Work>
  static bool InChild(bool* died, Work work) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::alarm(kChildSecondsMax);
      SetLogLevel(LogLevel::kOff);
      work();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    *died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return *died || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  const std::string directory_;
  const std::string store_;
  const std::string template_;  // the table and its indexes, without rows
  const uint64_t stride_;
  const std::vector<Step> steps_;
  std::vector<Rows> states_;  // before the steps, then after each
  Shared* shared_ = nullptr;
};

int Usage() {
  std::fprintf(
      stderr,
      "usage: index_walk DIR kill|torn|power|power-unsynced|error|full|short… [--stride N] "
      "[--at N] [--in-memory]\n");
  return 2;
}

int Main(int argc, char** argv) {
  std::string directory;
  std::vector<Mode> modes;
  uint64_t stride = 1;
  uint64_t at = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const auto next = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    const auto* const mode = std::find(std::begin(kModeNames), std::end(kModeNames), text);
    if (text == "--stride") {
      stride = next();
    } else if (text == "--at") {
      at = next();
    } else if (text == "--in-memory") {
      // A name that no other walk on this machine has.
      if (::access("/dev/shm", W_OK) != 0) continue;
      directory = "/dev/shm/bennu_" + std::filesystem::path(directory).filename().string() + "_" +
                  std::to_string(::getpid());
    } else if (mode != std::end(kModeNames)) {
      modes.push_back(static_cast<Mode>(mode - std::begin(kModeNames)));
    } else if (text.starts_with("-") || !directory.empty()) {
      return Usage();
    } else {
      directory = text;
    }
  }
  if (directory.empty() || modes.empty() || stride == 0) return Usage();
  return Walk(directory, stride).Run(modes, at);
}

}  // namespace
}  // namespace bennu::indexed

int main(int argc, char** argv) { return bennu::indexed::Main(argc, argv); }
