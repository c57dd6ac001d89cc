// What strangers do wrong, as lines of the log. All of them share one budget: who is wrong again
// and again must not fill the disk.
#ifndef BENNU_SRC_SERVER_NET_PEER_LOG_H_
#define BENNU_SRC_SERVER_NET_PEER_LOG_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bennu::server::net {

// How many lines may be written: some at once, for who looks for a fault, and few for each second
// from then on. Needs outside lock.
class LineBudget {
 public:
  static constexpr uint32_t kLinesAtOnce = 100;
  static constexpr uint32_t kLinesPerSecond = 10;

  // Takes a line at 'now', which never goes back. Returns how many were left out since the last
  // one; nothing: this one is to be left out as well.
  std::optional<uint64_t> Take(std::chrono::nanoseconds now);

 private:
  static constexpr std::chrono::nanoseconds kCost =
      std::chrono::nanoseconds(std::chrono::seconds(1)) / kLinesPerSecond;
  static constexpr std::chrono::nanoseconds kSavedMax = kCost * kLinesAtOnce;

  std::chrono::nanoseconds saved_ = kSavedMax;  // time that no line was written for yet
  std::chrono::nanoseconds seen_{0};
  uint64_t left_out_ = 0;
};

// A warning about a client ("address:port"), while the budget lasts; long messages are cut.
// Thread-safe.
void WarnOfPeer(std::string_view peer, std::string_view message);

}  // namespace bennu::server::net

#endif  // BENNU_SRC_SERVER_NET_PEER_LOG_H_
