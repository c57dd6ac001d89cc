// The dictionary of compressed logs: strings by number, the least recently used one replaced when
// it is full. Reader and writer must make the same moves. Source: HBase's LRUDictionary.
#ifndef BENNU_SRC_WAL_DICTIONARY_H_
#define BENNU_SRC_WAL_DICTIONARY_H_

#include <cstdint>
#include <vector>

#include "bennu/bytes.h"

namespace bennu::wal {

// One thread only.
class Dictionary {
 public:
  explicit Dictionary(uint32_t capacity) : capacity_(capacity) {}

  // Puts a string in front; takes the next free number, or that of the last in use.
  void Add(ByteView value);

  // Returns the string with that number and moves it to the front; null when there is none.
  const Bytes* Get(uint32_t number);

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  struct Node {
    Bytes value;
    uint32_t newer = kNone;
    uint32_t older = kNone;
  };
  void Unlink(uint32_t number);
  void PutInFront(uint32_t number);

  const uint32_t capacity_;
  std::vector<Node> nodes_;
  uint32_t newest_ = kNone;
  uint32_t oldest_ = kNone;
};

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_DICTIONARY_H_
