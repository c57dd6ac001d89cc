#include "src/server/hbase/regions.h"

#include <fmt/format.h>

#include <vector>

#include "bennu/admin.h"
#include "src/api/store_configuration.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/engine/directory/meta_rows.h"
#include "src/rpc/requests.h"
#include "src/server/net/clock.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

constexpr std::chrono::seconds kFresh{1};
constexpr size_t kEncodedNameLength = 32;

}  // namespace

std::string EncodedNameOf(ByteView region_name) {
  if (region_name.size() > kEncodedNameLength + 1 && region_name.back() == '.') {
    return std::string(
        region_name.substr(region_name.size() - kEncodedNameLength - 1, kEncodedNameLength));
  }
  static const Bytes meta_name = engine::MetaRegionInfo().RegionName();
  static const std::string meta = engine::MetaRegionInfo().EncodedName();
  return region_name == ByteView(meta_name) ? meta : std::string(region_name);
}

CallError ServedRegion::CheckFamily(ByteView family) const {
  if (descriptor.FindFamily(family) != nullptr) return std::nullopt;
  return rpc::RemoteError(
      exceptions::kNoSuchColumnFamily,
      fmt::format("Column family {} does not exist in region {} in table '{}'",
                  ToStringBinary(family), ToStringBinary(name), info.table.ToString()));
}

CallError ServedRegion::ReadCondition(const pb::Condition& message,
                                      Table::Condition* condition) const {
  if (!message.has_filter()) {
    if (CallError error = CheckFamily(message.family()); error) return error;
  }
  const Status status = rpc::ReadCondition(message, condition);
  return status.ok() ? std::nullopt : CallError(rpc::RemoteError(status));
}

CallError ServedRegion::CheckRowForRead(ByteView row, std::string_view operation) const {
  if (row.empty()) return rpc::RemoteError(exceptions::kIo, "Row length is 0");
  if (info.Contains(row)) return std::nullopt;
  return rpc::RemoteError(
      exceptions::kWrongRegion,
      fmt::format(
          "Requested row out of range for {} on HRegion {}, startKey='{}', getEndKey()='{}', "
          "row='{}'",
          operation, ToStringBinary(name), ToStringBinary(info.start_key),
          ToStringBinary(info.end_key), ToStringBinary(row)));
}

CallError ServedRegion::CheckRowForWrite(ByteView row) const {
  if (info.Contains(row)) return std::nullopt;
  return rpc::RemoteError(
      exceptions::kFailedSanityCheck,
      fmt::format("Requested row out of range for batchMutate on HRegion {}, startKey='{}', "
                  "getEndKey()='{}', row='{}'",
                  ToStringBinary(name), ToStringBinary(info.start_key),
                  ToStringBinary(info.end_key), ToStringBinary(row)));
}

CallError ServedRegion::CheckSize(const Cell& cell) const {
  // As HBase's codecs write it.
  const int64_t bytes = int64_t{12} + cell.key_length + cell.value_length +
                        (cell.tags_length > 0 ? 2 + cell.tags_length : 0);
  if (cell_bytes_max <= 0 || bytes <= cell_bytes_max) return std::nullopt;
  const std::string time =
      cell.timestamp() == kLatestTimestamp ? "LATEST_TIMESTAMP" : std::to_string(cell.timestamp());
  return rpc::RemoteError(
      exceptions::kDoNotRetry,
      fmt::format("Cell[{}/{}:{}/{}/Put/vlen={}/seqid=0] with size {} exceeds limit of {} bytes",
                  ToStringBinary(cell.row()), ToStringBinary(cell.family()),
                  ToStringBinary(cell.qualifier()), time, cell.value_length, bytes,
                  cell_bytes_max));
}

CallError Regions::Find(ByteView region_name, ServedRegionPtr* region) {
  const std::string encoded = EncodedNameOf(region_name);
  *region = FindFresh(encoded);
  if (*region != nullptr) return std::nullopt;
  const auto table = TableName::Parse(region_name.substr(0, region_name.find(',')));
  if (!table.ok()) return NotServing(region_name);
  const Status loaded = LoadTable(*table);
  if (!loaded.ok() && loaded.code() != StatusCode::kNotFound) return rpc::RemoteError(loaded);
  *region = FindFresh(encoded);
  if (*region == nullptr) return NotServing(region_name);
  return std::nullopt;
}

CallError Regions::Find(const pb::RegionSpecifier& named, ServedRegionPtr* region) {
  if (named.type() == pb::RegionSpecifier::REGION_NAME) return Find(named.value(), region);
  if (FindEncoded(named.value(), region)) return NotServing(named.value());
  return std::nullopt;
}

CallError Regions::FindEncoded(const std::string& encoded_name, ServedRegionPtr* region) {
  *region = FindFresh(encoded_name);
  if (*region != nullptr) return std::nullopt;
  auto tables = store_->admin()->ListTables();
  if (!tables.ok()) return rpc::RemoteError(tables.status());
  for (const char* system : {"meta", "namespace", "quota"}) tables->push_back({"hbase", system});
  for (const TableName& table : *tables) {
    if (!LoadTable(table).ok()) continue;
    *region = FindFresh(encoded_name);
    if (*region != nullptr) return std::nullopt;
  }
  return rpc::RemoteError(exceptions::kUnknownRegion, encoded_name);
}

std::unordered_map<std::string, std::shared_ptr<const RegionCounters>> Regions::Counters(
    const std::unordered_set<std::string>& encoded_names) {
  MutexLock lock(&mu_);
  std::erase_if(counters_, [&](const auto& entry) { return !encoded_names.contains(entry.first); });
  return {counters_.begin(), counters_.end()};
}

std::shared_ptr<const RegionCounters> Regions::CountersOf(const std::string& encoded_name) const {
  MutexLock lock(&mu_);
  const auto found = counters_.find(encoded_name);
  return found == counters_.end() ? nullptr : found->second;
}

void Regions::SetSpacePolicies(const std::map<std::string, int>& policies) {
  MutexLock lock(&mu_);
  for (auto& [table, policy] : space_policies_) {
    if (!policies.contains(table)) policy->store(0, std::memory_order_relaxed);
  }
  for (const auto& [table, policy] : policies) {
    std::shared_ptr<std::atomic<int>>& kept = space_policies_[table];
    if (kept == nullptr) {
      kept = std::make_shared<std::atomic<int>>(policy);
      known_.clear();  // they are looked up again, with it
    }
    kept->store(policy, std::memory_order_relaxed);
  }
}

CallError Regions::CheckThere(const ServedRegion& region) {
  if (region.table->HasRegion(region.info)) return std::nullopt;
  Forget();
  return NotServing(region.name);
}

void Regions::Forget() {
  MutexLock lock(&mu_);
  known_.clear();
}

ServedRegionPtr Regions::FindFresh(const std::string& encoded_name) {
  MutexLock lock(&mu_);
  const auto found = known_.find(encoded_name);
  if (found == known_.end()) return nullptr;
  if (net::MonotonicNow() - found->second.since < kFresh) return found->second.region;
  known_.erase(found);
  return nullptr;
}

Status Regions::LoadTable(const TableName& name) {
  ASSIGN_OR_RETURN(const std::shared_ptr<engine::ServedTable> table, store_->OpenServedTable(name));
  ASSIGN_OR_RETURN(const bool enabled, store_->admin()->IsTableEnabled(name));
  if (!enabled) return NotFound("the table is disabled");
  const auto now = net::MonotonicNow();
  const TableDescriptor descriptor = table->descriptor();
  const std::vector<RegionInfo> infos = table->regions();
  constexpr int64_t kCellBytesMax = 10 << 20;  // HBase's default
  const api::StoreConfiguration properties(&configuration_, &descriptor.attributes, nullptr);
  // As the store has it: its own tables have no such limit.
  const int64_t cell_bytes_max =
      name.name_space == "hbase"
          ? 0
          : properties.Integer("hbase.server.keyvalue.maxsize", kCellBytesMax);
  MutexLock lock(&mu_);
  for (const RegionInfo& info : infos) {
    auto region = std::make_shared<ServedRegion>();
    region->info = info;
    region->name = info.RegionName();
    region->table = table;
    region->descriptor = descriptor;
    region->cell_bytes_max = cell_bytes_max;
    if (const auto policy = space_policies_.find(name.ToString());
        policy != space_policies_.end()) {
      region->space_policy = policy->second;
    }
    const std::string encoded = info.EncodedName();
    // They go on counting whenever the region is looked up again.
    std::shared_ptr<RegionCounters>& counters = counters_[encoded];
    if (counters == nullptr) counters = region->counters;
    region->counters = counters;
    known_[encoded] = {std::move(region), now};
  }
  return Status::Ok();
}

rpc::RemoteError Regions::NotServing(ByteView region_name) const {
  return {exceptions::kNotServingRegion,
          fmt::format("{} is not online on {}", ToStringBinary(region_name), server_name_)};
}

}  // namespace bennu::server::hbase
