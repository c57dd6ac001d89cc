#include "src/client/locations.h"

#include <algorithm>
#include <utility>

#include "src/api/descriptor_pb.h"
#include "src/base/status_macros.h"

namespace bennu::client {

TableRegions::TableRegions(std::vector<RegionLocation> regions) : regions_(std::move(regions)) {
  std::sort(regions_.begin(), regions_.end(),
            [](const RegionLocation& left, const RegionLocation& right) {
              return left.info.start_key < right.info.start_key;
            });
}

const RegionLocation* TableRegions::Find(ByteView row) const {
  auto after = std::upper_bound(
      regions_.begin(), regions_.end(), row,
      [](ByteView wanted, const RegionLocation& region) { return wanted < region.info.start_key; });
  if (after == regions_.begin()) return nullptr;
  const RegionLocation& region = *--after;
  return region.info.Contains(row) ? &region : nullptr;
}

void SetRegion(const RegionLocation& region, pb::RegionSpecifier* specifier) {
  specifier->set_type(pb::RegionSpecifier::REGION_NAME);
  specifier->set_value(region.name);
}

Status HoleIn(const TableName& table) {
  return Status(StatusCode::kAborted,
                "hbase:meta has a hole in the regions of " + table.ToString());
}

Result<std::optional<RegionLocation>> ReadMetaRow(const Cell* cells, size_t count) {
  std::optional<RegionLocation> location;
  std::optional<Address> server;
  for (size_t i = 0; i < count; ++i) {
    if (cells[i].family() != "info") continue;
    if (cells[i].qualifier() == "regioninfo") {
      ASSIGN_OR_RETURN(RegionInfo info, api::DecodeRegionInfo(cells[i].value_view()));
      if (info.split || info.offline || info.replica_id != 0)
        return std::optional<RegionLocation>();
      location.emplace();
      location->name = info.RegionName();
      location->info = std::move(info);
    } else if (cells[i].qualifier() == "server") {
      auto address = ParseAddress(cells[i].value_view());
      if (address.ok()) server = *std::move(address);
    }
  }
  if (location.has_value()) location->server = std::move(server);
  return location;
}

RowRange MetaRowsOf(const TableName& table) {
  // hbase:meta orders its rows by their parts: a table called "t " comes next after "t".
  return {.start = table.ToString() + ",,", .stop = table.ToString() + " ,,"};
}

std::shared_ptr<const TableRegions> Locations::Find(const TableName& table) {
  MutexLock lock(&mu_);
  const auto found = tables_.find(table);
  return found == tables_.end() ? nullptr : found->second;
}

void Locations::Set(const TableName& table, std::shared_ptr<const TableRegions> regions) {
  MutexLock lock(&mu_);
  tables_[table] = std::move(regions);
}

void Locations::Forget(const TableName& table) {
  MutexLock lock(&mu_);
  tables_.erase(table);
}

}  // namespace bennu::client
