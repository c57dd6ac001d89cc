// IndexBuilds: the building of indexes in the background: those that were made ASYNC, and those
// whose building a crash or a closed store cut short.
//
// What such an index has does not count: a crash may have come while it was emptied, or while
// writes passed it by. So it is emptied first.
//
// A thread of its own looks for indexes in state BUILDING some seconds after it was woken, so that
// a program that runs one statement does not begin what it cannot finish. One that cannot be built,
// as of a table that is disabled, is tried again, after ever longer pauses. Each building is a
// running statement, which SHOW STATEMENTS lists; a cancelled one leaves the index disabled.
#ifndef BENNU_SRC_SQL_SESSION_INDEX_BUILDS_H_
#define BENNU_SRC_SQL_SESSION_INDEX_BUILDS_H_

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/sql/catalog/table.h"
#include "src/sql/index/indexes.h"

namespace bennu::sql::session {

class SqlStore;

// Thread-safe.
class IndexBuilds : public index::IndexBuilder {
 public:
  // 'store' must outlive this, and have its Indexes.
  explicit IndexBuilds(SqlStore* store);
  // Ends what is under way; a later opening of the store goes on with it.
  ~IndexBuilds() override;

  // There may be something to build.
  void Wake() EXCLUDES(mu_);

  bool IsBuilding(const catalog::TableKey& index) EXCLUDES(mu_) override;
  void StatesChanged() override;

  // While a statement builds an index it does so alone.
  class Claim {
   public:
    Claim(IndexBuilds* builds, const catalog::TableKey& index);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    bool mine() const { return mine_; }

   private:
    IndexBuilds* const builds_;  // null: there is no background
    const catalog::TableKey index_;
    bool mine_ = true;
  };

 private:
  void Run();
  // Whether some that are to be built were not.
  Result<bool> BuildAll();
  Status BuildOne(const catalog::TableKey& key);

  SqlStore* const store_;
  std::atomic<bool> stop_{false};  // asked by a building between two steps
  Mutex mu_;
  CondVar changed_;
  bool woken_ GUARDED_BY(mu_) = false;
  // The last error of each index that could not be built, which the log has already.
  std::map<catalog::TableKey, std::string> told_;
  std::set<catalog::TableKey> claimed_ GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_INDEX_BUILDS_H_
