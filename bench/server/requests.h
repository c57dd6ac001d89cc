// The requests of the server's benchmark, as HBase's Java client writes them.
#ifndef BENNU_BENCH_SERVER_REQUESTS_H_
#define BENNU_BENCH_SERVER_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/server/load.h"

namespace bennu::bench {

// A table of one region and one family: kRows rows of one cell of 1,000 bytes, by number; and rows
// of their own for what changes.
class Requests {
 public:
  static constexpr uint64_t kRows = 100'000;
  static constexpr size_t kValueBytes = 1000;  // as PerformanceEvaluation's
  static constexpr const char* kFamily = "info";
  static constexpr const char* kQualifier = "data";

  explicit Requests(std::string region_name) : region_name_(std::move(region_name)) {}

  static std::string RowKey(const char* prefix, uint64_t number);
  static std::string Value(uint64_t number);

  // Each gives frames without end, for rows in a pseudo-random order.
  NextFrame Gets() const;
  // Rows that are not written otherwise. 'value_bytes' of each value are sent.
  NextFrame Puts(size_t value_bytes) const;
  // A counter of a hundred, with a nonce.
  NextFrame Increments() const;
  // On a condition that holds; the value is written again.
  NextFrame ChecksAndPuts() const;
  // So many rows in one call.
  NextFrame MultiGets(int rows) const;
  NextFrame BulkPuts(int rows) const;
  // From a row on, in one call that opens and closes the scanner.
  NextFrame Scans(int rows) const;

 private:
  const std::string region_name_;
};

}  // namespace bennu::bench

#endif  // BENNU_BENCH_SERVER_REQUESTS_H_
