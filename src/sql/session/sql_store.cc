#include "src/sql/session/sql_store.h"

#include "src/base/status_macros.h"
#include "src/sql/catalog/statistics.h"
#include "src/sql/index/cluster_indexes.h"
#include "src/sql/session/constant.h"

namespace bennu::sql::session {

// What cannot be given back is lost, as after a crash: sequences may have gaps.
SqlStore::~SqlStore() {
  index_builds_ = nullptr;
  std::unique_ptr<Connection> again;
  sequences_.ReturnUnused([&]() -> Result<Connection*> {
    if (reconnect_ == nullptr) return connection_;
    ASSIGN_OR_RETURN(again, reconnect_());
    return again.get();
  });
}

void SqlStore::set_cluster_indexes(index::ClusterIndexes* indexes) {
  indexes_ = indexes;
  cluster_indexes_ = indexes;
}

RunningIndexBuild SqlStore::BeginningBuild(const catalog::TableMeta& table,
                                           const catalog::TableMeta& index,
                                           bool in_background) const {
  RunningIndexBuild build;
  build.table = table.FullName();
  build.index = index.FullName();
  build.tenant = index.tenant;
  build.in_background = in_background;
  build.start_millis = connection_->NowMillis();
  // A view has some of the rows that are counted.
  if (table.is_view()) return build;
  const auto posts = catalog::ReadGuidePosts(connection_, table.physical, table.empty_family);
  if (!posts.ok() || posts->empty() || posts->front().key.empty()) return build;
  build.total = 0;
  for (const catalog::GuidePost& post : *posts) *build.total += static_cast<uint64_t>(post.rows);
  return build;
}

void SqlStore::StartIndexBuilds() {
  index_builds_ = std::make_unique<IndexBuilds>(this);
  index_builds_->Wake();
}

Result<std::unique_ptr<SqlStore>> SqlStore::Open(Connection* connection,
                                                 PrepareQueryFunction prepare_query,
                                                 const catalog::Features& features) {
  ASSIGN_OR_RETURN(auto catalog, catalog::Catalog::Open(connection, features));
  std::unique_ptr<SqlStore> store(
      new SqlStore(connection, std::move(catalog), std::move(prepare_query)));
  store->catalog_->set_constant_evaluator([store = store.get()](const parse::Expr& expr) {
    exec::PrepareContext context;
    context.connection = store->connection();
    context.catalog = store->catalog();
    context.now_millis = store->connection()->NowMillis();
    return EvaluateConstant(expr, *store, context);
  });
  return store;
}

}  // namespace bennu::sql::session
