// Cells outside of messages: the cell blocks that follow a request or a response.
// Source: hbase-rpc spec section 2.1; org.apache.hadoop.hbase.codec.
#ifndef BENNU_SRC_RPC_CELL_CODEC_H_
#define BENNU_SRC_RPC_CELL_CODEC_H_

#include <cstdint>
#include <deque>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/status.h"
#include "proto/cell.pb.h"

namespace bennu::rpc {

enum class CellCodec : uint8_t {
  kNone,  // cells stand in the messages
  kKeyValue,
  kKeyValueWithTags,
  kCell,
  kCellWithTags,
  kMessage,
};

// Of the Java class that a connection header names. NotSupported: no such codec.
Result<CellCodec> CellCodecOfClass(std::string_view java_class);

// Adds the cell to a block. Not for kNone.
void AppendCell(CellCodec codec, const Cell& cell, Bytes* block);

// Reads a block, which must outlive the reader and the cells. Untrusted bytes.
class CellBlockReader {
 public:
  CellBlockReader(CellCodec codec, ByteView block) : codec_(codec), rest_(block) {}

  bool AtEnd() const { return rest_.empty(); }
  size_t rest_bytes() const { return rest_.size(); }
  // Corruption: not a cell, or the block ends within it. NotSupported: the connection has no codec.
  Status Next(Cell* cell);
  // Leaves out the next 'count' cells.
  Status Skip(int64_t count);

 private:
  Status NextKeyValue(Cell* cell);
  Status NextFields(Cell* cell);
  Status NextMessage(Cell* cell);
  Status Take(size_t length, ByteView* bytes);
  Status TakeCounted(ByteView* bytes);  // behind four bytes with the length

  const CellCodec codec_;
  ByteView rest_;
  std::deque<Bytes> made_;  // what a codec does not hold as a KeyValue
};

// A cell from its parts, as a KeyValue that 'memory' is set to.
struct CellParts {
  ByteView row, family, qualifier;
  int64_t timestamp = kLatestTimestamp;
  CellType type = CellType::kPut;
  ByteView value, tags;
};
// InvalidArgument: parts that no cell can have.
Status MakeCell(const CellParts& parts, Bytes* memory, Cell* cell);

void CellToPb(const Cell& cell, pb::Cell* message);

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_CELL_CODEC_H_
