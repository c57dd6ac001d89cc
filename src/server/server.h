// A store served to HBase's clients: one process as registry, master and region server.
#ifndef BENNU_SRC_SERVER_SERVER_H_
#define BENNU_SRC_SERVER_SERVER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bennu/status.h"
#include "src/engine/open.h"

namespace bennu::server {

struct ServerOptions {
  std::string directory;              // an absolute path where clients are to load HFiles
  std::string address = "127.0.0.1";  // to listen on
  // 0: any that is free; unset: not served.
  std::optional<uint16_t> zookeeper_port = 2181;
  std::optional<uint16_t> master_port = 16000;
  std::optional<uint16_t> region_server_port = 16020;
  // Without it only a loopback address may be listened on: there is no authentication yet.
  bool allow_unauthenticated = false;

  size_t io_threads = 0;       // 0: one per hardware thread
  size_t handler_threads = 0;  // 0: HBase's default, 30
  engine::EngineOptions engine;
};

// Thread-safe.
class Server {
 public:
  // Takes the ports, opens the store and serves. InvalidArgument, IoError: an address or port that
  // can not be had; else as engine::OpenStore.
  static Result<std::unique_ptr<Server>> Start(const ServerOptions& options);
  virtual ~Server() = default;  // Stop()

  // "zookeeper=127.0.0.1:2181 master=… regionserver=…": where it serves.
  virtual std::string Endpoints() const = 0;
  // Takes no further connections, ends calls that run, flushes and closes the store. Idempotent.
  virtual Status Stop() = 0;
};

}  // namespace bennu::server

#endif  // BENNU_SRC_SERVER_SERVER_H_
