#include "src/engine/transfer/file_series.h"

#include <utility>

#include "src/base/coding.h"
#include "src/base/failpoint.h"
#include "src/base/status_macros.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

FileSeries::FileSeries(Env* env, Options options) : env_(env), options_(std::move(options)) {}

Status FileSeries::Append(const Cell& cell) {
  if (writer_ == nullptr) {
    file_ = LoadFile();
    file_.family = options_.family;
    file_.path = JoinPath(options_.directory, NewStoreFileName(env_));
    file_.is_ours = true;
    markers_ = rows_ = 0;
    ASSIGN_OR_RETURN(writer_, hfile::Writer::Create(env_, file_.path, options_.writer));
    file_.first_row = Bytes(cell.row());
  }
  if (rows_ == 0 || cell.row() != ByteView(file_.last_row)) {
    ++rows_;
    file_.last_row = Bytes(cell.row());
  }
  markers_ += IsDelete(cell.type()) ? 1 : 0;
  return writer_->Append(cell);
}

Status FileSeries::EndFile() {
  if (writer_ == nullptr) return Status::Ok();
  for (const auto& [key, value] : options_.info) {
    RETURN_IF_ERROR(writer_->AppendFileInfo(key, value));
  }
  Bytes count;
  AppendBE64(&count, markers_);
  RETURN_IF_ERROR(writer_->AppendFileInfo(kDeleteMarkerCountKey, count));
  count.clear();
  AppendBE64(&count, rows_);
  RETURN_IF_ERROR(writer_->AppendFileInfo(kRowCountKey, count));
  ASSIGN_OR_RETURN(const hfile::FileFacts written, writer_->Finish(options_.facts));
  writer_.reset();
  file_.size_bytes = written.size_bytes;
  file_.cells = written.entry_count;
  files_.push_back(std::move(file_));
  BENNU_FAILPOINT("file_series.between_files");
  return Status::Ok();
}

}  // namespace bennu::engine
