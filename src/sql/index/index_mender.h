// IndexMender: brings an index of a cluster's table back into step with its table where it stands,
// under writers of both. So is rebuilt what cannot be emptied, since it has its rows among those of
// others: indexes of views and local ones.
//
// It asks CheckIndex what differs, sees to each difference, and asks again until nothing does:
//
// - A row of the table that has no row in the index, or a wrong one, is touched: its empty column
//   is written anew, with all that the indexes have of the row. That is later than whatever was
//   there.
// - A row of the index that no row of the table asks for is deleted up to its own time. Its writer
//   may be slow, and about to write the table's row with that very time, which the marker would
//   then hide in the index. So the table's row is touched before; one that is not there gets a
//   delete marker. After that the slow writer does not find what it read, and begins anew with a
//   later time.
#ifndef BENNU_SRC_SQL_INDEX_INDEX_MENDER_H_
#define BENNU_SRC_SQL_INDEX_INDEX_MENDER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/bind/index_access.h"
#include "src/sql/catalog/table.h"
#include "src/sql/index/index_check.h"
#include "src/sql/index/index_keeper.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {

class IndexMender {
 public:
  // ClusterIndexes::Touch of a row of the table.
  using Touch = std::function<Result<bool>(const Bytes& row)>;
  struct Options {
    // Whether the times of rows are those of clients' clocks, and not of their servers'.
    bool clients_time = false;
    int in_vain_max = 10;  // rounds in a row after which no less differs than before
  };

  // 'base': what SQL knows of the HBase table with the rows, that of a view below it. 'connection'
  // must outlive this.
  IndexMender(Connection* connection, std::shared_ptr<Table> table,
              std::shared_ptr<const catalog::TableMeta> base,
              std::shared_ptr<const plan::IndexDefinition> definition, Touch touch,
              const Options& options)
      : connection_(connection),
        table_(std::move(table)),
        base_(std::move(base)),
        definition_(std::move(definition)),
        touch_(std::move(touch)),
        options_(options) {}

  // Returns the number of the table's rows. 'progress' as for IndexKeeper::Build. An error without
  // code: something goes on to differ.
  Result<int64_t> Run(const IndexKeeper::Progress& progress);

 private:
  Status Mend(const IndexDifference& difference);
  // Touches the row, or has its absence fenced. False: it came meanwhile, or has cells without the
  // empty column, which others wrote.
  Result<bool> Fence(const Bytes& row, int64_t latest);
  // A row of the index as it is stored: in a local index with what stands for its region.
  struct Stored {
    Bytes key;
    Row row;
  };
  Result<std::vector<Stored>> Find(const Bytes& index_row);
  Status RemoveUpTo(const Stored& stored, int64_t latest);
  // What the row has from before it was written last.
  Status RemoveOlder(const Bytes& index_row);
  Status RemoveOrphan(const Bytes& index_row);
  // False: the table's row asks for this row now, or nobody knows.
  Result<bool> FenceRowOf(const Bytes& index_row, int64_t latest);
  // Whether the table's row has this row in the index.
  Result<bool> Asks(const Bytes& row, const Bytes& index_row);

  Connection* const connection_;
  const std::shared_ptr<Table> table_;
  const std::shared_ptr<const catalog::TableMeta> base_;
  const std::shared_ptr<const plan::IndexDefinition> definition_;
  const Touch touch_;
  const Options options_;
  std::shared_ptr<Table> index_;                     // where its rows are
  std::shared_ptr<const bind::IndexAccess> access_;  // to the keys of the table's rows
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_INDEX_MENDER_H_
