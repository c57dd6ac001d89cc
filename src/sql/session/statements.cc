#include "src/sql/session/statements.h"

#include <algorithm>
#include <utility>

#include "src/base/env.h"

namespace bennu::sql::session {

int64_t StatementSlot::Begin(std::shared_ptr<const std::string> text, int64_t now_millis,
                             int64_t timeout_millis) {
  MutexLock lock(&mu_);
  if (id_ != 0) return 0;
  const int64_t id = statements_->next_id_.fetch_add(1, std::memory_order_relaxed);
  control_.Begin(timeout_millis);  // here, so that no cancellation of the last one comes between
  id_ = id;
  text_ = std::move(text);
  start_millis_ = now_millis;
  const bool observed = statements_->observer_.load(std::memory_order_acquire) != nullptr;
  running_since_nanos_ = observed ? Env::Default()->MonotonicNanos() : 0;
  ran_nanos_ = 0;
  return id;
}

void StatementSlot::End(int64_t id) {
  StatementObserver* const observer = statements_->observer_.load(std::memory_order_acquire);
  if (observer == nullptr) {
    MutexLock lock(&mu_);
    if (id_ != id) return;
    id_ = 0;
    text_ = nullptr;
    return;
  }
  EndedStatement ended;
  {
    MutexLock lock(&mu_);
    if (id_ != id) return;
    id_ = 0;
    ended = {std::move(text_), tenant_, start_millis_, 0, control_.progress()};
  }
  Pause();
  ended.nanos = ran_nanos_;
  if (ended.nanos > 0) observer->StatementEnded(ended);
}

void StatementSlot::Pause() {
  control_.Pause();
  if (running_since_nanos_ == 0) return;
  ran_nanos_ += Env::Default()->MonotonicNanos() - running_since_nanos_;
  running_since_nanos_ = 0;
}

void StatementSlot::Resume() {
  control_.Resume();
  if (ran_nanos_ > 0) running_since_nanos_ = Env::Default()->MonotonicNanos();
}

bool StatementSlot::IsFree() const {
  MutexLock lock(&mu_);
  return id_ == 0;
}

std::optional<RunningStatement> StatementSlot::Current() const {
  MutexLock lock(&mu_);
  if (id_ == 0) return std::nullopt;
  return RunningStatement{id_, *text_, tenant_, start_millis_, control_.progress()};
}

bool StatementSlot::Cancel(int64_t id) {
  MutexLock lock(&mu_);
  if (id_ != id) return false;
  control_.Cancel();
  return true;
}

void StatementSlot::Cancel() {
  MutexLock lock(&mu_);
  control_.Cancel();
}

std::shared_ptr<StatementSlot> Statements::AddSlot(const std::string& tenant) {
  auto slot = std::make_shared<StatementSlot>(this, tenant);
  MutexLock lock(&mu_);
  // Sessions come and go: those that went are forgotten.
  std::erase_if(slots_, [](const std::weak_ptr<StatementSlot>& old) { return old.expired(); });
  slots_.push_back(slot);
  return slot;
}

std::vector<std::shared_ptr<StatementSlot>> Statements::Slots(const std::string& tenant) const {
  std::vector<std::shared_ptr<StatementSlot>> found;
  MutexLock lock(&mu_);
  for (const std::weak_ptr<StatementSlot>& weak : slots_) {
    std::shared_ptr<StatementSlot> slot = weak.lock();
    if (slot != nullptr && (tenant.empty() || slot->tenant() == tenant)) {
      found.push_back(std::move(slot));
    }
  }
  return found;
}

std::vector<RunningStatement> Statements::List(const std::string& tenant) const {
  std::vector<RunningStatement> running;
  for (const std::shared_ptr<StatementSlot>& slot : Slots(tenant)) {
    if (auto current = slot->Current(); current.has_value()) {
      running.push_back(*std::move(current));
    }
  }
  std::sort(running.begin(), running.end(),
            [](const RunningStatement& a, const RunningStatement& b) { return a.id < b.id; });
  return running;
}

bool Statements::Cancel(int64_t id, const std::string& tenant) {
  const auto slots = Slots(tenant);
  return std::any_of(slots.begin(), slots.end(),
                     [id](const std::shared_ptr<StatementSlot>& slot) { return slot->Cancel(id); });
}

std::shared_ptr<StatementSlot> SessionSlots::Free() {
  MutexLock lock(&mu_);
  for (const std::shared_ptr<StatementSlot>& slot : slots_) {
    if (slot->IsFree()) return slot;
  }
  return slots_.emplace_back(statements_->AddSlot(tenant_));
}

void SessionSlots::Cancel(int64_t id) {
  MutexLock lock(&mu_);
  for (const std::shared_ptr<StatementSlot>& slot : slots_) slot->Cancel(id);
}

std::optional<RunningStatement> SessionSlots::Find(int64_t id) {
  MutexLock lock(&mu_);
  for (const std::shared_ptr<StatementSlot>& slot : slots_) {
    auto current = slot->Current();
    if (current.has_value() && current->id == id) return current;
  }
  return std::nullopt;
}

std::optional<RunningStatement> SessionSlots::Newest() {
  std::optional<RunningStatement> newest;
  MutexLock lock(&mu_);
  for (const std::shared_ptr<StatementSlot>& slot : slots_) {
    auto current = slot->Current();
    if (current.has_value() && (!newest.has_value() || current->id > newest->id)) {
      newest = std::move(current);
    }
  }
  return newest;
}

void SessionSlots::Cancel() {
  MutexLock lock(&mu_);
  for (const std::shared_ptr<StatementSlot>& slot : slots_) slot->Cancel();
}

}  // namespace bennu::sql::session
