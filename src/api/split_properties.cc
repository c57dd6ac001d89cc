#include "src/api/split_properties.h"

#include <array>
#include <cstdint>
#include <limits>

#include "src/api/class_names.h"
#include "src/api/property_values.h"
#include "src/api/store_configuration.h"
#include "src/base/status_macros.h"

namespace bennu::api {

namespace {

// HBase's (src/engine/core/split_policy.h says what each does). Clients of Phoenix name classes of
// its own, more with each version; regions of those that are not known here are not split.
constexpr std::array<std::string_view, 7> kSplitPolicies = {
    "SteppingSplitPolicy",        "ConstantSizeRegionSplitPolicy",
    "KeyPrefixRegionSplitPolicy", "IncreasingToUpperBoundRegionSplitPolicy",
    "DisabledRegionSplitPolicy",  "DelimitedKeyPrefixRegionSplitPolicy",
    "BusyRegionSplitPolicy"};
constexpr std::string_view kPhoenixPackage = "org.apache.phoenix.";

constexpr char kPrefixLengthKey[] = "KeyPrefixRegionSplitPolicy.prefix_length";
constexpr char kOldPrefixLengthKey[] = "prefix_split_key_policy.prefix_length";
constexpr char kDelimiterKey[] = "DelimitedKeyPrefixRegionSplitPolicy.delimiter";

Status Lacking(std::string_view owner, std::string_view who, std::string_view what) {
  return InvalidArgument(std::string(owner) + ": " + std::string(who) + " needs " +
                         std::string(what) + ", by which rows that are to stay together are known");
}

}  // namespace

Status CheckSplitPolicyClass(std::string_view owner, const Attributes& attributes,
                             const std::string& key) {
  const std::string* const text = Find(attributes, key);
  if (text != nullptr && text->starts_with(kPhoenixPackage)) return Status::Ok();
  return CheckClass(owner, attributes, key, kSplitPolicies);
}

Status CheckSplitProperties(std::string_view owner, const Attributes& table,
                            const Attributes& site) {
  RETURN_IF_ERROR(CheckSplitPolicyClass(owner, table, "SPLIT_POLICY"));
  for (const char* const key : {kPrefixLengthKey, kOldPrefixLengthKey}) {
    RETURN_IF_ERROR(CheckIntegerAttribute(owner, table, key, 1, kIntPropertyMax));
  }
  const std::string* const text = Find(table, "SPLIT_POLICY");
  const std::string_view policy = text == nullptr ? "" : LastPartOfClass(*text);
  if (policy == "KeyPrefixRegionSplitPolicy" && Find(table, kPrefixLengthKey) == nullptr &&
      Find(table, kOldPrefixLengthKey) == nullptr) {
    return Lacking(owner, policy, kPrefixLengthKey);
  }
  const auto empty = [&table](const char* key) {
    const std::string* const value = Find(table, key);
    return value == nullptr || value->empty();
  };
  if (policy == "DelimitedKeyPrefixRegionSplitPolicy" && empty(kDelimiterKey)) {
    return Lacking(owner, policy, kDelimiterKey);
  }
  // Only what the table itself asks for: the store's properties are for tables of all kinds.
  if (Find(table, kRestrictionTypeKey) == nullptr) return Status::Ok();
  const StoreConfiguration properties(&site, &table, nullptr);
  const std::string_view type = properties.Class(kRestrictionTypeKey, "None");
  if (type == "KeyPrefix" && properties.Integer(kRestrictionLengthKey, 0) <= 0) {
    return Lacking(owner, std::string(kRestrictionTypeKey) + "=KeyPrefix", kRestrictionLengthKey);
  }
  const std::string* const delimiter = properties.Find(kRestrictionDelimiterKey);
  if (type == "DelimitedKeyPrefix" && (delimiter == nullptr || delimiter->empty())) {
    return Lacking(owner, std::string(kRestrictionTypeKey) + "=DelimitedKeyPrefix",
                   kRestrictionDelimiterKey);
  }
  return Status::Ok();
}

}  // namespace bennu::api
