// A system that the benchmark beside other systems drives by lines of text: one process for each,
// so that processor time can be told apart. See peers_bench.py for the commands.
#ifndef BENNU_BENCH_PEERS_DRIVER_H_
#define BENNU_BENCH_PEERS_DRIVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bennu::bench {

// One row of a data file, its fields as text; an empty one is NULL.
using TextRow = std::vector<std::string>;

// A prepared statement whose parameters are taken from rows of text, by a letter for each type: 'i'
// an integer, 'd' a double, 's' a string, 't' milliseconds of a DATE.
class DrivenStatement {
 public:
  virtual ~DrivenStatement() = default;
  // What a caller binds, made before the clock runs.
  virtual void Prepare(const std::vector<TextRow>& rows) = 0;
  // Executes with the row at 'index' of those prepared; fetches all rows, counts them and adds up
  // their first column where that is an integer.
  virtual int64_t Execute(size_t index, int64_t* sum) = 0;
};

// All methods end the process with a message when something fails: a wrong benchmark measures
// nothing.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual void Execute(const std::string& sql) = 0;
  virtual void Begin() = 0;   // changes from now on wait for a Commit
  virtual void Commit() = 0;  // durable when it returns; the next transaction begins
  virtual void End() = 0;     // each statement commits itself again
  virtual void Settle() = 0;  // into the state of a table that is long there
  virtual std::unique_ptr<DrivenStatement> Prepare(const std::string& sql,
                                                   const std::string& types) = 0;
  // Fetches every value of every row; returns the number of rows. 'write' is called with each row's
  // fields when it is set.
  virtual int64_t Query(const std::string& sql,
                        const std::function<void(const TextRow&)>& write) = 0;
};

// Opens or makes the database in 'directory'.
std::unique_ptr<Driver> DriveBennu(const std::string& directory);
std::unique_ptr<Driver> DriveSqlite(const std::string& directory);

}  // namespace bennu::bench

#endif  // BENNU_BENCH_PEERS_DRIVER_H_
