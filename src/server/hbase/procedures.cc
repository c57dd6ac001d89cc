#include "src/server/hbase/procedures.h"

#include <algorithm>

#include "src/base/env.h"

namespace bennu::server::hbase {

namespace {

// The engine makes most changes one after another in any case.
constexpr size_t kThreads = 4;
// Changes that have not ended. A change is a call with a schema at most, so that this is memory of
// some megabytes.
constexpr size_t kLiveMax = 1'000;
// Those that ended are forgotten, oldest first, beyond so many, or after HBase's
// hbase.procedure.cleaner.evict.ttl, and evict.ack.ttl once a client was told.
constexpr size_t kKept = 10'000;
constexpr int64_t kKeptMillis = 15 * 60'000;
constexpr int64_t kKeptToldMillis = 5 * 60'000;

constexpr char kNamespaceTable[] = "hbase:namespace";

// Clients ask hbase:meta for a table's state as it was before the millisecond in which they ask
// (getTableState of ClientMetaTableAccessor), and would see the one before the change. A change may
// have taken the millisecond behind that of the clock. A clock that was set back is not waited for.
void WaitUntilClientsSee(int64_t finished_millis) {
  constexpr int kLooksMax = 50;
  for (int i = 0; i < kLooksMax && Env::Default()->NowMillis() <= finished_millis + 1; ++i) {
    Env::Default()->SleepMicros(200);
  }
}

bool SameResource(const ProcedureLock& left, const ProcedureLock& right) {
  return left.type == right.type && left.name == right.name;
}

bool Conflict(const std::vector<ProcedureLock>& left, const std::vector<ProcedureLock>& right) {
  return std::any_of(left.begin(), left.end(), [&right](const ProcedureLock& one) {
    return std::any_of(right.begin(), right.end(), [&one](const ProcedureLock& other) {
      return SameResource(one, other) && (one.exclusive || other.exclusive);
    });
  });
}

}  // namespace

std::vector<ProcedureLock> TableLocks(const TableName& table, bool exclusive) {
  return {{pb::NAMESPACE, table.name_space, false}, {pb::TABLE, table.ToString(), exclusive}};
}

std::vector<ProcedureLock> RegionLocks(const TableName& table,
                                       const std::vector<std::string>& encoded_names) {
  std::vector<ProcedureLock> locks = TableLocks(table, false);
  for (const std::string& name : encoded_names) locks.push_back({pb::REGION, name, true});
  return locks;
}

std::vector<ProcedureLock> NamespaceLocks(const std::string& name) {
  return {{pb::TABLE, kNamespaceTable, false}, {pb::NAMESPACE, name, true}};
}

// Numbers go on from the time of the start: one that a client still has from the process before
// must not be another change's.
Procedures::Procedures()
    : last_id_(static_cast<uint64_t>(Env::Default()->NowMillis())), pool_("procedure", kThreads) {}

void Procedures::Submit(Change change) {
  uint64_t known_id = 0;
  std::optional<rpc::RemoteError> refused;
  {
    MutexLock lock(&mu_);
    const std::pair<uint64_t, uint64_t> nonce(change.nonce_group, change.nonce);
    const auto known = change.nonce != 0 ? ids_.find(nonce) : ids_.end();
    if (known != ids_.end()) {
      known_id = known->second;
    } else if (stopped_) {
      refused.emplace(rpc::exceptions::kServerStopped, "the server is stopping");
    } else if (live_.size() >= kLiveMax) {
      refused.emplace(rpc::exceptions::kCallQueueTooBig,
                      "too many changes wait for others; try again when some have ended");
    } else {
      auto entry = std::make_shared<Entry>();
      View& view = entry->view;
      view.id = ++last_id_;
      view.class_name = change.class_name;
      view.owner = change.owner;
      view.nonce_group = change.nonce_group;
      view.nonce = change.nonce;
      view.submitted_millis = view.updated_millis = Env::Default()->NowMillis();
      entry->change = std::move(change);
      if (view.nonce != 0) ids_[nonce] = view.id;
      all_[view.id] = live_[view.id] = entry;
      return StartThoseThatCan();
    }
  }
  change.answer(refused, known_id);
}

// One that waits keeps those behind it from its locks, or it might wait for ever.
void Procedures::StartThoseThatCan() {
  for (auto one = live_.begin(); one != live_.end(); ++one) {
    const EntryPtr& entry = one->second;
    if (entry->view.running) continue;
    const bool held = std::any_of(live_.begin(), one, [&entry](const auto& earlier) {
      return Conflict(earlier.second->change.locks, entry->change.locks);
    });
    if (held) continue;
    entry->view.running = true;
    entry->view.updated_millis = Env::Default()->NowMillis();
    pool_.Submit([this, entry = entry] { Run(entry); });
  }
}

void Procedures::Run(const EntryPtr& entry) {
  const Ending ending = entry->change.run();
  WaitUntilClientsSee(Env::Default()->NowMillis());
  std::function<void()> answer;
  {
    MutexLock lock(&mu_);
    answer = EndLocked(entry, ending);
    StartThoseThatCan();
    ended_.SignalAll();
  }
  if (answer) answer();
}

std::function<void()> Procedures::EndLocked(const EntryPtr& entry, const Ending& ending) {
  View& view = entry->view;
  view.running = false;
  view.ended = true;
  view.error = ending.error;
  view.updated_millis = Env::Default()->NowMillis();
  live_.erase(view.id);
  entry->change.run = nullptr;  // and what it holds of the request
  while (all_.size() - live_.size() > kKept) {
    const auto oldest = std::find_if(all_.begin(), all_.end(),
                                     [](const auto& one) { return one.second->view.ended; });
    Forget(oldest->first);
  }
  auto answer = std::exchange(entry->change.answer, nullptr);
  if (!answer) return nullptr;
  CallError told = ending.fails_call ? ending.error : std::nullopt;
  return [answer = std::move(answer), told = std::move(told), id = view.id] { answer(told, id); };
}

void Procedures::Forget(uint64_t id) {
  const auto found = all_.find(id);
  const View& view = found->second->view;
  if (view.nonce != 0) ids_.erase({view.nonce_group, view.nonce});
  all_.erase(found);
}

std::optional<Procedures::View> Procedures::Find(uint64_t id) {
  MutexLock lock(&mu_);
  const auto found = all_.find(id);
  if (found == all_.end()) return std::nullopt;
  Entry& entry = *found->second;
  if (entry.view.ended && !entry.asked_millis) entry.asked_millis = Env::Default()->NowMillis();
  return entry.view;
}

std::optional<Procedures::View> Procedures::FindLatest(const std::string& subject) {
  MutexLock lock(&mu_);
  const auto found = std::find_if(all_.rbegin(), all_.rend(), [&subject](const auto& one) {
    return one.second->change.subject == subject;
  });
  if (found == all_.rend()) return std::nullopt;
  return found->second->view;
}

std::vector<Procedures::View> Procedures::List() {
  MutexLock lock(&mu_);
  std::vector<View> views;
  views.reserve(all_.size());
  for (const auto& [id, entry] : all_) views.push_back(entry->view);
  return views;
}

std::vector<Procedures::LockView> Procedures::ListLocks() {
  MutexLock lock(&mu_);
  struct Asked {
    LockView view;
    bool any = false;  // of those that come earlier, be it that they wait themselves
    bool any_exclusive = false;
  };
  std::map<std::pair<int, std::string>, Asked> locks;
  for (const auto& [id, entry] : live_) {
    for (const ProcedureLock& wanted : entry->change.locks) {
      Asked& lock_asked = locks[{wanted.type, wanted.name}];
      LockView& view = lock_asked.view;
      view.type = wanted.type;
      view.name = wanted.name;
      if (!entry->view.running) {
        const bool waits = wanted.exclusive ? lock_asked.any : lock_asked.any_exclusive;
        if (waits) view.waiting.push_back(entry->view);
      } else if (wanted.exclusive) {
        view.exclusive_owner = entry->view;
      } else {
        ++view.shared_count;
      }
      lock_asked.any = true;
      lock_asked.any_exclusive |= wanted.exclusive;
    }
  }
  std::vector<LockView> held;
  for (auto& [key, lock_asked] : locks) {
    LockView& view = lock_asked.view;
    if (view.exclusive_owner || view.shared_count > 0) held.push_back(std::move(view));
  }
  return held;
}

bool Procedures::Abort(uint64_t id) {
  std::function<void()> answer;
  {
    MutexLock lock(&mu_);
    const auto found = live_.find(id);
    if (found == live_.end() || found->second->view.running) return false;
    const EntryPtr entry = found->second;
    entry->view.aborted = true;
    answer = EndLocked(entry, rpc::RemoteError(rpc::exceptions::kDoNotRetry,
                                               "org.apache.hadoop.hbase.procedure2."
                                               "ProcedureAbortedException: abort requested"));
    StartThoseThatCan();
    ended_.SignalAll();
  }
  if (answer) answer();
  return true;
}

void Procedures::KeepHouse(std::chrono::milliseconds late) {
  std::vector<std::function<void()>> answers;
  {
    MutexLock lock(&mu_);
    const int64_t now = Env::Default()->NowMillis();
    for (const auto& [id, entry] : live_) {
      if (now - entry->view.submitted_millis < late.count() || !entry->change.answer) continue;
      answers.emplace_back([answer = std::exchange(entry->change.answer, nullptr), number = id] {
        answer(std::nullopt, number);
      });
    }
    std::vector<uint64_t> old;
    for (const auto& [id, entry] : all_) {
      const auto& asked = entry->asked_millis;
      if (entry->view.ended && (now - entry->view.updated_millis >= kKeptMillis ||
                                (asked && now - *asked >= kKeptToldMillis))) {
        old.push_back(id);
      }
    }
    for (const uint64_t id : old) Forget(id);
  }
  for (const auto& answer : answers) answer();
}

void Procedures::Stop() {
  MutexLock lock(&mu_);
  stopped_ = true;
  while (!live_.empty()) ended_.Wait(&mu_);
}

}  // namespace bennu::server::hbase
