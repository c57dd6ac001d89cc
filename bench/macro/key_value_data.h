// The keys and values of the storage benchmark; all follow from a number.
#ifndef BENNU_BENCH_MACRO_KEY_VALUE_DATA_H_
#define BENNU_BENCH_MACRO_KEY_VALUE_DATA_H_

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "bench/macro/data.h"

namespace bennu::bench {

// Keys of 16 bytes: the number as it is for sequential order, scattered for random order.
inline std::string SequentialKey(uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(number));
  return std::string(text, 16);
}
inline std::string ScatteredKey(uint64_t number) { return SequentialKey(Mix(number)); }

// Values that do not compress; a different stretch of one random text for each number.
class Values {
 public:
  explicit Values(size_t size) : size_(size), text_(1 << 20, '\0') {
    for (size_t i = 0; i + 8 <= text_.size(); i += 8) {
      const uint64_t random = Mix(i);
      std::memcpy(text_.data() + i, &random, 8);
    }
  }
  std::string_view Of(uint64_t number) const {
    return std::string_view(text_).substr(Mix(number) % (text_.size() - size_), size_);
  }
  size_t size() const { return size_; }

 private:
  const size_t size_;
  std::string text_;
};

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_KEY_VALUE_DATA_H_
