// NoWaitScope: for a thread that others wait for, such as a server's event loop, while it runs code
// that may have to wait for the disk, for memory or for a lock that is held for long.
//
//   NoWaitScope scope;
//   const Status status = table->GetCells(get, use);
//   if (scope.refused()) …  // give the work to a thread that may wait, and forget the status
//
// Code that is about to wait asks NoWaitScope::Refuses() first, and gives up with WouldWait() when
// it says so, as with any error: nothing has happened. Outside of a scope it costs one look at a
// variable of the thread.
#ifndef BENNU_SRC_BASE_NO_WAIT_H_
#define BENNU_SRC_BASE_NO_WAIT_H_

#include "bennu/status.h"

namespace bennu {

// On one thread; not nested.
class NoWaitScope {
 public:
  NoWaitScope() { current_ = this; }
  ~NoWaitScope() { current_ = nullptr; }
  NoWaitScope(const NoWaitScope&) = delete;
  NoWaitScope& operator=(const NoWaitScope&) = delete;

  // Whether anything in this scope gave up.
  bool refused() const { return refused_; }

  // Whether the thread must not wait; the scope remembers that it was asked.
  static bool Refuses() {
    if (current_ == nullptr) return false;
    current_->refused_ = true;
    return true;
  }

 private:
  static inline thread_local NoWaitScope* current_ = nullptr;

  bool refused_ = false;
};

// What code that gives up returns.
inline Status WouldWait() { return ResourceExhausted("it would have to wait"); }

}  // namespace bennu

#endif  // BENNU_SRC_BASE_NO_WAIT_H_
