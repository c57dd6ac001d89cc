// The dictionary of tags within one data block, on either side.
//
// 127 slots in order of insertion; a hit makes a slot the most recent one; when full, the least
// recent slot is overwritten. Writer and reader make the same updates, so a slot's number is enough
// on disk.                          (HBase 2.5 TagCompressionContext over LRUDictionary)
#ifndef BENNU_SRC_HFILE_TAG_DICTIONARY_H_
#define BENNU_SRC_HFILE_TAG_DICTIONARY_H_

#include <array>
#include <cstdint>

#include "bennu/bytes.h"

namespace bennu::hfile {

// One thread at a time.
class TagDictionary {
 public:
  static constexpr int kCapacity = 127;

  void Clear();

  // Returns the slot of 'tag' (type byte and value) and makes it the most recent; -1 after adding
  // it when it was not there. An empty tag is never added.
  int FindOrAdd(ByteView tag);
  void Add(ByteView tag);
  // Returns null when the slot is unused; else makes it the most recent. Valid until the next Add.
  const Bytes* Get(int slot);

 private:
  void MoveToFront(int slot);

  int size_ = 0;
  std::array<Bytes, kCapacity> tags_;
  std::array<uint64_t, kCapacity> hashes_{};
  std::array<uint8_t, kCapacity> order_{};  // slots, the most recent first
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_TAG_DICTIONARY_H_
