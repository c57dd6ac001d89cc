#include "src/server/hbase/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace bennu::server::hbase {

namespace {

constexpr uint64_t kExact = 8;  // values below have a bucket each
constexpr int kExactBits = 3;   // of them
constexpr int kStepBits = 2;    // four buckets for each power of two
constexpr uint64_t kSteps = 1u << kStepBits;

size_t PartOfThread(size_t parts) {
  static std::atomic<size_t> next{0};
  thread_local const size_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine % parts;
}

}  // namespace

size_t HistogramCounts::BucketOf(uint64_t value) {
  if (value < kExact) return value;
  const int power = std::bit_width(value) - 1;
  const uint64_t step = (value >> (power - kStepBits)) & (kSteps - 1);
  return kExact + static_cast<size_t>(power - kExactBits) * kSteps + step;
}

uint64_t HistogramCounts::BucketEnd(size_t bucket) {
  if (bucket < kExact) return bucket + 1;
  const size_t power = (bucket - kExact) / kSteps + kExactBits;
  const uint64_t step = (bucket - kExact) % kSteps;
  const uint64_t width = uint64_t{1} << (power - kStepBits);
  const uint64_t begin = (uint64_t{1} << power) + step * width;
  return begin > std::numeric_limits<uint64_t>::max() - width ? std::numeric_limits<uint64_t>::max()
                                                              : begin + width;
}

void HistogramCounts::Add(const HistogramCounts& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets[i] += other.buckets[i];
  count += other.count;
  sum += other.sum;
  max = std::max(max, other.max);
}

uint64_t HistogramCounts::Min() const {
  for (size_t i = 0; i < kBuckets; ++i) {
    if (buckets[i] > 0) return i == 0 ? 0 : BucketEnd(i - 1);
  }
  return 0;
}

uint64_t HistogramCounts::Quantile(double share) const {
  const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count)));
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += buckets[i];
    if (seen > 0 && seen >= wanted) return std::min(BucketEnd(i) - 1, max);
  }
  return max;
}

uint64_t HistogramCounts::CountBelow(uint64_t limit) const {
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets && BucketEnd(i) <= limit; ++i) seen += buckets[i];
  return seen;
}

void Histogram::Add(uint64_t value) {
  Part& part = parts_[PartOfThread(kParts)];
  part.buckets[HistogramCounts::BucketOf(value)].fetch_add(1, std::memory_order_relaxed);
  part.sum.fetch_add(value, std::memory_order_relaxed);
  uint64_t max = part.max.load(std::memory_order_relaxed);
  while (value > max && !part.max.compare_exchange_weak(max, value, std::memory_order_relaxed)) {
  }
}

HistogramCounts Histogram::Read() const {
  HistogramCounts counts;
  for (const Part& part : parts_) {
    HistogramCounts one;
    for (size_t i = 0; i < HistogramCounts::kBuckets; ++i) {
      one.buckets[i] = part.buckets[i].load(std::memory_order_relaxed);
      one.count += one.buckets[i];
    }
    one.sum = part.sum.load(std::memory_order_relaxed);
    one.max = part.max.load(std::memory_order_relaxed);
    counts.Add(one);
  }
  return counts;
}

}  // namespace bennu::server::hbase
