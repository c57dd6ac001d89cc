// MutationBatch: Puts and Deletes of any number of rows, laid out as they will be written.
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
#ifndef BENNU_MUTATION_H_
#define BENNU_MUTATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/status.h"

namespace bennu {

// What must be on disk before a write is acknowledged; HBase's Durability.
enum class Durability : uint8_t { kUseDefault, kSkipWal, kAsyncWal, kSyncWal, kFsyncWal };

class MutationBatch {
 public:
  // The cells that follow belong to 'row' (1..32767 bytes, copied), until the next StartRow. All of
  // one StartRow are applied atomically; rows may repeat.
  void StartRow(ByteView row);

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

  // OK, or InvalidArgument naming the first argument that can not be part of a cell (no row, row or
  // family too long or empty, value of 2 GB …). Such cells were left out; Table::Write must refuse
  // the batch.
  Status Check() const { return problem_.empty() ? Status::Ok() : InvalidArgument(problem_); }

  bool empty() const { return rows_.empty(); }
  size_t row_count() const { return rows_.size(); }
  size_t cell_count() const { return cell_count_; }
  size_t size_bytes() const { return buffer_.size(); }

  Durability durability = Durability::kUseDefault;

  // ---- for the implementations of Table

  struct Row {
    uint32_t row_offset;  // of the row's bytes in row_keys()
    uint32_t row_length;
    uint64_t cells_begin;  // [begin, end) in buffer()
    uint64_t cells_end;
    uint32_t cell_count;
  };
  const std::vector<Row>& rows() const { return rows_; }
  ByteView row_key(const Row& row) const {
    return ByteView(row_keys_).substr(row.row_offset, row.row_length);
  }
  const Bytes& buffer() const { return buffer_; }
  Bytes* mutable_buffer() { return &buffer_; }

 private:
  Bytes buffer_;
  Bytes row_keys_;
  std::vector<Row> rows_;
  size_t cell_count_ = 0;
  std::string problem_;  // the first thing wrong, empty while all is well
};

// Reads the cell at 'offset' of a buffer in the layout above; returns the offset of the next one.
// The buffer must be one that MutationBatch (or a checked WAL reader) made.
size_t CellAt(ByteView buffer, size_t offset, Cell* cell);

}  // namespace bennu

#endif  // BENNU_MUTATION_H_
