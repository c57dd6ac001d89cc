// Indexes of a table as Phoenix's clients describe them to its servers: each mutation carries how
// its table's indexes are made, and the servers keep them in step (IndexRegionObserver).
//
//   list = VInt count, negative for a salted table | RowKeySchema of the table
//          | count x (VInt length, IndexMaintainer)
//
// Source: phoenix-storage spec section 6.4, phoenix-keys spec section 3, phoenix-pushdown spec
// sections 5 and 6.
#ifndef BENNU_SRC_SQL_INDEX_INDEX_MAINTAINER_H_
#define BENNU_SRC_SQL_INDEX_INDEX_MAINTAINER_H_

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {

// 'indexes' are those of the table and of views over it. The rows of a view are told as a
// condition, as those of a partial index are. 'version': of Phoenix on the servers, as major << 16
// | minor << 8 | patch. Without code: an index that cannot be described to these, and why.
Result<Bytes> DescribeIndexes(
    const catalog::TableMeta& table,
    const std::vector<std::shared_ptr<const plan::IndexDefinition>>& indexes, int32_t version);

// Family and qualifier of columns of a table.
using ColumnSet = std::set<std::pair<Bytes, Bytes>>;
// The columns that are included in at least one of the indexes.
ColumnSet IncludedColumns(const std::vector<std::shared_ptr<const plan::IndexDefinition>>& indexes);

// Into the row that was begun last.
void SetDescription(const Bytes& description, MutationBatch* batch);
// The batch with 'description' in each of its mutations. A column of 'included' that becomes NULL
// is written as one without bytes, which is NULL, too: servers of 5.2.1 leave the old value in the
// index when it is deleted.
MutationBatch WithDescription(const MutationBatch& batch, const Bytes& description,
                              const ColumnSet& included);

// The version of Phoenix as whose client scans and mutations come: 5.2, which newer servers take.
inline constexpr char kPhoenixVersionAttribute[] = "_ClientVersion";
Bytes PhoenixClientVersion();

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_INDEX_MAINTAINER_H_
