// Two systems that do the same work by turns.
#ifndef BENNU_BENCH_MACRO_COMPARE_H_
#define BENNU_BENCH_MACRO_COMPARE_H_

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/macro/report.h"
#include "bench/macro/system_under_test.h"

namespace bennu::bench {

inline double MillisOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

struct Systems {
  SystemUnderTest* bennu;
  SystemUnderTest* sqlite;
};

// Runs 'work' of both systems by turns, so that a noisy minute hits both; returns the medians.
inline void Compare(const Systems& systems, const std::string& name, int runs,
                    const std::function<void(SystemUnderTest*)>& work, double per_second_of,
                    Report* report) {
  std::vector<double> own;
  std::vector<double> peer;
  for (int run = 0; run < runs; ++run) {
    own.push_back(MillisOf([&] { work(systems.bennu); }));
    peer.push_back(MillisOf([&] { work(systems.sqlite); }));
  }
  const auto value = [per_second_of](double millis) {
    return per_second_of > 0 ? per_second_of / millis * 1000 : millis;
  };
  report->Add(
      {name, value(Median(own)), per_second_of > 0 ? "/s" : "ms", "sqlite", value(Median(peer))});
}

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_COMPARE_H_
