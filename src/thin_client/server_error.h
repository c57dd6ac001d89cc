// Errors that a query server tells, as the errors that they were there.
#ifndef BENNU_SRC_THIN_CLIENT_SERVER_ERROR_H_
#define BENNU_SRC_THIN_CLIENT_SERVER_ERROR_H_

#include "bennu/status.h"
#include "src/avatica/messages.h"
#include "src/thin_client/http_client.h"

namespace bennu::thin_client {

// Never OK. Of Bennu's server all that it knew; of Phoenix's code and SQLSTATE, which it has in its
// text alone.
Status ErrorOf(const avatica::pb::ErrorResponse& error);
// Whether the server does not know the connection (any longer).
bool IsNoSuchConnection(const Status& status);
// An answer that is no message of Avatica: what it may be that answers there.
Status NoMessage(const HttpAnswer& answer);

}  // namespace bennu::thin_client

#endif  // BENNU_SRC_THIN_CLIENT_SERVER_ERROR_H_
