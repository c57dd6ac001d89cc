// The rows that the benchmarks load, the same for every system.
//
// Key of four columns in ascending order of i: A = i / 10000, B = i / 100 % 100, C = text of i %
// 100, D = i. Values: G = a pseudo-random number below 8; V one below 50,000; W a double.
// Everything follows from i and a fixed seed.
#ifndef BENNU_BENCH_MACRO_DATA_H_
#define BENNU_BENCH_MACRO_DATA_H_

#include <cstdint>
#include <cstdio>
#include <string>

namespace bennu::bench {

inline constexpr int64_t kRows = 1'000'000;
inline constexpr int64_t kRowsPerBatch = 1'000;
inline constexpr int64_t kFirstMillis =
    1'600'000'000'000;  // of the time series; one row per second
inline constexpr int64_t kTimeFiles = 10;

// SplitMix64 of i: spread evenly, the same everywhere.
inline uint64_t Mix(uint64_t i) {
  uint64_t z = i + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

struct BenchRow {
  int64_t a, b, d, g, v;
  char c[8];
  double w;
};

inline BenchRow MakeRow(int64_t i) {
  BenchRow row;
  row.a = i / 10000;
  row.b = i / 100 % 100;
  row.d = i;
  std::snprintf(row.c, sizeof(row.c), "k%02d", static_cast<int>(i % 100));
  const uint64_t random = Mix(static_cast<uint64_t>(i));
  row.g = static_cast<int64_t>(random % 8);
  row.v = static_cast<int64_t>((random >> 8) % 50'000);
  row.w = static_cast<double>(random >> 40) / 1024.0;
  return row;
}

// Rows of U: P and Q are numbers that no two rows have in common, in no order.
struct UniqueRow {
  int64_t id, p, q, g;
};

inline UniqueRow MakeUniqueRow(int64_t id) {
  // Odd factors, so that the low bits are a permutation.
  constexpr uint64_t kMask = (uint64_t{1} << 40) - 1;
  const auto number = static_cast<uint64_t>(id);
  return {id, static_cast<int64_t>(number * 0x9e3779b97f4a7c15ULL & kMask),
          static_cast<int64_t>(number * 0xbf58476d1ce4e5b9ULL & kMask),
          static_cast<int64_t>(Mix(number) % 1000)};
}

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_DATA_H_
