// IndexObserver: keeps indexes in step with their table, whoever writes it.
#ifndef BENNU_SRC_SQL_INDEX_INDEX_OBSERVER_H_
#define BENNU_SRC_SQL_INDEX_INDEX_OBSERVER_H_

#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/api/write_observer.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/exec/index_encoder.h"
#include "src/sql/index/expiring_rows.h"
#include "src/sql/index/written_rows.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {

class IndexObserver : public api::WriteObserver {
 public:
  // Indexes of one table, or of views over it, at least one. 'builds': see exec::IndexEncoder.
  explicit IndexObserver(std::vector<std::shared_ptr<const plan::IndexDefinition>> indexes,
                         bool builds = false);

  // Before others have the observer: rows of the table expire, whatever SQL knows of it.
  void set_expires() { expires_ = true; }

  // Before others have the observer: it is to note all rows that it is told of.
  void NoteRowsIn(std::shared_ptr<WrittenRows> written) { notes_.push_back(std::move(written)); }

  const std::map<Bytes, std::set<Bytes>>& columns() const override { return columns_; }
  // Included columns are looked up in the table when they are wanted of a row that goes in parts.
  bool DependsOn(ByteView family, ByteView qualifier) const override;
  bool IsDerived(ByteView family) const override { return catalog::IsLocalFamily(family); }
  // Errors as of exec::IndexEncoder::Encode: a row that an index cannot hold is not written.
  Status Observe(const RegionInfo& region, std::span<const api::RowChange> changes,
                 api::DerivedWrites* derived) override;

 private:
  // What one call needs for all indexes.
  struct Workspace {
    std::vector<std::unique_ptr<exec::IndexEncoder>> encoders;  // by index
    std::vector<exec::TableRow> rows;
    std::vector<exec::IndexEntry> before, after;
    std::vector<const api::RowChange*> whole;
    std::vector<const api::RowChange*> in_parts;  // of which cells expire at different moments
    ExpiringRows expiring;
  };
  // What one index has of the rows that go as a whole.
  static Status AppendChanges(std::span<const api::RowChange* const> changes, ByteView prefix,
                              exec::IndexEncoder* encoder, Workspace* workspace,
                              MutationBatch* batch);
  std::unique_ptr<Workspace> Take() EXCLUDES(mu_);
  void GiveBack(std::unique_ptr<Workspace> workspace) EXCLUDES(mu_);

  const std::vector<std::shared_ptr<const plan::IndexDefinition>> indexes_;
  const bool builds_;
  bool expires_ = false;
  std::map<Bytes, std::set<Bytes>> columns_;
  std::map<Bytes, std::set<Bytes>> key_columns_;  // of keys and conditions
  std::vector<std::shared_ptr<WrittenRows>> notes_;
  Mutex mu_;
  std::vector<std::unique_ptr<Workspace>> idle_ GUARDED_BY(mu_);
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_INDEX_OBSERVER_H_
