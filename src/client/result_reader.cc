#include "src/client/result_reader.h"

#include <cstring>

namespace bennu::client {

Status ResultReader::ReadBlock(uint32_t count, std::vector<Cell>* cells) {
  for (uint32_t i = 0; i < count; ++i) {
    Cell cell;
    RETURN_IF_ERROR(block_.Next(&cell));
    cells->push_back(cell);
  }
  return Status::Ok();
}

Status ResultReader::Read(const pb::Result& result, std::vector<Cell>* cells) {
  for (const pb::Cell& message : result.cell()) {
    rpc::CellParts parts;
    parts.row = message.row();
    parts.family = message.family();
    parts.qualifier = message.qualifier();
    parts.timestamp = static_cast<int64_t>(message.timestamp());
    parts.type = static_cast<CellType>(message.cell_type());
    parts.value = message.value();
    parts.tags = message.tags();
    Cell cell;
    RETURN_IF_ERROR(rpc::MakeCell(parts, &made_.emplace_back(), &cell));
    cells->push_back(cell);
  }
  if (result.associated_cell_count() <= 0) return Status::Ok();
  return ReadBlock(static_cast<uint32_t>(result.associated_cell_count()), cells);
}

Row CopyRow(const Cell* cells, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; ++i) {
    size += cells[i].key_length + cells[i].value_length + cells[i].tags_length;
  }
  Row row;
  row.memory = std::make_unique<char[]>(size);
  row.cells.assign(cells, cells + count);
  char* to = row.memory.get();
  const auto copy = [&to](const char** bytes, size_t length) {
    if (length > 0) std::memcpy(to, *bytes, length);
    *bytes = to;
    to += length;
  };
  for (Cell& cell : row.cells) {
    copy(&cell.key, cell.key_length);
    copy(&cell.value, cell.value_length);
    copy(&cell.tags, cell.tags_length);
  }
  return row;
}

}  // namespace bennu::client
