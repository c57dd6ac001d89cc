#include "bennu/table.h"

#include <string>

#include "src/base/coding.h"
#include "src/base/status_macros.h"

namespace bennu {

Status Table::Put(ByteView row, ByteView family, ByteView qualifier, ByteView value,
                  int64_t timestamp) {
  MutationBatch batch;
  batch.StartRow(row);
  batch.Put(family, qualifier, value, timestamp);
  return Write(&batch);
}

Status Table::DeleteRow(ByteView row, int64_t timestamp) {
  MutationBatch batch;
  batch.DeleteRow(row, timestamp);
  return Write(&batch);
}

Status Table::DeleteColumn(ByteView row, ByteView family, ByteView qualifier, int64_t timestamp) {
  MutationBatch batch;
  batch.StartRow(row);
  batch.DeleteColumn(family, qualifier, timestamp);
  return Write(&batch);
}

Result<int64_t> Table::Increment(ByteView row, ByteView family, ByteView qualifier,
                                 int64_t amount) {
  MutationBatch batch;
  batch.StartIncrement(row);
  batch.Increment(family, qualifier, amount);
  std::vector<Row> results;
  RETURN_IF_ERROR(Mutate(&batch, &results));
  if (results[0].empty()) {
    return Status(StatusCode::kAborted,
                  std::to_string(amount) + " was added, and the counter is gone since");
  }
  return static_cast<int64_t>(LoadBE64(results[0].cells[0].value));
}

Result<Row> Table::ReadRow(ByteView row) {
  Get get;
  get.row = Bytes(row);
  return GetRow(get);
}

Result<std::optional<Bytes>> Table::ReadValue(ByteView row, ByteView family, ByteView qualifier) {
  Get get;
  get.row = Bytes(row);
  get.columns[Bytes(family)].insert(Bytes(qualifier));
  std::optional<Bytes> value;
  RETURN_IF_ERROR(GetCells(get, [&value](const Cell* cells, size_t count) {
    if (count > 0) value = Bytes(cells[0].value_view());
  }));
  return value;
}

Result<bool> Table::Exists(const Get& get) {
  bool any = false;
  RETURN_IF_ERROR(GetCells(get, [&any](const Cell*, size_t count) { any = count > 0; }));
  return any;
}

}  // namespace bennu
