#include "src/hfile/block_cache.h"

#include <algorithm>
#include <unordered_map>
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

struct KeyHash {
  size_t operator()(const BlockCache::Key& key) const { return HashOf(key); }
};

struct Node {
  BlockCache::Key key;
  std::shared_ptr<const CachedBlock> block;
  size_t charge = 0;
  bool is_protected = false;
  bool used = false;  // since it came into its list, or was last looked at there
  Node* before = nullptr;
  Node* after = nullptr;
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
  Node* last() { return head_.before == &head_ ? nullptr : head_.before; }
  size_t bytes() const { return bytes_; }

 private:
  Node head_;
  size_t bytes_ = 0;
};

}  // namespace

class BlockCache::Shard {
 public:
  explicit Shard(size_t capacity) : capacity_(capacity), protected_max_(capacity / 5 * 4) {
    // A look-up in vain should end at an empty bucket, without a look at other nodes.
    nodes_.max_load_factor(0.5F);
  }

  std::shared_ptr<const CachedBlock> Lookup(const Key& key) {
    MutexLock lock(&mu_);
    const auto found = nodes_.find(key);
    if (found == nodes_.end()) {
      ++misses_;
      return nullptr;
    }
    ++hits_;
    found->second.used = true;
    return found->second.block;
  }

  std::shared_ptr<const CachedBlock> Insert(const Key& key,
                                            std::shared_ptr<const CachedBlock> block,
                                            bool may_evict, bool in_memory) {
    // What is evicted is destroyed after the lock is given back.
    std::vector<std::shared_ptr<const CachedBlock>> evicted;
    MutexLock lock(&mu_);
    const size_t charge = block->memory_bytes() + sizeof(Node);
    if (charge > capacity_) return block;
    if (!may_evict && probation_.bytes() + protected_.bytes() + charge > capacity_) return block;
    const auto [at, inserted] = nodes_.try_emplace(key);
    if (!inserted) return at->second.block;
    Node* node = &at->second;
    node->key = key;
    node->block = block;
    node->charge = charge;
    node->used = in_memory || block->kind() != CachedBlock::Kind::kData;
    while (probation_.bytes() + protected_.bytes() + charge > capacity_) {
      Node* victim = NextVictim();
      evicted.push_back(std::move(victim->block));
      Erase(victim);
      ++evictions_;
    }
    node->is_protected = in_memory;
    (in_memory ? protected_ : probation_).PushFront(node);
    if (in_memory) DemoteExcess(node);
    return block;
  }

  void EraseFile(uint64_t file_id) {
    std::vector<std::shared_ptr<const CachedBlock>> evicted;
    MutexLock lock(&mu_);
    for (auto at = nodes_.begin(); at != nodes_.end();) {
      Node* node = &at->second;
      ++at;
      if (file_id != 0 && node->key.file_id != file_id) continue;
      evicted.push_back(std::move(node->block));
      Erase(node);
    }
  }

  size_t used_bytes() {
    MutexLock lock(&mu_);
    return probation_.bytes() + protected_.bytes();
  }
  void AddCounters(Counters* counters) {
    MutexLock lock(&mu_);
    counters->hits += hits_;
    counters->misses += misses_;
    counters->evictions += evictions_;
  }

 private:
  // The block to give up next; there must be one. A used block at the end of its list gets another
  // turn: at most one for each block, as its mark goes.
  Node* NextVictim() REQUIRES(mu_) {
    while (true) {
      Node* node = probation_.last();
      if (node == nullptr) node = protected_.last();
      if (!node->used) return node;
      node->used = false;
      (node->is_protected ? protected_ : probation_).Remove(node);
      node->is_protected = true;
      protected_.PushFront(node);
      DemoteExcess(node);
    }
  }

  // Keeps the protected list within its share.
  void DemoteExcess(const Node* newest) REQUIRES(mu_) {
    while (protected_.bytes() > protected_max_) {
      Node* node = protected_.last();
      if (node == newest) return;
      protected_.Remove(node);
      node->is_protected = node->used;
      (node->used ? protected_ : probation_).PushFront(node);
      node->used = false;
    }
  }

  void Erase(Node* node) REQUIRES(mu_) {
    (node->is_protected ? protected_ : probation_).Remove(node);
    const Key key = node->key;
    nodes_.erase(key);
  }

  const size_t capacity_;
  const size_t protected_max_;
  Mutex mu_;
  std::unordered_map<Key, Node, KeyHash> nodes_ GUARDED_BY(mu_);  // its nodes do not move
  List probation_ GUARDED_BY(mu_);
  List protected_ GUARDED_BY(mu_);
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

BlockCache::Shard& BlockCache::ShardOf(const Key& key) {
  return *shards_[(HashOf(key) >> 48) % shards_.size()];
}

std::shared_ptr<const CachedBlock> BlockCache::Lookup(const Key& key) {
  return ShardOf(key).Lookup(key);
}

std::shared_ptr<const CachedBlock> BlockCache::Insert(const Key& key,
                                                      std::shared_ptr<const CachedBlock> block,
                                                      bool in_memory) {
  return ShardOf(key).Insert(key, std::move(block), /*may_evict=*/true, in_memory);
}

std::shared_ptr<const CachedBlock> BlockCache::InsertIfRoom(
    const Key& key, std::shared_ptr<const CachedBlock> block) {
  return ShardOf(key).Insert(key, std::move(block), /*may_evict=*/false, /*in_memory=*/false);
}

void BlockCache::EraseFile(uint64_t file_id) {
  for (auto& shard : shards_) shard->EraseFile(file_id);
}

// File id 0 is nobody's, and stands for all.
void BlockCache::Clear() { EraseFile(0); }

size_t BlockCache::used_bytes() const {
  size_t sum = 0;
  for (const auto& shard : shards_) sum += shard->used_bytes();
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
