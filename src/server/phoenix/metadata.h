// What DatabaseMetaData asks, answered from the catalog with Phoenix's columns.
// Source: phoenix-types spec section 9; PhoenixDatabaseMetaData of 5.3.
#ifndef BENNU_SRC_SERVER_PHOENIX_METADATA_H_
#define BENNU_SRC_SERVER_PHOENIX_METADATA_H_

#include <optional>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/avatica/messages.h"
#include "src/sql/session/session.h"

namespace bennu::server::phoenix {

// An argument of a call: unset where the client gave null. Patterns are those of LIKE, with '\' in
// front of a '_' or '%' that is meant itself.
using Pattern = std::optional<std::string>;

struct MetadataArguments {
  Pattern catalog;  // the tenant
  Pattern schema;
  Pattern table;
  Pattern column;
  std::optional<std::vector<std::string>> types;
};

// The rows of the operation. One that Phoenix has nothing to say to gives no columns and no rows.
Result<sql::session::StatementResult> AnswerMetadata(avatica::pb::MetaDataOperation operation,
                                                     const MetadataArguments& arguments,
                                                     sql::session::Session* session);

// The arguments of a call as a client repeats them: those of the JDBC method, in its order.
MetadataArguments ArgumentsOf(const avatica::pb::QueryState& state);

// DatabaseProperty by name, as a client asks once for each connection.
avatica::pb::DatabasePropertyResponse DatabaseProperties();

}  // namespace bennu::server::phoenix

#endif  // BENNU_SRC_SERVER_PHOENIX_METADATA_H_
