#include "src/sql/exec/sort_runs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/base/status_macros.h"

namespace bennu::sql::exec {
namespace {

// Runs that are read at one time: each has a buffer and an open file.
constexpr size_t kFanIn = 64;

// A record: the key's length, 4 bytes, the key, the row.
Status Split(ByteView record, ByteView* key, ByteView* row) {
  uint32_t length = 0;
  if (record.size() >= sizeof(length)) {
    std::memcpy(&length, record.data(), sizeof(length));
    record.remove_prefix(sizeof(length));
    if (record.size() >= length) {
      *key = record.substr(0, length);
      *row = record.substr(length);
      return Status::Ok();
    }
  }
  return Corruption("a record in a temporary file of a sort is cut off");
}

}  // namespace

Status SortRunWriter::Add(ByteView key, ByteView row) {
  const auto length = static_cast<uint32_t>(key.size());
  record_.assign(reinterpret_cast<const char*>(&length), sizeof(length));
  record_.append(key);
  record_.append(row);
  return file_->Append(record_);
}

Result<SortRun> SortRunWriter::Finish() {
  RETURN_IF_ERROR(file_->Flush());
  return SortRun{file_, begin_, file_->size()};
}

Result<std::unique_ptr<SortRunMerger>> SortRunMerger::Open(std::vector<SortRun> runs) {
  std::unique_ptr<SortRunMerger> merger(new SortRunMerger(std::move(runs)));
  for (const SortRun& run : merger->runs_) {
    ASSIGN_OR_RETURN(std::unique_ptr<SpillReader> reader, run.file->Read(run.begin, run.end));
    merger->sources_.push_back({std::move(reader), {}, {}});
  }
  for (uint32_t i = 0; i < merger->sources_.size(); ++i) RETURN_IF_ERROR(merger->Advance(i));
  return merger;
}

Status SortRunMerger::Advance(uint32_t number) {
  Source& source = sources_[number];
  ByteView record;
  ASSIGN_OR_RETURN(const bool more, source.reader->Next(&record));
  if (!more) return Status::Ok();
  RETURN_IF_ERROR(Split(record, &source.key, &source.row));
  heap_.push_back(number);
  std::push_heap(heap_.begin(), heap_.end(),
                 [this](uint32_t a, uint32_t b) { return sources_[b].key < sources_[a].key; });
  return Status::Ok();
}

Result<bool> SortRunMerger::Next(ByteView* key, ByteView* row) {
  // The record that was handed out last had to stay until now.
  if (started_) RETURN_IF_ERROR(Advance(current_));
  started_ = !heap_.empty();
  if (!started_) return false;
  std::pop_heap(heap_.begin(), heap_.end(),
                [this](uint32_t a, uint32_t b) { return sources_[b].key < sources_[a].key; });
  current_ = heap_.back();
  heap_.pop_back();
  *key = sources_[current_].key;
  *row = sources_[current_].row;
  return true;
}

Status ReduceSortRuns(SpillSpace* space, std::vector<SortRun>* runs) {
  while (runs->size() > kFanIn) {
    const auto last = runs->begin() + kFanIn;
    ASSIGN_OR_RETURN(const auto merger,
                     SortRunMerger::Open(std::vector<SortRun>(runs->begin(), last)));
    runs->erase(runs->begin(), last);
    ASSIGN_OR_RETURN(std::unique_ptr<SpillFile> file, space->NewFile());
    SortRunWriter writer(std::move(file));
    ByteView key;
    ByteView row;
    for (;;) {
      ASSIGN_OR_RETURN(const bool more, merger->Next(&key, &row));
      if (!more) break;
      RETURN_IF_ERROR(writer.Add(key, row));
    }
    ASSIGN_OR_RETURN(SortRun merged, writer.Finish());
    runs->push_back(std::move(merged));
  }
  return Status::Ok();
}

}  // namespace bennu::sql::exec
