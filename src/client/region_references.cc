#include "src/client/region_references.h"

#include <fmt/format.h>

#include <utility>

#include "proto/admin.pb.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/client/cluster.h"
#include "src/client/deadline.h"

namespace bennu::client {

namespace {

// Regions that are gone are not told apart from others; a few megabytes at the most.
constexpr size_t kRegionsKept = 1 << 16;
// How often somebody who waits asks: after so many times hbase.client.pause.
constexpr int kPausesBetween = 3;

}  // namespace

bool RegionReferences::HasNone(const Bytes& name) {
  MutexLock lock(&mu_);
  return without_.contains(name);
}

void RegionReferences::NoteNone(const Bytes& name) {
  MutexLock lock(&mu_);
  if (without_.size() >= kRegionsKept) without_.clear();
  without_.insert(name);
}

CallOutcome RegionReferences::Ask(const RegionInfo& region, const Bytes& name, Operation* operation,
                                  bool* has) {
  auto found = cluster_->FindNamed(region.table, region.start_key, false, name, *operation);
  if (!found.ok()) return OutcomeOf(std::move(found).status());
  operation->SetPlace(name, *(*found)->server);
  pb::GetRegionInfoRequest request;
  SetRegion(**found, request.mutable_region());
  CallOutcome outcome =
      cluster_->CallRegionAdmin(**found, "GetRegionInfo", request, operation->CallTimeout());
  if (!outcome.status.ok()) {
    cluster_->Correct(*found, outcome);
    return outcome;
  }
  pb::GetRegionInfoResponse response;
  outcome.status = outcome.answer.Parse(&response);
  // What has references cannot be merged. While a region is closed it cannot be, either; then it is
  // asked again or found to be gone.
  if (outcome.status.ok()) *has = !response.mergeable();
  return outcome;
}

Result<bool> RegionReferences::Has(const RegionInfo& region) {
  const Bytes name = region.RegionName();
  if (HasNone(name)) return false;
  Operation operation(cluster_->options(), region.table, region.start_key);
  bool has = true;
  RETURN_IF_ERROR(Cluster::Retry(&operation, [&] { return Ask(region, name, &operation, &has); }));
  if (!has) NoteNone(name);
  return has;
}

Status RegionReferences::WaitUntilGone(const RegionInfo& region) {
  const ClientOptions& options = cluster_->options();
  const Deadline deadline(options.operation_timeout);
  while (true) {
    ASSIGN_OR_RETURN(const bool has, Has(region));
    if (!has) return Status::Ok();
    if (deadline.Passed()) break;
    Pause(kPausesBetween * options.pause);
  }
  return Status(StatusCode::kAborted,
                fmt::format("region '{}' of table {} still reads files of regions that it was "
                            "split or merged from: no compaction has rewritten them within {} ms "
                            "(hbase.client.operation.timeout); run major_compact '{}'",
                            ToStringBinary(region.RegionName()), region.table.ToString(),
                            options.operation_timeout.count(), region.table.ToString()));
}

}  // namespace bennu::client
