#include "src/client/pending_call.h"

#include "src/base/check.h"
#include "src/client/deadline.h"

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

std::optional<size_t> RacedCall::State::Winner() const {
  bool all_failed = true;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].has_value()) {
      all_failed = false;
    } else if (outcomes[i]->status.ok()) {
      return i;
    }
  }
  return all_failed ? std::optional<size_t>(0) : std::nullopt;
}

CallDone RacedCall::Add() {
  MutexLock lock(&state_->mu);
  const size_t contender = state_->outcomes.size();
  state_->outcomes.emplace_back();
  state_->taken.push_back(false);
  return [state = state_, contender](CallOutcome outcome) {
    Use left;
    {
      MutexLock lock(&state->mu);
      if (state->left == nullptr) {
        state->outcomes[contender] = std::move(outcome);
        state->came.Signal();
        return;
      }
      left = state->left;
    }
    left(contender, outcome);
  };
}

RacedCall::End RacedCall::Wait(const Use& failed) {
  std::vector<End> failures;
  End end;
  {
    MutexLock lock(&state_->mu);
    std::optional<size_t> winner;
    while (!(winner = state_->Winner()).has_value()) state_->came.Wait(&state_->mu);
    for (size_t i = 0; i < state_->outcomes.size(); ++i) {
      const auto& outcome = state_->outcomes[i];
      if (i == *winner || !outcome.has_value() || outcome->status.ok()) continue;
      failures.push_back({i, *outcome});
    }
    state_->taken[*winner] = true;
    end = {*winner, *std::move(state_->outcomes[*winner])};
  }
  for (const End& failure : failures) failed(failure.contender, failure.outcome);
  if (!end.outcome.status.ok()) failed(end.contender, end.outcome);
  return end;
}

bool RacedCall::WaitFor(std::chrono::microseconds patience) {
  const Deadline deadline(patience);
  MutexLock lock(&state_->mu);
  while (!state_->Winner().has_value()) {
    const auto left = deadline.Left();
    if (left.count() == 0) return false;
    state_->came.WaitFor(&state_->mu, left);
  }
  return true;
}

bool RacedCall::WantsOthers(std::chrono::microseconds patience) {
  if (!WaitFor(patience)) return true;
  MutexLock lock(&state_->mu);
  const CallOutcome& outcome = *state_->outcomes.front();
  return !outcome.status.ok() && outcome.remedy != rpc::Remedy::kNone;
}

void RacedCall::Leave(const Use& then) {
  std::vector<std::pair<size_t, CallOutcome>> here;
  {
    MutexLock lock(&state_->mu);
    state_->left = then;
    for (size_t i = 0; i < state_->outcomes.size(); ++i) {
      if (state_->taken[i] || !state_->outcomes[i].has_value()) continue;
      here.emplace_back(i, *std::move(state_->outcomes[i]));
      state_->taken[i] = true;
    }
  }
  for (const auto& [contender, outcome] : here) then(contender, outcome);
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
