// Statements: what runs in an open store, for SHOW STATEMENTS and CANCEL STATEMENT.
//
// A session says in a slot what it runs, and has a slot for each result that is still being read. A
// statement runs from its first plan to its last row, or until its rows are given up.
#ifndef BENNU_SRC_SQL_SESSION_STATEMENTS_H_
#define BENNU_SRC_SQL_SESSION_STATEMENTS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/sql/exec/run_control.h"

namespace bennu::sql::session {

struct RunningStatement {
  int64_t id = 0;  // of this store since it was opened, ascending
  std::string text;
  std::string tenant;
  int64_t start_millis = 0;  // since 1970
  exec::RunControl::Progress progress;
};

// A statement that is over.
struct EndedStatement {
  std::shared_ptr<const std::string> text;
  std::string_view tenant;
  int64_t start_millis = 0;  // since 1970
  uint64_t nanos = 0;        // that it ran, without the time between two reads of its rows
  exec::RunControl::Progress progress;
};

// Is told of each statement that ends, by the thread that ran it. Thread-safe.
class StatementObserver {
 public:
  virtual ~StatementObserver() = default;
  virtual void StatementEnded(const EndedStatement& statement) = 0;
};

class Statements;

// Thread-safe, but for Begin and End: those are the session's.
class StatementSlot {
 public:
  StatementSlot(Statements* statements, std::string tenant)
      : statements_(statements), tenant_(std::move(tenant)) {}

  // A statement begins. Returns its number; 0: another one runs in the slot.
  int64_t Begin(std::shared_ptr<const std::string> text, int64_t now_millis,
                int64_t timeout_millis);
  // Nothing when another one has begun since.
  void End(int64_t id);

  bool IsFree() const;

  // Of the current statement; not moved as long as this lives.
  exec::RunControl* control() { return &control_; }
  // Around the time that the reader of the rows takes between two of them: it does not count.
  void Pause();
  void Resume();
  const std::string& tenant() const { return tenant_; }
  std::optional<RunningStatement> Current() const;
  // False when it does not run here, or no longer.
  bool Cancel(int64_t id);
  // Whatever runs.
  void Cancel();

 private:
  Statements* const statements_;
  const std::string tenant_;
  exec::RunControl control_;
  mutable Mutex mu_;
  int64_t id_ GUARDED_BY(mu_) = 0;  // 0: nothing runs
  std::shared_ptr<const std::string> text_ GUARDED_BY(mu_);
  int64_t start_millis_ GUARDED_BY(mu_) = 0;
  // Of the session's thread, and only while somebody observes: how long the statement ran before
  // the last pause, and since when it runs again (0: it is paused, or nobody observed its begin).
  uint64_t ran_nanos_ = 0;
  uint64_t running_since_nanos_ = 0;
};

// Thread-safe.
class Statements {
 public:
  // Statements that end from now on are told to 'observer' (null: nobody), which must outlive this
  // or be taken away once no session is left.
  void SetObserver(StatementObserver* observer) { observer_.store(observer); }

  // For a session, which keeps it as long as it lives. This must outlive it.
  std::shared_ptr<StatementSlot> AddSlot(const std::string& tenant);
  // By number. 'tenant': of this tenant's connections alone; empty: of all.
  std::vector<RunningStatement> List(const std::string& tenant) const;
  // False when 'tenant' has no such statement running.
  bool Cancel(int64_t id, const std::string& tenant);

 private:
  friend class StatementSlot;
  std::vector<std::shared_ptr<StatementSlot>> Slots(const std::string& tenant) const;

  std::atomic<int64_t> next_id_{1};
  std::atomic<StatementObserver*> observer_{nullptr};
  mutable Mutex mu_;
  mutable std::vector<std::weak_ptr<StatementSlot>> slots_ GUARDED_BY(mu_);
};

// The slots of one session. Thread-safe.
class SessionSlots {
 public:
  // 'statements' must outlive this.
  SessionSlots(Statements* statements, std::string tenant)
      : statements_(statements), tenant_(std::move(tenant)) {}

  // One in which nothing runs. Of the session's thread alone.
  std::shared_ptr<StatementSlot> Free();
  // The statement with this number, if it runs here.
  void Cancel(int64_t id);
  std::optional<RunningStatement> Find(int64_t id);
  // The one that began last.
  std::optional<RunningStatement> Newest();
  // Whatever runs.
  void Cancel();

 private:
  Statements* const statements_;
  const std::string tenant_;
  Mutex mu_;
  std::vector<std::shared_ptr<StatementSlot>> slots_ GUARDED_BY(mu_);
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_STATEMENTS_H_
