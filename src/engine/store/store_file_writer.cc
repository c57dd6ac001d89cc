#include "src/engine/store/store_file_writer.h"

#include <algorithm>
#include <utility>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/engine/store/store_file.h"
#include "src/engine/store/stripes.h"

namespace bennu::engine {

namespace {

Bytes CountBytes(uint64_t count) {
  Bytes bytes;
  AppendBE64(&bytes, count);
  return bytes;
}

}  // namespace

struct StoreFileWriter::File {
  std::string name;
  std::string path;
  std::unique_ptr<hfile::Writer> writer;
  uint64_t markers = 0;
  uint64_t rows = 0;
  uint64_t last_row = 0;                          // counted as rows_
  std::optional<std::pair<Bytes, Bytes>> stripe;  // its rows
};

StoreFileWriter::StoreFileWriter(Options options) : options_(std::move(options)) {}

StoreFileWriter::~StoreFileWriter() {
  // Best effort: what stays is removed when the region is opened again.
  for (const auto& file : files_) {
    if (file == nullptr) continue;
    file->writer.reset();
    static_cast<void>(options_.env->RemoveFile(file->path).ok());
  }
  for (const PendingFile& file : done_) {
    static_cast<void>(options_.env->RemoveFile(file.temp_path).ok());
  }
}

Result<StoreFileWriter::File*> StoreFileWriter::Create() {
  auto file = std::make_unique<File>();
  file->name = options_.new_name();
  file->path = JoinPath(options_.directory, file->name);
  ASSIGN_OR_RETURN(file->writer, hfile::Writer::Create(options_.env, file->path, options_.file));
  files_.push_back(std::move(file));
  return files_.back().get();
}

Status StoreFileWriter::AppendTo(File* file, const Cell* cells, size_t count) {
  if (file->last_row != rows_) ++file->rows;
  file->last_row = rows_;
  for (size_t i = 0; i < count; ++i) {
    file->markers += IsDelete(cells[i].type()) ? 1 : 0;
    bytes_appended_ += cells[i].key_length + cells[i].value_length;
    RETURN_IF_ERROR(file->writer->Append(cells[i]));
  }
  return Status::Ok();
}

Status StoreFileWriter::Append(const Cell* cells, size_t count) {
  if (stripe_.has_value()) return AppendToStripe(cells, count);
  if (borders_.size() > 1) return AppendByTime(cells, count);
  if (files_.empty()) RETURN_IF_ERROR(Create().status());
  return AppendTo(files_.front().get(), cells, count);
}

// ---- windows of time

void StoreFileWriter::StartTimeWindows(std::vector<int64_t> borders) {
  borders_ = std::move(borders);
}

// Cells that follow each other in one window are appended together; a row counts in each of its
// files.
Status StoreFileWriter::AppendByTime(const Cell* cells, size_t count) {
  std::map<size_t, std::vector<Cell>> parts;
  for (size_t i = 0; i < count; ++i) {
    const auto after = std::upper_bound(borders_.begin(), borders_.end(), cells[i].timestamp());
    const size_t window =
        after == borders_.begin() ? 0 : static_cast<size_t>(after - borders_.begin()) - 1;
    parts[window].push_back(cells[i]);
  }
  for (const auto& [window, members] : parts) {
    File*& file = windows_[window];
    if (file == nullptr) {
      ASSIGN_OR_RETURN(file, Create());
    }
    RETURN_IF_ERROR(AppendTo(file, members.data(), members.size()));
  }
  return Status::Ok();
}

// ---- stripes

void StoreFileWriter::StartStripe(const StripeOutput& stripe) {
  FinishStripe();
  stripe_ = stripe;
}

void StoreFileWriter::FinishStripe() {
  if (!stripe_.has_value()) return;
  if (stripe_file_ != nullptr) {
    stripe_file_->stripe = {stripe_->start, stripe_->end};
  } else if (stripe_->replaces_stripe) {
    empty_stripes_.push_back(*stripe_);
  }
  stripe_file_ = nullptr;
  stripe_count_ = 0;
  stripe_.reset();
}

Status StoreFileWriter::AppendToStripe(const Cell* cells, size_t count) {
  // Not within a row.
  const bool is_full = stripe_file_ != nullptr && stripe_file_->last_row != rows_ &&
                       stripe_count_ < stripe_->count_max &&
                       stripe_file_->writer->entry_count() >= stripe_->cells_per_stripe;
  if (is_full) {
    const Bytes row(cells[0].row());
    stripe_file_->stripe = {stripe_->start, row};
    stripe_->start = row;
    stripe_file_ = nullptr;
  }
  if (stripe_file_ == nullptr) {
    ASSIGN_OR_RETURN(stripe_file_, Create());
    ++stripe_count_;
  }
  return AppendTo(stripe_file_, cells, count);
}

// ---- the end

Status StoreFileWriter::Complete(std::unique_ptr<File> file, bool is_last) {
  hfile::Writer* const writer = file->writer.get();
  RETURN_IF_ERROR(writer->AppendFileInfo(kDeleteMarkerCountKey, CountBytes(file->markers)));
  RETURN_IF_ERROR(writer->AppendFileInfo(kRowCountKey, CountBytes(file->rows)));
  if (file->stripe.has_value()) {
    RETURN_IF_ERROR(writer->AppendFileInfo(kStripeStartKey, file->stripe->first));
    RETURN_IF_ERROR(writer->AppendFileInfo(kStripeEndKey, file->stripe->second));
  }
  const uint64_t flushed = is_last ? options_.flushed_sequence_id : options_.flushed_before;
  if (flushed != options_.facts.max_sequence_id) {
    RETURN_IF_ERROR(writer->AppendFileInfo(kFlushedSequenceIdKey, CountBytes(flushed)));
  }
  hfile::StoreFileFacts facts = options_.facts;
  if (!is_last) facts.compacted_files.clear();
  done_.push_back({file->path, file->name, 0, 0});  // to be removed if it fails
  ASSIGN_OR_RETURN(const hfile::FileFacts written, writer->Finish(facts));
  done_.back().size_bytes = written.size_bytes;
  done_.back().cell_count = written.entry_count;
  return Status::Ok();
}

Result<PendingFiles> StoreFileWriter::Finish(WhenEmpty when_empty) {
  FinishStripe();
  if (!files_.empty() || when_empty == WhenEmpty::kStripes) {
    for (const StripeOutput& stripe : empty_stripes_) {
      ASSIGN_OR_RETURN(File * file, Create());
      file->stripe = {stripe.start, stripe.end};
    }
  }
  if (files_.empty() && when_empty != WhenEmpty::kNoFile) RETURN_IF_ERROR(Create().status());
  for (size_t i = 0; i < files_.size(); ++i) {
    RETURN_IF_ERROR(Complete(std::move(files_[i]), i + 1 == files_.size()));
  }
  files_.clear();
  return std::exchange(done_, {});
}

}  // namespace bennu::engine
