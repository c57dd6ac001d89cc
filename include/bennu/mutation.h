// MutationBatch: HBase's Put, Delete, Increment and Append of any number of rows, laid out as they
// will be written. Several mutations of one row are its RowMutations.
//
// All cells stand one after another in one buffer, each as the WAL holds it:
//
//   int32 length (big-endian) | KeyValue: int32 key length, int32 value length, flat key, value
//                             | [int16 tags length, tags] when the cell has tags
//
// so that adding a cell is one append, a region's part of a batch goes to the WAL by memcpy, and
// nothing is allocated per cell. Timestamps equal to kLatestTimestamp are replaced by the store's
// clock at the write. One thread at a time; reusable after Clear().
//
//   MutationBatch batch;
//   batch.StartRow("row1");
//   batch.Put("cf", "q", "value");
//   batch.StartRow("row2");
//   batch.DeleteFamily("cf");
//   batch.StartIncrement("row3");
//   batch.Increment("cf", "visits", 1);
#ifndef BENNU_MUTATION_H_
#define BENNU_MUTATION_H_

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/status.h"

namespace bennu {

// What must be on disk before a write is acknowledged; HBase's Durability.
enum class Durability : uint8_t { kUseDefault, kSkipWal, kAsyncWal, kSyncWal, kFsyncWal };

// What one mutation of a batch does.
enum class MutationKind : uint8_t {
  kPutDelete,  // stores its cells: puts, delete markers, or both
  kDeleteRow,  // a Delete without columns: marks every family of the table
  kIncrement,  // adds its 8-byte big-endian values to what is there
  kAppend,     // appends its values to what is there
};

// Mutations of any number of rows, to be written by Table::Write and its kin. The comment at the
// top of this file has an example.
class MutationBatch {
 public:
  // The cells that follow belong to 'row' (1..32767 bytes, copied), until the next StartRow. All of
  // one StartRow are applied atomically; rows may repeat.
  void StartRow(ByteView row) { Start(row, MutationKind::kPutDelete); }
  // A whole mutation: deletes every family of the row up to 'timestamp'.
  void DeleteRow(ByteView row, int64_t timestamp = kLatestTimestamp);
  // The Increment or Append calls that follow belong to 'row'. The new cell gets the larger of the
  // store's clock and the old cell's timestamp plus one; 'timestamp' counts when there is no old
  // cell. Every mutation of a batch sees what was there before the batch.
  void StartIncrement(ByteView row) { Start(row, MutationKind::kIncrement); }
  void StartAppend(ByteView row) { Start(row, MutationKind::kAppend); }

  // Adds to an 8-byte big-endian counter (absent counts as 0), wrapping around as Java does.
  void Increment(ByteView family, ByteView qualifier, int64_t amount,
                 int64_t timestamp = kLatestTimestamp);
  void Append(ByteView family, ByteView qualifier, ByteView value,
              int64_t timestamp = kLatestTimestamp) {
    AddCell(family, qualifier, timestamp, CellType::kPut, value);
  }

  // ---- of the mutation begun last, before its cells

  // Overrides the batch's durability. A region writes the mutations that it gets together with the
  // safest of their durabilities; only kSkipWal mutations stay out of the log.
  void SetDurability(Durability asked) { MutableOptions()->durability = asked; }
  // The puts that follow expire so many milliseconds after their timestamp, or with their family,
  // whichever is first.
  void SetTtlMillis(int64_t ttl_millis) { ttl_millis_ = ttl_millis; }
  // Increment and Append: whether the new cells are wanted back (Table::Mutate); default true.
  void SetReturnResults(bool wanted) { MutableOptions()->return_results = wanted; }
  // Increment and Append: only cells in [min, max) are added to.
  void SetReadTimeRange(int64_t min, int64_t max);
  // For whoever handles the batch on its way; the store itself ignores attributes.
  void SetAttribute(const std::string& name, Bytes value) {
    MutableOptions()->attributes[name] = std::move(value);
  }

  void Put(ByteView family, ByteView qualifier, ByteView value,
           int64_t timestamp = kLatestTimestamp) {
    AddCell(family, qualifier, timestamp, CellType::kPut, value);
  }
  // Hides one version: the one at 'timestamp', or the newest when it is kLatestTimestamp (found by
  // a read under the row's lock, as HBase does).
  void DeleteVersion(ByteView family, ByteView qualifier, int64_t timestamp = kLatestTimestamp) {
    AddCell(family, qualifier, timestamp, CellType::kDelete, {});
  }
  void DeleteColumn(ByteView family, ByteView qualifier, int64_t timestamp = kLatestTimestamp) {
    AddCell(family, qualifier, timestamp, CellType::kDeleteColumn, {});
  }
  void DeleteFamily(ByteView family, int64_t timestamp = kLatestTimestamp) {
    AddCell(family, {}, timestamp, CellType::kDeleteFamily, {});
  }
  void DeleteFamilyVersion(ByteView family, int64_t timestamp) {
    AddCell(family, {}, timestamp, CellType::kDeleteFamilyVersion, {});
  }
  // 'tags': a serialized tag area, usually empty. Arguments are copied.
  void AddCell(ByteView family, ByteView qualifier, int64_t timestamp, CellType type,
               ByteView value, ByteView tags = {});

  void Clear();

  // OK, or InvalidArgument naming the first argument that cannot be part of a cell (no row, row or
  // family too long or empty, value of 2 GB …). Such cells were left out; Table::Write must refuse
  // the batch.
  Status Check() const { return problem_.empty() ? Status::Ok() : InvalidArgument(problem_); }

  bool empty() const { return rows_.empty(); }
  size_t row_count() const { return rows_.size(); }
  size_t cell_count() const { return cell_count_; }
  size_t size_bytes() const { return buffer_.size(); }

  Durability durability = Durability::kUseDefault;  // of mutations that do not say

  // ---- for the implementations of Table

  // What the setters above set, of one mutation.
  struct RowOptions {
    Durability durability = Durability::kUseDefault;
    bool return_results = true;
    int64_t read_time_min = 0;
    int64_t read_time_max = std::numeric_limits<int64_t>::max();
    int64_t delete_row_timestamp = kLatestTimestamp;
    std::map<std::string, Bytes> attributes;
  };

  // One mutation: where its row and its cells lie.
  struct Row {
    uint32_t row_offset;  // of the row's bytes in row_keys()
    uint32_t row_length;
    uint64_t cells_begin;  // [begin, end) in buffer()
    uint64_t cells_end;
    uint32_t cell_count;
    MutationKind kind;
  };
  // Whether there are only puts and deletes without options: what is in buffer() is what is stored.
  bool plain() const { return other_kinds_ == 0 && options_.empty(); }
  // Options of mutation 'index'; the defaults when none were set.
  const RowOptions& options(size_t index) const;
  // Adds a copy of mutation 'index' of 'other', with its options.
  void AddMutation(const MutationBatch& other, size_t index);
  const std::vector<Row>& rows() const { return rows_; }
  ByteView row_key(const Row& row) const {
    return ByteView(row_keys_).substr(row.row_offset, row.row_length);
  }
  const Bytes& buffer() const { return buffer_; }
  Bytes* mutable_buffer() { return &buffer_; }

 private:
  void Start(ByteView row, MutationKind kind);
  RowOptions* MutableOptions();  // of the last mutation

  Bytes buffer_;
  Bytes row_keys_;
  std::vector<Row> rows_;
  std::map<size_t, RowOptions> options_;  // by index in rows_; few have any
  size_t other_kinds_ = 0;                // mutations that are not kPutDelete
  size_t cell_count_ = 0;
  int64_t ttl_millis_ = -1;  // of the last mutation; -1: none
  std::string problem_;      // the first thing wrong, empty while all is well
};

// Reads the cell at 'offset' of a buffer in the layout above; returns the offset of the next one.
// The buffer must be one that MutationBatch (or a checked WAL reader) made.
size_t CellAt(ByteView buffer, size_t offset, Cell* cell);

}  // namespace bennu

#endif  // BENNU_MUTATION_H_
