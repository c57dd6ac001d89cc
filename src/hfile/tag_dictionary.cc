#include "src/hfile/tag_dictionary.h"

#include <algorithm>
#include <functional>

namespace bennu::hfile {

void TagDictionary::Clear() { size_ = 0; }

void TagDictionary::MoveToFront(int slot) {
  const auto at = std::find(order_.begin(), order_.begin() + size_, static_cast<uint8_t>(slot));
  std::rotate(order_.begin(), at, at + 1);
}

int TagDictionary::FindOrAdd(ByteView tag) {
  const uint64_t hash = std::hash<ByteView>()(tag);
  for (int slot = 0; slot < size_; ++slot) {
    if (hashes_[slot] != hash || tags_[slot] != tag) continue;
    MoveToFront(slot);
    return slot;
  }
  Add(tag);
  return -1;
}

void TagDictionary::Add(ByteView tag) {
  if (tag.empty()) return;
  int slot = size_;
  if (size_ < kCapacity) {
    order_[size_++] = static_cast<uint8_t>(slot);
  } else {
    slot = order_[kCapacity - 1];
  }
  tags_[slot].assign(tag);
  hashes_[slot] = std::hash<ByteView>()(tag);
  MoveToFront(slot);
}

const Bytes* TagDictionary::Get(int slot) {
  if (slot < 0 || slot >= size_) return nullptr;
  MoveToFront(slot);
  return &tags_[slot];
}

}  // namespace bennu::hfile
