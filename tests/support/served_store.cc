#include "tests/support/served_store.h"

#include <cstdio>
#include <filesystem>
#include <utility>

#include "src/base/check.h"
#include "src/base/env.h"
#include "src/client/connect.h"

namespace bennu::testing {

namespace {

template <typename T>
T OrDie(Result<T> result) {
  if (!result.ok()) std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
  BENNU_CHECK(result.ok());
  return std::move(result).value();
}

}  // namespace

ServedStore::ServedStore(engine::EngineOptions options) : options_(std::move(options)) {
  path_ = std::filesystem::temp_directory_path() /
          ("bennu_served_" + std::to_string(Env::Default()->RandomU64()));
  Open();
}

ServedStore::~ServedStore() {
  connection_.reset();
  server_.reset();
  std::filesystem::remove_all(path_);
}

void ServedStore::Reopen() {
  connection_.reset();
  server_.reset();
  Open();
}

void ServedStore::Open() {
  server::ServerOptions options;
  options.directory = path_;
  options.zookeeper_port.reset();
  options.http_port.reset();
  options.phoenix_port.reset();
  options.master_port = 0;
  options.region_server_port = 0;
  options.handler_threads = 4;
  options.engine = options_;
  server_ = OrDie(server::Server::Start(options));
  // "master=127.0.0.1:PORT regionserver=…"
  const std::string endpoints = server_->Endpoints();
  const size_t begin = endpoints.find("master=") + 7;
  client::ClientOptions client_options;
  client_options.registry =
      OrDie(client::ParseAddresses(endpoints.substr(begin, endpoints.find(' ', begin) - begin)));
  client_options.user = "test";
  connection_ = OrDie(client::Connect(client_options));
}

}  // namespace bennu::testing
