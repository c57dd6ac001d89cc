// Phoenix's properties among DatabaseOptions::configuration. HBase's:
// src/engine/core/engine_properties.h.
#ifndef BENNU_SRC_BENNU_PHOENIX_PROPERTIES_H_
#define BENNU_SRC_BENNU_PHOENIX_PROPERTIES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/sql/catalog/features.h"
#include "src/sql/catalog/statistics_options.h"
#include "src/sql/session/session.h"

namespace bennu::front {

using Configuration = std::map<std::string, std::string>;

// The names that the functions below look for.
const std::vector<std::string_view>& PhoenixPropertyNames();
// Of Phoenix's those of statistics, which count where there is no SQL too.
const std::vector<std::string_view>& StatisticsPropertyNames();

// A number of 'unit' that is not negative; 'missing' where there is none. InvalidArgument.
Result<int64_t> NumberOf(const Configuration& configuration, const char* name, int64_t missing,
                         std::string_view unit);

// What connections are opened with when nobody says otherwise. InvalidArgument: a value that can
// not be; the same for those below.
Result<sql::session::SessionOptions> SessionOptionsOf(const Configuration& configuration);

Result<sql::catalog::StatisticsOptions> StatisticsOptionsOf(const Configuration& configuration);

Result<sql::catalog::Features> FeaturesOf(const Configuration& configuration);

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_PHOENIX_PROPERTIES_H_
