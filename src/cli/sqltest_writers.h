// Those who write at the same time as the records of a file run.
#ifndef BENNU_SRC_CLI_SQLTEST_WRITERS_H_
#define BENNU_SRC_CLI_SQLTEST_WRITERS_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/base/mutex.h"

namespace bennu::cli {

// Calls 'body' with 0 … count-1, each on a thread of its own, all at the same time; returns when
// all have.
void AtTheSameTime(size_t count, const std::function<void(size_t)>& body);

// Four threads that write rows of a table of their own, read them back, count together in one row,
// delete, flush and merge, until stopped. What they see must be what they wrote.
class SqlTestNeighbours {
 public:
  // 'database' must outlive this.
  static Result<std::unique_ptr<SqlTestNeighbours>> Start(Database* database);
  ~SqlTestNeighbours();

  // Ends the threads and checks the tables a last time. The first thing that was wrong, or OK.
  Status Stop();

 private:
  explicit SqlTestNeighbours(Database* database) : database_(database) {}
  void Work(int writer);
  void Join();

  Database* const database_;
  std::atomic<bool> stopping_{false};   // set by Stop, read by the threads
  std::atomic<int64_t> increments_{0};  // of the common row, acknowledged
  Mutex mu_;
  Status first_fault_ GUARDED_BY(mu_);
  std::vector<std::thread> threads_;
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQLTEST_WRITERS_H_
