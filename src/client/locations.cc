#include "src/client/locations.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include "src/api/descriptor_pb.h"
#include "src/base/coding.h"
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
  SetRegion(region.name, specifier);
}

void SetRegion(ByteView name, pb::RegionSpecifier* specifier) {
  specifier->set_type(pb::RegionSpecifier::REGION_NAME);
  specifier->set_value(name.data(), name.size());
}

Status HoleIn(const TableName& table) {
  return Status(StatusCode::kAborted,
                "hbase:meta has a hole in the regions of " + table.ToString());
}

namespace {

// Of a column "server_0001" the id in it. Nothing: it is not the server of a secondary replica.
std::optional<int32_t> ReplicaOf(ByteView qualifier) {
  constexpr ByteView kPrefix = "server_";
  if (!qualifier.starts_with(kPrefix)) return {};
  const ByteView digits = qualifier.substr(kPrefix.size());
  int32_t id = 0;
  const char* const end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, id, 16);
  if (error != std::errc() || last != end || id <= 0) return {};
  return id;
}

}  // namespace

Result<std::optional<RegionLocation>> ReadMetaRow(const Cell* cells, size_t count) {
  std::optional<RegionLocation> location;
  std::optional<Address> server;
  uint64_t start_code = 0;
  std::vector<RegionReplica> replicas;
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
    } else if (cells[i].qualifier() == "serverstartcode") {
      if (cells[i].value_length == sizeof(start_code)) start_code = LoadBE64(cells[i].value);
    } else if (const auto replica = ReplicaOf(cells[i].qualifier()); replica.has_value()) {
      auto address = ParseAddress(cells[i].value_view());
      if (address.ok()) replicas.push_back({*replica, {}, *std::move(address)});
    }
  }
  if (!location.has_value()) return location;
  location->server = std::move(server);
  location->start_code = start_code;
  if (replicas.empty()) return location;
  RegionInfo secondary = location->info;
  for (RegionReplica& replica : replicas) {
    secondary.replica_id = replica.id;
    replica.name = secondary.RegionName();
  }
  location->replicas = std::move(replicas);
  return location;
}

RowRange MetaRowsOf(const TableName& table) {
  // hbase:meta orders its rows by their parts: a table called "t " comes next after "t".
  return {.start = table.ToString() + ",,", .stop = table.ToString() + " ,,"};
}

Bytes MetaRowBefore(const TableName& table, ByteView row) {
  return table.ToString() + "," + Bytes(row) + ",";
}

Bytes MetaRowBehind(const TableName& table, ByteView row) {
  // HBase's: as an id, it is later than any time in milliseconds.
  return MetaRowBefore(table, row) + "99999999999999";
}

const Locations::Regions* Locations::Of(const TableName& table) const {
  const auto found = tables_.find(table);
  return found == tables_.end() ? nullptr : &found->second;
}

LocationPtr Locations::Find(const TableName& table, ByteView row) const {
  MutexLock lock(&mu_);
  const Regions* const regions = Of(table);
  if (regions == nullptr) return nullptr;
  auto after = regions->upper_bound(row);
  if (after == regions->begin()) return nullptr;
  const LocationPtr& region = (--after)->second;
  return region->info.Contains(row) ? region : nullptr;
}

LocationPtr Locations::FindBefore(const TableName& table, ByteView row) const {
  MutexLock lock(&mu_);
  const Regions* const regions = Of(table);
  if (regions == nullptr) return nullptr;
  auto after = row.empty() ? regions->end() : regions->lower_bound(row);
  if (after == regions->begin()) return nullptr;
  const LocationPtr& region = (--after)->second;
  const Bytes& end = region->info.end_key;
  return end.empty() || (!row.empty() && end >= row) ? region : nullptr;
}

bool Locations::Knows(const TableName& table) const {
  MutexLock lock(&mu_);
  const Regions* const regions = Of(table);
  return regions != nullptr && !regions->empty();
}

Bytes Locations::NextStart(const TableName& table, ByteView row) const {
  MutexLock lock(&mu_);
  const Regions* const regions = Of(table);
  if (regions == nullptr) return {};
  const auto next = regions->upper_bound(row);
  return next == regions->end() ? Bytes() : next->first;
}

std::optional<std::vector<RegionInfo>> Locations::All(const TableName& table) const {
  MutexLock lock(&mu_);
  const Regions* const regions = Of(table);
  if (regions == nullptr || regions->empty()) return {};
  std::vector<RegionInfo> all;
  for (const auto& [start, region] : *regions) {
    const bool follows = all.empty() ? start.empty() : start == all.back().end_key;
    if (!follows) return {};
    all.push_back(region->info);
    if (region->info.end_key.empty()) return all;
  }
  return {};
}

void Locations::Add(const LocationPtr& region) {
  const Bytes& start = region->info.start_key;
  const Bytes& end = region->info.end_key;
  MutexLock lock(&mu_);
  Regions& regions = tables_[region->info.table];
  auto first = regions.lower_bound(start);
  if (first != regions.begin()) {
    const auto before = std::prev(first);
    const Bytes& its_end = before->second->info.end_key;
    if (its_end.empty() || its_end > start) first = before;
  }
  const auto last = end.empty() ? regions.end() : regions.lower_bound(end);
  regions.erase(first, last);
  regions[start] = region;
}

bool Locations::Holds(const LocationPtr& known) const {
  const Regions* const regions = Of(known->info.table);
  if (regions == nullptr) return false;
  const auto found = regions->find(known->info.start_key);
  return found != regions->end() && found->second == known;
}

void Locations::Move(const LocationPtr& known, const Address& server) {
  auto moved = std::make_shared<RegionLocation>(*known);
  moved->server = server;
  MutexLock lock(&mu_);
  if (Holds(known)) tables_[known->info.table][known->info.start_key] = std::move(moved);
}

void Locations::Forget(const LocationPtr& known) {
  MutexLock lock(&mu_);
  if (Holds(known)) tables_[known->info.table].erase(known->info.start_key);
}

void Locations::ForgetServerOf(const LocationPtr& known) {
  MutexLock lock(&mu_);
  // Of all calls that a lost connection ends, the first one does the work.
  if (!Holds(known)) return;
  for (auto& [table, regions] : tables_) {
    std::erase_if(regions,
                  [&](const auto& entry) { return entry.second->server == known->server; });
  }
}

void Locations::ForgetTable(const TableName& table) {
  MutexLock lock(&mu_);
  tables_.erase(table);
}

}  // namespace bennu::client
