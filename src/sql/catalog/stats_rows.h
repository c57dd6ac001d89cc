// Rows of SYSTEM.STATS:
//
//   row key                      cells
//   table                        LAST_STATS_UPDATE_TIME
//   table·family·key             a guide post: GUIDE_POSTS_WIDTH, GUIDE_POSTS_ROW_COUNT
//   table·family                 the same without a key: a region too small for one
//
// 'table' is the physical name, '·' a zero byte.
#ifndef BENNU_SRC_SQL_CATALOG_STATS_ROWS_H_
#define BENNU_SRC_SQL_CATALOG_STATS_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "bennu/mutation.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/catalog/statistics.h"

namespace bennu::sql::catalog {

// SYSTEM:STATS, or where schemas are no namespaces SYSTEM.STATS.
Result<std::shared_ptr<Table>> OpenStats(Connection* connection);

// Collects the changes of one update. What was known goes with the batch in which the new rows
// come.
class StatsUpdate {
 public:
  // 'stats' must outlive this. 'now': milliseconds.
  StatsUpdate(Table* stats, const TableName& physical, int64_t now)
      : stats_(stats), physical_(physical), now_(now) {}

  // Guide posts of the family with keys in [start, end), as of a region, go; an empty 'end' is
  // none. Begins at 'start' = "" with the row without a key. Before the Puts.
  Status Remove(const std::string& family, ByteView start, ByteView end);
  Status Put(const std::string& family, const GuidePosts& posts);
  // The row without a key: comes, or goes.
  Status PutSmall(const std::string& family, int64_t width);
  Status RemoveSmall(const std::string& family);
  // Notes the time of it all and writes.
  Status Write();

 private:
  Status Put(const Bytes& row, const GuidePost& post);

  Table* const stats_;
  const TableName physical_;
  int64_t now_;
  MutationBatch batch_;
};

// Of one family, in key order; a row without a key comes first.
Result<GuidePosts> ReadStats(Table* stats, const TableName& physical, const std::string& family);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_STATS_ROWS_H_
