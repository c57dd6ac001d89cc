#include "src/base/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "src/base/check.h"
#include "src/base/sanitizers.h"

namespace bennu {

namespace {

// What is larger gets a chunk of its own, so that at most this share of a chunk is left unused.
constexpr size_t kOwnChunkShare = 4;
constexpr size_t kConcurrentAlignment = 8;

size_t Padding(const char* at, size_t alignment) {
  return (alignment - reinterpret_cast<uintptr_t>(at) % alignment) % alignment;
}

ByteView CopyInto(char* place, ByteView bytes) {
  if (!bytes.empty()) std::memcpy(place, bytes.data(), bytes.size());
  return ByteView(place, bytes.size());
}

}  // namespace

Arena::Arena(size_t chunk_size_bytes) : chunk_size_bytes_(chunk_size_bytes) {}

char* Arena::Allocate(size_t size, size_t alignment) {
  BENNU_DCHECK(alignment != 0 && alignment <= alignof(std::max_align_t));
  used_bytes_ += size;
  size_t padding = Padding(free_, alignment);
  if (size + padding > free_bytes_ || free_ == nullptr) {
    if (size > chunk_size_bytes_ / kOwnChunkShare) return AddChunk(size);
    free_ = AddChunk(chunk_size_bytes_);
    free_bytes_ = chunk_size_bytes_;
    padding = 0;  // new[] aligns for everything
  }
  char* const place = free_ + padding;
  free_ += padding + size;
  free_bytes_ -= padding + size;
  return place;
}

ByteView Arena::Copy(ByteView bytes) { return CopyInto(Allocate(bytes.size()), bytes); }

char* Arena::AddChunk(size_t size) {
  chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
  reserved_bytes_ += size;
  return chunks_.back().get();
}

namespace {

constexpr size_t kHugePageSizeBytes = 2 << 20;

char* NewAligned(size_t size, size_t alignment) {
  return static_cast<char*>(::operator new[](size, static_cast<std::align_val_t>(alignment)));
}
void DeleteAligned(char* bytes, size_t alignment) {
  ::operator delete[](bytes, static_cast<std::align_val_t>(alignment));
}

// Where every use of memory that is gone is to be found, it comes from malloc and goes at once.
constexpr bool kPools = !kAddressSanitizer;

// A huge page of the kernel's own. malloc would leave nearly as much again unused before each, for
// its alignment, and keep what is freed.
char* MapChunk() {
  if (!kPools) return NewAligned(kHugePageSizeBytes, kHugePageSizeBytes);
  constexpr size_t kMappedBytes = 2 * kHugePageSizeBytes;  // has one at its alignment
  void* const mapped =
      ::mmap(nullptr, kMappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();  // as new does
  char* const begin = static_cast<char*>(mapped);
  const size_t before = Padding(begin, kHugePageSizeBytes);
  if (before > 0) ::munmap(begin, before);
  char* const bytes = begin + before;
  ::munmap(bytes + kHugePageSizeBytes, kHugePageSizeBytes - before);
  // Memory of whole huge pages is asked for as such: a search through a large skip list touches
  // pages all over it, and finding out where ordinary ones are takes as long as the search
  // itself. Only a wish; a kernel without huge pages refuses it.
  static_cast<void>(::madvise(bytes, kHugePageSizeBytes, MADV_HUGEPAGE));
  return bytes;
}

void UnmapChunk(char* bytes) {
  if (!kPools) return DeleteAligned(bytes, kHugePageSizeBytes);
  ::munmap(bytes, kHugePageSizeBytes);
}

// Chunks of one huge page that arenas gave back, for the next ones (HBase's chunk pool): a memstore
// that dies while another fills up hands its memory on, and the kernel need not clear it anew.
// Keeps no more than kKeptShareMax for each chunk in use, and no more than kKeptMax, which is a
// memstore of the usual size; and what nobody wants only as long as nobody says so. Thread-safe.
class ChunkPool {
 public:
  char* Take() {
    MutexLock lock(&mu_);
    ++in_use_;
    if (kept_.empty()) return MapChunk();
    char* const bytes = kept_.back();
    kept_.pop_back();
    unwanted_ = std::min(unwanted_, kept_.size());
    return bytes;
  }
  void Return(char* bytes) {
    MutexLock lock(&mu_);
    --in_use_;
    kept_.push_back(bytes);
    KeepAtMost(kPools ? std::min(kKeptMax, in_use_ * kKeptShareMax) : 0);
  }
  void ReturnUnwanted() {
    MutexLock lock(&mu_);
    KeepAtMost(kept_.size() - unwanted_);
    unwanted_ = kept_.size();
  }
  size_t bytes() const {
    MutexLock lock(&mu_);
    return (in_use_ + kept_.size()) * kHugePageSizeBytes;
  }

 private:
  void KeepAtMost(size_t count) REQUIRES(mu_) {
    while (kept_.size() > count) {
      UnmapChunk(kept_.back());
      kept_.pop_back();
    }
    unwanted_ = std::min(unwanted_, kept_.size());
  }

  static constexpr size_t kKeptMax = (128 << 20) / kHugePageSizeBytes;
  static constexpr size_t kKeptShareMax = 4;

  mutable Mutex mu_;
  size_t in_use_ GUARDED_BY(mu_) = 0;
  std::vector<char*> kept_ GUARDED_BY(mu_);
  size_t unwanted_ GUARDED_BY(mu_) = 0;  // the fewest that were kept since the last return
};

// Never destroyed: arenas may die late.
ChunkPool* Pool() {
  static auto* const pool = new ChunkPool;
  return pool;
}

struct FreeChunk {
  size_t size;
  void operator()(char* bytes) const {
    if (size == kHugePageSizeBytes) return Pool()->Return(bytes);
    DeleteAligned(bytes, alignof(std::max_align_t));
  }
};
using ChunkBytes = std::unique_ptr<char[], FreeChunk>;

ChunkBytes NewChunkBytes(size_t size) {
  char* const bytes =
      size == kHugePageSizeBytes ? Pool()->Take() : NewAligned(size, alignof(std::max_align_t));
  return ChunkBytes(bytes, FreeChunk{size});
}

}  // namespace

struct ConcurrentArena::Chunk {
  explicit Chunk(size_t chunk_capacity)
      : capacity(chunk_capacity), bytes(NewChunkBytes(chunk_capacity)) {}

  // Returns null when the chunk is full; 'used' then stays above what fits, which is harmless.
  char* Take(size_t size) {
    const size_t at = used.fetch_add(size, std::memory_order_relaxed);
    return at <= capacity && size <= capacity - at ? bytes.get() + at : nullptr;
  }
  size_t UsedBytes() const { return std::min(used.load(std::memory_order_relaxed), capacity); }

  const size_t capacity;
  const ChunkBytes bytes;
  std::atomic<size_t> used{0};  // by every allocation; may run past 'capacity'
};

ConcurrentArena::ConcurrentArena() {
  MutexLock lock(&mu_);
  current_.store(AddChunk(kFirstChunkSizeBytes), std::memory_order_release);
}

ConcurrentArena::~ConcurrentArena() = default;

char* ConcurrentArena::Allocate(size_t size) {
  size = (size + kConcurrentAlignment - 1) / kConcurrentAlignment * kConcurrentAlignment;
  if (size <= kFirstChunkSizeBytes / kOwnChunkShare) {
    char* const place = current_.load(std::memory_order_acquire)->Take(size);
    if (place != nullptr) return place;
  }
  return AllocateSlow(size);
}

char* ConcurrentArena::AllocateSlow(size_t size) {
  MutexLock lock(&mu_);
  Chunk* const current = current_.load(std::memory_order_relaxed);
  if (size > current->capacity / kOwnChunkShare) {
    retired_used_bytes_.fetch_add(size, std::memory_order_relaxed);
    return AddChunk(size)->Take(size);
  }
  // Another thread may have put a new chunk there while this one waited.
  if (char* const place = current->Take(size); place != nullptr) return place;
  Chunk* const fresh = AddChunk(std::min(current->capacity * 2, kChunkSizeBytesMax));
  char* const place = fresh->Take(size);
  retired_used_bytes_.fetch_add(current->UsedBytes(), std::memory_order_relaxed);
  current_.store(fresh, std::memory_order_release);
  return place;
}

ConcurrentArena::Chunk* ConcurrentArena::AddChunk(size_t capacity) {
  chunks_.push_back(std::make_unique<Chunk>(capacity));
  reserved_bytes_.fetch_add(capacity, std::memory_order_relaxed);
  return chunks_.back().get();
}

ByteView ConcurrentArena::Copy(ByteView bytes) { return CopyInto(Allocate(bytes.size()), bytes); }

size_t ConcurrentArena::used_bytes() const {
  return retired_used_bytes_.load(std::memory_order_relaxed) +
         current_.load(std::memory_order_acquire)->UsedBytes();
}

size_t ChunkPoolBytes() { return Pool()->bytes(); }
void ReturnUnwantedChunks() { Pool()->ReturnUnwanted(); }

}  // namespace bennu
