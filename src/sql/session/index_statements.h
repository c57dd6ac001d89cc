// CREATE, ALTER and DROP INDEX, and what ALTER TABLE and DROP TABLE mean for indexes: the catalog,
// the keeping up and the building in the order in which no write is missed.
//
//   a new index     defined as one that is built; kept up; filled with the rows that are there;
//                   active
//   one that goes   no longer read nor kept up (going_index.h, over a cluster disabled); dropped
//   with
//                   its rows
#ifndef BENNU_SRC_SQL_SESSION_INDEX_STATEMENTS_H_
#define BENNU_SRC_SQL_SESSION_INDEX_STATEMENTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/expr.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/exec/run_control.h"
#include "src/sql/parse/ast.h"
#include "src/sql/session/sql_store.h"
#include "src/sql/types/value.h"

namespace bennu::sql::session {

// As Phoenix names it; empty: no index has it.
std::string_view StateName(catalog::IndexState state);

// Sets what CREATE INDEX asks of the binder.
void SetIndexBinding(catalog::DdlContext* context);

// One statement's. One thread.
class IndexStatements {
 public:
  // All must outlive this. 'control' stops a building, and is told how far it is.
  IndexStatements(SqlStore* store, const catalog::DdlContext& context, exec::RunControl* control)
      : store_(store), context_(context), control_(control) {}

  // The number of rows of the table that were looked at. Errors as Catalog::CreateIndex, and those
  // of rows that the index cannot hold; then there is no such index.
  Result<int64_t> Create(const parse::CreateIndex& statement);
  // 536, 1042; 1028 a state that cannot follow the present one.
  Result<int64_t> Alter(const parse::AlterIndex& statement);
  Status Drop(const parse::Drop& statement);
  // The differences between the index and its table, a row of CheckIndexColumns() each, and behind
  // those that are listed how many more there are. With REPAIR the index is then built anew, unless
  // there are none.
  Result<std::vector<std::vector<Value>>> Check(const parse::CheckIndex& statement);
  // DROP TABLE and DROP VIEW.
  Status DropTable(const parse::Drop& statement);
  // Errors as Catalog::AlterTable. Indexes that are made of a column that is dropped go with it.
  Status AlterTable(const parse::AlterTable& statement);

 private:
  using TablePtr = std::shared_ptr<const catalog::TableMeta>;
  using IndexAndTable = catalog::Catalog::IndexAndTable;

  Result<TablePtr> TableOf(const parse::QualifiedName& name);
  // From what there is in the index.
  enum class Start : uint8_t { kAsNew, kAnew, kMend };
  Result<int64_t> Fill(const IndexAndTable& index, Start start);
  // Whether the index's changes are those of a store that this process holds, which a crash leaves
  // whole. A cluster's are not.
  bool IsStoreOfThisProcess() const;
  // 'later': in the background.
  Result<int64_t> Rebuild(const IndexAndTable& index, bool later);
  Status CheckRebuild(const IndexAndTable& index, bool later);
  static Status IsBeingBuilt(const std::string& index);
  Status BeforeDropView(const parse::Drop& statement);
  // 'is_claimed': the caller has the index's IndexBuilds::Claim.
  Status DropOne(const IndexAndTable& index, bool is_claimed);
  Status DropView(const parse::Drop& statement);
  // The rows of indexes whose definitions are gone.
  Status EraseLeft(const std::vector<TablePtr>& left);
  // Drops the indexes that are made of a column that the statement drops; whether there were any.
  Result<bool> DropIndexesOfDropped(const parse::AlterTable& statement);
  Status AfterAlterTable(const parse::AlterTable& statement);
  // Of the table and of views over it.
  Result<std::map<catalog::TableKey, IndexAndTable>> IndexesBeingBuilt(
      const parse::AlterTable& statement);
  // Those that are made of one of the columns, which are family and name.
  Result<bool> DropIndexesOf(const TablePtr& table,
                             const std::vector<std::pair<std::string, std::string>>& columns);
  // Takes away all rows of a cluster's index that nobody keeps up.
  Status Empty(const catalog::TableMeta& index);
  // NotFound: the index's HBase table is gone. One that is disabled is enabled.
  Status Enable(const catalog::TableMeta& index);
  Status SetState(const IndexAndTable& index, catalog::IndexState state);
  // What to do about an index in a state that no other one can follow.
  std::string RemedyIn(catalog::IndexState state) const;

  SqlStore* const store_;
  const catalog::DdlContext& context_;
  exec::RunControl* const control_;
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_INDEX_STATEMENTS_H_
