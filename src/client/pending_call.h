// Calls that are under way while their callers do something else.
#ifndef BENNU_SRC_CLIENT_PENDING_CALL_H_
#define BENNU_SRC_CLIENT_PENDING_CALL_H_

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/client/channel.h"

namespace bennu::client {

// One call. Used by one thread; the outcome may come on any.
class PendingCall {
 public:
  PendingCall() : state_(std::make_shared<State>()) {}

  // To start the call with, once.
  CallDone done() const;
  // Waits for the outcome; once.
  CallOutcome Wait();
  // Instead of Wait, for a caller that goes away: 'then' gets the outcome, now or when it comes.
  void Leave(CallDone then);

 private:
  struct State {
    Mutex mu;
    CondVar came;
    bool done GUARDED_BY(mu) = false;
    CallDone left GUARDED_BY(mu);
    CallOutcome outcome GUARDED_BY(mu);
  };
  const std::shared_ptr<State> state_;
};

// One question that is put to one server, and to others when that one is slow or fails: the first
// good answer counts. Used by one thread; the outcomes may come on any.
class RacedCall {
 public:
  using Use = std::function<void(size_t contender, const CallOutcome&)>;
  struct End {
    size_t contender;
    CallOutcome outcome;
  };

  RacedCall() : state_(std::make_shared<State>()) {}

  // To start the next contender's call with; they are numbered from 0.
  CallDone Add();
  // Waits for a good answer, or until all contenders have failed: then it gives the outcome of the
  // first one. 'failed' gets every failure that has come. Once.
  End Wait(const Use& failed);
  // Waits for no longer than 'patience'; whether Wait would return at once now.
  bool WaitFor(std::chrono::microseconds patience);
  // While there is one contender: waits as WaitFor does, and tells whether others should be asked.
  // They should if it has not answered, or has failed in a way in which others need not fail.
  bool WantsOthers(std::chrono::microseconds patience);
  // For a caller that goes away, or has its answer: 'then' gets every outcome that Wait has not
  // given, now or when it comes.
  void Leave(const Use& then);

 private:
  struct State {
    Mutex mu;
    CondVar came;
    std::vector<std::optional<CallOutcome>> outcomes GUARDED_BY(mu);
    std::vector<bool> taken GUARDED_BY(mu);
    Use left GUARDED_BY(mu);

    // The contender whose outcome ends the race. Nothing: it goes on.
    std::optional<size_t> Winner() const REQUIRES(mu);
  };
  const std::shared_ptr<State> state_;
};

// Several calls side by side. Used by one thread; the outcomes may come on any. Calls that are
// under way at its end go on, and nobody hears of their outcomes.
class CallGroup {
 public:
  CallGroup() : state_(std::make_shared<State>()) {}

  // To start another call with, which Next will name 'tag'.
  CallDone Add(size_t tag);
  size_t under_way() const { return under_way_; }
  // Waits for the next outcome of any call. At least one must be under way.
  std::pair<size_t, CallOutcome> Next();

 private:
  struct State {
    Mutex mu;
    CondVar came;
    std::deque<std::pair<size_t, CallOutcome>> outcomes GUARDED_BY(mu);
  };
  const std::shared_ptr<State> state_;
  size_t under_way_ = 0;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_PENDING_CALL_H_
