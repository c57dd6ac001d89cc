#include "src/engine/memstore/skip_list.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "src/base/coding.h"
#include "src/cell/comparator.h"

namespace bennu::engine {

namespace {

uint64_t RowPrefix(ByteView flat_key) {
  const uint32_t row_length = (static_cast<uint32_t>(static_cast<uint8_t>(flat_key[0])) << 8) |
                              static_cast<uint8_t>(flat_key[1]);
  uint64_t prefix = 0;
  std::memcpy(&prefix, flat_key.data() + 2, std::min<uint32_t>(row_length, sizeof(prefix)));
  return __builtin_bswap64(prefix);
}

}  // namespace

SkipList::SkipList(ConcurrentArena* arena, bool meta_order)
    : arena_(arena), meta_order_(meta_order), head_(NewNode(Cell(), 0, 0, kMaxHeight)) {}

SkipList::SearchKey SkipList::MakeSearchKey(ByteView flat_key, uint64_t sequence_id) const {
  // In hbase:meta's order bytes alone do not tell which row comes first: all prefixes are equal.
  return SearchKey{meta_order_ ? 0 : RowPrefix(flat_key), flat_key, sequence_id};
}

int SkipList::Compare(const Node* node, const SearchKey& key) const {
  // Padding a short row with zeros keeps the order, except that it may make different rows look
  // equal; those are told apart by the whole key.
  if (node->row_prefix != key.row_prefix) return node->row_prefix < key.row_prefix ? -1 : 1;
  const int order = meta_order_ ? cell::CompareMetaFlatKeys(node->flat_key(), key.flat_key)
                                : cell::CompareFlatKeysInStore(node->flat_key(), key.flat_key);
  if (order != 0) return order;
  if (node->sequence_id == key.sequence_id) return 0;
  return node->sequence_id > key.sequence_id ? -1 : 1;
}

SkipList::Node* SkipList::NewNode(const Cell& cell, uint64_t sequence_id, uint64_t row_prefix,
                                  int height) {
  const size_t size = sizeof(Node) + sizeof(std::atomic<Node*>) * height + cell.key_length +
                      cell.value_length + cell.tags_length;
  Node* node = new (arena_->Allocate(size)) Node;
  node->row_prefix = row_prefix;
  node->sequence_id = sequence_id;
  node->key_length = cell.key_length;
  node->value_length = cell.value_length;
  node->tags_length = static_cast<uint16_t>(cell.tags_length);
  node->height = static_cast<uint8_t>(height);
  for (int level = 0; level < height; ++level) {
    new (&node->tower()[level]) std::atomic<Node*>(nullptr);
  }
  char* bytes = node->bytes();
  if (cell.tags_length == 0 && cell.key_length > 0 && cell.value == cell.key + cell.key_length) {
    // As they stand in a batch and in the log.
    std::memcpy(bytes, cell.key, size_t{cell.key_length} + cell.value_length);
    return node;
  }
  if (cell.key_length > 0) std::memcpy(bytes, cell.key, cell.key_length);
  if (cell.value_length > 0) std::memcpy(bytes + cell.key_length, cell.value, cell.value_length);
  if (cell.tags_length > 0) {
    std::memcpy(bytes + cell.key_length + cell.value_length, cell.tags, cell.tags_length);
  }
  return node;
}

int SkipList::RandomHeight() {
  // Xorshift: heights need to be cheap and spread, not secret. A fixed start per thread is fine,
  // since which cells get tall towers changes no result.
  thread_local uint64_t state = 0x9e3779b97f4a7c15ULL ^ reinterpret_cast<uintptr_t>(&state);
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  int height = 1;
  for (uint64_t bits = state; height < kMaxHeight && (bits & 3) == 0; bits >>= 2) ++height;
  return height;
}

void SkipList::FindOnLevel(const SearchKey& key, Node* from, Node* until, int level,
                           Node** previous, Node** next) const {
  while (true) {
    Node* candidate = from->tower()[level].load(std::memory_order_acquire);
    // Where the search goes on if the candidate is too far, loaded while it is looked at.
    if (level > 0) __builtin_prefetch(from->tower()[level - 1].load(std::memory_order_relaxed));
    if (candidate == until || candidate == nullptr || Compare(candidate, key) >= 0) {
      *previous = from;
      *next = candidate;
      return;
    }
    from = candidate;
  }
}

bool SkipList::Encloses(const Splice& splice, int level, const SearchKey& key) const {
  const Node* const previous = splice.previous[level];
  const Node* const next = splice.next[level];
  return previous->tower()[level].load(std::memory_order_acquire) == next &&
         (previous == head_ || Compare(previous, key) < 0) &&
         (next == nullptr || Compare(next, key) >= 0);
}

void SkipList::Locate(const SearchKey& key, Splice* splice) const {
  if (splice->is_kept) {
    splice->is_kept = false;
    // Climbing from a place that has nothing to do with the key would be in vain.
    if (splice->height > 0 && !Encloses(*splice, 0, key)) splice->height = 0;
  }
  const int height = max_height_.load(std::memory_order_relaxed);
  int level = 0;
  if (splice->height < height) {
    splice->height = height;
    splice->previous[height] = head_;
    splice->next[height] = nullptr;
    level = height;
  } else {
    // Climb to the lowest level whose remembered neighbours still enclose the key.
    while (level < splice->height && !Encloses(*splice, level, key)) ++level;
  }
  splice->climbed = level;
  for (int below = level - 1; below >= 0; --below) {
    FindOnLevel(key, splice->previous[below + 1], splice->next[below + 1], below,
                &splice->previous[below], &splice->next[below]);
  }
}

void SkipList::Prefetch(std::span<const ByteView> flat_keys, const Splice& splice) const {
  struct Search {
    SearchKey key;
    const Node* at;
    const Node* candidate;  // behind 'at' on 'level'; its memory was asked for
    const Node* until;      // does not sort before the key
    int level;
  };
  const auto step = [](Search* search) {
    search->candidate = search->at->tower()[search->level].load(std::memory_order_acquire);
    if (search->candidate == search->until) return;
    const char* const memory = reinterpret_cast<const char*>(search->candidate);
    __builtin_prefetch(memory);
    __builtin_prefetch(memory + 64);  // most of the key, for rows that begin alike
  };
  if (splice.height == 0) return;
  // All begin where the last of them would.
  const SearchKey last = MakeSearchKey(flat_keys.back(), 0);
  int level = 0;
  while (level < splice.height && !Encloses(splice, level, last)) ++level;
  if (level == 0) return;
  std::array<Search, kPrefetchMax> searches;
  size_t running = 0;
  for (const ByteView flat_key : flat_keys) {
    searches[running] = {MakeSearchKey(flat_key, 0), splice.previous[level], nullptr, nullptr,
                         level - 1};
    step(&searches[running++]);
  }
  while (running > 0) {
    for (size_t i = 0; i < running;) {
      Search& search = searches[i];
      if (search.candidate != search.until && Compare(search.candidate, search.key) < 0) {
        search.at = search.candidate;
      } else {
        search.until = search.candidate;
        --search.level;
      }
      if (search.level < 0) {
        search = searches[--running];
      } else {
        step(&search);
        ++i;
      }
    }
  }
}

bool SkipList::Insert(const Cell& cell, uint64_t sequence_id, int height, Splice* splice) {
  const SearchKey key = MakeSearchKey(cell.flat_key(), sequence_id);
  splice->last = nullptr;
  splice->later_row = nullptr;
  int max_height = max_height_.load(std::memory_order_relaxed);
  while (height > max_height &&
         !max_height_.compare_exchange_weak(max_height, height, std::memory_order_relaxed)) {
  }
  Locate(key, splice);
  if (splice->next[0] != nullptr && Compare(splice->next[0], key) == 0) return false;
  return Link(NewNode(cell, sequence_id, key.row_prefix, height), key, splice);
}

// The splice's neighbours on all levels enclose every place between 'last' and next[0].
bool SkipList::InsertNext(const Cell& cell, uint64_t sequence_id, Splice* splice) {
  const int height = RandomHeight();
  if (splice->last == nullptr || height > splice->height) {
    return Insert(cell, sequence_id, height, splice);
  }
  const uint64_t row_prefix = splice->last->row_prefix;
  const Node* const next = splice->next[0];
  if (next != nullptr && next != splice->later_row) {
    if (!IsOfLaterRow(next, cell, row_prefix)) return Insert(cell, sequence_id, height, splice);
    splice->later_row = next;
  }
  return Link(NewNode(cell, sequence_id, row_prefix, height),
              SearchKey{row_prefix, cell.flat_key(), sequence_id}, splice);
}

bool SkipList::IsOfLaterRow(const Node* node, const Cell& cell, uint64_t row_prefix) const {
  if (node->row_prefix != row_prefix) return true;
  const char* const key = node->bytes();
  return ByteView(key + 2, LoadBE16(key)) != cell.row();
}

bool SkipList::Link(Node* node, const SearchKey& key, Splice* splice) {
  for (int level = 0; level < node->height; ++level) {
    while (true) {
      Node* next = splice->next[level];
      node->tower()[level].store(next, std::memory_order_relaxed);
      if (splice->previous[level]->tower()[level].compare_exchange_strong(
              next, node, std::memory_order_release, std::memory_order_relaxed)) {
        break;
      }
      // Another insert came between: look again from where we stand.
      FindOnLevel(key, splice->previous[level], nullptr, level, &splice->previous[level],
                  &splice->next[level]);
      if (level == 0 && splice->next[0] != nullptr && Compare(splice->next[0], key) == 0) {
        splice->last = nullptr;
        return false;  // the unlinked node's memory goes with the arena
      }
    }
    splice->previous[level] = node;
  }
  splice->last = node;
  return true;
}

const SkipList::Node* SkipList::NewLoose(const Cell& cell, uint64_t sequence_id) {
  return NewNode(cell, sequence_id, meta_order_ ? 0 : RowPrefix(cell.flat_key()), 0);
}

bool SkipList::IsBefore(const Node* left, const Node* right) const {
  return Compare(left, SearchKey{right->row_prefix, right->flat_key(), right->sequence_id}) < 0;
}

size_t SkipList::LowerBound(std::span<const Node* const> nodes, ByteView flat_key,
                            uint64_t sequence_id) const {
  const SearchKey key = MakeSearchKey(flat_key, sequence_id);
  const auto found = std::partition_point(nodes.begin(), nodes.end(),
                                          [&](const Node* node) { return Compare(node, key) < 0; });
  return static_cast<size_t>(found - nodes.begin());
}

const SkipList::Node* SkipList::Seek(ByteView flat_key, uint64_t sequence_id) const {
  const SearchKey key = MakeSearchKey(flat_key, sequence_id);
  Node* previous = head_;
  Node* next = nullptr;
  for (int level = max_height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
    FindOnLevel(key, previous, next, level, &previous, &next);
  }
  return next;
}

const SkipList::Node* SkipList::SeekBefore(ByteView flat_key, uint64_t sequence_id) const {
  const SearchKey key = MakeSearchKey(flat_key, sequence_id);
  Node* previous = head_;
  Node* next = nullptr;
  for (int level = max_height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
    FindOnLevel(key, previous, next, level, &previous, &next);
  }
  return previous == head_ ? nullptr : previous;
}

void SkipList::SampleRows(size_t count, const std::function<void(ByteView row)>& visit) const {
  // The nodes of a high level are a random sample of those below: take the highest that has enough.
  const auto next_on = [](const Node* node, int level) {
    return node->tower()[level].load(std::memory_order_acquire);
  };
  int level = max_height_.load(std::memory_order_relaxed) - 1;
  for (; level > 0; --level) {
    size_t nodes = 0;
    for (const Node* node = next_on(head_, level); node != nullptr && nodes < count;
         node = next_on(node, level)) {
      ++nodes;
    }
    if (nodes >= count) break;
  }
  for (const Node* node = next_on(head_, level); node != nullptr; node = next_on(node, level)) {
    const char* key = node->bytes();
    visit(ByteView(key + 2, LoadBE16(key)));
  }
}

}  // namespace bennu::engine
