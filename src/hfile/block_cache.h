// BlockCache: recently used blocks of all HFiles, within a budget of bytes.
//
// Sharded by key, a small cache into fewer shards so that each has room for index blocks (HBase's
// have 128 KiB) and then some; each shard keeps two lists. A block enters on probation. Being asked
// for again only marks it, so that a hit writes to no other block; when room is needed, marked
// blocks at the end of probation move to the protected list (at most 80 % of the shard), and marked
// ones at its end to its front. So one long scan pushes out other scans' blocks, not the working
// set. What leads to data (index blocks, bloom chunks, outlines) comes in marked: it is small, and
// without it finding data costs a read more. Blocks of IN_MEMORY families have a third list: up to
// a quarter of the shard (HBase's share), nothing else pushes them out; those beyond, the longest
// unused first, are as all others. What of the quarter they do not take is the others'. Blocks are
// reference counted: evicting one that a
// scanner holds only drops the cache's reference. Thread-safe.
//
// Who uses it: hfile::Reader, for data, index and bloom blocks. One cache per process or
// connection.
#ifndef BENNU_SRC_HFILE_BLOCK_CACHE_H_
#define BENNU_SRC_HFILE_BLOCK_CACHE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/hfile/block.h"

namespace bennu::hfile {

class BlockCache {
 public:
  // Each Reader takes a file id of its own, so a cache never confuses two files of the same name.
  struct Key {
    uint64_t file_id;
    uint64_t offset;  // of the block in the file
    friend bool operator==(const Key&, const Key&) = default;
  };

  explicit BlockCache(size_t capacity_bytes);
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  // Returns null on a miss.
  std::shared_ptr<const CachedBlock> Lookup(const Key& key);

  // Returns 'block', or the one that another thread inserted first. A block bigger than its shard's
  // budget is returned without being kept.
  // 'in_memory': it is of an IN_MEMORY family.
  std::shared_ptr<const CachedBlock> Insert(const Key& key,
                                            std::shared_ptr<const CachedBlock> block,
                                            bool in_memory = false);
  // The same, but the block is not kept either when another would have to go for it.
  std::shared_ptr<const CachedBlock> InsertIfRoom(const Key& key,
                                                  std::shared_ptr<const CachedBlock> block);

  // Drops all blocks of a file (it was closed or deleted), and says how many. Visits every shard.
  size_t EraseFile(uint64_t file_id);
  void Clear();

  size_t capacity_bytes() const { return capacity_bytes_; }
  size_t used_bytes() const;       // the sum over shards; while others insert, of no single moment
  size_t in_memory_bytes() const;  // of them, what is kept for IN_MEMORY families
  struct Counters {
    uint64_t hits;
    uint64_t misses;
    uint64_t evictions;
  };
  Counters counters() const;

  // A file id never handed out before in this process.
  static uint64_t NewFileId();

 private:
  class Shard;

  Shard& ShardOf(uint64_t hash);

  const size_t capacity_bytes_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_BLOCK_CACHE_H_
