// Rows of a frame back into vectors: what RowWriter has written, or Phoenix's own server.
#ifndef BENNU_SRC_AVATICA_ROW_READER_H_
#define BENNU_SRC_AVATICA_ROW_READER_H_

#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/avatica/messages.h"
#include "src/sql/types/type.h"
#include "src/sql/types/vector.h"

namespace bennu::avatica {

// The type of a column that a server describes. InvalidArgument: a type that nobody knows.
Result<sql::DataType> TypeOf(const pb::ColumnMetaData& column);
// The same of a parameter; kNull where the server does not know.
sql::DataType TypeOf(const pb::AvaticaParameter& parameter);

// Puts an element of Frame::rows into row chunk->size of the chunk, whose columns are of these
// types, and counts it. Corruption: the bytes are no such row.
Status ReadRow(ByteView bytes, sql::DataChunk* chunk);

}  // namespace bennu::avatica

#endif  // BENNU_SRC_AVATICA_ROW_READER_H_
