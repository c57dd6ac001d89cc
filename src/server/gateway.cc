#include "src/server/gateway.h"

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "src/base/env.h"
#include "src/base/free_memory.h"
#include "src/base/log.h"
#include "src/base/password_file.h"
#include "src/base/status_macros.h"
#include "src/bennu/opened_cluster.h"
#include "src/server/housekeeper.h"
#include "src/server/net/io_loops.h"
#include "src/server/net/wire_memory.h"
#include "src/server/phoenix_front.h"

namespace bennu::server {

namespace {

class Gateway final : public RunningServer {
 public:
  explicit Gateway(const GatewayOptions& options)
      : options_(options),
        wire_memory_(WireBytesMax(options.server)),
        loops_(options.server.io_threads > 0 ? options.server.io_threads
                                             : std::thread::hardware_concurrency()) {}
  ~Gateway() override {
    if (const Status status = Stop(); !status.ok()) LogError("stopping: {}", status.ToString());
  }

  Status Open() {
    const ServerOptions& server = options_.server;
    RETURN_IF_ERROR(CheckAddress(server));
    net::ListenOptions listen;
    listen.address = server.address;
    listen.port = *server.phoenix_port;
    listen.memory = &wire_memory_;
    if (server.tls) {
      ASSIGN_OR_RETURN(TlsContextPtr context, MakeServerTls(*server.tls));
      listen.tls = TlsOfHttp(
          net::TlsListener{std::move(context), server.tls_plaintext_too, server.tls_verify_address},
          server.address);
    }
    if (!server.users_file.empty()) {
      ASSIGN_OR_RETURN(users_, PasswordFile::Open(Env::Default(), server.users_file));
    }
    ASSIGN_OR_RETURN(port_, loops_.Bind(listen));
    ASSIGN_OR_RETURN(cluster_, front::OpenedCluster::Open(options_.cluster, options_.database));
    PhoenixFront::Options phoenix;
    phoenix.bounds = server.phoenix;
    phoenix.compress = server.http_compress;
    phoenix.host = server.host.empty() ? AdvertisedHost(server.address) : server.host;
    phoenix.port = port_;
    phoenix.memory = &wire_memory_;
    phoenix.users = users_.get();
    phoenix_ = std::make_unique<PhoenixFront>(cluster_->sql_host(), phoenix);
    phoenix_->SetRequestBytesMax(server.live.request_bytes_max);
    loops_.Serve(port_, [this](std::shared_ptr<net::Channel> channel) {
      return phoenix_->NewSession(std::move(channel));
    });
    housekeeper_.Start([this] {
      phoenix_->CloseIdle();
      free_memory_.Look();
    });
    return Status::Ok();
  }

  std::string Endpoints() const override {
    return fmt::format("phoenix={}:{}", options_.server.address, port_);
  }

  void Reload(const LiveOptions& live) override {
    phoenix_->SetRequestBytesMax(live.request_bytes_max);
    if (users_ == nullptr) return;
    if (const Status read = users_->Reload(); !read.ok()) {
      LogError("the users stay as they were: {}", read.message());
    }
  }

  Status Stop() override {
    if (stopped_.exchange(true)) return Status::Ok();
    loops_.StopListening();
    if (phoenix_ != nullptr) {
      phoenix_->StartDraining();
      AwaitCalls([this] { return phoenix_->running(); });
    }
    loops_.Stop();
    if (phoenix_ != nullptr) phoenix_->Stop();
    housekeeper_.Stop();
    if (cluster_ != nullptr) cluster_->sql_host()->Close();
    return Status::Ok();
  }

 private:
  const GatewayOptions options_;
  std::unique_ptr<PasswordFile> users_;  // null: anybody
  std::unique_ptr<front::OpenedCluster> cluster_;
  net::WireMemory wire_memory_;
  std::unique_ptr<PhoenixFront> phoenix_;
  uint16_t port_ = 0;
  net::IoLoops loops_;  // after all that sessions use
  std::atomic<bool> stopped_{false};
  FreeMemoryKeeper free_memory_{Env::Default()};  // the housekeeper's
  Housekeeper housekeeper_;                       // uses the others, and ends first
};

}  // namespace

Result<std::unique_ptr<RunningServer>> StartGateway(const GatewayOptions& options) {
  if (!options.server.phoenix_port.has_value()) {
    return InvalidArgument("a gateway serves Phoenix's clients, and their port is turned off");
  }
  GatewayOptions own = options;
  for (auto* const port : {&own.server.zookeeper_port, &own.server.master_port,
                           &own.server.region_server_port, &own.server.http_port}) {
    port->reset();
  }
  auto gateway = std::make_unique<Gateway>(own);
  RETURN_IF_ERROR(gateway->Open());
  return std::unique_ptr<RunningServer>(std::move(gateway));
}

}  // namespace bennu::server
