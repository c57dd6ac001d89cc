// Visits of users to domains in a year, as the benchmark of one day has them: each user visits each
// domain on each day. In the order of the key: user, day, domain, all at fixed widths.
#ifndef BENNU_BENCH_MACRO_VISITS_H_
#define BENNU_BENCH_MACRO_VISITS_H_

#include <cstddef>
#include <cstdio>
#include <string>

namespace bennu::bench {

inline constexpr int kDays = 365;
inline constexpr int kDomains = 30;
inline constexpr char kDayAsked[] = "20140628";
inline constexpr size_t kUserWidth = 10;
inline constexpr size_t kDayWidth = 8;
inline constexpr size_t kDomainWidth = 20;

struct Visit {
  std::string user, day, domain;  // not padded
};

template <typename Use>
void ForEachVisit(int users, const Use& use) {
  static constexpr int kMonths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  char text[40];
  Visit visit;
  for (int user = 0; user < users; ++user) {
    std::snprintf(text, sizeof(text), "user%05d", user);
    visit.user = text;
    for (int month = 0; month < 12; ++month) {
      for (int day = 0; day < kMonths[month]; ++day) {
        std::snprintf(text, sizeof(text), "2014%02d%02d", month + 1, day + 1);
        visit.day = text;
        for (int domain = 0; domain < kDomains; ++domain) {
          std::snprintf(text, sizeof(text), "domain%02d.example.com", domain);
          visit.domain = text;
          use(visit);
        }
      }
    }
  }
}

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_VISITS_H_
