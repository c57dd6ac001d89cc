// Calls that are under way while their callers do something else.
#ifndef BENNU_SRC_CLIENT_PENDING_CALL_H_
#define BENNU_SRC_CLIENT_PENDING_CALL_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

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
