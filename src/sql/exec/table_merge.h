// From rows of an index to those of its table: columns that the index lacks, looked up in the table
// (Phoenix's SERVER MERGE), and the keys that the table's rows have.
#ifndef BENNU_SRC_SQL_EXEC_TABLE_MERGE_H_
#define BENNU_SRC_SQL_EXEC_TABLE_MERGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/sql/bind/expr.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/table_scan.h"
#include "src/sql/keys/key_schema.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

// Adds to the scan of an index what MakeTableMerge needs: the key of each row, as one more column
// behind the slots.
void ReadKeysForMerge(TableScanSpec* spec);

// 'child', whose rows are those of such a scan, in its order and with the columns of 'indexed'
// filled in: see TableMerger, of which this is a run.
std::unique_ptr<Operator> MakeTableMerge(ExecContext* context, std::unique_ptr<Operator> child,
                                         const plan::IndexedTable* indexed,
                                         const KeySchema* index_key, size_t slot_count,
                                         bind::ExprPtr filter, int64_t row_limit, Step* step);

// 'child', whose rows are those of a scan of an index, with the keys of the table's rows in
// indexed->key_slot, where the scan has put those of the index. Both must outlive the operator.
std::unique_ptr<Operator> MakeTableKeys(std::unique_ptr<Operator> child,
                                        const plan::IndexedTable* indexed,
                                        const KeySchema* index_key);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_TABLE_MERGE_H_
