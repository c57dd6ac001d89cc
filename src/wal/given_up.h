// Who is told when the log gives up entries that it cannot write.
#ifndef BENNU_SRC_WAL_GIVEN_UP_H_
#define BENNU_SRC_WAL_GIVEN_UP_H_

#include <cstdint>

#include "bennu/status.h"

namespace bennu::wal {

class GiveUpHandler {
 public:
  virtual ~GiveUpHandler() = default;

  // Of the ids in (after, last], those that nobody was answered OK for will never be seen: their
  // writes get 'cause'. Returns the greatest id of them that was answered, or 'after': the log
  // keeps the entries up to it for its next file. Under the log's lock.
  virtual uint64_t GiveUp(uint64_t after, uint64_t last, const Status& cause) = 0;
  // Then, without that lock: the place to tell those who wait.
  virtual void TellGivenUp() = 0;
};

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_GIVEN_UP_H_
