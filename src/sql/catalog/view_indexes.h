// Indexes of views. Those of all views over one table share an HBase table, in which each has the
// rows whose keys begin, behind the salt, with its number. Local indexes get their numbers with
// them; where their rows are is said in local_index.h.
#ifndef BENNU_SRC_SQL_CATALOG_VIEW_INDEXES_H_
#define BENNU_SRC_SQL_CATALOG_VIEW_INDEXES_H_

#include <cstdint>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

// The rows of an index in its HBase table, or as OpenRows shows them: all of them, or those of a
// view's index, one range for each salt bucket.
std::vector<RowRange> RowsOfIndex(const TableMeta& index);

// The rows of a table with so many salt buckets (0: none) whose keys begin with 'prefix' behind the
// salt, one range for each bucket.
std::vector<RowRange> RowsBeginningWith(const Bytes& prefix, int32_t salt_buckets);

// The sequence, of the base's schema, from which indexes of views over it, and local ones, get
// their numbers.
TableKey ViewIndexSequence(const TableKey& base);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_VIEW_INDEXES_H_
