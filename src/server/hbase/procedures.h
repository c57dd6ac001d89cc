// HBase's procedures, as clients see them: a change is submitted, gets a number, and is asked after
// until it is done. Changes run one after another where they take the same locks, and beside each
// other where they do not.
//
//   submitted → waits for its locks → runs → has ended: kept for a while, so that it is found
//
// Source: ProcedureExecutor and MasterProcedureScheduler of HBase 2.5.
#ifndef BENNU_SRC_SERVER_HBASE_PROCEDURES_H_
#define BENNU_SRC_SERVER_HBASE_PROCEDURES_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bennu/descriptor.h"
#include "proto/lock.pb.h"
#include "proto/procedure.pb.h"
#include "src/base/mutex.h"
#include "src/base/thread_pool.h"
#include "src/server/hbase/call.h"

namespace bennu::server::hbase {

// What a change keeps others from while it runs.
struct ProcedureLock {
  pb::LockedResourceType type = pb::TABLE;
  std::string name;
  bool exclusive = true;  // false: beside others that share it
};

// The locks of HBase's procedures: of a table, its namespace is shared.
std::vector<ProcedureLock> TableLocks(const TableName& table, bool exclusive);
std::vector<ProcedureLock> RegionLocks(const TableName& table,
                                       const std::vector<std::string>& encoded_names);
std::vector<ProcedureLock> NamespaceLocks(const std::string& name);

// What a change came to.
struct Ending {
  // Implicit, since most changes have nothing else to say.
  // NOLINTBEGIN(google-explicit-constructor)
  Ending(CallError failure) : error(std::move(failure)) {}
  Ending(rpc::RemoteError failure) : error(std::move(failure)) {}
  // NOLINTEND(google-explicit-constructor)
  // One that HBase's procedure meets only when it has begun: the call is answered with the number
  // all the same, and clients learn of the error when they ask after it.
  static Ending AskedAfter(rpc::RemoteError failure) {
    Ending ending(std::move(failure));
    ending.fails_call = false;
    return ending;
  }

  CallError error;
  bool fails_call = true;
};

struct Change {
  std::string class_name;  // of HBase's procedure, in full
  std::string owner;       // the user who asks
  std::string subject;     // for FindLatest, where clients ask by something else than the number
  uint64_t nonce_group = 0;
  uint64_t nonce = 0;  // 0: none
  std::vector<ProcedureLock> locks;
  // Called once, on a thread of the procedures.
  std::function<Ending()> run;
  // Called once, on any thread, and holds nobody up: with the error when the change has failed by
  // then and its ending fails the call, else with its number.
  std::function<void(const CallError&, uint64_t id)> answer;
};

// Thread-safe. Every change that was taken on is run, or aborted, before Stop returns.
class Procedures {
 public:
  // One procedure at some moment.
  struct View {
    uint64_t id = 0;
    std::string class_name;
    std::string owner;
    uint64_t nonce_group = 0;
    uint64_t nonce = 0;
    bool running = false;  // has its locks
    bool ended = false;
    bool aborted = false;
    CallError error;  // what it ended with
    int64_t submitted_millis = 0;
    int64_t updated_millis = 0;
  };
  // A lock that somebody has, and who waits for it.
  struct LockView {
    pb::LockedResourceType type = pb::TABLE;
    std::string name;
    std::optional<View> exclusive_owner;
    int shared_count = 0;
    std::vector<View> waiting;
  };

  Procedures();
  ~Procedures() { Stop(); }
  Procedures(const Procedures&) = delete;
  Procedures& operator=(const Procedures&) = delete;

  // Takes 'change' on. It is answered when it has ended, or by KeepHouse when that takes longer.
  // The nonce of an earlier change gets that one's number at once, whatever it came to. Refused
  // with CallQueueTooBigException, by its answer, when too many wait.
  void Submit(Change change);

  // Null: no such procedure, or one of long ago. None of these waits for a change.
  std::optional<View> Find(uint64_t id);
  std::optional<View> FindLatest(const std::string& subject);
  std::vector<View> List();
  std::vector<LockView> ListLocks();
  // True: it had not begun, and never will. False: it runs, has ended, or is not known.
  bool Abort(uint64_t id);

  // Answers changes that were submitted longer than 'late' ago, and forgets those that ended long
  // ago. To be called every now and then.
  void KeepHouse(std::chrono::milliseconds late = std::chrono::seconds(1));
  // Returns when all changes have ended; what is submitted from then on is refused.
  void Stop();

 private:
  struct Entry {
    Change change;
    View view;
    std::optional<int64_t> asked_millis;  // when somebody was first told that it has ended
  };
  using EntryPtr = std::shared_ptr<Entry>;

  void StartThoseThatCan() REQUIRES(mu_);
  void Run(const EntryPtr& entry);
  // Returns its answer, null when it was given already; to be called without the mutex.
  std::function<void()> EndLocked(const EntryPtr& entry, const Ending& ending) REQUIRES(mu_);
  void Forget(uint64_t id) REQUIRES(mu_);

  Mutex mu_;
  CondVar ended_;
  bool stopped_ GUARDED_BY(mu_) = false;
  uint64_t last_id_ GUARDED_BY(mu_);
  std::map<uint64_t, EntryPtr> all_ GUARDED_BY(mu_);
  // Those that have not ended, in the order in which they get what several of them want.
  std::map<uint64_t, EntryPtr> live_ GUARDED_BY(mu_);
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> ids_ GUARDED_BY(mu_);  // by nonce
  ThreadPool pool_;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_PROCEDURES_H_
