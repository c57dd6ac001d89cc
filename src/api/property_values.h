// Values of HBase's properties from their texts. InvalidArgument says what was expected, and what
// came. Pure functions.
#ifndef BENNU_SRC_API_PROPERTY_VALUES_H_
#define BENNU_SRC_API_PROPERTY_VALUES_H_

#include <cstdint>
#include <string_view>

#include "bennu/status.h"

namespace bennu::api {

Result<int64_t> IntegerValue(std::string_view text, int64_t min, int64_t max);
// Bytes; k, m, g and t after the number are powers of 1024, as in Hadoop.
Result<uint64_t> BytesValue(std::string_view text);
// A share of the whole, more than 0 and at most 1.
Result<double> ShareValue(std::string_view text);
// true or false, in either case, as in Hadoop.
Result<bool> FlagValue(std::string_view text);

}  // namespace bennu::api

#endif  // BENNU_SRC_API_PROPERTY_VALUES_H_
