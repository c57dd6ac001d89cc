// Sort keys: rows to bytes that compare (memcmp) as ORDER BY wants the rows.
//
//   each field: marker (NULL or value, by NULLS FIRST/LAST), then the value's bytes, all inverted
//   when descending: integers and times big-endian with the sign flipped, doubles likewise, DECIMAL
//   as Phoenix encodes it, text and binary with 00 as 00 ff and an end of 00 00.
#ifndef BENNU_SRC_SQL_EXEC_SORT_KEY_H_
#define BENNU_SRC_SQL_EXEC_SORT_KEY_H_

#include <cstdint>
#include <vector>

#include "bennu/bytes.h"
#include "src/sql/plan/sort_field.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::exec {

using plan::SortField;

// Appends the sort key of one row.
void AppendSortKey(const std::vector<SortField>& fields, const DataChunk& chunk, size_t row,
                   Bytes* key);

// Replaces *rows by the rows of the chunk whose keys may be below 'threshold', the key of a row:
// all but those that their first field alone puts behind it.
void RowsThatMayPrecede(ByteView threshold, const std::vector<SortField>& fields,
                        const DataChunk& chunk, std::vector<uint32_t>* rows);

// Keys of many rows in one buffer, and the order of the rows.
class SortKeys {
 public:
  void Add(ByteView key);
  size_t size() const { return offsets_.size() - 1; }
  ByteView key(size_t i) const {
    return ByteView(bytes_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  // Row numbers in ascending order of their keys, equal ones by number; only the first 'limit'.
  std::vector<uint32_t> Order(size_t limit) const;
  size_t memory_bytes() const { return bytes_.capacity() + offsets_.capacity() * 8; }
  void Clear();

 private:
  Bytes bytes_;
  std::vector<uint64_t> offsets_ = {0};
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SORT_KEY_H_
