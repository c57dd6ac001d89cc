#include "src/sql/catalog/statistics.h"

#include <charconv>
#include <map>

#include "bennu/descriptor.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/guide_post_collector.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/stats_rows.h"

namespace bennu::sql::catalog {
namespace {

constexpr int64_t kDefaultRegionSize = int64_t{10} << 30;
constexpr size_t kRowsPerBatch = 1000;

class StatisticsUpdate {
 public:
  StatisticsUpdate(Connection* connection, const TableMeta& table, int64_t width)
      : connection_(connection), table_(table), width_(width) {}

  Status Run(Table* stats, Table* data) {
    const TableDescriptor descriptor = data->descriptor();
    for (const auto& family : descriptor.families) {
      if (IsLocalFamily(family.name)) continue;
      families_.emplace(family.name, GuidePostCollector(width_));
    }
    if (width_ > 0) RETURN_IF_ERROR(Collect(data));
    return Write(stats);
  }

 private:
  Status Collect(Table* data) {
    const std::vector<RegionInfo> regions = data->regions();
    for (const RegionInfo& region : regions) {
      for (auto& [name, family] : families_) family.Cut();
      Scan scan;
      scan.range.start = region.start_key;
      scan.range.stop = region.end_key;
      scan.columns = FamiliesOfTable(data->descriptor());
      ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, data->OpenScanner(scan));
      RETURN_IF_ERROR(Drain(scanner.get()));
    }
    return Status::Ok();
  }

  Status Drain(Scanner* scanner) {
    CellBatch batch;
    for (;;) {
      RETURN_IF_ERROR(scanner->Next(kRowsPerBatch, &batch));
      if (batch.row_count() == 0) return Status::Ok();
      for (size_t row = 0; row < batch.row_count(); ++row) {
        GuidePostCollector* family = nullptr;
        std::string_view name;
        for (size_t i = batch.row_starts[row]; i < batch.row_end(row); ++i) {
          const Cell& cell = batch.cells[i];
          if (family == nullptr || cell.family() != name) {
            name = cell.family();
            family = &families_.at(std::string(name));
            family->AddRow();
          }
          family->AddCell(cell);
        }
      }
    }
  }

  Status Write(Table* stats) {
    StatsUpdate update(stats, table_.physical, connection_->NowMillis());
    for (const auto& [name, family] : families_) {
      RETURN_IF_ERROR(update.Remove(name, "", ""));
    }
    for (const auto& [name, family] : families_) {
      if (width_ <= 0) continue;
      RETURN_IF_ERROR(update.Put(name, family.posts()));
      if (family.posts().empty()) RETURN_IF_ERROR(update.PutSmall(name, width_));
    }
    return update.Write();
  }

  Connection* const connection_;
  const TableMeta& table_;
  const int64_t width_;
  std::map<std::string, GuidePostCollector> families_;
};

int64_t WidthOf(const TableMeta& table, const GuidePostWidth& width,
                const StatisticsOptions& options) {
  if (width.per_region.value_or(0) > 0) return kDefaultRegionSize / *width.per_region;
  if (width.bytes.has_value()) return *width.bytes;
  const auto given = table.other_properties.find(kGuidePostsWidth);
  if (given == table.other_properties.end()) return DefaultGuidePostWidth(options);
  const std::string& text = given->second;
  int64_t bytes = DefaultGuidePostWidth(options);
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return bytes;
}

}  // namespace

int64_t DefaultGuidePostWidth(const StatisticsOptions& options) {
  return options.guide_posts_per_region > 0 ? kDefaultRegionSize / options.guide_posts_per_region
                                            : options.guide_post_width;
}

Status UpdateStatistics(Connection* connection, const TableMeta& table, const GuidePostWidth& width,
                        const StatisticsOptions& options) {
  if (!options.collect) return Status::Ok();
  ASSIGN_OR_RETURN(const std::shared_ptr<Table> stats, OpenStats(connection));
  ASSIGN_OR_RETURN(const std::shared_ptr<Table> data, connection->OpenTable(table.physical));
  return StatisticsUpdate(connection, table, WidthOf(table, width, options))
      .Run(stats.get(), data.get());
}

Result<GuidePosts> ReadGuidePosts(Connection* connection, const TableName& physical,
                                  const std::string& family) {
  const auto stats = OpenStats(connection);
  if (!stats.ok()) {
    if (stats.status().code() == StatusCode::kNotFound) return GuidePosts();
    return stats.status();
  }
  ASSIGN_OR_RETURN(GuidePosts posts, ReadStats(stats->get(), physical, family));
  // Regions without guide posts do not count where others have some, nor where none were wanted.
  if (!posts.empty() && posts.front().key.empty() &&
      (posts.size() > 1 || posts.front().bytes == 0)) {
    posts.erase(posts.begin());
  }
  return posts;
}

Result<std::shared_ptr<const GuidePosts>> LazyGuidePosts::Get() {
  MutexLock lock(&mu_);
  if (posts_ == nullptr) {
    ASSIGN_OR_RETURN(GuidePosts posts, ReadGuidePosts(connection_, physical_, family_));
    posts_ = std::make_shared<const GuidePosts>(std::move(posts));
  }
  return posts_;
}

}  // namespace bennu::sql::catalog
