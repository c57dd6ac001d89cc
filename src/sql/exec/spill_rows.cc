#include "src/sql/exec/spill_rows.h"

#include <cstring>
#include <type_traits>

#include "src/base/status_macros.h"

namespace bennu::sql::exec {
namespace {

Status Truncated() { return Corruption("a row in a temporary file is cut off"); }

// Takes the next bytes off.
template <typename T>
bool Take(ByteView* bytes, T* value) {
  if (bytes->size() < sizeof(T)) return false;
  std::memcpy(value, bytes->data(), sizeof(T));
  bytes->remove_prefix(sizeof(T));
  return true;
}

template <typename T>
void Put(const T& value, Bytes* out) {
  static_assert(std::is_trivially_copyable_v<T>);
  out->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

Status ReadValue(ByteView* bytes, size_t row, Vector* column) {
  return VisitPhysical(column->physical_type(), [&](auto sample) {
    using T = decltype(sample);
    if constexpr (std::is_same_v<T, std::string_view>) {
      uint32_t size = 0;
      if (!Take(bytes, &size) || bytes->size() < size) return Truncated();
      column->SetBytes(row, bytes->substr(0, size));
      bytes->remove_prefix(size);
    } else {
      T value;
      if (!Take(bytes, &value)) return Truncated();
      column->Set(row, value);
    }
    return Status::Ok();
  });
}

}  // namespace

void AppendRow(std::span<const Vector* const> columns, size_t row, Bytes* out) {
  for (const Vector* column : columns) {
    const bool valid = !column->IsNull(row);
    out->push_back(valid ? '\1' : '\0');
    if (!valid) continue;
    VisitPhysical(column->physical_type(), [&](auto sample) {
      using T = decltype(sample);
      if constexpr (std::is_same_v<T, std::string_view>) {
        Put(static_cast<uint32_t>(column->At<T>(row).size()), out);
        out->append(column->At<T>(row));
      } else {
        Put(column->At<T>(row), out);
      }
    });
  }
}

Status ReadRow(ByteView bytes, size_t row, std::vector<Vector>* columns) {
  for (Vector& column : *columns) {
    char valid = 0;
    if (!Take(&bytes, &valid)) return Truncated();
    if (valid == 0) {
      column.SetNull(row);
      continue;
    }
    column.SetValid(row);
    RETURN_IF_ERROR(ReadValue(&bytes, row, &column));
  }
  return Status::Ok();
}

Status ReadRows(const std::vector<DataType>& types,
                const std::function<Result<bool>(ByteView*)>& next, DataChunk* rows) {
  rows->Initialize(types);
  ByteView record;
  while (rows->size < VectorSize()) {
    ASSIGN_OR_RETURN(const bool more, next(&record));
    if (!more) break;
    RETURN_IF_ERROR(ReadRow(record, rows->size, &rows->columns));
    ++rows->size;
  }
  return Status::Ok();
}

}  // namespace bennu::sql::exec
