#include "src/hfile/block_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/base/mutex.h"

namespace bennu::hfile {

namespace {

constexpr size_t kShardCountMax = 16;
constexpr size_t kShardBytesMin = 1 << 20;

uint64_t Mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  return x ^ (x >> 32);
}

uint64_t HashOf(const BlockCache::Key& key) {
  return Mix(key.file_id * 0x9e3779b97f4a7c15ULL + key.offset);
}

// One cached block, in a bucket of the table and in one list.
struct Node {
  BlockCache::Key key;
  uint64_t hash = 0;
  Node* next_in_bucket = nullptr;
  Node* before = nullptr;
  Node* after = nullptr;
  size_t charge = 0;
  enum class Place : uint8_t { kProbation, kProtected, kInMemory } place = Place::kProbation;
  bool used = false;  // since it came into its list, or was last looked at there
  std::shared_ptr<const CachedBlock> block;
};

// Chained through the nodes, which are the caller's: nothing is allocated or freed but the buckets.
class Table {
 public:
  Table() : buckets_(kBucketCountMin) {}

  Node* Find(uint64_t hash, const BlockCache::Key& key) { return *Place(hash, key); }
  // No node has its key.
  void Insert(Node* node) {
    if (++count_ > buckets_.size() / 2) Grow();
    Node** bucket = BucketOf(node->hash);
    node->next_in_bucket = *bucket;
    *bucket = node;
  }
  void Erase(Node* node) {
    *Place(node->hash, node->key) = node->next_in_bucket;
    --count_;
  }

 private:
  static constexpr size_t kBucketCountMin = 64;

  // The shard was chosen by upper bits.
  Node** BucketOf(uint64_t hash) { return &buckets_[hash & (buckets_.size() - 1)]; }
  // The pointer to the key's node; the null at the end of its bucket if there is none.
  Node** Place(uint64_t hash, const BlockCache::Key& key) {
    Node** at = BucketOf(hash);
    while (*at != nullptr && ((*at)->hash != hash || !((*at)->key == key))) {
      at = &(*at)->next_in_bucket;
    }
    return at;
  }
  // Half full at most, so that a look-up in vain mostly ends at an empty bucket.
  void Grow() {
    std::vector<Node*> old(buckets_.size() * 2);
    old.swap(buckets_);
    for (Node* node : old) {
      while (node != nullptr) {
        Node* const next = node->next_in_bucket;
        Node** bucket = BucketOf(node->hash);
        node->next_in_bucket = *bucket;
        *bucket = node;
        node = next;
      }
    }
  }

  std::vector<Node*> buckets_;  // a power of two
  size_t count_ = 0;
};

// Doubly linked, most recent first, around a sentinel.
class List {
 public:
  List() { head_.before = head_.after = &head_; }
  void PushFront(Node* node) {
    node->before = &head_;
    node->after = head_.after;
    head_.after->before = node;
    head_.after = node;
    bytes_ += node->charge;
  }
  void Remove(Node* node) {
    node->before->after = node->after;
    node->after->before = node->before;
    bytes_ -= node->charge;
  }
  Node* last() { return NewerThan(&head_); }
  // Null for the newest.
  Node* NewerThan(Node* node) { return node->before == &head_ ? nullptr : node->before; }
  size_t bytes() const { return bytes_; }

 private:
  Node head_;
  size_t bytes_ = 0;
};

// Nodes in no list and table, freed in the end.
class Freed {
 public:
  Freed() = default;
  ~Freed() {
    while (first_ != nullptr) {
      const std::unique_ptr<Node> node(first_);
      first_ = node->after;
    }
  }
  Freed(const Freed&) = delete;
  Freed& operator=(const Freed&) = delete;
  void Add(Node* node) {
    node->after = first_;
    first_ = node;
  }

 private:
  Node* first_ = nullptr;
};

}  // namespace

class BlockCache::Shard {
 public:
  explicit Shard(size_t capacity) : capacity_(capacity), in_memory_max_(capacity / 4) {}
  ~Shard() { EraseFile(0); }
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  std::shared_ptr<const CachedBlock> Lookup(uint64_t hash, const Key& key) {
    MutexLock lock(&mu_);
    Node* const node = table_.Find(hash, key);
    if (node == nullptr) {
      ++misses_;
      return nullptr;
    }
    ++hits_;
    node->used = true;
    return node->block;
  }

  std::shared_ptr<const CachedBlock> Insert(uint64_t hash, const Key& key,
                                            std::shared_ptr<const CachedBlock> block,
                                            bool may_evict, bool in_memory) {
    const size_t charge = block->memory_bytes() + sizeof(Node);
    if (charge > capacity_) return block;
    // Memory is taken before the lock, and what is evicted is freed after it.
    auto made = std::make_unique<Node>();
    made->key = key;
    made->hash = hash;
    made->charge = charge;
    made->used = block->kind() != CachedBlock::Kind::kData;
    made->place = in_memory ? Node::Place::kInMemory : Node::Place::kProbation;
    made->block = block;
    Freed evicted;
    MutexLock lock(&mu_);
    if (!may_evict && bytes() + charge > capacity_) return block;
    if (const Node* const there = table_.Find(hash, key); there != nullptr) return there->block;
    while (bytes() + charge > capacity_) {
      evicted.Add(Erase(NextVictim()));
      ++evictions_;
    }
    Node* const node = made.release();
    table_.Insert(node);
    ListOf(*node).PushFront(node);
    if (in_memory) ReleaseInMemoryExcess();
    return block;
  }

  // All files' blocks for file id 0.
  size_t EraseFile(uint64_t file_id) {
    size_t count = 0;
    Freed erased;
    MutexLock lock(&mu_);
    for (List* const list : {&probation_, &protected_, &in_memory_}) {
      Node* node = list->last();
      while (node != nullptr) {
        Node* const newer = list->NewerThan(node);
        if (file_id == 0 || node->key.file_id == file_id) {
          erased.Add(Erase(node));
          ++count;
        }
        node = newer;
      }
    }
    return count;
  }

  size_t used_bytes() {
    MutexLock lock(&mu_);
    return bytes();
  }
  size_t in_memory_bytes() {
    MutexLock lock(&mu_);
    return in_memory_.bytes();
  }
  void AddCounters(Counters* counters) {
    MutexLock lock(&mu_);
    counters->hits += hits_;
    counters->misses += misses_;
    counters->evictions += evictions_;
  }

 private:
  size_t bytes() const REQUIRES(mu_) {
    return probation_.bytes() + protected_.bytes() + in_memory_.bytes();
  }
  List& ListOf(const Node& node) REQUIRES(mu_) {
    switch (node.place) {
      case Node::Place::kProbation: return probation_;
      case Node::Place::kProtected: return protected_;
      case Node::Place::kInMemory: break;
    }
    return in_memory_;
  }
  void Move(Node* node, Node::Place place) REQUIRES(mu_) {
    ListOf(*node).Remove(node);
    node->place = place;
    ListOf(*node).PushFront(node);
  }

  // The block to give up next; there must be one. A used block at the end of its list gets another
  // turn: at most one for each block, as its mark goes.
  Node* NextVictim() REQUIRES(mu_) {
    while (true) {
      Node* node = probation_.last();
      if (node == nullptr) node = protected_.last();
      if (node == nullptr) node = in_memory_.last();
      if (!node->used) return node;
      node->used = false;
      if (node->place == Node::Place::kInMemory) {
        Move(node, Node::Place::kInMemory);
        continue;
      }
      Move(node, Node::Place::kProtected);
      DemoteExcess(node);
    }
  }

  // Keeps the protected list within its share, which is of what IN_MEMORY families leave.
  void DemoteExcess(const Node* newest) REQUIRES(mu_) {
    while (protected_.bytes() > (capacity_ - in_memory_.bytes()) / 5 * 4) {
      Node* node = protected_.last();
      if (node == newest) return;
      Move(node, node->used ? Node::Place::kProtected : Node::Place::kProbation);
      node->used = false;
    }
  }

  // Keeps the third list within its share. What was not asked for since it came, or since its last
  // turn, goes first.
  void ReleaseInMemoryExcess() REQUIRES(mu_) {
    while (in_memory_.bytes() > in_memory_max_) {
      Node* const node = in_memory_.last();
      Move(node, node->used ? Node::Place::kInMemory : Node::Place::kProbation);
      node->used = false;
    }
  }

  // Returns the node, which is nobody's then.
  Node* Erase(Node* node) REQUIRES(mu_) {
    ListOf(*node).Remove(node);
    table_.Erase(node);
    return node;
  }

  const size_t capacity_;
  const size_t in_memory_max_;
  Mutex mu_;
  Table table_ GUARDED_BY(mu_);
  List probation_ GUARDED_BY(mu_);
  List protected_ GUARDED_BY(mu_);
  List in_memory_ GUARDED_BY(mu_);
  uint64_t hits_ GUARDED_BY(mu_) = 0;
  uint64_t misses_ GUARDED_BY(mu_) = 0;
  uint64_t evictions_ GUARDED_BY(mu_) = 0;
};

BlockCache::BlockCache(size_t capacity_bytes)
    : capacity_bytes_(capacity_bytes),
      shards_(std::clamp(capacity_bytes / kShardBytesMin, size_t{1}, kShardCountMax)) {
  for (auto& shard : shards_) shard = std::make_unique<Shard>(capacity_bytes / shards_.size());
}
BlockCache::~BlockCache() = default;

BlockCache::Shard& BlockCache::ShardOf(uint64_t hash) {
  return *shards_[(hash >> 48) % shards_.size()];
}

std::shared_ptr<const CachedBlock> BlockCache::Lookup(const Key& key) {
  const uint64_t hash = HashOf(key);
  return ShardOf(hash).Lookup(hash, key);
}

std::shared_ptr<const CachedBlock> BlockCache::Insert(const Key& key,
                                                      std::shared_ptr<const CachedBlock> block,
                                                      bool in_memory) {
  const uint64_t hash = HashOf(key);
  return ShardOf(hash).Insert(hash, key, std::move(block), /*may_evict=*/true, in_memory);
}

std::shared_ptr<const CachedBlock> BlockCache::InsertIfRoom(
    const Key& key, std::shared_ptr<const CachedBlock> block) {
  const uint64_t hash = HashOf(key);
  return ShardOf(hash).Insert(hash, key, std::move(block), /*may_evict=*/false,
                              /*in_memory=*/false);
}

size_t BlockCache::EraseFile(uint64_t file_id) {
  size_t count = 0;
  for (auto& shard : shards_) count += shard->EraseFile(file_id);
  return count;
}

// File id 0 is nobody's, and stands for all.
void BlockCache::Clear() { EraseFile(0); }

size_t BlockCache::used_bytes() const {
  size_t sum = 0;
  for (const auto& shard : shards_) sum += shard->used_bytes();
  return sum;
}

size_t BlockCache::in_memory_bytes() const {
  size_t sum = 0;
  for (const auto& shard : shards_) sum += shard->in_memory_bytes();
  return sum;
}

BlockCache::Counters BlockCache::counters() const {
  Counters counters{};
  for (const auto& shard : shards_) shard->AddCounters(&counters);
  return counters;
}

uint64_t BlockCache::NewFileId() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace bennu::hfile
