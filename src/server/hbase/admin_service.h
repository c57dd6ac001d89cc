// AdminService: one server's regions, for HBase's Admin and its tools.
// Source: hbase-rpc spec section 5.8.
#ifndef BENNU_SRC_SERVER_HBASE_ADMIN_SERVICE_H_
#define BENNU_SRC_SERVER_HBASE_ADMIN_SERVICE_H_

#include <set>
#include <string>
#include <tuple>

#include "src/base/mutex.h"
#include "src/engine/open.h"
#include "src/server/hbase/identity.h"
#include "src/server/hbase/operator_requests.h"
#include "src/server/hbase/quotas.h"
#include "src/server/hbase/regions.h"
#include "src/server/hbase/service.h"
#include "src/server/hbase/slow_log.h"

namespace bennu::server::hbase {

class AdminService : public Service {
 public:
  // 'root': the store's directory. 'quotas' may be null. All must outlive this. Compactions that
  // clients have asked for wait in the store's background, which must be stopped before this goes.
  AdminService(engine::Engine* store, Regions* regions, const Identity* identity, std::string root,
               SlowLog* slow_log, Quotas* quotas, const OperatorRequests* requests);

 private:
  void AddRegionQuestions();
  void AddRegionChanges();
  void AddServer();
  void AddSlowLog();
  void QueueCompaction(const ServedRegionPtr& region, const Bytes& family, bool major);

  engine::Engine* const store_;
  Regions* const regions_;
  const Identity* const identity_;
  const std::string root_;
  SlowLog* const slow_log_;
  Quotas* const quotas_;
  const OperatorRequests* const requests_;
  Mutex mu_;
  // Asked for by clients and not begun: a region's encoded name, a family or none, and whether
  // major.
  std::set<std::tuple<std::string, Bytes, bool>> compactions_ GUARDED_BY(mu_);
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_ADMIN_SERVICE_H_
