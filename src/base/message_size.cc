#include "src/base/message_size.h"

#include <cstdint>

#include "src/base/coding.h"

namespace bennu {

namespace {

constexpr size_t kFieldBytes = 128;  // an object with its place in its list
constexpr int kDepthMax = 8;         // messages of clients are less deep
constexpr size_t kFieldMin = 2;      // bytes on the wire

// How many fields the bytes have, those of messages within included, up to the first that is none:
// what stands before it is made all the same. Each level reads a byte once.
size_t CountFields(ByteView rest, int depth) {
  size_t count = 0;
  uint64_t number = 0;
  while (!rest.empty()) {
    if (!ConsumeVarint64(&rest, &number) || number >> 3 == 0) break;
    ++count;
    size_t size = 0;
    switch (number & 7) {
      case 0:
        if (!ConsumeVarint64(&rest, &number)) return count;
        break;
      case 1: size = 8; break;
      case 2:
        if (!ConsumeVarint64(&rest, &number) || number > rest.size()) return count;
        size = number;
        count +=
            depth < kDepthMax ? CountFields(rest.substr(0, size), depth + 1) : size / kFieldMin;
        break;
      case 5: size = 4; break;
      default: break;  // the begin and the end of a group
    }
    if (size > rest.size()) break;
    rest.remove_prefix(size);
  }
  return count;
}

}  // namespace

size_t ParsedSize(ByteView message) {
  return message.size() + kFieldBytes * CountFields(message, 0);
}

}  // namespace bennu
