#include "src/sql/exec/estimate.h"

#include "src/sql/types/type.h"

namespace bennu::sql::exec {
namespace {

constexpr int64_t kVariableKeyBytes = 10;
constexpr int64_t kVariableValueBytes = 50;
// Of a cell: two lengths of four bytes; the row's and the family's length, time and type.
constexpr int64_t kCellBytes = 20;
// The empty column: its qualifier and no value.
constexpr int64_t kEmptyColumnBytes = 4;

int64_t BytesOf(const catalog::ColumnMeta& column, int64_t variable) {
  const std::optional<int32_t> fixed = FixedWidth(column.type);
  return fixed.has_value() ? *fixed : variable;
}

}  // namespace

int64_t EstimatedRowBytes(const catalog::TableMeta& table) {
  int64_t key = table.is_salted() ? 1 : 0;
  if (table.is_local_index()) key += FixedWidth({table.view_index_id_type}).value();
  for (const catalog::ColumnMeta& column : table.columns) {
    if (column.is_key()) key += BytesOf(column, kVariableKeyBytes);
  }
  const auto family_bytes = static_cast<int64_t>(table.empty_family.size());
  int64_t bytes = kCellBytes + key + family_bytes + kEmptyColumnBytes;
  for (const catalog::ColumnMeta& column : table.columns) {
    if (column.is_key()) continue;
    bytes += kCellBytes + key + static_cast<int64_t>(column.family.size() + column.name.size()) +
             BytesOf(column, kVariableValueBytes);
  }
  return bytes;
}

}  // namespace bennu::sql::exec
