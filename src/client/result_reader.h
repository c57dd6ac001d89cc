// Rows in a server's answer.
#ifndef BENNU_SRC_CLIENT_RESULT_READER_H_
#define BENNU_SRC_CLIENT_RESULT_READER_H_

#include <deque>
#include <memory>
#include <vector>

#include "bennu/cell.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "proto/client.pb.h"
#include "src/client/channel.h"

namespace bennu::client {

// The cells are views into the answer's frame and into the reader, which must outlive them. One
// thread at a time.
class ResultReader {
 public:
  explicit ResultReader(const Answer& answer) : block_(kCodec, answer.cells) {}

  // Appends the cells of the next result, which stand in it, or in the block in the order of the
  // results. Corruption.
  Status Read(const pb::Result& result, std::vector<Cell>* cells);
  // Appends so many of the block.
  Status ReadBlock(uint32_t count, std::vector<Cell>* cells);

 private:
  rpc::CellBlockReader block_;
  std::deque<Bytes> made_;  // cells that stood in messages
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_RESULT_READER_H_
