#include "src/client/result_reader.h"

#include "src/base/status_macros.h"

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

}  // namespace bennu::client
