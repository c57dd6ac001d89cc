#include "src/cli/sqltest_store.h"

#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/sql_client.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/cli/store_conf.h"

namespace bennu::cli {

namespace {

constexpr size_t kHostileThreads = 4;  // more than the tiny tables of recordings would get

Status CopyTree(const std::string& from, const std::string& to) {
  Env* const env = Env::Default();
  RETURN_IF_ERROR(env->CreateDirectories(to));
  ASSIGN_OR_RETURN(const std::vector<std::string> names, env->ListDirectory(from));
  for (const std::string& name : names) {
    const std::string source = JoinPath(from, name);
    const std::string target = JoinPath(to, name);
    ASSIGN_OR_RETURN(const bool directory, env->IsDirectory(source));
    if (directory) {
      RETURN_IF_ERROR(CopyTree(source, target));
      continue;
    }
    ASSIGN_OR_RETURN(const Bytes content, env->ReadFile(source));
    ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> file, env->CreateFile(target));
    RETURN_IF_ERROR(file->Append(content));
    RETURN_IF_ERROR(file->Close());
  }
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<SqlTestStore>> SqlTestStore::Open(const std::string& directory,
                                                         const SqlTestModes& modes,
                                                         const std::vector<std::string>& conf) {
  std::unique_ptr<SqlTestStore> store(new SqlTestStore(directory, modes, conf));
  RETURN_IF_ERROR(store->OpenStore());
  return store;
}

Result<std::unique_ptr<SqlTestStore>> SqlTestStore::OpenOn(const SqlTestCluster& cluster) {
  std::unique_ptr<SqlTestStore> store(new SqlTestStore({}, SqlTestModes(), {}));
  ASSIGN_OR_RETURN(store->database_, cluster.OpenDatabase());
  return store;
}

Status SqlTestStore::OpenStore() {
  DatabaseOptions options;
  options.write_sync = WriteSync::kOs;  // a scratch store need not survive the machine
  if (modes_.any()) {
    options.threads = kHostileThreads;
    // Only those who write all the time take what comes; elsewhere files are merged when told to.
    options.background_compaction = modes_.writers;
    // Compactions that nobody recorded would write guide posts, which plans tell.
    options.configuration["phoenix.stats.collection.enabled"] = "false";
  }
  RETURN_IF_ERROR(ApplyConf(conf_, &options));
  if (!modes_.served && !modes_.clustered) {
    ASSIGN_OR_RETURN(database_, Database::Open(directory_, options));
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const front::StoreOptions store, front::StoreOptionsOf(options));
  server::ServerOptions serve;
  serve.directory = directory_;
  serve.engine = store.engine;
  serve.sql = store.sql;
  serve.without_phoenix = modes_.clustered;
  for (auto* const port :
       {&serve.zookeeper_port, &serve.master_port, &serve.region_server_port, &serve.http_port}) {
    port->reset();
  }
  (modes_.clustered ? serve.master_port : serve.phoenix_port) = 0;
  if (modes_.clustered) serve.phoenix_port.reset();
  ASSIGN_OR_RETURN(server_, server::Server::Start(serve));
  if (modes_.clustered) {
    // "master=127.0.0.1:41234"
    const std::string places = server_->Endpoints();
    ASSIGN_OR_RETURN(
        database_, Database::Open("hbase+rpc://" + places.substr(places.rfind('=') + 1), options));
  }
  return Status::Ok();
}

Connection* SqlTestStore::connection() {
  return server_ != nullptr ? server_->store()->engine() : database_->store();
}

Result<std::unique_ptr<SqlConnection>> SqlTestStore::Connect(const ConnectOptions& options) {
  if (database_ != nullptr) return database_->Connect(options);
  const std::string places = server_->Endpoints();  // "phoenix=127.0.0.1:41234"
  SqlClientOptions client;
  client.connection = options;
  return SqlClient::Connect("http://" + places.substr(places.rfind('=') + 1), client);
}

void SqlTestStore::Close() {
  database_.reset();
  server_.reset();
}

Status SqlTestStore::ForEachTable(const std::function<Status(Admin*, const TableName&)>& work) {
  Admin* const admin = connection()->admin();
  ASSIGN_OR_RETURN(const std::vector<TableName> names, admin->ListTables());
  for (const TableName& name : names) RETURN_IF_ERROR(work(admin, name));
  return Status::Ok();
}

Status SqlTestStore::FlushAll() {
  return ForEachTable([](Admin* admin, const TableName& name) { return admin->Flush(name); });
}

Status SqlTestStore::CompactAll(bool major) {
  return ForEachTable(
      [major](Admin* admin, const TableName& name) { return admin->Compact(name, major); });
}

Status SqlTestStore::Restart() {
  Close();
  return OpenStore();
}

Status SqlTestStore::RestartKilled() {
  Env* const env = Env::Default();
  const std::string image = directory_ + ".image";
  RETURN_IF_ERROR(env->RemoveTree(image));
  RETURN_IF_ERROR(CopyTree(directory_, image));
  Close();
  RETURN_IF_ERROR(env->RemoveTree(directory_));
  RETURN_IF_ERROR(env->Rename(image, directory_));
  return OpenStore();
}

}  // namespace bennu::cli
