// How values spread: counts in buckets that grow with the values.
#ifndef BENNU_SRC_SERVER_HBASE_HISTOGRAM_H_
#define BENNU_SRC_SERVER_HBASE_HISTOGRAM_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bennu::server::hbase {

// What a histogram held at one moment.
struct HistogramCounts {
  // Values below 8 have a bucket each; then every power of two has four of the same width, so that
  // a bucket's bounds are 25 percent apart at most.
  static constexpr size_t kBuckets = 8 + 4 * 61;
  static size_t BucketOf(uint64_t value);
  static uint64_t BucketEnd(size_t bucket);  // the first value past it; saturated

  std::array<uint64_t, kBuckets> buckets{};
  uint64_t count = 0;
  uint64_t sum = 0;
  uint64_t max = 0;

  void Add(const HistogramCounts& other);
  uint64_t Min() const;  // a bucket's least value; 0 without values
  double Mean() const {
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  }
  // The value that 'share' (0 to 1) of all do not pass, as exact as the buckets are.
  uint64_t Quantile(double share) const;
  // How many values are below 'limit' by their buckets.
  uint64_t CountBelow(uint64_t limit) const;
};

// Thread-safe; adding takes no lock. Threads add to parts of their own, as far as there are some.
class Histogram {
 public:
  void Add(uint64_t value);
  HistogramCounts Read() const;

 private:
  static constexpr size_t kParts = 4;
  struct alignas(64) Part {
    std::array<std::atomic<uint64_t>, HistogramCounts::kBuckets> buckets{};
    std::atomic<uint64_t> sum{0};
    std::atomic<uint64_t> max{0};
  };

  std::array<Part, kParts> parts_;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_HISTOGRAM_H_
