#include "src/cell/row_copy.h"

#include <cstring>
#include <memory>

namespace bennu::cell {

Row CopyRow(const Cell* cells, size_t count) {
  Row row;
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    bytes += cells[i].key_length + cells[i].value_length + cells[i].tags_length;
  }
  row.memory = std::make_unique<char[]>(bytes);
  row.cells.assign(cells, cells + count);
  char* place = row.memory.get();
  const auto copy = [&place](const char** bytes_of, uint32_t length) {
    if (length > 0) std::memcpy(place, *bytes_of, length);
    *bytes_of = place;
    place += length;
  };
  for (Cell& cell : row.cells) {
    copy(&cell.key, cell.key_length);
    copy(&cell.value, cell.value_length);
    copy(&cell.tags, cell.tags_length);
  }
  return row;
}

}  // namespace bennu::cell
