// An Env that keeps the files below one path in memory. Every other path is the target Env's, so
// that a store in memory can load files from the disk and back up to it.
//
//   MemoryEnv env(Env::Default(), ":memory:");
//   env.CreateDirectories(":memory:/data");   // makes nothing on the disk
//
// What is below the path is there as long as this Env, and no other Env or process sees it; syncs
// have nothing to do. A file has the names that it was given by LinkFile, and its bytes stay
// readable to those who have it open when the last name is gone. Renames and links between memory
// and the target are NotSupported, as between two file systems. There are no symbolic links.
// Thread-safe, as Env says. The target must outlive this; files and locks may outlive this.
#ifndef BENNU_SRC_BASE_MEMORY_ENV_H_
#define BENNU_SRC_BASE_MEMORY_ENV_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/base/forwarding_env.h"
#include "src/base/mutex.h"

namespace bennu {

class MemoryFile;

class MemoryEnv final : public ForwardingEnv {
 public:
  // 'root': what lies there and below is in memory. Paths are compared as they are written, without
  // "." and doubled slashes: a relative root is not found by its absolute path. The root itself
  // does not exist yet; its parent counts as there.
  MemoryEnv(Env* target, const std::string& root);
  ~MemoryEnv() override;
  MemoryEnv(const MemoryEnv&) = delete;
  MemoryEnv& operator=(const MemoryEnv&) = delete;

  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) override;
  Result<Bytes> ReadFile(const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> CreateFile(const std::string& path) override;
  Result<bool> Exists(const std::string& path) override;
  Result<uint64_t> FileSize(const std::string& path) override;
  Result<int64_t> ChangeMillis(const std::string& path) override;
  Result<bool> IsDirectory(const std::string& path) override;
  Result<PathShape> Shape(const std::string& path) override;
  Result<std::vector<std::string>> ListDirectory(const std::string& path) override;
  Status CreateDirectories(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status LinkFile(const std::string& from, const std::string& to) override;
  Status RemoveFile(const std::string& path) override;
  Status RemoveTree(const std::string& path) override;
  Status RemoveEmptyDirectory(const std::string& path) override;
  Status SyncFile(const std::string& path) override;
  Status TruncateFile(const std::string& path, uint64_t size) override;
  Status SyncDirectory(const std::string& path) override;
  Result<std::unique_ptr<DirectoryLock>> LockFile(const std::string& path) override;
  Result<std::unique_ptr<DirectoryLock>> LockFileToRead(const std::string& path) override;

 private:
  // A file when 'file' is set, else a directory.
  struct Node {
    std::shared_ptr<MemoryFile> file;
    std::map<std::string, std::unique_ptr<Node>> entries;  // of a directory, by name
    int64_t change_millis = 0;                             // of a directory
  };
  using Names = std::vector<std::string>;

  // Whether the path is the root or below it; 'names' are the steps that lead there, of which the
  // root is the first.
  bool IsInMemory(const std::string& path, Names* names) const;
  // Null, and *error says why: ENOENT, or ENOTDIR where a file is in the way.
  Node* Find(const Names& names, int* error) REQUIRES(mu_);
  // The directory that an entry of this name is in, or is to be in.
  Node* FindParent(const Names& names, int* error) REQUIRES(mu_);
  Result<std::shared_ptr<MemoryFile>> FindFile(const Names& names, const std::string& what)
      REQUIRES(mu_);
  int RenameNode(const Names& from, const Names& to) REQUIRES(mu_);

  const std::string root_;    // normal, as all paths that are compared
  const std::string parent_;  // what it would lie in
  Mutex mu_;
  Node top_ GUARDED_BY(mu_);  // has the root for its one entry
};

}  // namespace bennu

#endif  // BENNU_SRC_BASE_MEMORY_ENV_H_
