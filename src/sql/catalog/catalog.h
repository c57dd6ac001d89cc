// Catalog: the tables that SYSTEM.CATALOG knows, read, made, altered and dropped.
//
// SYSTEM.CATALOG is an ordinary table with Phoenix's layout, read and written through the data API.
// Opening reads nothing: a table's rows are read when it is first asked for and then kept until a
// change through this catalog (or Invalidate) drops them. Where the store is shared, whoever starts
// a statement says so (BeginStatement), and then a definition is looked at again before it is given
// out, or as seldom as its UPDATE_CACHE_FREQUENCY allows. The SYSTEM tables themselves are made at
// the first definition of a table or when one of them is first asked for; what they look like is
// built in, so finding them reads nothing either.
//
// One Catalog per open store, shared by its sessions. Thread-safe; definitions run one at a time.
// Source: phoenix-storage.md sections 1, 3 and 4; MetaDataClient and MetaDataEndpointImpl of 5.3.
#ifndef BENNU_SRC_SQL_CATALOG_CATALOG_H_
#define BENNU_SRC_SQL_CATALOG_CATALOG_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bennu/cell.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/sql/catalog/definition_cache.h"
#include "src/sql/catalog/definition_lock.h"
#include "src/sql/catalog/features.h"
#include "src/sql/catalog/table.h"
#include "src/sql/parse/ast.h"
#include "src/sql/types/value.h"

namespace bennu::sql::catalog {

class Removal;
struct TableOptions;

// Folds a constant expression (DEFAULT, SPLIT ON, TTL …). The evaluator lives above this folder.
// 504: it names a column. 1031: its value depends on when it is evaluated.
using ConstantEvaluator = std::function<Result<Value>(const parse::Expr& expr)>;

// What CREATE INDEX has to know of an expression over a table.
struct IndexedExpression {
  DataType type;
  bool nullable = true;
  int32_t column = -1;  // the table's column that it is; -1: something made of columns
};

struct DdlContext {
  Features features;  // the catalog's
  ConstantEvaluator evaluate;
  std::string tenant;                    // of the connection, empty for a global one
  std::string default_schema;            // of USE, empty when there is none
  int64_t timestamp = kLatestTimestamp;  // CurrentSCN of the connection
  bool read_only = false;                // 518, but only once the statement is found right
  // The next value of a sequence, for AUTO_PARTITION_SEQ. 1201: there is none of that name.
  std::function<Result<int64_t>(const TableKey& sequence)> next_value;
  // 504 and kin; 520: an aggregate; 521: its value may differ from call to call; 522: no column.
  std::function<Result<IndexedExpression>(const parse::Expr& expr, const TableMeta& table)>
      bind_indexed;
  // The WHERE of an index: 203, 303, 304, 504.
  std::function<Status(const parse::Expr& where, const TableMeta& table)> check_index_where;
};

struct TableListing {
  std::string schema;
  std::string name;
  TableType type = TableType::kTable;
};

class Catalog {
 public:
  // 'connection' must outlive this. 726: the store's SYSTEM tables are not where 'features' says.
  static Result<std::unique_ptr<Catalog>> Open(Connection* connection,
                                               const Features& features = {});

  // Folds the constants of conditions of views that are read from now on. Call before others use
  // the catalog; without it such views can be read but not written.
  void set_constant_evaluator(ConstantEvaluator evaluate) { evaluate_ = std::move(evaluate); }
  // Told of each definition that was changed through this catalog, after it was written: others may
  // keep it in a cache. May not use the catalog. Call before others use the catalog.
  void set_definition_observer(std::function<void(const TableKey&)> changed) {
    changed_ = std::move(changed);
  }

  // How far SYSTEM.CATALOG has been written in a store of this process, which clients write, too.
  struct Writes {
    uint64_t newest = 0;   // goes up with each write, which readers may not see yet
    uint64_t visible = 0;  // up to which number they see all
  };
  // Spares a look at the catalog for each statement. Call before others use the catalog.
  void set_writes(std::function<Writes()> writes) { writes_ = std::move(writes); }

  // 1012: no such table, or a view whose parent is gone. 'as_of': only what was there before that
  // time, for CurrentSCN; such answers are not kept. 'tenant': the connection's; its own views come
  // before global ones, and of multi-tenant tables it sees its rows alone (1041: not a tenant of
  // this table). kSql without code: a table with features that are not there yet.
  Result<std::shared_ptr<const TableMeta>> GetTable(std::string_view schema, std::string_view name,
                                                    int64_t position = -1,
                                                    int64_t as_of = kLatestTimestamp,
                                                    const std::string& tenant = {});

  // Errors: Phoenix's for a definition that it refuses (509, 510, 514, 1003 …, 1013).
  Status CreateTable(const parse::CreateTable& statement, const DdlContext& context);
  // Errors: Phoenix's for a view that it refuses (504, 505, 514, 1009, 1012, 1013, 1045 …).
  Status CreateView(const parse::CreateView& statement, const DdlContext& context);
  // Tables and views. 1012; 1010 for SYSTEM tables and what others are made over, unless CASCADE
  // was said. The HBase table goes with its data and its indexes, in a store of this process in one
  // step. Views over what is dropped stay in the catalog without being found, as with Phoenix until
  // its clean-up comes by.
  // '*left': indexes whose definitions went with their view, but whose rows may still be there; for
  // EraseIndexRows, once nobody keeps them up any more.
  Status DropTable(const parse::Drop& statement, const DdlContext& context,
                   std::vector<std::shared_ptr<const TableMeta>>* left);
  struct IndexAndTable {
    std::shared_ptr<const TableMeta> index, table;
  };
  // The indexes that would go with the view that DropTable would drop; its errors. Of a table:
  // none, as their tables go with it.
  Result<std::vector<IndexAndTable>> IndexesGoneWithView(const parse::Drop& statement,
                                                         const DdlContext& context);
  // An index whose empty column moves to another family is being built afterwards (IndexState), and
  // the caller has to build it anew.
  Status AlterTable(const parse::AlterTable& statement, const DdlContext& context);
  // Family and name of the columns that ALTER TABLE … DROP COLUMN would drop; its errors.
  Result<std::vector<std::pair<std::string, std::string>>> NamesToDrop(
      const TableMeta& table, const parse::AlterTable& statement, const DdlContext& context);
  // The indexes of a table, in the order of their names, in whatever state.
  Result<std::vector<std::shared_ptr<const TableMeta>>> IndexesOf(const TableMeta& table,
                                                                  int64_t as_of = kLatestTimestamp);
  // An index from which a query over a table or view may be answered: its own, or one of what it
  // was made over.
  struct ReadableIndex {
    std::shared_ptr<const TableMeta> index;
    std::shared_ptr<const TableMeta> owner;
  };
  Result<std::vector<ReadableIndex>> IndexesFor(const std::shared_ptr<const TableMeta>& table);
  // A write of the table or view is one of indexes, too.
  Result<bool> HasIndexes(const TableMeta& table);
  // The views over the table, and over those, that have indexes of their own. Of a tenant's view it
  // is what the tenant sees.
  Result<std::vector<std::shared_ptr<const TableMeta>>> IndexedViews(const TableMeta& table);
  // Takes away the rows of an index that lie beside those of others, and that nobody keeps up.
  // 'check', unless null, is asked now and then; its error ends the work.
  Status EraseIndexRows(const TableMeta& index, const std::function<Status()>& check = nullptr);
  // Those of all tenants.
  Result<std::vector<TableKey>> IndexesBeingBuilt();
  // Defines the index, which has no rows yet and is being built; null: IF NOT EXISTS, and there is
  // something of that name. Errors: 306, 1012, 1013, 10955 a view with some of its rows has a
  // longer key, those of BuildIndex.
  Result<std::shared_ptr<const TableMeta>> CreateIndex(const parse::CreateIndex& statement,
                                                       const DdlContext& context);
  // What ALTER INDEX and DROP INDEX name. 1042: no such index; 536: of another table.
  Result<IndexAndTable> FindIndex(const parse::QualifiedName& table, const parse::Name& name,
                                  const DdlContext& context);
  // The index as it is then. Whether it may come to be in that state is the caller's question. An
  // error: an index that was being built is to be active, and its state was changed meanwhile.
  Result<std::shared_ptr<const TableMeta>> SetIndexState(const TableMeta& index, IndexState state,
                                                         const DdlContext& context);
  // The definition and, if the index has an HBase table for itself, that; in a store of this
  // process in one step. EraseIndexRows is for the caller, if the index shares one.
  Status DropIndex(const TableMeta& table, const TableMeta& index, const DdlContext& context);
  // Runs 'make', which makes the HBase table 'copy' with rows that 'source' had at 'older_than'
  // (milliseconds), and gives it a definition like that of 'source': the same columns, key,
  // qualifiers and options, no indexes and no views. Errors before 'make' leave all as it was.
  // NotFound: SQL does not know 'source'. InvalidArgument: its definition cannot be copied, or SQL
  // could not name the copy. 1010, 1013, 722 as for CREATE TABLE.
  Status CopyTable(const TableName& source, const TableName& copy, int64_t older_than,
                   const std::function<Status()>& make);
  // What SQL calls an HBase table. InvalidArgument: nothing, as its namespaces are mapped.
  Result<TableKey> KeyOfPhysical(const TableName& name) const;

  // Tables, views and indexes, sorted by schema and name; reads the whole catalog. 'schema': only
  // of this one ("" those without schema).
  Result<std::vector<TableListing>> ListTables(std::optional<std::string> schema = std::nullopt);
  // Schemas that were made or own something, sorted.
  Result<std::vector<std::string>> ListSchemas();

  // Schemas are namespaces (Features::map_namespaces), or 725. 721: it is there; 724: a name that
  // none may have.
  Status CreateSchema(const parse::CreateSchema& statement, const DdlContext& context);
  // 722: there is none; 723: something lies in it.
  Status DropSchema(const parse::Drop& statement, const DdlContext& context);
  // 722: schemas are namespaces and there is none of that name; no name is always right.
  Status CheckSchema(const std::string& schema, int64_t position);

  // A statement begins: what it sees is not older. Nothing where the store is not shared.
  void BeginStatement();
  // Looks whether these are as they were when they were last looked up, where others may have
  // changed them; version() tells.
  Status LookAgain(const std::set<TableKey>& names);
  // Forgets what was read, because somebody else may have written the catalog.
  void Invalidate() { cache_.Clear(); }
  // Goes up with every change through this catalog, and every one that it finds; a prepared
  // statement made at another version must be prepared again.
  uint64_t version() const { return cache_.version(); }

  Connection* connection() const { return connection_; }
  const Features& features() const { return features_; }

 private:
  using TablePtr = std::shared_ptr<const TableMeta>;

  Catalog(Connection* connection, const Features& features)
      : connection_(connection),
        features_(features),
        shared_(connection->capabilities().shared),
        remote_(connection->capabilities().remote) {}

  Result<std::shared_ptr<Table>> OpenCatalogTable();  // NotFound before the first definition
  Status EnsureSystemTables() REQUIRES(ddl_mu_);
  Status CreateSystemTables() REQUIRES(ddl_mu_);
  // Takes out what the store's servers could not load: Phoenix's classes, where it is not there.
  TableDescriptor WithKnownClasses(TableDescriptor descriptor) const REQUIRES(ddl_mu_);
  // Keep other processes from changing definitions; none where there are none.
  using DefinitionLocks = std::vector<std::unique_ptr<DefinitionLock>>;
  // Locks the name, and the table with the rows of 'over', where 'over' is what is there of this
  // name, or what something of this name is to be made over: a table and all that stands over it
  // change one after another, as a view's columns have qualifiers of the table's. What is looked up
  // afterwards is not older than the locks, and what is written to both later than what is there.
  // 301.
  Result<DefinitionLocks> LockDefinition(const TableKey& name, const TableKey& over)
      REQUIRES(ddl_mu_);
  Result<DefinitionLocks> LockDefinition(const TableKey& name) REQUIRES(ddl_mu_) {
    return LockDefinition(name, name);
  }
  // The table with the rows of a table, view or index; the name itself where there is none of it.
  Result<TableKey> TableBelow(const TableKey& key);
  // The clock of definitions leaves behind all that was ever written of this one, deletions too, by
  // whatever clock.
  Status PassTimesOf(const TableKey& key) REQUIRES(ddl_mu_);
  Status EnsureNamespace(const std::string& name);
  Status CheckMapping();
  Result<bool> HasSchema(const std::string& schema);
  // SYSTEM.<name> as this store has it, or null.
  const std::shared_ptr<const TableMeta>& System(std::string_view name) const;
  Result<std::shared_ptr<Table>> OpenChildLinks();
  // '*fingerprint', which is 0, is set to that of the header row and the links.
  Result<TablePtr> ReadTable(const TableKey& key, int64_t as_of, uint64_t* fingerprint);
  // Of the header row and the links as they are now; 0: there are none.
  Result<uint64_t> ReadFingerprint(const TableKey& key);
  // Whether the definition has to be looked at before a statement uses it.
  bool IsStale(const DefinitionCache::Entry& entry) const;
  // As GetTable, but null when there is none, and with all tenants' rows.
  Result<TablePtr> FindTable(const TableKey& key, int64_t as_of);
  // For a name that is no table's: the table whose name differs only in its case, or empty.
  std::string OtherCaseAdvice(const TableKey& missing, int64_t as_of);
  // As a connection of the tenant sees it.
  Result<TablePtr> SeenByTenant(const TablePtr& table, const std::string& tenant, int64_t as_of);
  // The views right over 'key' that are still there.
  Result<std::vector<TablePtr>> ChildViews(const TableKey& key, int64_t as_of);
  Result<std::vector<TablePtr>> DescendantViews(const TableKey& key, int64_t as_of);
  // Removes what is left of views over a table or view of this name that is no more.
  Status SweepOrphans(const TableKey& key, int64_t timestamp) REQUIRES(ddl_mu_);
  Status MakeWayFor(const TableMeta& index, int64_t position) REQUIRES(ddl_mu_);
  // A table, or a view that can be used, of this name is there.
  Result<bool> IsTaken(const TableKey& key, int64_t as_of);
  Status EraseRows(const TableKey& key, int64_t timestamp);
  Status AppendErasure(const TableKey& key, int64_t timestamp, MutationBatch* batch);
  // What a DROP of a table or view finds.
  struct Doomed {
    TableKey key;
    TablePtr table;               // null: nothing to drop
    bool is_orphan = false;       // there is what is left of a view whose parent is gone
    std::vector<TablePtr> views;  // over the table, and over those
  };
  Result<Doomed> FindDoomed(const parse::Drop& statement, const DdlContext& context);
  Status DropFromIndexes(const TableMeta& table, const std::vector<uint32_t>& columns,
                         const DdlContext& context) REQUIRES(ddl_mu_);
  Status DropFromAllIndexes(const TableMeta& table, const std::vector<uint32_t>& columns,
                            const DdlContext& context) REQUIRES(ddl_mu_);
  Result<std::vector<TablePtr>> IndexesToExtend(const TableMeta& table,
                                                const parse::AlterTable& statement,
                                                const DdlContext& context);
  // The indexes of the table, and of views over it, and the key columns among 'added', where there
  // are any; without the indexes 'extended'. 1015: nothing can stand behind the key of an index.
  Result<std::vector<std::pair<TablePtr, std::vector<ColumnMeta>>>> IndexesWithKeyOf(
      const TableMeta& table, const std::vector<ColumnMeta>& added,
      const std::vector<TablePtr>& extended);
  // Appends what the index is with further columns of its table. NULL in the rows that are there,
  // as in the table.
  Status ExtendIndex(const TableMeta& index, const std::vector<ColumnMeta>& added,
                     int64_t timestamp, MutationBatch* batch);
  // Adds the definition of the index, and the HBase table that it has for itself.
  Status RemoveIndex(const TableMeta& table, const TableMeta& index, int64_t timestamp,
                     Removal* removal);
  // Makes the HBase table of 'table' one that can hold rows of the index, whose families are
  // 'described'. FailedPrecondition: a region that cannot (CheckLocalRowsFit).
  Status MakeRoomForLocalIndex(const TableMeta& table, const TableMeta& index,
                               const TableDescriptor& described);
  // 10955
  Status CheckViewsHaveSameKey(const TableMeta& table, const DdlContext& context);
  // 10956: the key of a view over 'base' has columns for which an index of another view has no
  // place, though both may have rows in common.
  Status CheckIndexesHoldKey(const TableMeta& view, const TableMeta& base);
  static Result<bool> HasLongerKeyInRows(const TableMeta& view, const TableMeta& other);
  // Gives a new index, of a view or a local one, its number. 1047: there is none left.
  Status NumberIndex(const TableKey& base, int64_t timestamp, TableMeta* index) REQUIRES(ddl_mu_);
  // Adds the HBase table of all indexes of views over 'base', which goes; numbers begin anew.
  Status ForgetViewIndexes(const TableMeta& base, bool had_local_indexes, int64_t timestamp,
                           Removal* removal);
  // Adds the indexes of the table or view.
  Status RemoveIndexesOf(const TableMeta& view, const DdlContext& context, Removal* removal,
                         std::vector<IndexAndTable>* removed) REQUIRES(ddl_mu_);
  Status AddDropTask(const TableKey& key, Removal* removal);
  int64_t NextTimestamp(const DdlContext& context) REQUIRES(ddl_mu_);
  // What a new view over 'parent' holds the partition's column to, when the base table has
  // AUTO_PARTITION_SEQ: "ID = 5". Empty otherwise.
  Result<std::string> PartitionCondition(const TableMeta& parent, const TableKey& view,
                                         const DdlContext& context);
  // Adds to the HBase table of 'base' the families that a view over it has and it has not.
  Status AddFamiliesOfView(const TableMeta& view, const TableMeta& base);
  Status CreatePhysical(const TableDescriptor& descriptor, const std::vector<Bytes>& splits)
      REQUIRES(ddl_mu_);
  Status AddColumns(const TableMeta& old_table, const parse::AlterTable& statement,
                    const DdlContext& context) REQUIRES(ddl_mu_);
  Result<std::vector<uint32_t>> ColumnsToDrop(const TableMeta& old_table,
                                              const parse::AlterTable& statement,
                                              const DdlContext& context);
  Status DropColumns(const TableMeta& old_table, const parse::AlterTable& statement,
                     const DdlContext& context) REQUIRES(ddl_mu_);
  Status DropViewColumns(const TableMeta& old_view, const std::vector<uint32_t>& dropped,
                         const DdlContext& context) REQUIRES(ddl_mu_);
  Status CheckChildrenAllowAdding(const TableMeta& table, const std::vector<ColumnMeta>& added,
                                  const DdlContext& context);
  Status CheckChildrenAllowDropping(const TableMeta& table, const std::vector<uint32_t>& dropped,
                                    const DdlContext& context);
  Status SetProperties(const TableMeta& old_table, const parse::AlterTable& statement,
                       const DdlContext& context) REQUIRES(ddl_mu_);
  Status EraseColumnData(const TableMeta& table, const std::vector<uint32_t>& columns,
                         int64_t timestamp);
  // An index that is read becomes one that is being built (over a cluster its rows are changed
  // instead, and so are a table's).
  Status MoveEmptyColumn(const TableMeta& old_table, TableMeta* table);
  // What the options say of expiry, and of what else an index has as its table, for the tables of
  // its indexes and of those of views over it.
  Status AlterIndexTables(const TableMeta& table, const TableOptions& options) REQUIRES(ddl_mu_);
  // Gives each row of the HBase table the empty cell in 'family', once for each time at which it
  // has cells.
  Status AddEmptyCells(const TableMeta& table, const std::string& family);
  // Calls 'add' for every row that the scan finds of the table, to put changes into a batch, and
  // writes these.
  using AddChanges = std::function<void(const CellBatch& found, uint32_t begin, uint32_t end,
                                        MutationBatch* batch)>;
  Status ChangeRows(const TableMeta& table, const Scan& scan, const AddChanges& add,
                    const std::function<Status()>& check = nullptr);
  // The definition was changed here.
  void Forget(const TableKey& key);

  Connection* const connection_;
  const Features features_;
  ConstantEvaluator evaluate_;
  const bool shared_;  // other processes write the catalog, too
  const bool remote_;  // servers elsewhere load the classes that table descriptors name
  std::function<void(const TableKey&)> changed_;  // may be none
  std::function<Writes()> writes_;                // may be none
  std::atomic<uint64_t> writes_known_{0};         // the newest that all statements since have seen
  std::atomic<uint64_t> statement_{0};            // that began last, where the store is shared

  Mutex ddl_mu_;  // held through a whole definition
  bool system_tables_checked_ GUARDED_BY(ddl_mu_) = false;
  bool phoenix_runs_ GUARDED_BY(ddl_mu_) = true;  // its classes are there; known once checked
  int64_t last_ddl_ms_ GUARDED_BY(ddl_mu_) = 0;

  DefinitionCache cache_;
};

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_CATALOG_H_
