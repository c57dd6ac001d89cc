// The rows of a temporary file as an operator.
#ifndef BENNU_SRC_SQL_EXEC_SPILL_SOURCE_H_
#define BENNU_SRC_SQL_EXEC_SPILL_SOURCE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "src/sql/exec/operator.h"
#include "src/sql/exec/spill.h"

namespace bennu::sql::exec {

// Which columns of the chunks the records of a file hold, as AppendRow wrote them.
struct SpillColumns {
  std::vector<uint32_t> slots;
  std::vector<DataType> types;
  size_t slot_count = 0;  // columns of the chunks
};

// The rows in the order of the file. 'reader' may be null: no rows.
std::unique_ptr<Operator> MakeSpillSource(ExecContext* context, std::unique_ptr<SpillReader> reader,
                                          SpillColumns columns);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SPILL_SOURCE_H_
