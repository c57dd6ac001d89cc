#include "src/engine/core/split_policy.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "src/api/attributes.h"
#include "src/base/log.h"

namespace bennu::engine {

namespace {

constexpr size_t kRegionsCubedMax = 100;
constexpr char kRestriction[] = "hbase.regionserver.region.split_restriction.";
// HBase takes no other shares of held-up writes.
constexpr double kShareMin = 0.00001;
constexpr double kShareMax = 0.99999;

uint64_t SizeAttribute(const TableDescriptor& table, const char* name, uint64_t otherwise) {
  const std::string* const text = api::Find(table.attributes, name);
  if (text == nullptr) return otherwise;
  const auto bytes = api::ParseInteger(*text);
  return bytes && *bytes > 0 ? static_cast<uint64_t>(*bytes) : otherwise;
}

std::string_view ClassName(const TableDescriptor& table,
                           const api::StoreConfiguration& properties) {
  const std::string* const text = api::Find(table.attributes, "SPLIT_POLICY");
  if (text == nullptr || text->empty()) {
    return properties.Class("hbase.regionserver.region.split.policy", "SteppingSplitPolicy");
  }
  return std::string_view(*text).substr(text->rfind('.') + 1);
}

// Length of the first 'count' columns of a key whose columns end with a zero byte, without the last
// of these bytes.
size_t LeadingColumnsLength(ByteView row, size_t count) {
  size_t end = row.size();
  size_t begin = 0;
  for (size_t i = 0; i < count; ++i) {
    end = row.find('\0', begin);
    if (end == ByteView::npos) return row.size();
    begin = end + 1;
  }
  return end;
}

}  // namespace

SplitPolicy::SplitPolicy(const TableDescriptor& table, uint64_t max_file_bytes,
                         uint64_t flush_bytes, const api::Attributes* configuration)
    : max_bytes_(SizeAttribute(table, "MAX_FILESIZE", max_file_bytes)),
      initial_bytes_(2 * SizeAttribute(table, "MEMSTORE_FLUSHSIZE", flush_bytes)) {
  const api::StoreConfiguration properties(configuration, &table.attributes, nullptr);
  const int64_t initial = properties.Integer("hbase.increasing.policy.initial.size", 0);
  if (initial > 0) initial_bytes_ = static_cast<uint64_t>(initial);
  const std::string_view name = ClassName(table, properties);
  if (name == "DisabledRegionSplitPolicy" || name == "SystemTaskSplitPolicy") {
    kind_ = Kind::kDisabled;
  } else if (name == "ConstantSizeRegionSplitPolicy") {
    kind_ = Kind::kConstant;
  } else if (name == "IncreasingToUpperBoundRegionSplitPolicy") {
    kind_ = Kind::kIncreasing;
  } else if (name == "BusyRegionSplitPolicy") {
    kind_ = Kind::kIncreasing;
    SetBusy(table, properties);
  } else if (name == "KeyPrefixRegionSplitPolicy") {
    kind_ = Kind::kIncreasing;
    group_length_ = SizeAttribute(table, "KeyPrefixRegionSplitPolicy.prefix_length",
                                  SizeAttribute(table, "prefix_split_key_policy.prefix_length", 0));
    if (group_length_ > 0) group_ = Group::kPrefix;
  } else if (name == "DelimitedKeyPrefixRegionSplitPolicy") {
    kind_ = Kind::kIncreasing;
    const std::string* const delimiter =
        api::Find(table.attributes, "DelimitedKeyPrefixRegionSplitPolicy.delimiter");
    if (delimiter != nullptr && !delimiter->empty()) {
      group_ = Group::kDelimiter;
      delimiter_ = *delimiter;
    }
  } else if (name == "MetaDataSplitPolicy" || name == "SystemFunctionSplitPolicy") {
    group_ = Group::kLeadingColumns;
    group_length_ = 2;
  } else if (name == "SystemStatsSplitPolicy") {
    group_ = Group::kLeadingColumns;
    group_length_ = 1;
  } else if (name != "SteppingSplitPolicy" && name != "IndexRegionSplitPolicy") {
    // A class of the user's own: what it wants is unknown, so nothing happens unasked.
    LogWarning("table {}: SPLIT_POLICY {} is not known here; its regions are not split",
               table.name.ToString(), name);
    kind_ = Kind::kDisabled;
  }
  if (group_ == Group::kNone) SetRestriction(table, properties);
  const std::string* const enabled = api::Find(table.attributes, "SPLIT_ENABLED");
  if (enabled != nullptr && !api::ParseBool(*enabled).value_or(true)) kind_ = Kind::kDisabled;
}

void SplitPolicy::SetBusy(const TableDescriptor& table, const api::StoreConfiguration& properties) {
  const Busy defaults;
  Busy busy;
  busy.held_up_share = properties.Real("hbase.busy.policy.blockedRequests", busy.held_up_share);
  busy.age_millis = properties.Integer("hbase.busy.policy.minAge", busy.age_millis);
  busy.window_millis = properties.Integer("hbase.busy.policy.aggWindow", busy.window_millis);
  if (busy.held_up_share < kShareMin || busy.held_up_share > kShareMax) {
    LogWarning("table {}: hbase.busy.policy.blockedRequests {} is not between 0 and 1; {} is taken",
               table.name.ToString(), busy.held_up_share, defaults.held_up_share);
    busy.held_up_share = defaults.held_up_share;
  }
  if (busy.window_millis <= 0) {
    LogWarning("table {}: hbase.busy.policy.aggWindow {} is no time; {} ms are taken",
               table.name.ToString(), busy.window_millis, defaults.window_millis);
    busy.window_millis = defaults.window_millis;
  }
  busy_ = busy;
}

void SplitPolicy::SetRestriction(const TableDescriptor& table,
                                 const api::StoreConfiguration& properties) {
  const std::string prefix = kRestriction;
  const std::string_view type = properties.Class(prefix + "type", "None");
  if (type == "KeyPrefix") {
    const int64_t length = properties.Integer(prefix + "prefix_length", 0);
    if (length <= 0) return;
    group_ = Group::kPrefix;
    group_length_ = static_cast<size_t>(length);
  } else if (type == "DelimitedKeyPrefix") {
    const std::string* const delimiter = properties.Find(prefix + "delimiter");
    if (delimiter == nullptr || delimiter->empty()) return;
    group_ = Group::kDelimiter;
    delimiter_ = *delimiter;
  } else if (type != "None") {
    // Here HBase, too, goes on without one.
    LogWarning(
        "table {}: {}type {} is none of None, KeyPrefix, DelimitedKeyPrefix; any row may be "
        "a border",
        table.name.ToString(), prefix, type);
  }
}

uint64_t SplitPolicy::SizeToSplit(size_t count) const {
  switch (kind_) {
    case Kind::kDisabled: return UINT64_MAX;
    case Kind::kConstant: return max_bytes_;
    case Kind::kStepping: return count == 1 ? initial_bytes_ : max_bytes_;
    case Kind::kIncreasing: break;
  }
  if (count == 0 || count > kRegionsCubedMax) return max_bytes_;
  return std::min<uint64_t>(max_bytes_, initial_bytes_ * count * count * count);
}

Bytes SplitPolicy::Border(ByteView row) const {
  switch (group_) {
    case Group::kNone: return Bytes(row);
    case Group::kPrefix: return Bytes(row.substr(0, group_length_));
    case Group::kDelimiter: {
      const size_t at = row.find(delimiter_);
      return Bytes(at == ByteView::npos ? row : row.substr(0, at));
    }
    case Group::kLeadingColumns: {
      const size_t length = LeadingColumnsLength(row, group_length_);
      return Bytes(length == row.size() ? row : row.substr(0, length + 1));
    }
  }
  return Bytes(row);
}

}  // namespace bennu::engine
