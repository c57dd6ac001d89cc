// SqlClientOptions as the client over a query server takes them.
#ifndef BENNU_SRC_BENNU_THIN_OPTIONS_H_
#define BENNU_SRC_BENNU_THIN_OPTIONS_H_

#include <string>

#include "bennu/sql_client.h"
#include "bennu/status.h"
#include "src/thin_client/thin_connection.h"

namespace bennu::front {

// InvalidArgument: 'url' is none, or the trust store cannot be used.
Result<thin_client::ThinOptions> ThinOptionsOf(const std::string& url,
                                               const SqlClientOptions& options);

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_THIN_OPTIONS_H_
