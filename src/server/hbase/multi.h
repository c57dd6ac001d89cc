// ClientService.Multi: many reads and writes, by region.
// Source: hbase-rpc spec sections 5.3 and 5.4.
#ifndef BENNU_SRC_SERVER_HBASE_MULTI_H_
#define BENNU_SRC_SERVER_HBASE_MULTI_H_

#include "bennu/bytes.h"
#include "src/server/hbase/call.h"
#include "src/server/hbase/nonces.h"
#include "src/server/hbase/quotas.h"
#include "src/server/hbase/regions.h"

namespace bennu::server::hbase {

// Answers the call. 'block' is empty memory for the answer's cells. Waits for the log.
// 'quotas' may be null.
void RunMulti(CallPtr call, Regions* regions, Nonces* nonces, Quotas* quotas, uint64_t bytes_max,
              Bytes* block);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_MULTI_H_
