// The yardstick: a server on epoll that answers each frame with one of a fixed size and does
// nothing else. What another server takes above it is its own work, not the kernel's for sockets.
#ifndef BENNU_BENCH_SERVER_ECHO_H_
#define BENNU_BENCH_SERVER_ECHO_H_

#include <cstddef>

namespace bennu::bench {

inline constexpr const char* kEchoFlag = "--echo";
// main() of a process of its own, with a thread per core: prints the port and serves until it is
// killed. 'response_bytes' with the length, 7 at least.
int EchoMain(size_t response_bytes);

}  // namespace bennu::bench

#endif  // BENNU_BENCH_SERVER_ECHO_H_
