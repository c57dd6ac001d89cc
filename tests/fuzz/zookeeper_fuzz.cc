// ZooKeeper's protocol, from a client that may send anything.
#include <cstddef>
#include <cstdint>

#include "src/server/zookeeper/zk_session.h"
#include "tests/server/test_channel.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bennu::server::zookeeper::Znodes;
  static const Znodes* const znodes =
      new Znodes({}, {[] {
                        return std::map<std::string, bool>{{"t", true}};
                      },
                      [] { return std::vector<std::string>{"default"}; }, [] { return true; }});
  bennu::server::zookeeper::ZkSession session(znodes,
                                              std::make_shared<bennu::server::TestChannel>());
  bennu::ByteView rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty()) {
    const auto consumed = session.Receive(rest);
    if (!consumed.ok() || *consumed == 0) break;
    rest.remove_prefix(*consumed);
  }
  return 0;
}
