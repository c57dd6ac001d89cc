// What a file system has been told and has not been told to make durable: the changes of
// directories since they were last synced, and the bytes of files since theirs. Takes back what a
// machine may lose when its power fails. For FaultInjectionEnv.
//
// The rules are the ones a program may rely on, and no others:
//   - an entry that was made, moved or removed stays so once its directory was synced; a move once
//     the directory it leads to was. Syncing a file does not sync its entry;
//   - changes of one directory are not lost out of order, and a move is never done by half;
//   - what a directory holds moves and goes with it.
// So that it can come back, what is removed is kept aside until the removal is durable.
// One thread at a time.
#ifndef BENNU_SRC_BASE_UNSYNCED_CHANGES_H_
#define BENNU_SRC_BASE_UNSYNCED_CHANGES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/base/env.h"

namespace bennu {

class UnsyncedChanges {
 public:
  // 'aside': a directory on the same file system, made when it is needed and removed at the end.
  // 'target' must outlive this.
  UnsyncedChanges(Env* target, std::string aside) : target_(target), aside_(std::move(aside)) {}
  ~UnsyncedChanges();
  UnsyncedChanges(const UnsyncedChanges&) = delete;
  UnsyncedChanges& operator=(const UnsyncedChanges&) = delete;

  // A file, directory or link was made.
  void NoteCreated(const std::string& path);
  // How many bytes of a file are durable. Kept when the file moves; shared with whoever writes it.
  using DurableSize = std::shared_ptr<uint64_t>;
  DurableSize NoteFile(const std::string& path);
  void NoteLink(const std::string& from, const std::string& to);
  void NoteFileSynced(const std::string& path, uint64_t size);
  void NoteTruncated(const std::string& path, uint64_t size);
  void NoteSynced(const std::string& directory);

  // These do what they note.
  Status Rename(const std::string& from, const std::string& to);
  Status RemoveFile(const std::string& path);
  Status RemoveTree(const std::string& path);  // also an empty directory

  // Takes back what is not durable: with seed 0 all of it, with others some of it.
  Status TakeBack(uint64_t seed);

 private:
  struct Change {
    std::string from;      // empty: made
    std::string to;        // empty: removed
    std::string kept;      // where what was removed or overwritten is; or empty
    std::string made;      // where what was made is now
    bool is_tree = false;  // a removal that is many in truth
  };

  Result<std::string> SetAside(const std::string& path);
  Status Remove(const std::string& path, bool is_tree);
  // What is below 'from' (and of files, what is 'from') is below 'to' now.
  void Move(const std::string& from, const std::string& to);
  void Forget(const std::string& path);
  void ChooseLost(uint64_t seed);
  Status Undo(const Change& change);
  Status RemoveSome(const std::string& directory);
  Status CutFiles(bool all);
  void Bury(const Change& change);  // it is durable: what was kept for it goes

  Env* const target_;
  const std::string aside_;
  uint64_t aside_count_ = 0;
  std::vector<Change> changes_;  // the oldest first
  std::map<std::string, DurableSize> sizes_;
  std::mt19937_64 random_;
};

}  // namespace bennu

#endif  // BENNU_SRC_BASE_UNSYNCED_CHANGES_H_
