// What the stress run has written, and what of it is certain.
//
// The model lies in memory that the supervising process shares with the processes that work on the
// store, so it outlives their deaths. It holds no cells but the recipe of each operation: a seed
// and a time, from which the operation's cells follow. An operation is noted as begun before the
// store is asked, and as done once it was acknowledged; one that is begun and not done may be there
// or not. Each row of data belongs to one thread, which does not touch it again while its last
// operation is uncertain; the next process looks which it is (verifier.h).
#ifndef BENNU_TESTS_STRESS_MODEL_H_
#define BENNU_TESTS_STRESS_MODEL_H_

#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bennu/mutation.h"

namespace bennu::stress {

inline constexpr int kThreadsMax = 8;
inline constexpr int kRowsPerThread = 24;
inline constexpr int kOpsPerRow = 40;
// Rows begin with one of these; regions are split at kBorders only, so that rows of one segment are
// always in one region.
inline constexpr char kSegments[] = {'b', 'd', 'f', 'h'};
inline constexpr int kSegmentCount = 4;
inline constexpr const char* kBorders[] = {"c", "e", "g"};
inline constexpr int kAppendsMax = 3000;
inline constexpr const char* kFamilies[] = {"f", "g"};

enum class OpState : uint8_t { kBegun, kDone, kVoid };

struct Op {
  uint64_t seed;
  int64_t time;
  uint64_t batch;  // operations of one batch have the same number
  std::atomic<OpState> state;
};

struct RowSlot {
  std::atomic<uint32_t> epoch;  // a row that has had its operations is deleted; the next follows
  std::atomic<uint32_t> count;
  Op ops[kOpsPerRow];
};

// A cell that all threads add to.
struct Counter {
  std::atomic<int64_t> begun;
  std::atomic<int64_t> done;
};

// A row of one thread that is written without the log: each write has the next number. A write that
// was acknowledged is seen at once; it is certain to outlive the process once a flush was.
struct UnloggedRow {
  std::atomic<uint64_t> begun;
  std::atomic<uint64_t> done;
  std::atomic<uint64_t> safe;
};

struct Model {
  std::atomic<int64_t> time;
  std::atomic<uint64_t> batches;
  RowSlot rows[kThreadsMax][kRowsPerThread];
  Counter counters[kSegmentCount];
  // Appends, by segment; number n was begun by whoever took it.
  std::atomic<uint32_t> appends[kSegmentCount];
  std::atomic<OpState> append_states[kSegmentCount][kAppendsMax];
  UnloggedRow unlogged[kThreadsMax];
  // A table of its own for each thread, made and dropped.
  std::atomic<OpState> own_table_made[kThreadsMax];  // kDone: it is there; kVoid: it is not
  std::atomic<uint64_t> operations;
};

inline int SegmentOf(int row) { return row % kSegmentCount; }

inline std::string RowKey(int thread, int row, uint32_t epoch) {
  return std::string(1, kSegments[SegmentOf(row)]) + "-" + std::to_string(thread) + "-" +
         std::to_string(row) + "-" + std::to_string(epoch);
}

inline std::string UnloggedKey(int thread) {
  return std::string(1, kSegments[SegmentOf(thread)]) + "unlogged" + std::to_string(thread);
}

// Appends the operation's mutation of 'row' to *batch.
inline void AppendOp(uint64_t seed, int64_t time, const std::string& row, bool last,
                     MutationBatch* batch) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t bound) { return static_cast<int64_t>(random() % bound); };
  batch->StartRow(row);
  if (last) {
    for (const char* family : kFamilies) batch->DeleteFamily(family, time);
    return;
  }
  const int64_t cells = 1 + below(4);
  for (int64_t i = 0; i < cells; ++i) {
    const std::string family = kFamilies[below(2)];
    const std::string qualifier = "q" + std::to_string(below(3));
    const int64_t at = time + i;
    switch (below(14)) {
      case 0: batch->DeleteColumn(family, qualifier, at); break;
      case 1: batch->DeleteFamily(family, at); break;
      case 2: batch->DeleteVersion(family, qualifier, at - below(200)); break;
      case 3: batch->DeleteFamilyVersion(family, at - below(200)); break;
      default: {
        const size_t size = static_cast<size_t>(below(10) == 0 ? 3000 : 40);
        batch->Put(family, qualifier, std::to_string(seed) + std::string(size, 'v'), at);
      }
    }
  }
}

}  // namespace bennu::stress

#endif  // BENNU_TESTS_STRESS_MODEL_H_
