// A store with a table of SQL that has an index of each kind, for programs that let it die.
#ifndef BENNU_TESTS_CRASH_INDEXED_STORE_H_
#define BENNU_TESTS_CRASH_INDEXED_STORE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/bennu/opened_store.h"

namespace bennu::indexed {

// The table and its indexes: one that includes a column, of expressions, local, uncovered and
// partial.
extern const std::vector<std::string> kDefinitions;

class Store {
 public:
  explicit Store(std::string directory, Env* env = Env::Default(),
                 WriteSync write_sync = WriteSync::kOs)
      : directory_(std::move(directory)), env_(env), write_sync_(write_sync) {}

  // With small memstores, so that the load flushes and compacts.
  Status Open();
  Status Close();
  bool is_open() const { return store_ != nullptr; }
  Admin* admin() { return store_->engine()->admin(); }
  engine::Engine* engine() { return store_->engine(); }

  // Thread-safe: a connection for each call, or for each thread that asks for one.
  Result<std::unique_ptr<SqlConnection>> Connect();
  // The rows, columns joined by '|'.
  static Result<std::vector<std::string>> Execute(SqlConnection* connection, std::string_view sql);
  Result<std::vector<std::string>> Execute(std::string_view sql);

  // Each index of the table against the table, both ways; empty: they agree. Indexes that are not
  // complete yet are left out.
  Result<std::string> DifferencesOfIndexes();

 private:
  const std::string directory_;
  Env* const env_;
  const WriteSync write_sync_;
  std::unique_ptr<front::OpenedStore> store_;
};

}  // namespace bennu::indexed

#endif  // BENNU_TESTS_CRASH_INDEXED_STORE_H_
