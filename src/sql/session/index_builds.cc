#include "src/sql/session/index_builds.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/sql/index/index_keeper.h"
#include "src/sql/session/sql_store.h"
#include "src/sql/session/statements.h"

namespace bennu::sql::session {
namespace {

using catalog::IndexState;

constexpr std::chrono::milliseconds kStep{100};
constexpr int kStepsOfDelay = 50;        // 5 seconds
constexpr int kStepsOfDelayMax = 3'000;  // 5 minutes

}  // namespace

IndexBuilds::Claim::Claim(IndexBuilds* builds, const catalog::TableKey& index)
    : builds_(builds), index_(index) {
  if (builds_ == nullptr) return;
  MutexLock lock(&builds_->mu_);
  mine_ = builds_->claimed_.insert(index_).second;
}

IndexBuilds::Claim::~Claim() {
  if (builds_ == nullptr || !mine_) return;
  MutexLock lock(&builds_->mu_);
  builds_->claimed_.erase(index_);
}

IndexBuilds::IndexBuilds(SqlStore* store) : store_(store), thread_([this] { Run(); }) {}

IndexBuilds::~IndexBuilds() {
  stop_.store(true);
  {
    MutexLock lock(&mu_);
    changed_.SignalAll();
  }
  thread_.join();
}

void IndexBuilds::Wake() {
  MutexLock lock(&mu_);
  woken_ = true;
  changed_.SignalAll();
}

bool IndexBuilds::IsBuilding(const catalog::TableKey& index) {
  MutexLock lock(&mu_);
  return claimed_.contains(index);
}

void IndexBuilds::StatesChanged() {
  store_->catalog()->Invalidate();
  Wake();
}

void IndexBuilds::Run() {
  int delay = kStepsOfDelay;
  bool again = false;
  for (;;) {
    {
      MutexLock lock(&mu_);
      while (!again && !woken_ && !stop_.load()) changed_.Wait(&mu_);
      if (woken_) delay = kStepsOfDelay;
      woken_ = false;
      for (int i = 0; i < delay && !stop_.load(); ++i) {
        changed_.WaitFor(&mu_, kStep);
        if (woken_ && i >= kStepsOfDelay) break;
      }
      if (stop_.load()) return;
      woken_ = false;
    }
    const auto left = BuildAll();
    if (!left.ok() && !stop_.load()) {
      LogWarning("indexes that are to be built are left as they are: {}", left.status().ToString());
    }
    again = left.ok() && *left;
    delay = std::min(delay * 2, kStepsOfDelayMax);
  }
}

Result<bool> IndexBuilds::BuildAll() {
  ASSIGN_OR_RETURN(const auto indexes, store_->catalog()->IndexesBeingBuilt());
  bool left = false;
  for (const catalog::TableKey& index : indexes) {
    if (stop_.load()) return false;
    // One that cannot be built does not keep the others from it.
    const Status built = BuildOne(index);
    if (built.ok() || stop_.load()) continue;
    left = true;
    std::string& told = told_[index];
    if (std::exchange(told, built.ToString()) == told) continue;
    LogWarning("index {}, which is to be built, is left as it is for now: {}",
               catalog::FullTableName(index.schema, index.name), told);
  }
  if (!left) told_.clear();
  return left;
}

Status IndexBuilds::BuildOne(const catalog::TableKey& key) {
  const Claim claim(this, key);
  if (!claim.mine()) return Status::Ok();
  catalog::Catalog* const catalog = store_->catalog();
  ASSIGN_OR_RETURN(const auto index,
                   catalog->GetTable(key.schema, key.name, -1, kLatestTimestamp, key.tenant));
  if (index->index_state != IndexState::kBuilding) return Status::Ok();
  ASSIGN_OR_RETURN(const auto table, catalog->GetTable(key.schema, index->data_table_name, -1,
                                                       kLatestTimestamp, key.tenant));
  const std::shared_ptr<StatementSlot> slot = store_->statements()->AddSlot("");
  const int64_t id =
      slot->Begin(std::make_shared<const std::string>("CREATE INDEX " + index->FullName() + " ON " +
                                                      table->FullName() + " (in the background)"),
                  store_->connection()->NowMillis(), 0);
  IndexBuildMeter::Build build(store_->index_build_meter(),
                               store_->BeginningBuild(*table, *index, /*in_background=*/true));
  const auto rows = store_->indexes()->BuildAnew(table, index, [&](size_t done) -> Status {
    if (stop_.load()) return Status(StatusCode::kCancelled, "the store is being closed");
    slot->control()->AddRowsRead(done);
    build.AddRows(done);
    return slot->control()->Check();
  });
  build.End(rows.status());
  const bool cancelled = rows.status().code() == StatusCode::kCancelled && !stop_.load();
  slot->End(id);
  if (!rows.ok() && !cancelled) return rows.status();
  catalog::DdlContext context;
  context.features = catalog->features();
  const IndexState state = cancelled ? IndexState::kDisabled : IndexState::kActive;
  RETURN_IF_ERROR(catalog->SetIndexState(*index, state, context).status());
  return cancelled ? store_->indexes()->Changed(*table)
                   : store_->indexes()->StateChanged(table->physical);
}

}  // namespace bennu::sql::session
