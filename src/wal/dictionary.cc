#include "src/wal/dictionary.h"

namespace bennu::wal {

void Dictionary::Unlink(uint32_t number) {
  const Node& node = nodes_[number];
  (node.newer == kNone ? newest_ : nodes_[node.newer].older) = node.older;
  (node.older == kNone ? oldest_ : nodes_[node.older].newer) = node.newer;
}

void Dictionary::PutInFront(uint32_t number) {
  nodes_[number].newer = kNone;
  nodes_[number].older = newest_;
  (newest_ == kNone ? oldest_ : nodes_[newest_].newer) = number;
  newest_ = number;
}

void Dictionary::Add(ByteView value) {
  if (value.empty()) return;
  uint32_t number;
  if (nodes_.size() < capacity_) {
    number = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    number = oldest_;
    Unlink(number);
  }
  nodes_[number].value.assign(value);
  PutInFront(number);
}

const Bytes* Dictionary::Get(uint32_t number) {
  if (number >= nodes_.size()) return nullptr;
  Unlink(number);
  PutInFront(number);
  return &nodes_[number].value;
}

}  // namespace bennu::wal
