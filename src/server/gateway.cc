#include "src/server/gateway.h"

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "src/base/env.h"
#include "src/base/free_memory.h"
#include "src/base/log.h"
#include "src/base/machine_memory.h"
#include "src/base/password_file.h"
#include "src/base/status_macros.h"
#include "src/bennu/opened_cluster.h"
#include "src/server/console/cluster_view.h"
#include "src/server/housekeeper.h"
#include "src/server/net/io_loops.h"
#include "src/server/net/wire_memory.h"
#include "src/server/page_front.h"
#include "src/server/phoenix_front.h"
#include "src/server/status/status_pages.h"

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
    std::optional<net::TlsListener> tls;
    if (server.tls) {
      ASSIGN_OR_RETURN(TlsContextPtr context, MakeServerTls(*server.tls));
      tls = {std::move(context), server.tls_plaintext_too, server.tls_verify_address};
    }
    if (!server.users_file.empty()) {
      ASSIGN_OR_RETURN(users_, PasswordFile::Open(Env::Default(), server.users_file));
    }
    RETURN_IF_ERROR(Bind(server.http_address, server.http_port,
                         server.http_tls ? TlsOfHttp(tls, server.http_address) : std::nullopt,
                         &http_port_));
    RETURN_IF_ERROR(
        Bind(server.address, server.phoenix_port, TlsOfHttp(tls, server.address), &phoenix_port_));
    ASSIGN_OR_RETURN(cluster_, front::OpenedCluster::Open(options_.cluster, options_.database));
    MakePhoenix();
    MakePages();
    Reload(server.live);
    Serve();
    housekeeper_.Start([this] {
      if (phoenix_ != nullptr) phoenix_->CloseIdle();
      if (pages_ != nullptr) pages_->CloseIdle();
      free_memory_.Look();
    });
    return Status::Ok();
  }

  std::string Endpoints() const override {
    std::string text;
    if (http_port_.has_value()) {
      text = fmt::format("http={}:{}", options_.server.http_address, *http_port_);
    }
    if (phoenix_port_.has_value()) {
      text += fmt::format("{}phoenix={}:{}", text.empty() ? "" : " ", options_.server.address,
                          *phoenix_port_);
    }
    return text;
  }

  void Reload(const LiveOptions& live) override {
    if (phoenix_ != nullptr) phoenix_->SetRequestBytesMax(live.request_bytes_max);
    if (pages_ != nullptr) pages_->SetRequestBytesMax(live.request_bytes_max);
    if (users_ == nullptr) return;
    if (const Status read = users_->Reload(); !read.ok()) {
      LogError("the users stay as they were: {}", read.message());
    }
  }

  Status Stop() override {
    if (stopped_.exchange(true)) return Status::Ok();
    loops_.StopListening();
    if (pages_ != nullptr) pages_->StartDraining();
    if (phoenix_ != nullptr) {
      phoenix_->StartDraining();
      AwaitCalls([this] { return phoenix_->running(); });
    }
    loops_.Stop();
    if (phoenix_ != nullptr) phoenix_->Stop();
    if (pages_ != nullptr) pages_->Stop();
    housekeeper_.Stop();
    if (cluster_ != nullptr) cluster_->sql_host()->Close();
    pages_.reset();  // which was told of the last statements
    return Status::Ok();
  }

 private:
  Status Bind(const std::string& address, const std::optional<uint16_t>& asked,
              std::optional<net::TlsListener> tls, std::optional<uint16_t>* port) {
    if (!asked.has_value()) return Status::Ok();
    net::ListenOptions listen;
    listen.address = address;
    listen.port = *asked;
    listen.tls = std::move(tls);
    listen.memory = &wire_memory_;
    ASSIGN_OR_RETURN(*port, loops_.Bind(listen));
    return Status::Ok();
  }

  std::string Host() const {
    const ServerOptions& server = options_.server;
    return server.host.empty() ? AdvertisedHost(server.address) : server.host;
  }

  void MakePhoenix() {
    if (!phoenix_port_.has_value()) return;
    PhoenixFront::Options options;
    options.bounds = options_.server.phoenix;
    options.compress = options_.server.http_compress;
    options.host = Host();
    options.port = *phoenix_port_;
    options.memory = &wire_memory_;
    options.users = users_.get();
    phoenix_ = std::make_unique<PhoenixFront>(cluster_->sql_host(), options);
  }

  void MakePages() {
    if (!http_port_.has_value()) return;
    console::ClusterSources shown;
    shown.cluster = cluster_.get();
    shown.version = BENNU_VERSION;
    shown.endpoints = Endpoints();
    shown.start_millis = start_millis_;
    shown.memory_bytes_max = UsableMemoryBytes(Env::Default());
    shown.phoenix_connections = [this] { return PhoenixConnections(); };
    status::GatewaySources sources;
    sources.stopping = [this] { return stopped_.load(); };
    sources.process = [this]() -> status::ProcessMetrics {
      return {start_millis_, ResidentMemoryBytes(Env::Default()), PhoenixConnections(),
              pages_->statement_micros(), pages_->index_builds()};
    };
    PageFront::Options options;
    options.host = Host();
    options.compress = options_.server.http_compress;
    options.memory = &wire_memory_;
    options.users = users_.get();
    const auto show_status = [sources = std::move(sources)](const http::Request& request) {
      return status::ShowGateway(sources, request);
    };
    pages_ = std::make_unique<PageFront>(cluster_->sql_host(),
                                         std::make_unique<console::ClusterView>(std::move(shown)),
                                         show_status, options);
  }

  void Serve() {
    if (http_port_.has_value()) {
      loops_.Serve(*http_port_, [this](std::shared_ptr<net::Channel> channel) {
        return pages_->NewSession(std::move(channel));
      });
    }
    if (!phoenix_port_.has_value()) return;
    loops_.Serve(*phoenix_port_, [this](std::shared_ptr<net::Channel> channel) {
      return phoenix_->NewSession(std::move(channel));
    });
  }

  size_t PhoenixConnections() const {
    return phoenix_ == nullptr ? 0 : phoenix_->connection_count();
  }

  const GatewayOptions options_;
  const int64_t start_millis_ = Env::Default()->NowMillis();
  std::unique_ptr<PasswordFile> users_;  // null: anybody
  std::unique_ptr<front::OpenedCluster> cluster_;
  net::WireMemory wire_memory_;
  std::unique_ptr<PhoenixFront> phoenix_;  // null: not served
  std::unique_ptr<PageFront> pages_;       // null: not served
  std::optional<uint16_t> http_port_, phoenix_port_;
  net::IoLoops loops_;  // after all that sessions use
  std::atomic<bool> stopped_{false};
  FreeMemoryKeeper free_memory_{Env::Default()};  // the housekeeper's
  Housekeeper housekeeper_;                       // uses the others, and ends first
};

}  // namespace

Result<std::unique_ptr<RunningServer>> StartGateway(const GatewayOptions& options) {
  if (!options.server.phoenix_port.has_value() && !options.server.http_port.has_value()) {
    return InvalidArgument(
        "a gateway serves Phoenix's clients and the console, and both ports are turned off");
  }
  GatewayOptions own = options;
  for (auto* const port :
       {&own.server.zookeeper_port, &own.server.master_port, &own.server.region_server_port}) {
    port->reset();
  }
  auto gateway = std::make_unique<Gateway>(own);
  RETURN_IF_ERROR(gateway->Open());
  return std::unique_ptr<RunningServer>(std::move(gateway));
}

}  // namespace bennu::server
