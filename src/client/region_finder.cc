#include "src/client/region_finder.h"

#include <fmt/format.h>

#include <utility>

#include "src/base/hex.h"
#include "src/base/status_macros.h"

namespace bennu::client {

namespace {

// Regions that one step reads; some 300 KB of hbase:meta.
constexpr size_t kStep = 1000;
// Regions that are read at once before a row, for reversed scans; HBase's prefetch limit.
constexpr size_t kStepBefore = 10;

}  // namespace

Result<LocationPtr> RegionFinder::Find(const TableName& table, ByteView row,
                                       const Operation& operation) {
  return Locate({table, row, false}, operation);
}

Result<LocationPtr> RegionFinder::FindBefore(const TableName& table, ByteView row,
                                             const Operation& operation) {
  return Locate({table, row, true}, operation);
}

LocationPtr RegionFinder::Known(const Wanted& wanted) const {
  return wanted.before ? locations_.FindBefore(wanted.table, wanted.row)
                       : locations_.Find(wanted.table, wanted.row);
}

Result<LocationPtr> RegionFinder::Locate(const Wanted& wanted, const Operation& operation) {
  while (true) {
    if (LocationPtr known = Known(wanted); known != nullptr) return known;
    std::shared_ptr<LookUp> own;
    {
      MutexLock lock(&mu_);
      std::shared_ptr<LookUp>& entry = look_ups_[wanted.table];
      if (entry == nullptr) {
        own = entry = std::make_shared<LookUp>();
        own->row = wanted.row;
        own->before = wanted.before;
      } else {
        const std::shared_ptr<LookUp> other = entry;
        while (!other->done) {
          const auto left = operation.Left();
          if (left.count() == 0) {
            return Status(StatusCode::kTimedOut, "hbase:meta was not read in time");
          }
          ended_.WaitFor(&mu_, left);
        }
        // What went wrong with the same question goes wrong with this one.
        const bool same = other->row == wanted.row && other->before == wanted.before;
        if (same && !other->status.ok()) return other->status;
        continue;
      }
    }
    auto found = Ask(wanted, operation);
    MutexLock lock(&mu_);
    own->done = true;
    own->status = found.status();
    look_ups_.erase(wanted.table);
    ended_.SignalAll();
    return found;
  }
}

Result<LocationPtr> RegionFinder::Ask(const Wanted& wanted, const Operation& operation) {
  // Another one may have ended since it was not known.
  if (LocationPtr known = Known(wanted); known != nullptr) return known;
  RETURN_IF_ERROR(CheckState(wanted.table, operation));
  if (!locations_.Knows(wanted.table)) {
    RETURN_IF_ERROR(ReadStep({.range = MetaRowsOf(wanted.table), .rows_max = kStep}, operation));
    if (LocationPtr known = Known(wanted); known != nullptr) return known;
  }
  ASSIGN_OR_RETURN(LocationPtr region, ReadOne(wanted, operation));
  const Bytes& end = region->info.end_key;
  if (wanted.before || end.empty() || locations_.Find(wanted.table, end) != nullptr) return region;
  RowRange gap = MetaRowsOf(wanted.table);
  gap.start = MetaRowBefore(wanted.table, end);
  if (const Bytes next = locations_.NextStart(wanted.table, end); !next.empty()) {
    gap.stop = MetaRowBefore(wanted.table, next);
  }
  RETURN_IF_ERROR(ReadStep({.range = std::move(gap), .rows_max = kStep}, operation));
  return region;
}

Status RegionFinder::CheckState(const TableName& table, const Operation& operation) {
  {
    MutexLock lock(&mu_);
    const bool doubtful = doubtful_.erase(table) > 0;
    if (!doubtful && locations_.Knows(table)) return Status::Ok();
  }
  auto disabled = meta_->IsDisabled(table, operation.CallTimeout());
  if (disabled.ok() && !*disabled) return Status::Ok();
  {
    MutexLock lock(&mu_);
    doubtful_.insert(table);  // to be asked again
  }
  RETURN_IF_ERROR(disabled.status());
  return FailedPrecondition(fmt::format("table {} is disabled", table.ToString()));
}

Status RegionFinder::ReadStep(const MetaRows& rows, const Operation& operation) {
  return meta_->ReadMeta(
      rows, operation.CallTimeout(), [this](const Cell* cells, size_t count) -> Status {
        ASSIGN_OR_RETURN(auto region, ReadMetaRow(cells, count));
        if (region.has_value() && region->server.has_value()) {
          locations_.Add(std::make_shared<const RegionLocation>(*std::move(region)));
        }
        return Status::Ok();
      });
}

Result<LocationPtr> RegionFinder::ReadOne(const Wanted& wanted, const Operation& operation) {
  MetaRows rows = {.range = MetaRowsOf(wanted.table), .reversed = true};
  std::swap(rows.range.start, rows.range.stop);
  if (!wanted.before) {
    rows.range.start = MetaRowBehind(wanted.table, wanted.row);
    rows.rows_max = 1;
  } else {
    // A region that begins with the row is not before it.
    if (!wanted.row.empty()) rows.range.start = MetaRowBefore(wanted.table, wanted.row);
    rows.rows_max = kStepBefore;
  }
  std::optional<RegionLocation> first;
  RETURN_IF_ERROR(meta_->ReadMeta(
      rows, operation.CallTimeout(), [&](const Cell* cells, size_t count) -> Status {
        ASSIGN_OR_RETURN(auto region, ReadMetaRow(cells, count));
        if (!region.has_value()) return Status::Ok();
        if (!first.has_value()) first = region;
        if (region->server.has_value()) {
          locations_.Add(std::make_shared<const RegionLocation>(*std::move(region)));
        }
        return Status::Ok();
      }));
  if (LocationPtr known = Known(wanted); known != nullptr) return known;
  const bool is_its = first.has_value() && (wanted.before || first->info.Contains(wanted.row));
  if (!is_its) return HoleIn(wanted.table);
  return Status(StatusCode::kAborted, fmt::format("region '{}' is on no server at the moment",
                                                  ToStringBinary(first->name)));
}

void RegionFinder::Correct(const LocationPtr& region, const CallOutcome& failed, bool secondary) {
  if (failed.remedy != rpc::Remedy::kRelocate) return;
  // What the failure says of a server and of the table is not about the primary.
  if (secondary) return locations_.Forget(region);
  if (failed.moved_to.has_value()) return locations_.Move(region, *failed.moved_to);
  if (failed.lost_server) return locations_.ForgetServerOf(region);
  locations_.Forget(region);
  MutexLock lock(&mu_);
  doubtful_.insert(region->info.table);
}

}  // namespace bennu::client
