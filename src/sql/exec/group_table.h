// GroupTable: distinct rows of key columns to dense numbers 0, 1, 2 … in order of first sight. What
// GROUP BY, DISTINCT, COUNT(DISTINCT) and the build side of joins stand on.
//
// Open addressing over hashes. A single integer column and a single text column have paths of
// their own; any other key is serialized to bytes. NULL is a key like any other: equal to itself.
// One thread at a time, but Find may be called by several when nobody calls Insert.
#ifndef BENNU_SRC_SQL_EXEC_GROUP_TABLE_H_
#define BENNU_SRC_SQL_EXEC_GROUP_TABLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "src/sql/types/type.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::exec {

class GroupTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Scratch of one caller; reused between calls.
  struct Scratch {
    std::vector<char> bytes;
    std::vector<size_t> offsets;
  };

  explicit GroupTable(std::vector<DataType> types);

  // ids[i] = number of the key in row i of 'keys' (one vector for each type), for i < count.
  void Insert(std::span<const Vector* const> keys, size_t count, uint32_t* ids);
  // The same without adding: kNone where the key is not there.
  void Find(std::span<const Vector* const> keys, size_t count, uint32_t* ids,
            Scratch* scratch) const;

  // hashes[i] of the key in row i: equal keys have equal ones, whatever the table.
  void Hash(std::span<const Vector* const> keys, size_t count, uint64_t* hashes,
            Scratch* scratch) const;

  size_t size() const { return count_; }
  const std::vector<DataType>& types() const { return types_; }
  // Row i of the vectors becomes the key of group groups[i]. Bytes are views of this table.
  void Emit(const uint32_t* groups, size_t count, std::span<Vector* const> out) const;
  size_t memory_bytes() const;

 private:
  enum class Kind : uint8_t { kInteger, kText, kSerialized };
  struct Slot {
    uint64_t key = 0;  // kInteger: the key itself, else its hash
    uint32_t group = kNone;
  };

  void InsertIntegers(const Vector& key, size_t count, uint32_t* ids);
  void FindIntegers(const Vector& key, size_t count, uint32_t* ids) const;
  uint32_t InsertBytes(ByteView key);
  uint32_t FindBytes(ByteView key) const;
  void Serialize(std::span<const Vector* const> keys, size_t count, Scratch* scratch) const;
  void Grow();

  const std::vector<DataType> types_;
  Kind kind_ = Kind::kSerialized;
  uint32_t count_ = 0;
  uint32_t null_group_ = kNone;    // kInteger and kText
  std::vector<Slot> slots_;        // a power of two, at most half full
  std::vector<int64_t> integers_;  // kInteger: key by group
  std::vector<ByteView> bytes_;    // kText, kSerialized: key by group
  StringHeap heap_;
  Scratch scratch_;
};

// A hash of bytes for tables in memory; not stable between versions.
uint64_t HashBytes(ByteView bytes);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_GROUP_TABLE_H_
