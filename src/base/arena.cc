#include "src/base/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "src/base/check.h"

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

struct FreeAligned {
  size_t alignment;
  void operator()(char* bytes) const {
    ::operator delete[](bytes, static_cast<std::align_val_t>(alignment));
  }
};
using AlignedBytes = std::unique_ptr<char[], FreeAligned>;

// Memory of whole huge pages is asked for as such: a search through a large skip list touches pages
// all over it, and finding out where ordinary ones are takes as long as the search itself.
AlignedBytes NewChunkBytes(size_t size) {
  constexpr size_t kHugePageSizeBytes = 2 << 20;
  const bool huge = size % kHugePageSizeBytes == 0;
  const size_t alignment = huge ? kHugePageSizeBytes : alignof(std::max_align_t);
  AlignedBytes bytes(
      static_cast<char*>(::operator new[](size, static_cast<std::align_val_t>(alignment))),
      FreeAligned{alignment});
  // Only a wish; a kernel without huge pages refuses it.
  if (huge) static_cast<void>(::madvise(bytes.get(), size, MADV_HUGEPAGE));
  return bytes;
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
  const AlignedBytes bytes;
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

}  // namespace bennu
