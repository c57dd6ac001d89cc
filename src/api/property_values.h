// Values of HBase's properties from their texts. InvalidArgument says what was expected, and what
// came. Pure functions.
#ifndef BENNU_SRC_API_PROPERTY_VALUES_H_
#define BENNU_SRC_API_PROPERTY_VALUES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "bennu/status.h"

namespace bennu::api {

// Most properties of whole numbers are an int in HBase.
inline constexpr int64_t kIntPropertyMax = std::numeric_limits<int32_t>::max();

Result<int64_t> IntegerValue(std::string_view text, int64_t min, int64_t max);
// Bytes; k, m, g and t after the number are powers of 1024, as in Hadoop.
Result<uint64_t> BytesValue(std::string_view text);
// A share of the whole, more than 0 and at most 1.
Result<double> ShareValue(std::string_view text);
// true or false, in either case, as in Hadoop.
Result<bool> FlagValue(std::string_view text);

// Puts what was parsed where it belongs, or returns why it could not be.
template <typename Value, typename Target>
Status StoreValue(const Result<Value>& parsed, Target* target) {
  if (!parsed.ok()) return parsed.status();
  *target = static_cast<Target>(*parsed);
  return Status::Ok();
}

// The entry of a table that is sorted by its 'name'; null: there is none.
template <typename Entry, size_t count>
const Entry* FindByName(const Entry (&table)[count], std::string_view name) {
  const auto* const found = std::lower_bound(
      table, table + count, name,
      [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
  return found != table + count && found->name == name ? found : nullptr;
}

}  // namespace bennu::api

#endif  // BENNU_SRC_API_PROPERTY_VALUES_H_
