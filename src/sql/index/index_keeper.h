// IndexKeeper: who sees to it that indexes have what their tables have. Of a store that this
// process holds it is Indexes, of a cluster ClusterIndexes.
#ifndef BENNU_SRC_SQL_INDEX_INDEX_KEEPER_H_
#define BENNU_SRC_SQL_INDEX_INDEX_KEEPER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::index {

// What a definition is about to do with an index.
struct IndexWork {
  enum class Kind : uint8_t { kCreate, kRebuild, kChange };  // kChange: of its state, or its end
  Kind kind = Kind::kCreate;
  bool is_local = false;
  bool shares_table = false;   // with other indexes
  bool in_background = false;  // ASYNC
};

// Thread-safe.
class IndexKeeper {
 public:
  virtual ~IndexKeeper() = default;

  // After the catalog's indexes of this table, or of a view over it, became others, or came to be
  // in another state. When it returns all writes that are not told of to them can be read.
  virtual Status Changed(const TableName& table) = 0;
  Status Changed(const catalog::TableMeta& table) { return Changed(table.physical); }
  // After an index came to be in another state in which it is kept up as before.
  virtual Status StateChanged(const TableName& table) = 0;

  // Makes the rows that the index has of the table as it is, while the table may be written. The
  // index must be kept up already (Changed). 'progress' is told of rows as they are done, from
  // several threads; an error of it ends the building. Returns the number of rows.
  using Progress = std::function<Status(size_t rows)>;
  virtual Result<int64_t> Build(const std::shared_ptr<const catalog::TableMeta>& table,
                                const std::shared_ptr<const catalog::TableMeta>& index,
                                const Progress& progress) = 0;

  // As Build, of an index that is being built and may have anything, which goes first.
  virtual Result<int64_t> BuildAnew(const std::shared_ptr<const catalog::TableMeta>& table,
                                    const std::shared_ptr<const catalog::TableMeta>& index,
                                    const Progress& progress) {
    return Build(table, index, progress);
  }
  // While one lives, writes of the table pass the index by, whatever its state, so that its rows
  // can go. Only for an index of which the catalog says that it is being built, or disabled: what
  // it has does not count afterwards, nor after a crash.
  class Pause {
   public:
    virtual ~Pause() = default;
  };
  // When it returns, no write of the index is under way. Null: who keeps it up knows it by its
  // state alone. 'table': of the rows that the index is about.
  virtual Result<std::unique_ptr<Pause>> PauseKeeping(const TableName& /*table*/,
                                                      const catalog::TableKey& /*index*/) {
    return std::unique_ptr<Pause>();
  }

  // Whether an index that is rebuilt is mended where it stands, and not emptied and built.
  virtual bool MendsInPlace(const catalog::TableMeta& /*index*/) const { return false; }
  // As Build, of such an index, which may have anything.
  virtual Result<int64_t> Mend(const std::shared_ptr<const catalog::TableMeta>& table,
                               const std::shared_ptr<const catalog::TableMeta>& index,
                               const Progress& progress) {
    return Build(table, index, progress);
  }

  // Whether rows of the table or view may be written, and what may be done with an index of it. An
  // error without code says why not.
  virtual Status CheckWrites(const catalog::TableMeta& /*table*/) { return Status::Ok(); }
  virtual Status CheckWork(const catalog::TableMeta& /*table*/, const IndexWork& /*work*/) {
    return Status::Ok();
  }
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_INDEX_KEEPER_H_
