// Housekeeper: the thread of a server that looks after what nobody asks for, once a second.
#ifndef BENNU_SRC_SERVER_HOUSEKEEPER_H_
#define BENNU_SRC_SERVER_HOUSEKEEPER_H_

#include <cstddef>
#include <functional>
#include <thread>

#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"

namespace bennu::server {

// Start and Stop are for one thread.
class Housekeeper {
 public:
  Housekeeper() = default;
  ~Housekeeper() { Stop(); }
  Housekeeper(const Housekeeper&) = delete;
  Housekeeper& operator=(const Housekeeper&) = delete;

  // Runs 'look' once a second from now on, on a thread of its own.
  void Start(std::function<void()> look);
  // Waits for a look that runs; there are none afterwards. Nothing without Start. Idempotent.
  void Stop();

 private:
  void Run(const std::function<void()>& look);

  Mutex mu_;
  CondVar wake_;
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

// Waits until no call runs any more, for a server that stops; ten seconds at most, which the log
// tells when some still run. 'running' says how many do.
void AwaitCalls(const std::function<size_t()>& running);

}  // namespace bennu::server

#endif  // BENNU_SRC_SERVER_HOUSEKEEPER_H_
