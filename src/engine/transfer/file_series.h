// FileSeries: writes sorted cells to HFiles of one family, one file after another, each with what a
// store's file tells of itself. Who ends a file does so between two rows. One thread at a time.
#ifndef BENNU_SRC_ENGINE_TRANSFER_FILE_SERIES_H_
#define BENNU_SRC_ENGINE_TRANSFER_FILE_SERIES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/transfer/load_files.h"
#include "src/hfile/writer.h"

namespace bennu::engine {

class FileSeries {
 public:
  struct Options {
    Bytes family;
    std::string directory;  // must exist; left to be synced
    hfile::WriterOptions writer;
    hfile::StoreFileFacts facts;  // of every file
    std::map<Bytes, Bytes> info;  // further entries of the file info
  };
  FileSeries(Env* env, Options options);  // 'env' must outlive this

  Status Append(const Cell& cell);
  // Completes and syncs the file; the next cell begins another. Without cells there is none.
  Status EndFile();
  // Of the file that was begun; 0 between two.
  uint64_t estimated_size() const { return writer_ == nullptr ? 0 : writer_->estimated_size(); }

  // The complete ones.
  const std::vector<LoadFile>& files() const { return files_; }

 private:
  Env* const env_;
  const Options options_;
  std::unique_ptr<hfile::Writer> writer_;  // null between two files
  LoadFile file_;
  uint64_t markers_ = 0;
  uint64_t rows_ = 0;
  std::vector<LoadFile> files_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_TRANSFER_FILE_SERIES_H_
