// StatisticsObserver: what major compactions write becomes guide posts in SYSTEM.STATS, as where
// Phoenix's coprocessors run.
#ifndef BENNU_SRC_BENNU_STATISTICS_OBSERVER_H_
#define BENNU_SRC_BENNU_STATISTICS_OBSERVER_H_

#include <atomic>
#include <memory>
#include <string>

#include "bennu/table.h"
#include "src/engine/store/compaction_observer.h"
#include "src/sql/catalog/statistics_options.h"

namespace bennu::front {

// Thread-safe. What goes wrong is logged: no compaction fails for it.
class StatisticsObserver : public engine::CompactionObserver {
 public:
  explicit StatisticsObserver(const sql::catalog::StatisticsOptions& options = {})
      : options_(options) {}

  void Attach(Connection* store) override { store_.store(store, std::memory_order_release); }

  std::unique_ptr<engine::CompactionWatch> Begin(const RegionInfo& region,
                                                 const std::string& family) override;

 private:
  const sql::catalog::StatisticsOptions options_;
  std::atomic<Connection*> store_{nullptr};  // set once, by who opens it
};

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_STATISTICS_OBSERVER_H_
