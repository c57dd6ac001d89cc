// Rows of a chunk as bytes, for temporary files: this process writes and reads them.
//
//   each column: a byte (1 value, 0 NULL), then the value as it is in memory, or for text and
//   binary a 32-bit length and the bytes.
#ifndef BENNU_SRC_SQL_EXEC_SPILL_ROWS_H_
#define BENNU_SRC_SQL_EXEC_SPILL_ROWS_H_

#include <functional>
#include <span>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::exec {

// Appends row 'row' of the columns.
void AppendRow(std::span<const Vector* const> columns, size_t row, Bytes* out);
// Row 'row' of the columns, which have their types, becomes what AppendRow wrote. Bytes are copied.
// Corruption: it was not.
Status ReadRow(ByteView bytes, size_t row, std::vector<Vector>* columns);
// Replaces *rows by those of up to VectorSize() records, of these types. 'next' gives one record
// after another, and false at the end.
Status ReadRows(const std::vector<DataType>& types,
                const std::function<Result<bool>(ByteView*)>& next, DataChunk* rows);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SPILL_ROWS_H_
