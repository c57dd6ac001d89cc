// Sorted runs on disk and their merge: the outer half of an external sort.
#ifndef BENNU_SRC_SQL_EXEC_SORT_RUNS_H_
#define BENNU_SRC_SQL_EXEC_SORT_RUNS_H_

#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/exec/spill.h"

namespace bennu::sql::exec {

// Records of a file, ascending by their keys.
struct SortRun {
  std::shared_ptr<SpillFile> file;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Appends records to a file and makes a run of them.
class SortRunWriter {
 public:
  explicit SortRunWriter(std::shared_ptr<SpillFile> file)
      : file_(std::move(file)), begin_(file_->size()) {}

  Status Add(ByteView key, ByteView row);
  Result<SortRun> Finish();

 private:
  const std::shared_ptr<SpillFile> file_;
  const uint64_t begin_;
  Bytes record_;
};

// The records of several runs, ascending. Keys must differ. One thread.
class SortRunMerger {
 public:
  static Result<std::unique_ptr<SortRunMerger>> Open(std::vector<SortRun> runs);

  // False at the end. Both views are valid until the next call.
  Result<bool> Next(ByteView* key, ByteView* row);

 private:
  struct Source {
    std::unique_ptr<SpillReader> reader;
    ByteView key;
    ByteView row;
  };

  explicit SortRunMerger(std::vector<SortRun> runs) : runs_(std::move(runs)) {}
  // Reads the source's next record and puts it into the heap, unless it has ended.
  Status Advance(uint32_t source);

  const std::vector<SortRun> runs_;  // keeps the files
  std::vector<Source> sources_;
  std::vector<uint32_t> heap_;  // least key first
  bool started_ = false;        // heap_[0]'s record was handed out
  uint32_t current_ = 0;
};

// As few runs as a merge can read at one time. Errors: those of files.
Status ReduceSortRuns(SpillSpace* space, std::vector<SortRun>* runs);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SORT_RUNS_H_
