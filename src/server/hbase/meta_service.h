// ClientMetaService: what a client that knows one address must learn first.
// Source: hbase-rpc spec section 7, hbase-zookeeper spec section 3.
#ifndef BENNU_SRC_SERVER_HBASE_META_SERVICE_H_
#define BENNU_SRC_SERVER_HBASE_META_SERVICE_H_

#include "src/server/hbase/identity.h"
#include "src/server/hbase/service.h"

namespace bennu::server::hbase {

class ClientMetaService : public Service {
 public:
  explicit ClientMetaService(const Identity* identity);
};

// HBase's repairs of a master's state, as far as they mean something here: what the master keeps
// and what hbase:meta says are one thing, so that there is nothing to find.
class HbckService : public Service {
 public:
  HbckService();
};

class BootstrapNodeService : public Service {
 public:
  explicit BootstrapNodeService(const Identity* identity);
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_META_SERVICE_H_
