// Rows as results: in the cell block where the connection has a codec, else within the message.
#ifndef BENNU_SRC_RPC_RESULTS_H_
#define BENNU_SRC_RPC_RESULTS_H_

#include <cstddef>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "proto/client.pb.h"
#include "src/rpc/cell_codec.h"

namespace bennu::rpc {

// Collects the cells of one response. One thread at a time.
class ResultWriter {
 public:
  // 'block' gets the cells; for kNone it stays as it is.
  ResultWriter(CellCodec codec, Bytes* block) : codec_(codec), block_(block) {}

  bool in_block() const { return codec_ != CellCodec::kNone; }
  void Add(const Cell* cells, size_t count, pb::Result* result) const;
  // For scans, which count their cells elsewhere; in_block() only.
  void AddToBlock(const Cell* cells, size_t count) const;

 private:
  const CellCodec codec_;
  Bytes* const block_;
};

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_RESULTS_H_
