#include "src/server/server.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/file_limit.h"
#include "src/base/free_memory.h"
#include "src/base/log.h"
#include "src/base/machine_memory.h"
#include "src/base/password_file.h"
#include "src/base/status_macros.h"
#include "src/server/console/store_view.h"
#include "src/server/hbase/admin_service.h"
#include "src/server/hbase/client_service.h"
#include "src/server/hbase/identity.h"
#include "src/server/hbase/master_service.h"
#include "src/server/hbase/meta_service.h"
#include "src/server/hbase/rpc_session.h"
#include "src/server/housekeeper.h"
#include "src/server/http/session.h"
#include "src/server/net/clock.h"
#include "src/server/net/handlers.h"
#include "src/server/net/io_loops.h"
#include "src/server/net/wire_memory.h"
#include "src/server/page_front.h"
#include "src/server/phoenix_front.h"
#include "src/server/status/status_pages.h"
#include "src/server/zookeeper/zk_session.h"

namespace bennu::server {

namespace {

// HBase's hbase.regionserver.handler.count and hbase.ipc.server.max.callqueue.length (ten calls
// each).
constexpr size_t kHandlers = 30;
constexpr size_t kQueuedPerHandler = 10;
// Of what connections may hold for their clients, one answer is no more than this share.
constexpr uint64_t kAnswersAtATime = 16;
constexpr uint64_t kAnswerBytesMin = 4u << 20;
// Longer than it takes to fill a memstore again, so that its memory is not given back in between.
constexpr std::chrono::seconds kFreeMemoryLook{5};

bool IsLoopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

class HBaseServer final : public Server {
 public:
  explicit HBaseServer(const ServerOptions& options)
      : options_(options),
        wire_memory_(WireBytesMax(options)),
        loops_(options.io_threads > 0 ? options.io_threads : std::thread::hardware_concurrency()) {}
  ~HBaseServer() override {
    if (const Status status = Stop(); !status.ok()) LogError("stopping: {}", status.ToString());
  }

  Status Open() {
    RETURN_IF_ERROR(CheckAddress(options_));
    std::optional<net::TlsListener> tls;
    if (options_.tls) {
      ASSIGN_OR_RETURN(TlsContextPtr context, MakeServerTls(*options_.tls));
      tls = {std::move(context), options_.tls_plaintext_too, options_.tls_verify_address};
    }
    if (!options_.users_file.empty()) {
      ASSIGN_OR_RETURN(users_, PasswordFile::Open(Env::Default(), options_.users_file));
    }
    RETURN_IF_ERROR(BindAll(tls));
    engine::EngineOptions engine = options_.engine;
    identity_.host = options_.host.empty() ? AdvertisedHost(options_.address) : options_.host;
    engine.server_address = fmt::format("{}:{}", identity_.host,
                                        ports_.region_server.value_or(ports_.master.value_or(0)));
    engine.shared = true;
    ASSIGN_OR_RETURN(store_,
                     front::OpenedStore::Open(options_.directory,
                                              {engine, options_.sql, !options_.without_phoenix}));
    identity_.without_phoenix = options_.without_phoenix;
    engine_ = store_->engine();
    ASSIGN_OR_RETURN(identity_.cluster_id, engine_->ReadClusterId());
    const std::string& name = engine_->server_name();
    identity_.start_code = std::stoll(name.substr(name.rfind(',') + 1));
    identity_.master_port = ports_.master.value_or(0);
    identity_.region_server_port = ports_.region_server.value_or(identity_.master_port);
    switches_ = std::make_unique<hbase::Switches>(engine_->env(), options_.directory);
    if (options_.quotas) {
      ASSIGN_OR_RETURN(quotas_, hbase::Quotas::Open(engine_, switches_.get()));
    }
    MakeServices();
    ServeAll();
    if (const std::string places = Places(); !places.empty()) {
      engine_->SetHolderNote(std::string(engine::kServedAt) + places);
    }
    housekeeper_.Start([this] { KeepHouse(); });
    return Status::Ok();
  }

  std::string Endpoints() const override {
    std::string text;
    const auto add = [&](const char* name, const std::string& address,
                         const std::optional<uint16_t>& port) {
      if (!port.has_value()) return;
      text += fmt::format("{}{}={}:{}", text.empty() ? "" : " ", name, address, *port);
    };
    add("zookeeper", options_.address, ports_.zookeeper);
    add("master", options_.address, ports_.master);
    add("regionserver", options_.address, ports_.region_server);
    add("http", options_.http_address, ports_.http);
    add("phoenix", options_.address, ports_.phoenix);
    return text;
  }

  // Where others get at the store: "localhost:16000, http://localhost:8765".
  std::string Places() const {
    std::string places;
    if (const auto port = ports_.master.has_value() ? ports_.master : ports_.region_server) {
      places = fmt::format("{}:{}", identity_.host, *port);
    }
    if (ports_.phoenix.has_value()) {
      places += fmt::format("{}http{}://{}:{}", places.empty() ? "" : ", ",
                            options_.tls.has_value() ? "s" : "", identity_.host, *ports_.phoenix);
    }
    return places;
  }

  front::OpenedStore* store() override { return store_.get(); }

  Status Stop() override {
    if (stopped_.exchange(true)) return Status::Ok();
    loops_.StopListening();
    if (handlers_ != nullptr) Drain();
    loops_.Stop();
    // What still runs ends here, and the sessions with it.
    if (phoenix_ != nullptr) phoenix_->Stop();
    if (pages_ != nullptr) pages_->Stop();
    housekeeper_.Stop();
    // SQL gives back what it has reserved, which is a write that may wait for a flush.
    if (store_ != nullptr) store_->sql_host()->Close();
    pages_.reset();  // which was told of the last statements
    // Before what its tasks use goes.
    if (engine_ != nullptr) engine_->StopBackground();
    // In this order: each stands on the next.
    handlers_.reset();
    scanners_.reset();
    regions_.reset();
    quotas_.reset();
    return store_ != nullptr ? store_->Close() : Status::Ok();
  }

  void Reload(const LiveOptions& live) override {
    const size_t handlers = HandlerCount();
    handlers_->SetBounds(
        live.queued_calls_max > 0 ? live.queued_calls_max : handlers * kQueuedPerHandler,
        std::min<size_t>(live.queued_bytes_max, wire_memory_.bytes_max()));
    scanners_->SetLease(live.scanner_lease);
    rpc_metrics_.slow_log()->SetBounds(live.slow);
    for (hbase::RpcPort* port : {&master_rpc_, &region_server_rpc_}) {
      port->request_bytes_max.store(live.request_bytes_max, std::memory_order_relaxed);
    }
    if (phoenix_ != nullptr) phoenix_->SetRequestBytesMax(live.request_bytes_max);
    if (pages_ != nullptr) pages_->SetRequestBytesMax(live.request_bytes_max);
    if (users_ == nullptr) return;
    if (const Status read = users_->Reload(); !read.ok()) {
      LogError("the users stay as they were: {}", read.message());
    }
  }

 private:
  size_t HandlerCount() const {
    return options_.handler_threads > 0 ? options_.handler_threads : kHandlers;
  }

  // Calls that came in are answered, within a bound of time; those that come now are refused.
  // Changes that were taken on are waited for as long as they take.
  void Drain() {
    for (hbase::RpcPort* port : {&master_rpc_, &region_server_rpc_}) port->draining.store(true);
    if (phoenix_ != nullptr) phoenix_->StartDraining();
    if (pages_ != nullptr) pages_->StartDraining();
    procedures_.Stop();
    AwaitCalls([this] {
      return rpc_metrics_.in_flight() + (phoenix_ != nullptr ? phoenix_->running() : 0);
    });
  }

  struct Ports {
    std::optional<uint16_t> zookeeper, master, region_server, http, phoenix;
  };

  Status BindAll(const std::optional<net::TlsListener>& tls) {
    const auto bind = [this](const std::string& address, const std::optional<uint16_t>& asked,
                             std::optional<uint16_t>* port,
                             const std::optional<net::TlsListener>& with) -> Status {
      if (!asked.has_value()) return Status::Ok();
      net::ListenOptions listen;
      listen.address = address;
      listen.port = *asked;
      listen.tls = with;
      listen.memory = &wire_memory_;
      ASSIGN_OR_RETURN(*port, loops_.Bind(listen));
      return Status::Ok();
    };
    const std::string& address = options_.address;
    RETURN_IF_ERROR(bind(address, options_.zookeeper_port, &ports_.zookeeper, {}));
    RETURN_IF_ERROR(bind(address, options_.master_port, &ports_.master, tls));
    RETURN_IF_ERROR(bind(address, options_.region_server_port, &ports_.region_server, tls));
    RETURN_IF_ERROR(bind(options_.http_address, options_.http_port, &ports_.http,
                         options_.http_tls ? TlsOfHttp(tls, options_.http_address) : std::nullopt));
    return bind(address, options_.phoenix_port, &ports_.phoenix, TlsOfHttp(tls, address));
  }

  void MakeServices() {
    const size_t handlers = HandlerCount();
    handlers_ = std::make_unique<net::Handlers>(handlers, handlers * kQueuedPerHandler);
    regions_ = std::make_unique<hbase::Regions>(engine_, engine_->server_name(),
                                                options_.engine.configuration);
    scanners_ = std::make_unique<hbase::Scanners>(options_.live.scanner_lease);
    meta_service_ = std::make_unique<hbase::ClientMetaService>(&identity_);
    bootstrap_service_ = std::make_unique<hbase::BootstrapNodeService>(&identity_);
    client_service_ = std::make_unique<hbase::ClientService>(
        regions_.get(), scanners_.get(), handlers_.get(), quotas_.get(), engine_->env(),
        options_.directory,
        hbase::ClientFolders{"bennu.load.root", "read", options_.load_root,
                             IsLoopback(options_.address)},
        std::max(wire_memory_.bytes_max() / kAnswersAtATime, kAnswerBytesMin));
    requests_ = {options_.stop_asked, options_.reload_asked};
    admin_service_ = std::make_unique<hbase::AdminService>(
        engine_, regions_.get(), &identity_, options_.directory, rpc_metrics_.slow_log(),
        quotas_.get(), &requests_);
    peers_ = std::make_unique<hbase::ReplicationPeers>(engine_->env(), options_.directory);
    master_service_ = std::make_unique<hbase::MasterService>(
        engine_, regions_.get(), &procedures_, &identity_, quotas_.get(), peers_.get(),
        switches_.get(), hbase::ClientFolders{"bennu.backup.root", "written", options_.backup_root},
        &requests_);
    hbck_service_ = std::make_unique<hbase::HbckService>();
    const auto set = [this](hbase::RpcPort* port, std::vector<const hbase::Service*> services) {
      port->services = std::move(services);
      port->handlers = handlers_.get();
      port->cluster_id = identity_.cluster_id;
      port->metrics = &rpc_metrics_;
      port->memory = &wire_memory_;
    };
    set(&master_rpc_, {master_service_.get(), meta_service_.get(), client_service_.get(),
                       admin_service_.get(), hbck_service_.get()});
    set(&region_server_rpc_, {client_service_.get(), admin_service_.get(), meta_service_.get(),
                              bootstrap_service_.get()});
    MakePhoenix();
    Reload(options_.live);
    zookeeper::Znodes::Sources sources;
    sources.list_tables = [this] {
      std::map<std::string, bool> tables;
      const auto names = engine_->admin()->ListTables();
      if (!names.ok()) return tables;
      for (const TableName& name : *names) {
        const auto enabled = engine_->admin()->IsTableEnabled(name);
        tables[name.ToString()] = enabled.ok() && *enabled;
      }
      return tables;
    };
    sources.list_namespaces = [this] {
      auto names = engine_->admin()->ListNamespaces();
      return names.ok() ? std::move(names).value() : std::vector<std::string>();
    };
    sources.is_balancer_on = [this] { return switches_->IsOn(hbase::Switch::kBalancer); };
    znodes_ = std::make_unique<zookeeper::Znodes>(identity_, std::move(sources));
    MakePages();
  }

  void MakePhoenix() {
    if (!ports_.phoenix.has_value()) return;
    PhoenixFront::Options options;
    options.bounds = options_.phoenix;
    options.compress = options_.http_compress;
    options.host = identity_.host;
    options.port = *ports_.phoenix;
    options.memory = &wire_memory_;
    options.users = users_.get();
    phoenix_ = std::make_unique<PhoenixFront>(store_->sql_host(), options);
  }

  void MakePages() {
    if (!ports_.http.has_value()) return;
    status::StatusSources sources;
    sources.engine = engine_;
    sources.regions = regions_.get();
    sources.scanners = scanners_.get();
    sources.handlers = handlers_.get();
    sources.rpc = &rpc_metrics_;
    sources.identity = &identity_;
    sources.zookeeper_port = ports_.zookeeper.value_or(0);
    sources.services = {master_service_.get(), meta_service_.get(),      client_service_.get(),
                        admin_service_.get(),  bootstrap_service_.get(), hbck_service_.get()};
    sources.connections = [this] { return loops_.connection_count(); };
    sources.stopping = [this] { return stopped_.load(); };
    sources.process = [this] { return ReadProcessMetrics(); };
    console::StoreSources shown;
    shown.store = store_.get();
    shown.version = BENNU_VERSION;
    shown.endpoints = Endpoints();
    shown.directory = options_.directory;
    shown.memstore_bytes_max = options_.engine.memstore_total_bytes;
    shown.memory_bytes_max = UsableMemoryBytes(Env::Default());
    shown.metrics = [sources] { return CollectMetrics(sources); };
    shown.slow_calls = [this] { return rpc_metrics_.slow_log()->List(); };
    shown.phoenix_connections = [this] { return PhoenixConnections(); };
    PageFront::Options options;
    options.host = identity_.host;
    options.compress = options_.http_compress;
    options.memory = &wire_memory_;
    options.users = users_.get();
    const auto show_status = [sources = std::move(sources)](const http::Request& request) {
      return ShowStatus(sources, request);
    };
    pages_ = std::make_unique<PageFront>(store_->sql_host(),
                                         std::make_unique<console::StoreView>(std::move(shown)),
                                         show_status, options);
    pages_->SetRequestBytesMax(options_.live.request_bytes_max);
  }

  size_t PhoenixConnections() const {
    return phoenix_ == nullptr ? 0 : phoenix_->connection_count();
  }

  status::ProcessMetrics ReadProcessMetrics() const {
    return {identity_.start_code, ResidentMemoryBytes(Env::Default()), PhoenixConnections(),
            pages_->statement_micros(), pages_->index_builds()};
  }

  void ServeAll() {
    const auto serve_rpc = [this](const std::optional<uint16_t>& port,
                                  const hbase::RpcPort* services) {
      if (!port.has_value()) return;
      loops_.Serve(*port, [services](std::shared_ptr<net::Channel> channel) {
        return std::make_unique<hbase::RpcSession>(services, std::move(channel));
      });
    };
    serve_rpc(ports_.master, &master_rpc_);
    serve_rpc(ports_.region_server, &region_server_rpc_);
    if (ports_.http.has_value()) {
      loops_.Serve(*ports_.http, [this](std::shared_ptr<net::Channel> channel) {
        return pages_->NewSession(std::move(channel));
      });
    }
    if (ports_.phoenix.has_value()) {
      loops_.Serve(*ports_.phoenix, [this](std::shared_ptr<net::Channel> channel) {
        return phoenix_->NewSession(std::move(channel));
      });
    }
    if (!ports_.zookeeper.has_value()) return;
    loops_.Serve(*ports_.zookeeper, [this](std::shared_ptr<net::Channel> channel) {
      return std::make_unique<zookeeper::ZkSession>(znodes_.get(), std::move(channel),
                                                    &wire_memory_);
    });
  }

  void KeepHouse() {
    scanners_->ExpireLeases();
    procedures_.KeepHouse();
    if (phoenix_ != nullptr) phoenix_->CloseIdle();
    if (pages_ != nullptr) pages_->CloseIdle();
    LookAtSpace();
    LookAtFreeMemory();
  }

  void LookAtSpace() {
    const auto now = net::MonotonicNow();
    if (quotas_ == nullptr || now < next_space_look_) return;
    next_space_look_ = now + options_.space_look_period;
    const Status status = quotas_->space()->Look(regions_.get());
    if (!status.ok()) LogWarning("looking for violated space quotas: {}", status.ToString());
  }

  void LookAtFreeMemory() {
    const auto now = net::MonotonicNow();
    if (now < next_free_memory_look_) return;
    next_free_memory_look_ = now + kFreeMemoryLook;
    free_memory_.Look();
  }

  const ServerOptions options_;
  Ports ports_;
  hbase::Identity identity_;
  hbase::RpcMetrics rpc_metrics_;
  std::unique_ptr<front::OpenedStore> store_;
  engine::Engine* engine_ = nullptr;     // the store's
  std::unique_ptr<PasswordFile> users_;  // null: anybody
  std::unique_ptr<hbase::Switches> switches_;
  std::unique_ptr<hbase::Quotas> quotas_;  // null: not enforced
  std::unique_ptr<net::Handlers> handlers_;
  std::unique_ptr<hbase::Regions> regions_;
  std::unique_ptr<hbase::Scanners> scanners_;
  hbase::Procedures procedures_;
  hbase::OperatorRequests requests_;
  std::unique_ptr<hbase::ClientMetaService> meta_service_;
  std::unique_ptr<hbase::BootstrapNodeService> bootstrap_service_;
  std::unique_ptr<hbase::ClientService> client_service_;
  std::unique_ptr<hbase::AdminService> admin_service_;
  std::unique_ptr<hbase::ReplicationPeers> peers_;
  std::unique_ptr<hbase::MasterService> master_service_;
  std::unique_ptr<hbase::HbckService> hbck_service_;
  hbase::RpcPort master_rpc_;
  hbase::RpcPort region_server_rpc_;
  std::unique_ptr<PhoenixFront> phoenix_;  // null: not served
  std::unique_ptr<zookeeper::Znodes> znodes_;
  std::unique_ptr<PageFront> pages_;  // null: not served
  net::WireMemory wire_memory_;
  net::IoLoops loops_;  // after all that sessions use
  std::atomic<bool> stopped_{false};
  // The housekeeper's.
  std::chrono::nanoseconds next_space_look_{0};
  std::chrono::nanoseconds next_free_memory_look_{0};
  FreeMemoryKeeper free_memory_{Env::Default()};
  Housekeeper housekeeper_;  // uses nearly all the others, and ends first
};

}  // namespace

uint64_t WireBytesMax(const ServerOptions& options) {
  if (options.wire_bytes_max > 0) return options.wire_bytes_max;
  constexpr uint64_t kUsableShare = 8;
  constexpr uint64_t kMin = 64ull << 20;
  constexpr uint64_t kMax = 2ull << 30;
  return std::clamp(UsableMemoryBytes(Env::Default()) / kUsableShare, kMin, kMax);
}

std::string AdvertisedHost(const std::string& address) {
  // Other addresses of the loopback network are not what "localhost" leads to.
  if (address == "127.0.0.1" || address == "::1") return "localhost";
  if (address != "0.0.0.0" && address != "::") return address;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

std::optional<net::TlsListener> TlsOfHttp(std::optional<net::TlsListener> tls,
                                          const std::string& address) {
  if (tls.has_value() && !IsLoopback(address)) tls->plaintext_too = false;
  return tls;
}

Status CheckAddress(const ServerOptions& options) {
  const auto open = [&options](const std::string& address) {
    return IsLoopback(address) || options.allow_unauthenticated;
  };
  RETURN_IF_ERROR(net::CheckIpAddress(options.address));
  const bool rpc = options.zookeeper_port.has_value() || options.master_port.has_value() ||
                   options.region_server_port.has_value();
  if (rpc && !open(options.address)) {
    return InvalidArgument(fmt::format(
        "{} can be reached from other machines, and HBase's clients need no authentication: "
        "anybody could read and change all data; listen on 127.0.0.1, turn the ports of ZooKeeper, "
        "master and region server off (none), or say --allow-unauthenticated",
        options.address));
  }
  const auto check_http = [&](const std::string& address, std::string_view what, bool tls,
                              std::string_view how) -> Status {
    RETURN_IF_ERROR(net::CheckIpAddress(address));
    if (open(address) || (!options.users_file.empty() && tls)) return Status::Ok();
    return InvalidArgument(fmt::format(
        "{} can be reached from other machines, and {} would be there without {}: {}, listen on "
        "127.0.0.1, or say --allow-unauthenticated",
        address, what, options.users_file.empty() ? "authentication" : "TLS", how));
  };
  if (options.phoenix_port.has_value()) {
    RETURN_IF_ERROR(check_http(options.address, "Phoenix's query server", options.tls.has_value(),
                               "set bennu.http.users and hbase.server.netty.tls.enabled"));
  }
  if (!options.http_port.has_value()) return Status::Ok();
  return check_http(options.http_address, "the server's pages",
                    options.tls.has_value() && options.http_tls,
                    "set bennu.http.users, hbase.server.netty.tls.enabled and hbase.ssl.enabled");
}

Result<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  RaiseOpenFileLimit();  // each connection is one
  // What clients send and cannot be read is answered; protobuf would tell standard error of it.
  google::protobuf::SetLogHandler(nullptr);
  auto server = std::make_unique<HBaseServer>(options);
  RETURN_IF_ERROR(server->Open());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace bennu::server
