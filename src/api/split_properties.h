// What says when and where regions are split, as far as it can be seen to be wrong beforehand.
#ifndef BENNU_SRC_API_SPLIT_PROPERTIES_H_
#define BENNU_SRC_API_SPLIT_PROPERTIES_H_

#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/api/attributes.h"

namespace bennu::api {

inline constexpr char kSplitPolicyKey[] = "hbase.regionserver.region.split.policy";
inline constexpr char kRestrictionTypeKey[] = "hbase.regionserver.region.split_restriction.type";
inline constexpr char kRestrictionLengthKey[] =
    "hbase.regionserver.region.split_restriction.prefix_length";
inline constexpr char kRestrictionDelimiterKey[] =
    "hbase.regionserver.region.split_restriction.delimiter";

// Checks the class that 'key' (SPLIT_POLICY or kSplitPolicyKey) names. NotSupported: one that is
// not known. Pure function.
Status CheckSplitPolicyClass(std::string_view owner, const Attributes& attributes,
                             const std::string& key);

// Checks that the policy and the restriction of a table have what they need: a length, a delimiter.
// HBase says so in its log when a region is opened, and goes on without. 'site': the properties of
// the whole store. InvalidArgument, NotSupported. Pure function. Source:
// KeyPrefixRegionSplitPolicy, DelimitedKeyPrefixRegionSplitPolicy, RegionSplitRestriction of
// HBase 2.5.
Status CheckSplitProperties(std::string_view owner, const Attributes& table,
                            const Attributes& site);

}  // namespace bennu::api

#endif  // BENNU_SRC_API_SPLIT_PROPERTIES_H_
