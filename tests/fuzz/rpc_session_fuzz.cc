// One connection of HBase's RPC, from its first byte on, over a small store in memory.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "bennu/admin.h"
#include "src/base/coding.h"
#include "src/base/env.h"
#include "src/engine/open.h"
#include "src/server/hbase/client_service.h"
#include "src/server/hbase/identity.h"
#include "src/server/hbase/meta_service.h"
#include "src/server/hbase/rpc_session.h"
#include "src/server/hbase/scanners.h"
#include "tests/server/test_channel.h"

namespace {

using bennu::Bytes;
using bennu::ByteView;
namespace server = bennu::server;
namespace hbase = bennu::server::hbase;
namespace pb = bennu::pb;

constexpr char kTable[] = "t";
constexpr const char* kServices[] = {"ClientService", "ClientMetaService"};

// What a process has one of.
struct Port {
  Port() {
    bennu::TableDescriptor table;
    table.name.qualifier = kTable;
    table.families.emplace_back().name = "cf";
    (void)store->admin()->CreateTable(table, {"z"}).ok();
    rpc.services = {&client, &meta};
    rpc.handlers = &handlers;
    rpc.request_bytes_max = 1u << 20;
  }

  static std::unique_ptr<bennu::engine::Engine> OpenStore() {
    bennu::engine::EngineOptions options;
    options.block_cache_bytes = options.memstore_total_bytes = 16u << 20;
    options.memstore_flush_bytes = 4u << 20;
    return bennu::engine::OpenEngine(std::string(bennu::engine::kMemoryStore), options).value();
  }

  const std::unique_ptr<bennu::engine::Engine> store = OpenStore();
  hbase::Identity identity;
  server::net::Handlers handlers{1, 100};
  hbase::Regions regions{store.get(), "fuzz,1,1"};
  hbase::Scanners scanners{std::chrono::milliseconds(1)};
  // No such directory can be made: files stay out of this.
  hbase::ClientService client{&regions,
                              &scanners,
                              &handlers,
                              /*quotas=*/nullptr,
                              bennu::Env::Default(),
                              "/dev/null",
                              hbase::ClientFolders(),
                              /*answer_bytes_max=*/1 << 20};
  hbase::ClientMetaService meta{&identity};
  hbase::RpcPort rpc;
};

// The bytes that lead to a service's calls.
Bytes Greeting(uint8_t choice) {
  pb::ConnectionHeader header;
  header.set_service_name(kServices[choice % std::size(kServices)]);
  header.set_cell_block_codec_class("org.apache.hadoop.hbase.codec.KeyValueCodec");
  if ((choice & 4) != 0) {
    header.set_cell_block_compressor_class("org.apache.hadoop.io.compress.GzipCodec");
  }
  Bytes greeting("HBas\0\x50", 6);
  const std::string message = header.SerializeAsString();
  bennu::AppendBE32(&greeting, static_cast<uint32_t>(message.size()));
  return greeting + message;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Port* const port = new Port();
  if (size == 0) return 0;
  // An odd first byte: the input is all that comes, with preamble and header.
  Bytes input = (data[0] & 1) != 0 ? Bytes() : Greeting(data[0] >> 1);
  input.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  {
    hbase::RpcSession session(&port->rpc, std::make_shared<server::TestChannel>());
    for (ByteView rest = input; !rest.empty();) {
      const auto consumed = session.Receive(rest);
      if (!consumed.ok() || *consumed == 0) break;
      rest.remove_prefix(*consumed);
    }
    (void)session.Tick().ok();
  }
  while (port->handlers.pending() > 0) std::this_thread::yield();
  port->scanners.ExpireLeases();
  return 0;
}
