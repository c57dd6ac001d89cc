// LocalIndexRows: which keys rows of local indexes get when a region of their table is replaced.
#ifndef BENNU_SRC_SQL_INDEX_LOCAL_INDEX_ROWS_H_
#define BENNU_SRC_SQL_INDEX_LOCAL_INDEX_ROWS_H_

#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/api/write_observer.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::index {

// Of all local indexes that one table, and the views over it, have now.
class LocalIndexRows : public api::RegionRows {
 public:
  static Result<std::unique_ptr<LocalIndexRows>> Of(
      catalog::Catalog* catalog, const std::shared_ptr<const catalog::TableMeta>& table);
  ~LocalIndexRows() override;

  // There is no local index.
  bool empty() const { return indexes_.empty(); }
  // Rows of indexes that were dropped go.
  Result<bool> Move(ByteView row, const RegionInfo& from, const RegionInfo& to,
                    Bytes* moved) override;
  Status CheckRegion(const RegionInfo& region) override;

 private:
  struct Index;

  LocalIndexRows();
  Status AddIndexesOf(catalog::Catalog* catalog,
                      const std::shared_ptr<const catalog::TableMeta>& owner);
  // The index whose number 'key' begins with. Null: no index has it.
  Index* IndexOf(ByteView key);

  std::vector<std::unique_ptr<Index>> indexes_;
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_LOCAL_INDEX_ROWS_H_
