// StoreFileWriter: writes what a flush or compaction lets through, as one file or several, below
// .tmp. Which cell goes into which file is said by a CompactionRequest's borders.
//
// What a set of files replaces must not go before all of them are in place. So the file that says
// so (which inputs it replaces, up to which sequence id the store is flushed) is finished last, and
// files are moved into the store in the order in which they are returned. One thread at a time.
#ifndef BENNU_SRC_ENGINE_STORE_STORE_FILE_WRITER_H_
#define BENNU_SRC_ENGINE_STORE_STORE_FILE_WRITER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bennu/cell.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/store/compaction_request.h"
#include "src/hfile/writer.h"

namespace bennu::engine {

// A file that a flush or compaction has written and not yet moved into the store.
struct PendingFile {
  std::string temp_path;
  std::string name;  // what it will be called in the store's directory
  uint64_t size_bytes = 0;
  uint64_t cell_count = 0;
};
using PendingFiles = std::vector<PendingFile>;  // in the order in which they are to be moved in

class StoreFileWriter {
 public:
  struct Options {
    Env* env = nullptr;
    std::string directory;  // exists
    std::function<std::string()> new_name;
    hfile::WriterOptions file;
    // Of the last file; those before it replace nothing.
    hfile::StoreFileFacts facts;
    // What the log need not replay: by the last file, and by the ones before it.
    uint64_t flushed_sequence_id = 0;
    uint64_t flushed_before = 0;
  };

  explicit StoreFileWriter(Options options);
  // Removes what was not finished.
  ~StoreFileWriter();
  StoreFileWriter(const StoreFileWriter&) = delete;
  StoreFileWriter& operator=(const StoreFileWriter&) = delete;

  // ---- before the first row of a part; without any, everything goes into one file
  void StartTimeWindows(std::vector<int64_t> borders);  // for all rows that follow
  void StartStripe(const StripeOutput& stripe);         // for rows up to the next one

  // Before the first cells of every row.
  void StartRow() { ++rows_; }
  // The next cells of the row.
  Status Append(const Cell* cells, size_t count);

  // What is written when every cell was dropped.
  enum class WhenEmpty {
    kNoFile,
    // A file without cells, which says up to where the store is flushed. Without it the log would
    // be replayed from further back, and could bring back what is gone (HBASE-6059).
    kOneFile,
    // A file without cells for each stripe that is replaced, which keeps its borders; without
    // such stripes one file.
    kStripes,
  };
  // Stripes that are replaced and have no cells left get a file without cells as well when others
  // have cells.
  Result<PendingFiles> Finish(WhenEmpty when_empty);

  uint64_t bytes_appended() const { return bytes_appended_; }  // of keys and values

 private:
  struct File;
  Result<File*> Create();
  Status AppendTo(File* file, const Cell* cells, size_t count);
  Status Complete(std::unique_ptr<File> file, bool is_last);
  Status AppendByTime(const Cell* cells, size_t count);
  Status AppendToStripe(const Cell* cells, size_t count);
  void FinishStripe();

  const Options options_;
  std::vector<std::unique_ptr<File>> files_;  // open; in the order of creation
  PendingFiles done_;
  uint64_t rows_ = 0;
  uint64_t bytes_appended_ = 0;

  std::vector<int64_t> borders_;
  std::map<size_t, File*> windows_;  // the file of each border that has one

  std::optional<StripeOutput> stripe_;  // what is left of it
  File* stripe_file_ = nullptr;
  size_t stripe_count_ = 0;  // files begun for it
  std::vector<StripeOutput> empty_stripes_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_STORE_FILE_WRITER_H_
