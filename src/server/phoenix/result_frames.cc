#include "src/server/phoenix/result_frames.h"

#include "src/avatica/row_writer.h"
#include "src/base/status_macros.h"

namespace bennu::server::phoenix {

namespace pb = avatica::pb;

Result<bool> ResultFrames::HasRow() {
  if (done_) return false;
  if (result_.rows == nullptr || (rows_max_.has_value() && offset_ >= *rows_max_)) {
    done_ = true;
  } else if (row_ >= chunk_.size) {
    RETURN_IF_ERROR(result_.rows->Next(&chunk_));
    row_ = 0;
    done_ = chunk_.size == 0;
  }
  // What the rows hold is given back before the client comes for the next result.
  if (done_) result_.rows = nullptr;
  return !done_;
}

Result<pb::Frame> ResultFrames::Next(std::optional<uint64_t> rows, avatica::Form form) {
  pb::Frame frame;
  frame.set_offset(offset_);
  avatica::RowWriter writer(form);
  size_t bytes = 0;
  for (uint64_t count = 0; (!rows.has_value() || count < *rows) && bytes < kFrameBytesMax;
       ++count) {
    ASSIGN_OR_RETURN(const bool more, HasRow());
    if (!more) break;
    std::string* const row = frame.add_rows();
    writer.Write(chunk_, row_, row);
    bytes += row->size();
    ++row_;
    ++offset_;
  }
  // No further row is computed only to know that there is one.
  if (rows_max_.has_value() && offset_ >= *rows_max_) done_ = true;
  frame.set_done(done_);
  return frame;
}

Status ResultFrames::SkipTo(uint64_t offset) {
  while (offset_ < offset) {
    ASSIGN_OR_RETURN(const bool more, HasRow());
    if (!more) return Status::Ok();
    ++row_;
    ++offset_;
  }
  return Status::Ok();
}

}  // namespace bennu::server::phoenix
