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

Result<bool> RegionReferences::Has(const RegionInfo& region) {
  const Bytes name = region.RegionName();
  {
    MutexLock lock(&mu_);
    if (without_.contains(name)) return false;
  }
  Operation operation(cluster_->options(), region.table, region.start_key);
  pb::GetRegionInfoResponse response;
  RETURN_IF_ERROR(Cluster::Retry(&operation, [&] {
    auto found = cluster_->FindNamed(region.table, region.start_key, false, name, operation);
    if (!found.ok()) return OutcomeOf(std::move(found).status());
    operation.SetPlace(name, *(*found)->server);
    pb::GetRegionInfoRequest request;
    SetRegion(name, request.mutable_region());
    CallOutcome outcome =
        cluster_->CallRegionAdmin(**found, "GetRegionInfo", request, operation.CallTimeout());
    if (outcome.status.ok()) {
      outcome.status = outcome.answer.Parse(&response);
    } else {
      cluster_->Correct(*found, outcome);
    }
    return outcome;
  }));
  // What has references cannot be merged. While a region is closed it cannot be, either; then it is
  // asked again or found to be gone.
  if (!response.mergeable()) return true;
  MutexLock lock(&mu_);
  if (without_.size() >= kRegionsKept) without_.clear();
  without_.insert(name);
  return false;
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
