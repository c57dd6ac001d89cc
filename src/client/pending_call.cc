#include "src/client/pending_call.h"

#include "src/base/check.h"

namespace bennu::client {

CallDone PendingCall::done() const {
  return [state = state_](CallOutcome outcome) {
    CallDone left;
    {
      MutexLock lock(&state->mu);
      state->done = true;
      if (state->left == nullptr) {
        state->outcome = std::move(outcome);
        state->came.Signal();
        return;
      }
      left = std::move(state->left);
    }
    left(std::move(outcome));
  };
}

CallOutcome PendingCall::Wait() {
  MutexLock lock(&state_->mu);
  while (!state_->done) state_->came.Wait(&state_->mu);
  return std::move(state_->outcome);
}

void PendingCall::Leave(CallDone then) {
  CallOutcome outcome;
  {
    MutexLock lock(&state_->mu);
    if (!state_->done) {
      state_->left = std::move(then);
      return;
    }
    outcome = std::move(state_->outcome);
  }
  then(std::move(outcome));
}

CallDone CallGroup::Add(size_t tag) {
  ++under_way_;
  return [state = state_, tag](CallOutcome outcome) {
    MutexLock lock(&state->mu);
    state->outcomes.emplace_back(tag, std::move(outcome));
    state->came.Signal();
  };
}

std::pair<size_t, CallOutcome> CallGroup::Next() {
  BENNU_CHECK(under_way_ > 0);
  MutexLock lock(&state_->mu);
  while (state_->outcomes.empty()) state_->came.Wait(&state_->mu);
  auto next = std::move(state_->outcomes.front());
  state_->outcomes.pop_front();
  --under_way_;
  return next;
}

}  // namespace bennu::client
