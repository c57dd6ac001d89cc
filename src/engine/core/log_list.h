// LogList: which logs a store has, also while the process that holds it writes, rolls and archives
// them.
//
// Who only reads looks twice. What no store file has when the files are opened is in a log that was
// not archived by then. So the first look comes before the files, and the second one, after them,
// names every log that was there at some moment between, wherever it is now. The holder archives
// its logs oldest first and removes archived ones oldest first: where those of the first look are
// still to be found, none that came after them is gone. The list of the second look has no gap: a
// log is whole once a later one is known. So whoever opens the logs after the look, oldest first,
// reads everything up to some moment that is later than each of the files.
//
// One thread at a time.
#ifndef BENNU_SRC_ENGINE_CORE_LOG_LIST_H_
#define BENNU_SRC_ENGINE_CORE_LOG_LIST_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/directory/root_layout.h"
#include "src/wal/wal_reader.h"

namespace bennu::engine {

class LogList {
 public:
  struct Log {
    std::string path;  // as it was listed
    std::string name;
    int64_t created = 0;
  };

  // 'read_only': another process may hold the store.
  LogList(Env* env, const RootLayout& layout, bool read_only)
      : env_(env), layout_(layout), read_only_(read_only) {}

  Status Look();
  // Aborted, with what happened, when a process has begun to hold the store since the first look,
  // which changes what earlier ones left, or when a log of the first look is gone.
  Status LookAgain();

  // As of the last look, oldest first.
  const std::vector<Log>& logs() const { return logs_; }
  const std::vector<std::string>& directories() const { return directories_; }  // of servers

  // Also of a log that was archived since it was listed. NotFound: it is gone.
  Result<std::unique_ptr<wal::WalReader>> Open(const Log& log) const;

 private:
  Status ListPresent();
  Result<std::set<std::string>> ArchivedNames() const;
  void AddArchived(const std::set<std::string>& names);
  Status CheckAgainst(const std::vector<Log>& first) const;
  void Sort();

  Env* const env_;
  const RootLayout layout_;
  const bool read_only_;
  std::vector<Log> logs_;
  std::vector<std::string> directories_;
  std::set<std::string> archived_before_;  // when it was looked first
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_LOG_LIST_H_
