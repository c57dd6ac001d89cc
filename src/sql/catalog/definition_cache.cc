#include "src/sql/catalog/definition_cache.h"

#include <functional>

#include "src/base/check.h"

namespace bennu::sql::catalog {
namespace {

// Statements are prepared by one thread each.
thread_local NameRecorder* recorder = nullptr;

uint64_t Mix(uint64_t sum, uint64_t value) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  return (sum ^ value) * kOdd + (sum >> 29);
}

}  // namespace

uint64_t Fingerprint(uint64_t before, const Cell* cells, size_t count) {
  const std::hash<ByteView> hash;
  uint64_t sum = Mix(before, count + 1);
  for (size_t i = 0; i < count; ++i) {
    sum = Mix(sum, hash(cells[i].qualifier()));
    sum = Mix(sum, hash(cells[i].value_view()));
    sum = Mix(sum, static_cast<uint64_t>(cells[i].timestamp()));
  }
  return sum == 0 ? 1 : sum;
}

std::optional<DefinitionCache::Entry> DefinitionCache::Find(const TableKey& key) {
  MutexLock lock(&mu_);
  const auto found = tables_.find(key);
  if (found == tables_.end()) return std::nullopt;
  return found->second;
}

void DefinitionCache::Confirm(const TableKey& key, uint64_t statement, int64_t now_ms) {
  MutexLock lock(&mu_);
  const auto found = tables_.find(key);
  if (found == tables_.end() || found->second.statement > statement) return;
  found->second.statement = statement;
  found->second.looked_ms = now_ms;
}

void DefinitionCache::Keep(const TableKey& key, Entry entry, uint64_t version_before) {
  MutexLock lock(&mu_);
  if (version_.load(std::memory_order_relaxed) == version_before) tables_[key] = std::move(entry);
}

DefinitionCache::TablePtr DefinitionCache::FindSeen(const std::string& tenant,
                                                    const TableKey& key) {
  MutexLock lock(&mu_);
  const auto found = seen_.find({tenant, key});
  return found == seen_.end() ? nullptr : found->second;
}

void DefinitionCache::KeepSeen(const std::string& tenant, const TablePtr& table,
                               const TablePtr& seen) {
  MutexLock lock(&mu_);
  const auto found = tables_.find(table->key());
  if (found != tables_.end() && found->second.table == table) {
    seen_[{tenant, table->key()}] = seen;
  }
}

void DefinitionCache::Forget(const TableKey& key) {
  MutexLock lock(&mu_);
  std::erase_if(tables_, [&](const auto& entry) {
    return entry.first == key || entry.second.table->is_view();
  });
  seen_.clear();
  version_.fetch_add(1, std::memory_order_acq_rel);
}

void DefinitionCache::Clear() {
  MutexLock lock(&mu_);
  tables_.clear();
  seen_.clear();
  version_.fetch_add(1, std::memory_order_acq_rel);
}

NameRecorder::NameRecorder() {
  BENNU_CHECK(recorder == nullptr);
  recorder = this;
}

NameRecorder::~NameRecorder() { recorder = nullptr; }

void NameRecorder::Note(const TableKey& key) {
  if (recorder != nullptr) recorder->names_.insert(key);
}

}  // namespace bennu::sql::catalog
