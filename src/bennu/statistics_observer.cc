#include "src/bennu/statistics_observer.h"

#include <utility>

#include "src/base/log.h"
#include "src/sql/catalog/compaction_statistics.h"

namespace bennu::front {
namespace {

void LogFailure(const RegionInfo& region, const std::string& family, const Status& status) {
  LogWarning("guide posts of table {}, family {}, were not collected by a compaction: {}",
             region.table.ToString(), family, status.ToString());
}

class StatisticsWatch : public engine::CompactionWatch {
 public:
  StatisticsWatch(const RegionInfo& region, std::string family,
                  std::unique_ptr<sql::catalog::CompactionStatistics> statistics)
      : region_(region), family_(std::move(family)), statistics_(std::move(statistics)) {}

  void AddCells(const Cell* cells, size_t count, bool begins) override {
    sql::catalog::GuidePostCollector* const collector = statistics_->collector();
    if (begins) collector->AddRow();
    for (size_t i = 0; i < count; ++i) collector->AddCell(cells[i]);
  }
  void Committed() override {
    const Status status = statistics_->Write();
    if (!status.ok()) LogFailure(region_, family_, status);
  }

 private:
  const RegionInfo region_;
  const std::string family_;
  const std::unique_ptr<sql::catalog::CompactionStatistics> statistics_;
};

}  // namespace

std::unique_ptr<engine::CompactionWatch> StatisticsObserver::Begin(const RegionInfo& region,
                                                                   const std::string& family) {
  Connection* const store = store_.load(std::memory_order_acquire);
  if (store == nullptr) return nullptr;
  auto statistics = sql::catalog::CompactionStatistics::Begin(store, options_, region, family);
  if (!statistics.ok()) {
    LogFailure(region, family, statistics.status());
    return nullptr;
  }
  if (*statistics == nullptr) return nullptr;
  return std::make_unique<StatisticsWatch>(region, family, std::move(*statistics));
}

}  // namespace bennu::front
