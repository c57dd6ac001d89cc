// MetaReader: what is read of hbase:meta to find regions.
#ifndef BENNU_SRC_CLIENT_META_READER_H_
#define BENNU_SRC_CLIENT_META_READER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "bennu/cell.h"
#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "bennu/status.h"

namespace bennu::client {

// Rows of hbase:meta to read. 'range' is from the greatest row down if 'reversed'.
struct MetaRows {
  RowRange range;
  bool reversed = false;
  size_t rows_max = std::numeric_limits<size_t>::max();
};

// Gets the cells of one row; they are valid during the call.
using MetaRowUse = std::function<Status(const Cell* cells, size_t count)>;

// Thread-safe.
class MetaReader {
 public:
  virtual ~MetaReader() = default;
  // One attempt, whose calls take 'timeout' each at most.
  virtual Status ReadMeta(const MetaRows& rows, std::chrono::milliseconds timeout,
                          const MetaRowUse& use) = 0;
  // NotFound: no such table.
  virtual Result<bool> IsDisabled(const TableName& table, std::chrono::milliseconds timeout) = 0;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_META_READER_H_
