// StoreFileList: the names of a store's files, kept beside them, so that a file that vanishes is
// noticed. (docs/formats/store_files.md)
//
// HBase's layout has no such list: what lies in the directory is the store. So a lost file would
// pass for one that never was. The list never decides what belongs to a store; it only tells what
// must be there. It is written after a new file is in place and before an old one is moved away:
// whatever the moment of a crash, every listed file exists, and a file that is not listed yet is
// one whose cells the log still has. Pure functions but for Load and Save.
#ifndef BENNU_SRC_ENGINE_STORE_STORE_FILE_LIST_H_
#define BENNU_SRC_ENGINE_STORE_STORE_FILE_LIST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

// In the store's directory. HBase takes every name there for a store file's and does not open the
// region when it is none, but for names with a hyphen, which it leaves alone (StoreFileInfo).
inline constexpr std::string_view kStoreFileListName = ".store-files";
// Its name until HBase was found to stumble over it; read, and replaced when the store is opened to
// write.
inline constexpr std::string_view kOldStoreFileListName = ".storefiles";

class StoreFileList {
 public:
  struct Entry {
    std::string name;
    uint64_t size_bytes = 0;
    uint64_t max_sequence_id = 0;
    uint64_t cell_count = 0;
    std::optional<uint64_t> row_count;  // files that HBase wrote do not tell
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  StoreFileList() = default;  // of no files
  explicit StoreFileList(const std::vector<std::shared_ptr<const StoreFile>>& files);

  // Nothing when the directory has no list. Corruption: the list is damaged; IoError.
  static Result<std::optional<StoreFileList>> Load(Env* env, const std::string& directory);
  // Of the list in the directory; where none is, of the one that would be written.
  static Result<std::string> Path(Env* env, const std::string& directory);
  // Replaces the list, durably, in one step. One of the old name stays.
  Status Save(Env* env, const std::string& directory) const;

  // The listed files that 'present' lacks, but for those that another program (HBase) has merged
  // into one of 'present' since.
  std::vector<Entry> Missing(const std::vector<std::shared_ptr<const StoreFile>>& present) const;

  const std::vector<Entry>& entries() const { return entries_; }  // by name
  friend bool operator==(const StoreFileList&, const StoreFileList&) = default;

 private:
  bool Lists(const std::string& name) const;

  std::vector<Entry> entries_;
};

// Names the files, what they held, and what to do.
Status MissingFilesError(const std::string& list_path, const std::string& archive_directory,
                         const std::vector<StoreFileList::Entry>& missing);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_STORE_FILE_LIST_H_
