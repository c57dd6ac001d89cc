// Choices: where a generator's decisions come from, a seed or the bytes of a fuzzer. The same
// source always makes the same decisions, so that what was found can be made again. One thread
// only.
#ifndef BENNU_TESTS_SQL_GENERATOR_CHOICES_H_
#define BENNU_TESTS_SQL_GENERATOR_CHOICES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bennu::sql::testing {

class Choices {
 public:
  explicit Choices(uint64_t seed) : state_(seed) {}
  // 'data' must outlive this. Behind its end every choice is the first one, so that a generator
  // must come to an end by first choices alone.
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size), of_bytes_(true) {}

  // 0 to count - 1; 'count' is not 0.
  uint64_t Below(uint64_t count);
  // From 'low' to 'high', both included.
  int64_t Between(int64_t low, int64_t high);
  bool Percent(uint64_t share) { return Below(100) >= 100 - share; }  // the first choice is "no"

  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }

 private:
  uint64_t state_ = 0;
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t offset_ = 0;
  bool of_bytes_ = false;
};

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_GENERATOR_CHOICES_H_
