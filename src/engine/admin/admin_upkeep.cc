// EngineAdmin: flush and compaction, of tables, regions and families.
#include <set>
#include <string>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/engine/admin/admin.h"

namespace bennu::engine {

namespace {

// An empty family is all of them.
Status CheckFamily(const TableEntry& table, const Bytes& family) {
  if (family.empty() || table.descriptor().FindFamily(family) != nullptr) return Status::Ok();
  return NotFound("table " + table.name().ToString() + " has no family '" + ToStringBinary(family) +
                  "'");
}

}  // namespace

// ---- flush

Status EngineAdmin::FlushFamily(const TableName& name, const Bytes& family) {
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  RETURN_IF_ERROR(CheckFamily(*table, family));
  if (core_->maintenance == nullptr) return core_->gate.Check();
  RETURN_IF_ERROR(table->CheckUsable());
  const auto regions = table->regions();
  for (const auto& region : *regions) RETURN_IF_ERROR(FlushOne(region.get(), family));
  return Status::Ok();
}

Status EngineAdmin::FlushRegion(const std::string& encoded_name, const Bytes& family) {
  ASSIGN_OR_RETURN(const Place place, FindRegionByName(encoded_name));
  RETURN_IF_ERROR(CheckFamily(*place.table, family));
  if (core_->maintenance == nullptr) return core_->gate.Check();
  RETURN_IF_ERROR(place.table->CheckUsable());
  return FlushOne(place.region.get(), family);
}

Status EngineAdmin::FlushOne(Region* region, const Bytes& family) {
  RETURN_IF_ERROR(core_->maintenance->FlushNow(region, family));
  core_->maintenance->WantCompaction(region);
  return Status::Ok();
}

// ---- compaction

// HBase throttles what clients ask for as all compactions. Who has the store in his own process
// waits for the end, and for nobody else.
CompactionThrottle* EngineAdmin::ThrottleOfAsked() const {
  return core_->options.server_address.empty() ? nullptr : core_->services.compaction_throttle;
}

Status EngineAdmin::CompactFamily(const TableName& name, const Bytes& family, bool major) {
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  RETURN_IF_ERROR(CheckFamily(*table, family));
  if (core_->maintenance == nullptr) return core_->gate.Check();
  std::set<std::string> done;
  for (;;) {
    RETURN_IF_ERROR(table->CheckUsable());
    const Status status = CompactRegions(*table->regions(), major, family, &done);
    if (status.code() != StatusCode::kCancelled) return status;
    RETURN_IF_ERROR(AwaitChange(status));
  }
}

Status EngineAdmin::CompactRegion(const std::string& encoded_name, const Bytes& family,
                                  bool major) {
  for (;;) {
    ASSIGN_OR_RETURN(const Place place, FindRegionByName(encoded_name));
    RETURN_IF_ERROR(CheckFamily(*place.table, family));
    if (core_->maintenance == nullptr) return core_->gate.Check();
    RETURN_IF_ERROR(place.table->CheckUsable());
    const Status status =
        core_->maintenance->CompactNow(place.region.get(), major, ThrottleOfAsked(), family);
    if (status.code() != StatusCode::kCancelled) return status;
    RETURN_IF_ERROR(AwaitChange(status));
  }
}

// The change of the region that ended a compaction with 'cancelled' holds the catalog's lock until
// it is through. Then again, in what regions there are: whoever asked wants old files rewritten.
Status EngineAdmin::AwaitChange(const Status& cancelled) {
  RETURN_IF_ERROR(core_->gate.Check());
  if (core_->maintenance->stopping()) return cancelled;
  MutexLock lock(&core_->ddl_mu);
  return Status::Ok();
}

Result<CompactionState> EngineAdmin::GetCompactionState(const std::string& encoded_name) {
  ASSIGN_OR_RETURN(const Place place, FindRegionByName(encoded_name));
  return place.region->compactor()->at_work();
}

Result<CompactionState> EngineAdmin::GetTableCompactionState(const TableName& name) {
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  auto state = CompactionState::kNone;
  const auto regions = table->regions();
  for (const auto& region : *regions) state = Together(state, region->compactor()->at_work());
  return state;
}

Status EngineAdmin::CompactRegions(const RegionList& regions, bool major, const Bytes& family,
                                   std::set<std::string>* done) {
  for (const auto& region : regions) {
    if (done->contains(region->encoded_name())) continue;
    RETURN_IF_ERROR(core_->maintenance->CompactNow(region.get(), major, ThrottleOfAsked(), family));
    done->insert(region->encoded_name());
  }
  return Status::Ok();
}

}  // namespace bennu::engine
