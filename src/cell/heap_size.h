// What a cell counts for where HBase limits memory: the size of its object in Java.
#ifndef BENNU_SRC_CELL_HEAP_SIZE_H_
#define BENNU_SRC_CELL_HEAP_SIZE_H_

#include <cstdint>

#include "bennu/cell.h"

namespace bennu {

// Source: org.apache.hadoop.hbase.ByteBufferKeyValue.heapSize.
inline int64_t HeapSize(const Cell& cell) {
  constexpr int64_t kObject = 32;    // header, a reference, two ints and a long
  constexpr int64_t kLengths = 8;    // of key and value
  constexpr int64_t kAlignment = 8;  // of Java's objects
  const int64_t tags = cell.tags_length > 0 ? 2 + int64_t{cell.tags_length} : 0;
  const int64_t bytes = kObject + kLengths + cell.key_length + cell.value_length + tags;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace bennu

#endif  // BENNU_SRC_CELL_HEAP_SIZE_H_
