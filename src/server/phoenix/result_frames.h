// ResultFrames: the rows of a result, cut into frames as a client asks for them.
#ifndef BENNU_SRC_SERVER_PHOENIX_RESULT_FRAMES_H_
#define BENNU_SRC_SERVER_PHOENIX_RESULT_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bennu/status.h"
#include "src/avatica/messages.h"
#include "src/sql/session/session.h"
#include "src/sql/types/vector.h"

namespace bennu::server::phoenix {

// A frame ends with the row by which it has so many bytes, however many rows were asked for.
inline constexpr size_t kFrameBytesMax = 1u << 20;

// One thread at a time.
class ResultFrames {
 public:
  // 'rows_max': of all frames together; unset: no bound.
  ResultFrames(sql::session::StatementResult result, std::optional<uint64_t> rows_max)
      : result_(std::move(result)), rows_max_(rows_max) {}

  const sql::exec::SharedColumns& columns() const { return result_.columns; }
  // Of the row that comes next.
  uint64_t offset() const { return offset_; }
  bool done() const { return done_; }

  // The next frame, of at least one row unless there is none, and of at most 'rows' rows (unset: no
  // bound). The last one says so; an empty one follows where that was not known.
  Result<avatica::pb::Frame> Next(std::optional<uint64_t> rows, avatica::Form form);
  // Passes over the rows before 'offset', or to the end.
  Status SkipTo(uint64_t offset);

 private:
  // Whether there is a row at row_; reads the next chunk when this one is used up.
  Result<bool> HasRow();

  sql::session::StatementResult result_;
  const std::optional<uint64_t> rows_max_;
  sql::DataChunk chunk_;
  size_t row_ = 0;
  uint64_t offset_ = 0;
  bool done_ = false;
};

}  // namespace bennu::server::phoenix

#endif  // BENNU_SRC_SERVER_PHOENIX_RESULT_FRAMES_H_
