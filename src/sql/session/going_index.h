// GoingIndex: an index of a store of this process on its way out, until its definition is gone.
#ifndef BENNU_SRC_SQL_SESSION_GOING_INDEX_H_
#define BENNU_SRC_SQL_SESSION_GOING_INDEX_H_

#include <memory>

#include "bennu/status.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/index/index_keeper.h"
#include "src/sql/session/index_builds.h"
#include "src/sql/session/sql_store.h"

namespace bennu::sql::session {

// While it lives nobody reads the index, and writes of its table pass it by. The catalog says
// meanwhile that the index is being built: where a crash or an error keeps it from going, it is
// built anew, and so is there as a whole again. One that was disabled stays so. One thread.
class GoingIndex {
 public:
  // All must outlive it. 'is_claimed': the caller has the index's IndexBuilds::Claim. An index that
  // somebody else is building is disabled instead, by which the building fails.
  static Result<std::unique_ptr<GoingIndex>> Begin(SqlStore* store,
                                                   const catalog::Catalog::IndexAndTable& index,
                                                   const catalog::DdlContext& context,
                                                   bool is_claimed);
  // Unless the index is gone, whoever builds in the background is told of it.
  ~GoingIndex();
  GoingIndex(const GoingIndex&) = delete;
  GoingIndex& operator=(const GoingIndex&) = delete;

  void SetGone() { is_gone_ = true; }

 private:
  explicit GoingIndex(SqlStore* store) : store_(store) {}

  SqlStore* const store_;
  std::unique_ptr<IndexBuilds::Claim> claim_;  // null: it is the caller's
  std::unique_ptr<index::IndexKeeper::Pause> pause_;
  bool is_gone_ = false;
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_GOING_INDEX_H_
