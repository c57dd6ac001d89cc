// Indexes: the indexes of a store's tables at work: who keeps them up, and how they are built.
//
// Whether SQL is used or not, every write of an indexed table goes through here, since the engine
// asks for the table's observer (api::WriteObserverSource). Definitions are read from the catalog
// when they are asked for; after a change of the catalog Changed() has the engine ask again.
#ifndef BENNU_SRC_SQL_INDEX_INDEXES_H_
#define BENNU_SRC_SQL_INDEX_INDEXES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/api/write_observer.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/features.h"
#include "src/sql/catalog/table.h"
#include "src/sql/index/index_keeper.h"
#include "src/sql/index/table_indexes.h"
#include "src/sql/index/written_rows.h"

namespace bennu::sql::index {

// Who builds indexes, and reads definitions by a catalog of its own. Thread-safe.
class IndexBuilder {
 public:
  virtual ~IndexBuilder() = default;
  // Until the index is in the state that the building brings it to.
  virtual bool IsBuilding(const catalog::TableKey& index) = 0;
  // Somebody else has changed states of indexes; some may be to be built.
  virtual void StatesChanged() = 0;
};

// Thread-safe.
class Indexes : public api::WriteObserverSource, public IndexKeeper {
 public:
  // Both must outlive this; they are the same store.
  Indexes(Connection* connection, api::ObservedStore* store, const catalog::Features& features)
      : connection_(connection), store_(store), features_(features) {}

  Result<std::shared_ptr<api::WriteObserver>> ObserverOf(const TableName& table) override;
  Result<std::unique_ptr<api::RegionRows>> RegionRowsOf(const TableName& table,
                                                        const std::string& family) override;
  // Index tables, those of views too. Indexes that are being built go on with the rows that the
  // table has then.
  Result<std::vector<TableName>> TablesDerivedFrom(const TableName& table) override;
  // An index that is kept up is DISABLED meanwhile. Then it is to be built, or stays DISABLED if no
  // query used it before. FailedPrecondition: an index is being built. While SYSTEM.CATALOG is
  // disabled, this and the next do nothing.
  Result<Replacement> RowsAreReplaced(const TableName& table) override;
  // Where families come to have another TTL, or MIN_VERSIONS of 0 or not any more: as the one
  // before, and the indexes get the same before they are built.
  Result<Replacement> FamiliesAreAltered(const TableDescriptor& before,
                                         const TableDescriptor& after) override;
  // Indexes whose rows these are come to be DISABLED, by which writes of their tables go on.
  Status DerivedRowsGo(const TableName& table) override;
  // Not free: what an index has in its key, its WHERE or beside it, that by which rows exist, and
  // what the rows of a local index lie in.
  Status CheckFamilyIsFree(const TableName& table, const std::string& family) override;

  // Null: nobody builds. Must outlive this, or be taken away first.
  void set_builder(IndexBuilder* builder) EXCLUDES(builder_mu_);

  using IndexKeeper::Changed;
  Status Changed(const TableName& table) override { return store_->ObserverChanged(table); }
  Status StateChanged(const TableName& table) override { return Changed(table); }
  Result<int64_t> Build(const std::shared_ptr<const catalog::TableMeta>& table,
                        const std::shared_ptr<const catalog::TableMeta>& index,
                        const Progress& progress) override;
  Result<int64_t> BuildAnew(const std::shared_ptr<const catalog::TableMeta>& table,
                            const std::shared_ptr<const catalog::TableMeta>& index,
                            const Progress& progress) override;
  Result<std::unique_ptr<Pause>> PauseKeeping(const TableName& table,
                                              const catalog::TableKey& index) override;

 private:
  class Paused;
  // Takes away what the index has, if it has anything, while nobody keeps it up. NotFound: its
  // HBase table is gone. FailedPrecondition: that is disabled.
  Status Empty(const catalog::TableMeta& index, const Progress& progress);
  // Notes the writes of a table while it lives, once the engine was told of a new observer.
  class Notes;

  Result<catalog::Catalog*> OpenCatalog() EXCLUDES(mu_);
  static Status CheckFamiliesOf(const TableDescriptor& table, const TableIndexes& indexes);
  // Gives what is derived from the table its TTL.
  Status LetDerivedExpire(const TableName& table, const Replacement& derived);
  bool IsBeingBuilt(const catalog::TableMeta& index) EXCLUDES(builder_mu_);
  // Of the table whose HBase table is 'table', or of views over it.
  Status SetStates(const TableName& table,
                   const std::vector<std::shared_ptr<const catalog::TableMeta>>& indexes,
                   catalog::IndexState state);
  static Result<bool> IsNew(const catalog::TableMeta& index, const std::vector<RegionInfo>& regions,
                            const std::shared_ptr<const Snapshot>& snapshot, Table* storage);

  Connection* const connection_;
  api::ObservedStore* const store_;
  const catalog::Features features_;
  Mutex mu_;
  // Its own, so that it can be read under the locks of a write, whatever SQL does with its catalog.
  std::unique_ptr<catalog::Catalog> catalog_ GUARDED_BY(mu_);
  std::multimap<TableName, std::shared_ptr<WrittenRows>> notes_ GUARDED_BY(mu_);
  std::multiset<catalog::TableKey> paused_ GUARDED_BY(mu_);  // indexes
  Mutex builder_mu_;
  IndexBuilder* builder_ GUARDED_BY(builder_mu_) = nullptr;
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_INDEXES_H_
