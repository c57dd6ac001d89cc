#include "src/cli/store_load_target.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/bennu/opened_cluster.h"
#include "src/bennu/opened_store.h"
#include "src/cli/table_name.h"
#include "src/client/cluster_url.h"
#include "src/sql/session/session.h"
#include "src/sql/session/sql_store.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::cli {

namespace {

using sql::catalog::TableMeta;

LoadTable DescribeTable(const TableMeta& table) {
  LoadTable described;
  described.schema = table.schema;
  described.name = table.name;
  for (const sql::catalog::ColumnMeta& column : table.columns) {
    if (!column.hidden) described.columns.push_back({column.family, column.name, column.type});
  }
  return described;
}

class StoreLoadTarget final : public LoadTarget {
 public:
  Status Open(const std::string& directory, DatabaseOptions options, const std::string& tenant) {
    tenant_ = tenant;
    options.create_if_missing = false;
    front::SqlHost* host = nullptr;
    if (client::LooksLikeCluster(directory)) {
      ASSIGN_OR_RETURN(cluster_, front::OpenedCluster::Open(directory, options));
      host = cluster_->sql_host();
    } else {
      ASSIGN_OR_RETURN(store_, front::OpenedStore::Open(directory, options));
      host = store_->sql_host();
    }
    ASSIGN_OR_RETURN(sql_, host->Sql());
    sql::session::SessionOptions session_options = host->session_options();
    session_options.autocommit = false;
    session_options.tenant = tenant;
    ASSIGN_OR_RETURN(session_, sql::session::Session::Open(sql_, session_options));
    return Status();
  }

  Result<LoadTable> FindTable(const std::string& text) override {
    sql::catalog::Catalog* const catalog = sql_->catalog();
    const auto get = [&](const SqlName& name) {
      return catalog->GetTable(name.schema, name.name, /*position=*/-1, kLatestTimestamp, tenant_);
    };
    const SqlName name = ParseSqlName(text);
    for (const SqlName& one : {name, ParseExactName(text)}) {
      const auto table = get(one);
      if (table.ok()) return DescribeTable(**table);
      if (!sql::IsSqlError(table.status(), 1012)) return table.status();
    }
    std::vector<std::string> names;
    // The tables are listed for the message alone: it can do without them.
    if (const auto all = catalog->ListTables(); all.ok()) {
      for (const sql::catalog::TableListing& one : *all) {
        names.push_back(sql::catalog::FullTableName(one.schema, one.name));
      }
    }
    return sql::MakeSqlError(1012,
                             "tableName=" + sql::catalog::FullTableName(name.schema, name.name),
                             /*position=*/-1, DidYouMean(CloseNames(text, names)));
  }

  Status Prepare(const std::string& upsert) override {
    ASSIGN_OR_RETURN(statement_, session_->Prepare(upsert));
    return Status();
  }

  Status Add(std::span<const sql::Value> values) override {
    RETURN_IF_ERROR(statement_->Execute(values).status());
    ++pending_;
    return Status();
  }

  Status Commit(const std::function<Status(const RowFault&)>&, size_t* rows) override {
    *rows = 0;
    if (pending_ == 0) return Status();
    RETURN_IF_ERROR(session_->Commit());
    *rows = std::exchange(pending_, 0);
    return Status();
  }

  bool refuses_late() const override { return false; }

 private:
  std::string tenant_;
  // One of them.
  std::unique_ptr<front::OpenedStore> store_;
  std::unique_ptr<front::OpenedCluster> cluster_;
  sql::session::SqlStore* sql_ = nullptr;  // of that
  std::unique_ptr<sql::session::Session> session_;
  std::unique_ptr<sql::session::SessionStatement> statement_;
  size_t pending_ = 0;
};

}  // namespace

Result<std::unique_ptr<LoadTarget>> OpenStoreLoadTarget(const std::string& directory,
                                                        DatabaseOptions options,
                                                        const std::string& tenant) {
  auto target = std::make_unique<StoreLoadTarget>();
  RETURN_IF_ERROR(target->Open(directory, std::move(options), tenant));
  return std::unique_ptr<LoadTarget>(std::move(target));
}

}  // namespace bennu::cli
