#include "src/engine/region/memstore_account.h"

#include <chrono>

namespace bennu::engine {

MemstoreAccount::~MemstoreAccount() {
  const uint64_t bytes = bytes_.load();
  if (bytes > 0) services_->memory->Release(bytes);
}

void MemstoreAccount::SetLimits(uint64_t flush_bytes, uint64_t block_bytes) {
  flush_bytes_.store(flush_bytes);
  block_bytes_.store(block_bytes);
}

void MemstoreAccount::Add(uint64_t bytes) {
  services_->memory->Add(bytes);
  const uint64_t mine = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (services_->host == nullptr) return;
  if (mine >= flush_bytes_.load(std::memory_order_relaxed)) services_->host->WantFlush(region_);
  if (const uint64_t step = in_memory_step_.load(std::memory_order_relaxed); step != 0) {
    const uint64_t since = since_in_memory_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (since >= step) services_->host->WantInMemoryCompaction(region_);
  }
  if (services_->memory->wants_flush()) services_->host->MemoryIsShort();
}

void MemstoreAccount::AddReplayed(uint64_t bytes) {
  services_->memory->Add(bytes);
  bytes_.fetch_add(bytes);
}

void MemstoreAccount::Remove(uint64_t bytes) {
  bytes_.fetch_sub(bytes);
  services_->memory->Release(bytes);
  MutexLock lock(&mu_);
  removed_.SignalAll();
}

void MemstoreAccount::WaitForRoom(int64_t millis) {
  MutexLock lock(&mu_);
  if (is_overfull()) removed_.WaitFor(&mu_, std::chrono::milliseconds(millis));
}

}  // namespace bennu::engine
