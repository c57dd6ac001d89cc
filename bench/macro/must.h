// What a benchmark does when something fails: it ends, since a wrong one measures nothing.
#ifndef BENNU_BENCH_MACRO_MUST_H_
#define BENNU_BENCH_MACRO_MUST_H_

#include <cstdlib>
#include <iostream>
#include <utility>

#include "bennu/status.h"

namespace bennu::bench {

inline void Check(const Status& status) {
  if (status.ok()) return;
  std::cerr << "bennu: " << status.ToString() << "\n";
  std::exit(1);
}

template <typename T>
T Take(Result<T> result) {
  Check(result.ok() ? Status() : result.status());
  return std::move(result).value();
}

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_MUST_H_
