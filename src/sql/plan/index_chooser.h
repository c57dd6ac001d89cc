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

namespace bennu::sql::plan {

class IndexChooser : public bind::AccessChooser {
 public:
  // 'catalog' must outlive this. 'feeds_upsert': the rows are for an UPSERT SELECT.
  IndexChooser(catalog::Catalog* catalog, bool feeds_upsert)
      : catalog_(catalog), feeds_upsert_(feeds_upsert) {}

  Result<bind::Accesses> CandidatesFor(const bind::BoundSelect& select, size_t source) override;
  bool IsPossible(const bind::BoundSelect& select, size_t source) override;
  bool IsBetter(const bind::BoundSelect& one, const bind::BoundSelect& other,
                size_t source) override;

 private:
  catalog::Catalog* const catalog_;
  const bool feeds_upsert_;
};

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_INDEX_CHOOSER_H_
