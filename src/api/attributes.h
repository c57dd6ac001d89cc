// Reads and checks attribute texts of descriptors; for the accessors and Validate. Pure functions.
#ifndef BENNU_SRC_API_ATTRIBUTES_H_
#define BENNU_SRC_API_ATTRIBUTES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "bennu/status.h"

namespace bennu::api {

using Attributes = std::map<std::string, std::string>;

// Null when the attribute is not there.
const std::string* Find(const Attributes& attributes, const std::string& key);

// Upper case for ASCII letters.
std::string ToUpper(std::string_view text);

std::optional<int64_t> ParseInteger(std::string_view text);
// TRUE or FALSE of either case.
std::optional<bool> ParseBool(std::string_view text);
// Seconds: a number, FOREVER, or HBase's spoken form such as "1 DAY 2 HOURS".
std::optional<int64_t> ParseTtlSeconds(std::string_view text);

// 'owner' is "table t", "family f", or empty. Each returns InvalidArgument naming owner, key and
// value.
Status CheckIntegerAttribute(std::string_view owner, const Attributes& attributes,
                             const std::string& key, int64_t min, int64_t max);
Status CheckBoolAttribute(std::string_view owner, const Attributes& attributes,
                          const std::string& key);
Status BadAttribute(std::string_view owner, std::string_view key, std::string_view value,
                    std::string_view expected);
// "OWNER: ", or nothing.
std::string OwnerPrefix(std::string_view owner);
Status UnsupportedAttribute(std::string_view owner, std::string_view key, std::string_view value);

}  // namespace bennu::api

#endif  // BENNU_SRC_API_ATTRIBUTES_H_
