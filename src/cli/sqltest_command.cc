#include "src/cli/sqltest_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/cli/sqltest_cluster.h"
#include "src/cli/sqltest_file.h"
#include "src/cli/sqltest_runner.h"
#include "src/cli/sqltest_splits.h"
#include "src/cli/sqltest_store.h"
#include "src/cli/sqltest_writers.h"

namespace bennu::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kMillisPerSecond = 1000;
constexpr std::string_view kDeviationMark = "# deviation: ";

struct TestFile {
  std::string path;      // where it is
  std::string relative;  // FOLDER/NAME.test, as deviations and the pending list name it
};

struct Counts {
  int passed = 0;
  int failed = 0;
  int pending = 0;
  int not_applicable = 0;                 // the modes leave nothing to compare
  std::map<std::string, int> exceptions;  // by their reasons

  int total() const {
    int sum = passed + failed + pending + not_applicable;
    for (const auto& [reason, count] : exceptions) sum += count;
    return sum;
  }
};

// A file below a folder that was named keeps that folder's last part: "keys/pk_ve.test".
Result<std::vector<TestFile>> FindFiles(const std::vector<std::string>& paths) {
  std::vector<TestFile> files;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::path root = fs::path(path).lexically_normal();
    if (fs::is_regular_file(root, error)) {
      const fs::path folder = fs::absolute(root).parent_path().filename();
      files.push_back({root.string(), (folder / root.filename()).string()});
      continue;
    }
    if (!fs::is_directory(root, error)) return NotFound(path + ": no such file or folder");
    std::vector<TestFile> found;
    for (const auto& entry : fs::recursive_directory_iterator(root, error)) {
      if (entry.path().extension() != ".test") continue;
      const fs::path folder = fs::absolute(entry.path()).parent_path().filename();
      found.push_back({entry.path().string(), (folder / entry.path().filename()).string()});
    }
    if (error) return IoError(path + ": " + error.message());
    if (found.empty()) return NotFound(path + ": there is no *.test file in it");
    std::sort(found.begin(), found.end(),
              [](const TestFile& left, const TestFile& right) { return left.path < right.path; });
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

// `path:line feature` per line; '#' begins a comment. For exceptions it is `path:line reason`.
Result<std::map<std::string, std::string>> ReadList(const std::string& path) {
  std::map<std::string, std::string> listed;
  if (path.empty()) return listed;
  ASSIGN_OR_RETURN(const Bytes content, Env::Default()->ReadFile(path));
  int number = 0;
  for (std::string_view rest = content; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(':') > space) {
      return InvalidArgument(fmt::format("{}:{}: not `path:line feature`", path, number));
    }
    listed.emplace(line.substr(0, space), line.substr(space + 1));
  }
  return listed;
}

// Each record that differs from the recording must say why.
Status CheckDeviation(const TestFile& file, const std::string& recorded,
                      const std::string& changed) {
  if (changed.find(kDeviationMark) == std::string::npos) {
    return InvalidArgument(file.relative + ": the changed file has no line '" +
                           std::string(kDeviationMark) + "reason'");
  }
  if (recorded == changed) {
    return InvalidArgument(file.relative + ": the changed file is the same as the recorded one");
  }
  return Status();
}

class Suite {
 public:
  // 'cluster' is null without one, and else must outlive this.
  Suite(const SqlTestOptions& options, SqlTestCluster* cluster,
        std::map<std::string, std::string> pending, std::map<std::string, std::string> exceptions,
        std::string scratch)
      : options_(options),
        cluster_(cluster),
        pending_(std::move(pending)),
        exceptions_(std::move(exceptions)),
        scratch_(std::move(scratch)) {}

  void RunFile(const TestFile& file) {
    const Status status = TryFile(file);
    if (status.ok()) return;
    fmt::print("FAILED {}\n  {}\n", file.relative, status.ToString());
    ++counts_.failed;
  }

  // Listed records of files that were run and passed all the same.
  void ReportUnexpectedPasses() const {
    for (const std::string& place : passed_though_pending_) {
      fmt::print("note: {} is listed as pending and passes\n", place);
    }
  }
  const Counts& counts() const { return counts_; }

 private:
  Result<Bytes> ReadText(const TestFile& file) {
    ASSIGN_OR_RETURN(Bytes recorded, Env::Default()->ReadFile(file.path));
    if (options_.deviations_directory.empty()) return recorded;
    const std::string changed_path = JoinPath(options_.deviations_directory, file.relative);
    ASSIGN_OR_RETURN(const bool exists, Env::Default()->Exists(changed_path));
    if (!exists) return recorded;
    ASSIGN_OR_RETURN(Bytes changed, Env::Default()->ReadFile(changed_path));
    RETURN_IF_ERROR(CheckDeviation(file, recorded, changed));
    return changed;
  }

  Status TryFile(const TestFile& file) {
    ASSIGN_OR_RETURN(const Bytes text, ReadText(file));
    ASSIGN_OR_RETURN(const std::vector<SqlTestRecord> records, ParseSqlTest(text));
    if (cluster_ != nullptr) return RunOnCluster(file, records);
    const int failed_before = counts_.failed;
    SqlTestKeys keys;
    if (options_.modes.split) RETURN_IF_ERROR(FindKeys(records, &keys));
    const std::string directory = NextDirectory();
    {
      ASSIGN_OR_RETURN(const std::unique_ptr<SqlTestStore> store,
                       SqlTestStore::Open(directory, options_.modes, options_.conf));
      std::unique_ptr<SqlTestNeighbours> neighbours;
      if (options_.modes.writers) {
        ASSIGN_OR_RETURN(neighbours, SqlTestNeighbours::Start(store->database()));
      }
      SqlTestRunner runner(store.get());
      runner.SplitBy(&keys);
      runner.Run(records, [&](const SqlTestRecord& record, const auto& verdict) {
        Count(file, record, verdict);
      });
      if (neighbours != nullptr) RETURN_IF_ERROR(neighbours->Stop());
    }
    if (counts_.failed == failed_before) return Env::Default()->RemoveTree(directory);
    fmt::print("note: the store of {} is kept in {}\n", file.relative, directory);
    return Status();
  }

  Status RunOnCluster(const TestFile& file, const std::vector<SqlTestRecord>& records) {
    RETURN_IF_ERROR(CheckExceptions(file, records));
    const Counts before = counts_;
    const int64_t begin = Env::Default()->NowMillis();
    RETURN_IF_ERROR(cluster_->Clean(/*without_markers=*/TraitsOf(records).pinned_times));
    {
      ASSIGN_OR_RETURN(const std::unique_ptr<SqlTestStore> store, SqlTestStore::OpenOn(*cluster_));
      SqlTestRunner runner(store.get());
      runner.Run(records, [&](const SqlTestRecord& record, const auto& verdict) {
        Count(file, record, verdict);
      });
    }
    const double seconds =
        static_cast<double>(Env::Default()->NowMillis() - begin) / kMillisPerSecond;
    // It takes minutes: who waits sees how far it is.
    fmt::print("{}: {} of {} passed in {:.1f} s\n", file.relative, counts_.passed - before.passed,
               counts_.total() - before.total(), seconds);
    std::fflush(stdout);
    return Status();
  }

  // InvalidArgument: the list names a place of the file where there is no record.
  Status CheckExceptions(const TestFile& file, const std::vector<SqlTestRecord>& records) const {
    std::set<std::string> places;
    for (const SqlTestRecord& record : records) {
      if (IsCounted(record)) places.insert(PlaceOf(file, record));
    }
    const std::string prefix = file.relative + ":";
    for (auto it = exceptions_.lower_bound(prefix);
         it != exceptions_.end() && it->first.starts_with(prefix); ++it) {
      if (places.contains(it->first)) continue;
      return InvalidArgument(fmt::format("{}: there is no record at {}, which is listed there",
                                         options_.exceptions_file, it->first));
    }
    return Status();
  }

  static std::string PlaceOf(const TestFile& file, const SqlTestRecord& record) {
    return fmt::format("{}:{}", file.relative, record.line);
  }

  // A plain run, only to see which rows the tables get.
  Status FindKeys(const std::vector<SqlTestRecord>& records, SqlTestKeys* keys) {
    const std::string directory = NextDirectory();
    {
      ASSIGN_OR_RETURN(const std::unique_ptr<SqlTestStore> store,
                       SqlTestStore::Open(directory, SqlTestModes(), options_.conf));
      SqlTestRunner runner(store.get());
      runner.CollectKeys(keys);
      runner.Run(records, [](const SqlTestRecord&, const auto&) {});
    }
    return Env::Default()->RemoveTree(directory);
  }

  std::string NextDirectory() { return JoinPath(scratch_, fmt::format("store-{}", ++stores_)); }

  void Count(const TestFile& file, const SqlTestRecord& record,
             const std::optional<SqlTestVerdict>& verdict) {
    if (!verdict.has_value()) {
      ++counts_.not_applicable;
      return;
    }
    const std::string place = PlaceOf(file, record);
    if (const auto exception = exceptions_.find(place); exception != exceptions_.end()) {
      CountException(*exception, *verdict);
      return;
    }
    const auto pending = pending_.find(place);
    if (verdict->empty()) {
      ++counts_.passed;
      // In a mode less may be compared, so that a pass says nothing.
      const bool plain = !options_.modes.any();
      if (plain && pending != pending_.end()) passed_though_pending_.push_back(place);
      return;
    }
    if (pending != pending_.end()) {
      ++counts_.pending;
      return;
    }
    ++counts_.failed;
    fmt::print("FAILED {}\n  {}\n{}", place, record.text, *verdict);
  }

  void CountException(const std::pair<const std::string, std::string>& exception,
                      const SqlTestVerdict& verdict) {
    const auto& [place, reason] = exception;
    if (!verdict.empty()) {
      ++counts_.exceptions[reason];
      return;
    }
    ++counts_.failed;
    fmt::print("FAILED {}\n  passes, and {} lists it: {}\n", place, options_.exceptions_file,
               reason);
  }

  const SqlTestOptions& options_;
  SqlTestCluster* const cluster_;
  const std::map<std::string, std::string> pending_;
  const std::map<std::string, std::string> exceptions_;
  const std::string scratch_;
  int stores_ = 0;
  Counts counts_;
  std::vector<std::string> passed_though_pending_;
};

Result<std::string> MakeScratch(const SqlTestOptions& options) {
  std::string parent = options.scratch_directory;
  if (parent.empty()) {
    std::error_code error;
    parent = fs::temp_directory_path(error).string();
    if (error) return IoError("no temporary folder: " + error.message());
  }
  const std::string scratch =
      JoinPath(parent, fmt::format("bennu-sqltest-{:016x}", Env::Default()->RandomU64()));
  RETURN_IF_ERROR(Env::Default()->CreateDirectories(scratch));
  return scratch;
}

Result<Counts> RunAll(const SqlTestOptions& options) {
  const SqlTestModes& modes = options.modes;
  if (modes.writers && (modes.reopened || modes.killed)) {
    return InvalidArgument("the mode writers does not go with reopened and killed");
  }
  ASSIGN_OR_RETURN(const std::vector<TestFile> files, FindFiles(options.paths));
  ASSIGN_OR_RETURN(auto pending, ReadList(options.pending_file));
  ASSIGN_OR_RETURN(auto exceptions, ReadList(options.exceptions_file));
  std::unique_ptr<SqlTestCluster> cluster;
  if (!options.cluster.empty()) {
    if (modes.any()) return InvalidArgument("--mode does not go with --cluster");
    ASSIGN_OR_RETURN(cluster, SqlTestCluster::Open(options.cluster, options.conf));
  }
  ASSIGN_OR_RETURN(const std::string scratch, MakeScratch(options));
  Suite suite(options, cluster.get(), std::move(pending), std::move(exceptions), scratch);
  for (const TestFile& file : files) suite.RunFile(file);
  if (cluster != nullptr) RETURN_IF_ERROR(cluster->Clean(/*without_markers=*/false));
  suite.ReportUnexpectedPasses();
  if (suite.counts().failed == 0) RETURN_IF_ERROR(Env::Default()->RemoveTree(scratch));
  return suite.counts();
}

}  // namespace

ExitCode RunSqlTest(const SqlTestOptions& options) {
  const Result<Counts> counts = RunAll(options);
  if (!counts.ok()) {
    fmt::print(stderr, "ERROR: {}\n", counts.status().ToString());
    fmt::print("0 passed, 1 failed, 0 pending\n");
    return kExitStatementFailed;
  }
  int exceptions = 0;
  for (const auto& [reason, count] : counts->exceptions) {
    fmt::print("{:6} {}\n", count, reason);
    exceptions += count;
  }
  fmt::print("{} passed, {} failed, {} pending", counts->passed, counts->failed, counts->pending);
  if (options.modes.any()) fmt::print(", {} not applicable", counts->not_applicable);
  if (!options.cluster.empty()) fmt::print(", {} exceptions", exceptions);
  fmt::print("\n");
  return counts->failed == 0 ? kExitOk : kExitStatementFailed;
}

}  // namespace bennu::cli
