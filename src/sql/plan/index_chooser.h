// IndexChooser: Phoenix's rules for when an index is read in place of its table.
//
// An index can be read if it has all columns that are wanted, or if what it lacks may be looked up
// in the table (an uncovered index, or one that a hint names). Of all ways that is best which looks
// up whole keys; then which needs no sorting; then which has conditions on the most columns of its
// key; then which has the fewest columns besides. Source: phoenix-sql.md section 10;
// QueryOptimizer of 5.3.
#ifndef BENNU_SRC_SQL_PLAN_INDEX_CHOOSER_H_
#define BENNU_SRC_SQL_PLAN_INDEX_CHOOSER_H_

#include <cstddef>

#include "bennu/status.h"
#include "src/sql/bind/access_chooser.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::plan {

class IndexChooser : public bind::AccessChooser {
 public:
  // Both must outlive this. 'write': what the rows are read for; null: for themselves.
  IndexChooser(catalog::Catalog* catalog, const WriteSpec* write)
      : catalog_(catalog), write_(write) {}

  Result<bind::Accesses> CandidatesFor(const bind::BoundSelect& select, size_t source) override;
  Result<bool> IsPossible(const bind::BoundSelect& select, size_t source) override;
  bool IsBetter(const bind::BoundSelect& one, const bind::BoundSelect& other,
                size_t source) override;

 private:
  bool feeds_upsert() const { return write_ != nullptr && write_->way == WriteWay::kQueryRows; }
  bool finds_keys() const { return write_ != nullptr && !feeds_upsert(); }
  bool PrefersTable(const bind::BoundSelect& select) const;

  catalog::Catalog* const catalog_;
  const WriteSpec* const write_;
};

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_INDEX_CHOOSER_H_
