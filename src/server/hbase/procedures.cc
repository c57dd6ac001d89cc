#include "src/server/hbase/procedures.h"

#include "src/base/env.h"

namespace bennu::server::hbase {

namespace {

// The oldest are forgotten beyond so many; a client asks within seconds.
constexpr size_t kKept = 10'000;

// Clients ask hbase:meta for a table's state as it was before the millisecond in which they ask
// (getTableState of ClientMetaTableAccessor), and would see the one before the change. A change may
// have taken the millisecond behind that of the clock. A clock that was set back is not waited for.
void WaitUntilClientsSee(int64_t finished_millis) {
  constexpr int kLooksMax = 50;
  for (int i = 0; i < kLooksMax && Env::Default()->NowMillis() <= finished_millis + 1; ++i) {
    Env::Default()->SleepMicros(200);
  }
}

}  // namespace

CallError Procedures::Run(uint64_t nonce_group, uint64_t nonce,
                          const std::function<CallError()>& body, uint64_t* id) {
  const std::pair<uint64_t, uint64_t> key(nonce_group, nonce);
  MutexLock running(&run_mu_);
  if (nonce != 0) {
    MutexLock lock(&mu_);
    if (const auto known = ids_.find(key); known != ids_.end()) {
      *id = known->second;
      return std::nullopt;
    }
  }
  Outcome outcome;
  outcome.submitted_millis = Env::Default()->NowMillis();
  if (CallError error = body(); error) return error;
  outcome.finished_millis = Env::Default()->NowMillis();
  WaitUntilClientsSee(outcome.finished_millis);
  MutexLock lock(&mu_);
  *id = ++last_id_;
  outcomes_[*id] = outcome;
  if (nonce != 0) ids_[key] = *id;
  while (outcomes_.size() > kKept) {
    const uint64_t oldest = outcomes_.begin()->first;
    outcomes_.erase(outcomes_.begin());
    std::erase_if(ids_, [oldest](const auto& entry) { return entry.second == oldest; });
  }
  return std::nullopt;
}

std::optional<Procedures::Outcome> Procedures::Find(uint64_t id) {
  MutexLock lock(&mu_);
  const auto found = outcomes_.find(id);
  if (found == outcomes_.end()) return std::nullopt;
  return found->second;
}

}  // namespace bennu::server::hbase
