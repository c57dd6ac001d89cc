// StoreFile: an HFile that belongs to a store, with what a scan asks before it opens a cursor.
// Immutable, so thread-safe; held by shared_ptr, so that a compacted file stays readable.
#ifndef BENNU_SRC_ENGINE_STORE_STORE_FILE_H_
#define BENNU_SRC_ENGINE_STORE_STORE_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/store/file_reference.h"
#include "src/hfile/reader.h"
#include "src/hfile/writer.h"

namespace bennu::engine {

// File info entry of ours: the number of delete markers of any kind, 8 bytes big-endian. A file
// without markers can be left out of a scan by its timestamps alone; in files that HBase wrote the
// entry is missing and markers must be expected.
inline constexpr ByteView kDeleteMarkerCountKey = "BENNU_DELETE_MARKER_COUNT";

// Likewise: the number of rows that have a cell in the file.
inline constexpr ByteView kRowCountKey = "BENNU_ROW_COUNT";

// Likewise, 8 bytes big-endian: up to which sequence id the log need not be replayed where this
// file is, when that is not the file's own largest. A flush that writes several files has it in all
// but the last.
inline constexpr ByteView kFlushedSequenceIdKey = "BENNU_FLUSHED_SEQ_ID";

class StoreFile {
 public:
  // 'name' may be a reference: then the file of the parent region is opened, which stands beside
  // this region's directory or, by 'archive_directory' (of this store), in the archive. It may be a
  // link, or a reference to one: then the file is looked for where it says (LinkedPlaces), below
  // the root that 'directory' (<root>/data/<ns>/<table>/<region>/<family>) lies in.
  // Corruption: not a readable HFile. NotFound: it, or what it stands for, is missing.
  // NotSupported: the name is none of these.
  static Result<std::shared_ptr<const StoreFile>> Open(Env* env, const std::string& directory,
                                                       const std::string& archive_directory,
                                                       const std::string& name,
                                                       hfile::BlockCache* cache,
                                                       const hfile::ReaderOptions& options = {});
  // The same file, one that was loaded just now, with a later id for its cells: the readers of no
  // moment before may see them. After a reopening the id in the name will do.
  std::shared_ptr<const StoreFile> WithCellSequenceId(uint64_t cell_sequence_id) const;

  const std::string& name() const { return name_; }
  const std::shared_ptr<const hfile::Reader>& reader() const { return reader_; }
  // A reference may hold rows that are not of its region; the store's scanners leave them out.
  bool is_reference() const { return reference_.has_value(); }
  const std::optional<FileReference>& reference() const { return reference_; }
  // Of a reference: half of the file's, as HBase has it.
  uint64_t size_bytes() const {
    return is_reference() ? reader_->file_size() / 2 : reader_->file_size();
  }
  // Of a file that was loaded in bulk: the id in its name.
  uint64_t max_sequence_id() const { return max_sequence_id_; }

  // It came by a bulk load, of Bennu or HBase, so it was flushed or compacted by no one here.
  bool is_bulk_loaded() const { return is_bulk_loaded_; }
  // The id that every cell has, whatever the file says: it was loaded in bulk. Nothing for others,
  // and for loaded files that keep their own ids (SKIP_RESET_SEQ_ID). HBase's
  // StoreFileReader.isBulkLoaded and StoreFileScanner.setCurrentCell.
  std::optional<uint64_t> cell_sequence_id() const { return cell_sequence_id_; }
  uint64_t max_cell_sequence_id() const {
    return cell_sequence_id_.value_or(reader_->max_cell_sequence_id());
  }
  // The store's edits up to this one are in its files.
  uint64_t flushed_sequence_id() const { return flushed_sequence_id_; }
  // When the file was written; nothing when it does not tell.
  std::optional<int64_t> created_millis() const { return created_millis_; }

  // Whether Bennu wrote the file.
  bool is_ours() const { return is_ours_; }
  // Nothing when the file does not tell.
  std::optional<uint64_t> row_count() const { return row_count_; }

  // False when no cell here can matter to a scan of these timestamps: none lies in the range, and
  // no delete marker that is newer than it might hide cells of other files.
  bool MayMatter(const TimeRange& range) const;

 private:
  StoreFile(std::string name, std::optional<FileReference> reference,
            std::shared_ptr<const hfile::Reader> reader);

  const std::string name_;
  const std::optional<FileReference> reference_;
  const std::shared_ptr<const hfile::Reader> reader_;
  uint64_t max_sequence_id_ = 0;
  bool is_bulk_loaded_ = false;
  std::optional<uint64_t> cell_sequence_id_;
  bool is_ours_ = false;
  bool may_hold_markers_ = true;
  std::optional<uint64_t> row_count_;
  uint64_t flushed_sequence_id_ = 0;
  std::optional<int64_t> created_millis_;
};

// The order in which equal cells of several files win: newest first (HBase's
// StoreFileComparators.SEQ_ID, reversed).
bool IsNewer(const StoreFile& left, const StoreFile& right);

// Whether a directory entry names a store file: 32 hex digits, perhaps with a bulk load's suffix.
bool IsStoreFileName(const std::string& name);

// How a file of this family is written; without tags.
hfile::WriterOptions WriterOptionsOf(const ColumnFamilyDescriptor& family, int64_t now_millis);

// A new name, as random as HBase's: a UUID without dashes.
std::string NewStoreFileName(Env* env);

// What a bulk load appends to a file's name: "_SeqId_<n>_".
std::string BulkLoadSuffix(uint64_t sequence_id);
// The n of such a name, also that of a reference or link to such a file.
std::optional<uint64_t> BulkLoadSequenceId(const std::string& name);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_STORE_FILE_H_
