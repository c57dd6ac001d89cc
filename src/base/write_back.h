// Early write-back of files that will be synced.
#ifndef BENNU_SRC_BASE_WRITE_BACK_H_
#define BENNU_SRC_BASE_WRITE_BACK_H_

#include <cstdint>

#include "src/base/env.h"

namespace bennu {

// Whoever appends to a file that is synced at its end calls NoteAppended after each append: every
// few megabytes the system is told to begin writing them to the device (sync_file_range), so that
// the sync does not find all of the file in memory, and whoever waits for it waits less. Changes
// nothing about what is durable when. Does nothing for files that are not the operating system's
// own. One thread at a time.
class WriteBack {
 public:
  explicit WriteBack(WritableFile* file) : file_(file) {}  // must outlive this

  void NoteAppended() {
    if (file_->size() - begun_ >= kStepBytes) Begin();
  }
  // All of it is on the device.
  void NoteSynced() { begun_ = file_->size(); }

 private:
  static constexpr uint64_t kStepBytes = 8 << 20;
  void Begin();  // posix_env.cc

  WritableFile* const file_;
  uint64_t begun_ = 0;  // the file up to here is on its way
};

}  // namespace bennu

#endif  // BENNU_SRC_BASE_WRITE_BACK_H_
