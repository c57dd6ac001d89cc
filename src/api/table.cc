#include "bennu/table.h"

#include "src/base/coding.h"
#include "src/base/status_macros.h"

namespace bennu {

Result<int64_t> Table::Increment(ByteView row, ByteView family, ByteView qualifier,
                                 int64_t amount) {
  MutationBatch batch;
  batch.StartIncrement(row);
  batch.Increment(family, qualifier, amount);
  std::vector<Row> results;
  RETURN_IF_ERROR(Mutate(&batch, &results));
  return static_cast<int64_t>(LoadBE64(results[0].cells[0].value));
}

Result<bool> Table::Exists(const Get& get) {
  bool any = false;
  RETURN_IF_ERROR(GetCells(get, [&any](const Cell*, size_t count) { any = count > 0; }));
  return any;
}

}  // namespace bennu
