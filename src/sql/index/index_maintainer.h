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

#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {

// Without code: an index that is not described like this, and why.
Result<Bytes> DescribeIndexes(
    const catalog::TableMeta& table,
    const std::vector<std::shared_ptr<const plan::IndexDefinition>>& indexes);

// The batch with 'description' in each of its mutations.
MutationBatch WithDescription(const MutationBatch& batch, const Bytes& description);

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_INDEX_MAINTAINER_H_
