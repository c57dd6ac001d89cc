// The vectors of a query's result as the public ResultChunk.
#ifndef BENNU_SRC_BENNU_CHUNK_EXPORT_H_
#define BENNU_SRC_BENNU_CHUNK_EXPORT_H_

#include <cstddef>
#include <deque>
#include <string_view>
#include <vector>

#include "bennu/result_chunk.h"
#include "src/sql/types/vector.h"

namespace bennu::front {

// One thread at a time.
class ChunkExport {
 public:
  // Rows ['begin', chunk.size) of the chunk. What it returns lives as long as this and the chunk
  // do, until the next call.
  const ResultChunk* Export(const sql::DataChunk& chunk, size_t begin);

 private:
  ColumnChunk ExportColumn(const sql::Vector& vector, size_t begin, size_t count);

  const sql::Vector& Repeated(const sql::Vector& constant, size_t count);

  ResultChunk chunk_;
  // Values that have no such form in the vectors. Deques, so that they stay in place.
  std::deque<sql::Vector> repeated_;
  std::deque<std::vector<Datum::Moment>> moments_;
  std::deque<std::vector<std::string_view>> views_;
  std::deque<std::vector<Datum>> datums_;
};

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_CHUNK_EXPORT_H_
