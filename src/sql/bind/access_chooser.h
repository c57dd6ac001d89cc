// AccessChooser: which index, if any, is read for a table of a SELECT.
//
// The binder binds a SELECT to its tables, then once more for each way that the chooser names, and
// keeps the best of them. What is better is the planner's to say (plan/index_chooser.h).
#ifndef BENNU_SRC_SQL_BIND_ACCESS_CHOOSER_H_
#define BENNU_SRC_SQL_BIND_ACCESS_CHOOSER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/bind/index_access.h"

namespace bennu::sql::bind {

// What is read for each source of a SELECT; null: its table.
using Accesses = std::vector<std::shared_ptr<const IndexAccess>>;

// One statement's; one thread.
class AccessChooser {
 public:
  virtual ~AccessChooser() = default;
  // Indexes that may be read for the source of a SELECT that was bound to its tables.
  virtual Result<Accesses> CandidatesFor(const BoundSelect& select, size_t source) = 0;
  // 'select' can be run, the source's index being read, and it is not known that it should not be.
  virtual Result<bool> IsPossible(const BoundSelect& select, size_t source) = 0;
  // 'one' is to be preferred to 'other': the same SELECT, with another way to the source's rows.
  virtual bool IsBetter(const BoundSelect& one, const BoundSelect& other, size_t source) = 0;

  // What was chosen before for a SELECT that stands in one that is bound again.
  std::map<const parse::Select*, Accesses> chosen;
};

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_ACCESS_CHOOSER_H_
