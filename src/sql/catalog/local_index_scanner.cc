#include "src/sql/catalog/local_index_scanner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/base/status_macros.h"

namespace bennu::sql::catalog {
namespace {

// How often regions may be lost between two rows.
constexpr int kLossesMax = 100;
// Each source of a merge pins the rows that it has at hand, so that they are few.
constexpr size_t kRowsOfSourceMin = 16;

void Add(const Scanner::Metrics& metrics, Scanner::Metrics* sum) {
  sum->cells_seen += metrics.cells_seen;
  sum->blocks_read += metrics.blocks_read;
  sum->blocks_cached += metrics.blocks_cached;
  sum->files_opened += metrics.files_opened;
  sum->files_skipped_by_time += metrics.files_skipped_by_time;
  sum->files_skipped_by_bloom += metrics.files_skipped_by_bloom;
  sum->files_skipped_by_key += metrics.files_skipped_by_key;
  sum->seeks += metrics.seeks;
  sum->rows_touched += metrics.rows_touched;
  sum->rows_ending += metrics.rows_ending;
  sum->rows_filtered += metrics.rows_filtered;
  sum->calls += metrics.calls;
  sum->stale |= metrics.stale;
}

}  // namespace

LocalIndexScanner::LocalIndexScanner(bool reversed, int64_t row_limit, Open open)
    : reversed_(reversed),
      open_(std::move(open)),
      rows_left_(row_limit < 0 ? INT64_MAX : row_limit) {}

Status LocalIndexScanner::OpenSources() {
  for (const Source& source : sources_) {
    if (source.scanner != nullptr) Add(source.scanner->metrics(), &finished_);
  }
  live_.clear();
  sources_.clear();
  ASSIGN_OR_RETURN(auto opened,
                   open_(any_ ? &last_key_ : nullptr, rows_left_ == INT64_MAX ? -1 : rows_left_));
  for (LocalIndexSource& source : opened) {
    sources_.push_back({std::move(source.scanner), source.prefix_size, {}, 0, {}});
  }
  return Status::Ok();
}

Status LocalIndexScanner::Next(size_t row_limit, CellBatch* batch) {
  batch->Clear();
  if (row_limit == 0) return InvalidArgument("a scanner was asked for 0 rows");
  Status refilled = Refill(row_limit);
  for (int i = 0; refilled.code() == StatusCode::kNotFound && i < kLossesMax; ++i) {
    RETURN_IF_ERROR(OpenSources());
    refilled = Refill(row_limit);
  }
  RETURN_IF_ERROR(refilled);
  const size_t wanted =
      std::min<uint64_t>(row_limit, static_cast<uint64_t>(std::max<int64_t>(rows_left_, 0)));
  key_bytes_ = 0;
  // Cells of a source stay until it is asked for more, so that the batch ends when one has handed
  // out all that it had at hand.
  bool is_used_up = live_.empty();
  while (!is_used_up && batch->row_count() < wanted) {
    std::pop_heap(live_.begin(), live_.end(), ComesLater{reversed_});
    Source* const first = live_.back();
    TakeRow(first, batch);
    is_used_up = !first->Advance();
    if (is_used_up) {
      live_.pop_back();
    } else {
      std::push_heap(live_.begin(), live_.end(), ComesLater{reversed_});
    }
  }
  rows_left_ -= static_cast<int64_t>(batch->row_count());
  rows_ += batch->row_count();
  WriteKeys(batch);
  if (batch->row_count() > 0) {
    any_ = true;
    last_key_ = batch->cells.back().row();
  }
  return Status::Ok();
}

Scanner::Metrics LocalIndexScanner::metrics() const {
  Metrics sum = finished_;
  for (const Source& source : sources_) {
    if (source.scanner != nullptr) Add(source.scanner->metrics(), &sum);
  }
  sum.rows = rows_;
  return sum;
}

Status LocalIndexScanner::Refill(size_t row_limit) {
  const size_t rows_at_once =
      std::max(kRowsOfSourceMin, row_limit / std::max<size_t>(1, sources_.size()));
  live_.clear();
  for (Source& source : sources_) {
    if (source.scanner != nullptr && source.row >= source.batch.row_count()) {
      source.row = 0;
      RETURN_IF_ERROR(source.scanner->Next(rows_at_once, &source.batch));
      if (source.batch.row_count() == 0) {
        Add(source.scanner->metrics(), &finished_);
        source.scanner = nullptr;
      } else {
        source.SetKey();
      }
    }
    if (source.scanner != nullptr) live_.push_back(&source);
  }
  std::make_heap(live_.begin(), live_.end(), ComesLater{reversed_});
  return Status::Ok();
}

void LocalIndexScanner::TakeRow(Source* source, CellBatch* batch) {
  batch->row_starts.push_back(static_cast<uint32_t>(batch->cells.size()));
  prefix_sizes_.resize(batch->row_starts.size());
  prefix_sizes_.back() = source->prefix_size;
  const CellBatch& from = source->batch;
  for (uint32_t i = from.row_starts[source->row]; i < from.row_end(source->row); ++i) {
    batch->cells.push_back(from.cells[i]);
    key_bytes_ += from.cells[i].key_length - source->prefix_size;
  }
}

void LocalIndexScanner::WriteKeys(CellBatch* batch) {
  keys_.resize(key_bytes_);
  char* to = keys_.data();
  for (size_t row = 0; row < batch->row_count(); ++row) {
    const size_t prefix_size = prefix_sizes_[row];
    for (uint32_t i = batch->row_starts[row]; i < batch->row_end(row); ++i) {
      Cell& cell = batch->cells[i];
      const size_t row_length = cell.row_length() - prefix_size;
      const size_t length = cell.key_length - prefix_size;
      to[0] = static_cast<char>(row_length >> 8);
      to[1] = static_cast<char>(row_length);
      std::memcpy(to + 2, cell.key + 2 + prefix_size, length - 2);
      cell.key = to;
      cell.key_length = static_cast<uint32_t>(length);
      to += length;
    }
  }
}

}  // namespace bennu::sql::catalog
