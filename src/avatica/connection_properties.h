// What a client may say of a connection when it opens it, beside its user.
#ifndef BENNU_SRC_AVATICA_CONNECTION_PROPERTIES_H_
#define BENNU_SRC_AVATICA_CONNECTION_PROPERTIES_H_

#include <algorithm>
#include <iterator>
#include <string_view>

namespace bennu::avatica {

// The names of Phoenix's that `bennu serve` reads. Those of java.sql.Connection are Avatica's own.
inline constexpr std::string_view kConnectionProperties[] = {
    "AutoCommit",
    "Consistency",
    "CurrentSCN",
    "TenantId",
    "phoenix.connection.autoCommit",
    "phoenix.connection.consistency",
    "phoenix.connection.schema",
    "phoenix.query.timeoutMs",
    "readOnly",
    "schema",
};

inline bool IsConnectionProperty(std::string_view name) {
  return std::find(std::begin(kConnectionProperties), std::end(kConnectionProperties), name) !=
         std::end(kConnectionProperties);
}

}  // namespace bennu::avatica

#endif  // BENNU_SRC_AVATICA_CONNECTION_PROPERTIES_H_
