// Memory for many small things that die together.
//
// Invariants: an allocation never moves and lives until the arena dies; nothing is freed before,
// and no destructor is run. Out of memory ends the process, as with new.
#ifndef BENNU_SRC_BASE_ARENA_H_
#define BENNU_SRC_BASE_ARENA_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "src/base/mutex.h"

namespace bennu {

// One thread at a time.
class Arena {
 public:
  static constexpr size_t kChunkSizeBytes = 64 * 1024;

  explicit Arena(size_t chunk_size_bytes = kChunkSizeBytes);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Returns 'size' bytes at a multiple of 'alignment' (a power of two, at most that of
  // max_align_t).
  char* Allocate(size_t size, size_t alignment = 1);
  // Returns a copy of 'bytes' that lives as long as the arena.
  ByteView Copy(ByteView bytes);

  size_t used_bytes() const { return used_bytes_; }          // asked for, without padding
  size_t reserved_bytes() const { return reserved_bytes_; }  // taken from the system

 private:
  char* AddChunk(size_t size);

  const size_t chunk_size_bytes_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;  // into the last chunk of ordinary size
  size_t free_bytes_ = 0;
  size_t used_bytes_ = 0;
  size_t reserved_bytes_ = 0;
};

// Any number of threads at once. An allocation is one atomic add but for the one that finds a chunk
// full, which takes a lock. Chunks start small and double, so that a store with little in it is
// cheap. Allocations are aligned to 8 bytes.
class ConcurrentArena {
 public:
  static constexpr size_t kFirstChunkSizeBytes = 16 * 1024;
  static constexpr size_t kChunkSizeBytesMax = 2 * 1024 * 1024;

  ConcurrentArena();
  ~ConcurrentArena();
  ConcurrentArena(const ConcurrentArena&) = delete;
  ConcurrentArena& operator=(const ConcurrentArena&) = delete;

  char* Allocate(size_t size);
  ByteView Copy(ByteView bytes);

  // Bytes handed out, padding included. While others allocate it may be short by their share.
  size_t used_bytes() const;
  // Bytes taken from the system. Never shrinks.
  size_t reserved_bytes() const { return reserved_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Chunk;

  char* AllocateSlow(size_t size) EXCLUDES(mu_);
  Chunk* AddChunk(size_t capacity) REQUIRES(mu_);

  // Written under mu_, read by every allocation; one that reads an old chunk finds it full.
  std::atomic<Chunk*> current_;
  // Written under mu_, read by those who ask for sizes.
  std::atomic<size_t> retired_used_bytes_{0};  // of all chunks but the current one
  std::atomic<size_t> reserved_bytes_{0};
  Mutex mu_;
  std::vector<std::unique_ptr<Chunk>> chunks_ GUARDED_BY(mu_);
};

// When a concurrent arena dies, its larger chunks are kept in a pool for the next arenas, for a
// while. Returns the bytes of the chunks in use and of the pool's.
size_t ChunkPoolBytes();
// Gives the kernel back the chunks of the pool that no arena took since the last call.
void ReturnUnwantedChunks();

}  // namespace bennu

#endif  // BENNU_SRC_BASE_ARENA_H_
