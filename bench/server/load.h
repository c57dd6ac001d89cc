// Frames sent over loopback as fast as the server answers, from one thread.
#ifndef BENNU_BENCH_SERVER_LOAD_H_
#define BENNU_BENCH_SERVER_LOAD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bennu::bench {

// Where a frame of HBase's RPC holds its call's number when that is below 128 and the header is
// short: four bytes of length, one of the header's length, the field's tag.
inline constexpr size_t kCallIdOffset = 6;
inline constexpr char kCallIdTag = 0x08;

struct LoadOptions {
  uint16_t port = 0;
  std::string greeting;  // sent first on each connection
  size_t connections = 1;
  size_t depth = 1;    // calls of a connection that are under way at a time; at most 127
  uint64_t calls = 0;  // at most
  double seconds_max = 2;
};

struct LoadResult {
  uint64_t calls = 0;
  double seconds = 0;
  double p50_micros = 0;  // from before the write to after the read
  double p99_micros = 0;
  uint64_t response_bytes = 0;
};

// Adds one request's frame; its call's number is written over by the load.
using NextFrame = std::function<void(std::string* out)>;

// Ends the benchmark when the server answers with an exception or goes.
LoadResult RunLoad(const LoadOptions& options, const NextFrame& next);

// Connections on which one call was answered each, and which say nothing since. Closes them at the
// end.
class IdleConnections {
 public:
  IdleConnections(const LoadOptions& options, const NextFrame& next);
  ~IdleConnections();
  IdleConnections(const IdleConnections&) = delete;
  IdleConnections& operator=(const IdleConnections&) = delete;

 private:
  std::vector<int> sockets_;
};

}  // namespace bennu::bench

#endif  // BENNU_BENCH_SERVER_LOAD_H_
