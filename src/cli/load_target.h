// Where `bennu load` puts its rows: a table of a store in this process, or of one behind a query
// server.
#ifndef BENNU_SRC_CLI_LOAD_TARGET_H_
#define BENNU_SRC_CLI_LOAD_TARGET_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "bennu/status.h"
#include "src/cli/load_columns.h"
#include "src/sql/types/value.h"

namespace bennu::cli {

// A row that was not taken: how manieth of those since the last commit, and why.
struct RowFault {
  size_t row = 0;
  Status status;
};

// One thread at a time.
class LoadTarget {
 public:
  virtual ~LoadTarget() = default;

  // As SQL reads the name, else the table of exactly this name. Error 1012: neither is there.
  virtual Result<LoadTable> FindTable(const std::string& name) = 0;
  // The statement that takes rows from now on.
  virtual Status Prepare(const std::string& upsert) = 0;
  // Takes a row. An error is about this row, which is not taken, unless it is the target's.
  virtual Status Add(std::span<const sql::Value> values) = 0;
  // Makes rows durable that were taken since the last call. Rows that turn out not to fit only now
  // are told to 'refuse', in their order; unless it returns OK, the rows behind are given up.
  // Returns how many rows became durable in *rows, with an error too.
  virtual Status Commit(const std::function<Status(const RowFault&)>& refuse, size_t* rows) = 0;
  // Whether rows that were taken may be refused at the commit.
  virtual bool refuses_late() const = 0;
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_LOAD_TARGET_H_
