// What went wrong, as Phoenix's query server tells it.
#ifndef BENNU_SRC_SERVER_PHOENIX_ERRORS_H_
#define BENNU_SRC_SERVER_PHOENIX_ERRORS_H_

#include <string>

#include "bennu/status.h"
#include "src/avatica/messages.h"

namespace bennu::server::phoenix {

// The message has the words of Phoenix's server, "RuntimeException: java.sql.SQLException: ERROR
// 1012 (42M03): … -> SQLException: ERROR 1012 (42M03): …", from which clients take code and state;
// both are in their own fields too, where Phoenix has -1 and 00000.
avatica::pb::ErrorResponse ErrorOf(const Status& status, const std::string& server_address);

// The error by which clients know that they have to open their connection again.
avatica::pb::ErrorResponse NoSuchConnection(const std::string& connection_id,
                                            const std::string& server_address);

}  // namespace bennu::server::phoenix

#endif  // BENNU_SRC_SERVER_PHOENIX_ERRORS_H_
