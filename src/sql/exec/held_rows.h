// Rows that are all read before the first of them is handed out.
#ifndef BENNU_SRC_SQL_EXEC_HELD_ROWS_H_
#define BENNU_SRC_SQL_EXEC_HELD_ROWS_H_

#include <memory>
#include <vector>

#include "bennu/status.h"
#include "src/sql/exec/query.h"
#include "src/sql/types/type.h"

namespace bennu::sql::exec {

// For who changes what the query reads, on a store whose scans see changes that are made meanwhile.
// Reads 'rows' to their end: a few megabytes into memory, and further ones into a temporary file of
// 'options.spill', if there is one. 'types': of the rows' columns. Errors: those of the rows, and
// of the file.
Result<std::unique_ptr<RowStream>> HoldRows(std::unique_ptr<RowStream> rows,
                                            std::vector<DataType> types, const RunOptions& options);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_HELD_ROWS_H_
