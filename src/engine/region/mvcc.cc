#include "src/engine/region/mvcc.h"

#include <algorithm>
#include <utility>

#include "src/base/check.h"

namespace bennu::engine {

void Mvcc::Restart(uint64_t last_sequence_id) {
  MutexLock lock(&mu_);
  BENNU_CHECK(first_ == nullptr);
  if (last_sequence_id > read_point_.load()) read_point_.store(last_sequence_id);
}

void Mvcc::Begin(Write* write, uint64_t sequence_id) {
  write->sequence_id_ = sequence_id;
  write->complete_ = false;
  write->given_up_ = false;
  write->next_ = nullptr;
  MutexLock lock(&mu_);
  if (last_ == nullptr) {
    first_ = write;
  } else {
    BENNU_DCHECK(last_->sequence_id_ < sequence_id);
    last_->next_ = write;
  }
  last_ = write;
}

Mvcc::Write* Mvcc::TakeCompletePrefix() {
  Write* const taken = first_;
  Write* end = nullptr;
  while (first_ != nullptr && first_->complete_) {
    end = first_;
    first_ = first_->next_;
  }
  if (end == nullptr) return nullptr;
  end->next_ = nullptr;
  if (first_ == nullptr) last_ = nullptr;
  read_point_.store(end->sequence_id_, std::memory_order_seq_cst);
  return taken;
}

// After the log was lost: order no longer matters, since nothing is published.
Mvcc::Write* Mvcc::TakeEveryComplete() {
  Write* taken = nullptr;
  Write** taken_end = &taken;
  Write** link = &first_;
  last_ = nullptr;
  while (*link != nullptr) {
    Write* const write = *link;
    if (write->complete_) {
      *link = write->next_;
      write->next_ = nullptr;
      *taken_end = write;
      taken_end = &write->next_;
    } else {
      last_ = write;
      link = &write->next_;
    }
  }
  return taken;
}

void Mvcc::Complete(Write* write, const Status& status) {
  Write* done;
  Status outcome;
  {
    MutexLock lock(&mu_);
    write->complete_ = true;
    if (write->given_up_) {
      done = write;
      outcome = give_up_cause_;
    } else {
      if (!status.ok() && lost_.ok()) lost_ = status;
      done = lost_.ok() ? TakeCompletePrefix() : TakeEveryComplete();
      outcome = lost_;
    }
    if (waiting_ > 0) published_.SignalAll();
  }
  TellAll(done, outcome);
}

void Mvcc::TellAll(Write* writes, const Status& status) {
  while (writes != nullptr) {
    Write* const next = writes->next_;
    writes->OnPublished(status);
    writes = next;
  }
}

uint64_t Mvcc::GiveUp(uint64_t after, uint64_t last, const Status& cause) {
  MutexLock lock(&mu_);
  after = std::max(after, read_point_.load());
  // First, so that nobody who sees a later read point misses it.
  given_up_.Add(after, last);
  give_up_cause_ = cause;
  TakeOut(after);
  if (waiting_ > 0) published_.SignalAll();
  return after;
}

// Under the log's lock no id above the last one can have begun.
void Mvcc::TakeOut(uint64_t after) {
  Write* kept = nullptr;  // the last one that stays
  Write* out = first_;
  while (out != nullptr && out->sequence_id_ <= after) kept = std::exchange(out, out->next_);
  (kept == nullptr ? first_ : kept->next_) = nullptr;
  last_ = kept;
  while (out != nullptr) {
    Write* const write = std::exchange(out, out->next_);
    write->given_up_ = true;
    // The others are told by their Complete, which is still to come.
    write->next_ = write->complete_ ? std::exchange(to_tell_, write) : nullptr;
  }
}

void Mvcc::TellGivenUp() {
  Write* writes;
  Status cause;
  {
    MutexLock lock(&mu_);
    writes = std::exchange(to_tell_, nullptr);
    cause = give_up_cause_;
  }
  TellAll(writes, cause);
}

Status Mvcc::WaitPublished(uint64_t sequence_id) {
  MutexLock lock(&mu_);
  ++waiting_;
  while (lost_.ok() && first_ != nullptr && first_->sequence_id_ <= sequence_id) {
    published_.Wait(&mu_);
  }
  --waiting_;
  return lost_;
}

Status Mvcc::status() const {
  MutexLock lock(&mu_);
  return lost_;
}

}  // namespace bennu::engine
