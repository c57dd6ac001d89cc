// Does an index have what its table has, both ways?
#ifndef BENNU_SRC_SQL_INDEX_INDEX_CHECK_H_
#define BENNU_SRC_SQL_INDEX_INDEX_CHECK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::index {

struct IndexDifference {
  enum class Kind : uint8_t {
    kMissing,    // a row of the table has no row in the index
    kDifferent,  // it has one, with other values in included columns, or not marked as verified
    kOrphan,     // a row of the index belongs to no row of the table
  };
  Kind kind = Kind::kMissing;
  Bytes table_row;  // empty for an orphan
  Bytes index_row;
};

struct IndexCheck {
  int64_t table_rows = 0;
  int64_t index_rows = 0;
  int64_t differences = 0;
  std::vector<IndexDifference> first;  // the first of them, at most 'listed_max'
};

// Compares the two as of one moment, while both may be written. Where the store has no moments over
// tables, what differs is looked at again, some seconds later, and counts if it still does; rows
// that are written all the time are left out then. Takes 16 bytes of memory for each row of the
// index. 'progress' as for IndexKeeper::Build, called by one thread. 'looks_again': false has what
// is being written counted as well.
Result<IndexCheck> CheckIndex(Connection* connection,
                              const std::shared_ptr<const catalog::TableMeta>& table,
                              const std::shared_ptr<const catalog::TableMeta>& index,
                              size_t listed_max, const std::function<Status(size_t rows)>& progress,
                              bool looks_again = true);

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_INDEX_CHECK_H_
