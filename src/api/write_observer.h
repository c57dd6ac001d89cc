// Observers of writes: writes of a table that carry writes of other tables, as those of a secondary
// index.
//
// An observer is told, under the row locks and before the log, what each row that a batch writes
// looked like before and will look like afterwards. What it adds becomes part of the same unit: it
// is in the log, and visible, at the same moment as the batch, or neither is.
//
// What is told of: every mutation, of whatever kind, that the table takes. What is not: bulk loads,
// what a recovery replays from the log, the writes that an observer adds, and cells that expire:
// that is foretold when the row is written (RowChange::after_later). In HBase more shows or
// vanishes without a write: when a compaction drops a marker, or a version too many, while
// memstores hold older puts or markers of versions. Of rows that were written since the table is
// observed it does not (src/engine/store/lasting_markers.h). Writes of a batch of which all
// mutations are SKIP_WAL are lost in a crash with what was added to them, but a flush of one of the
// tables may keep its part.
#ifndef BENNU_SRC_API_WRITE_OBSERVER_H_
#define BENNU_SRC_API_WRITE_OBSERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/descriptor.h"
#include "bennu/mutation.h"
#include "bennu/status.h"

namespace bennu::api {

// What a row shows from some moment on, because cells of it have expired.
struct LaterRow {
  int64_t from = 0;  // milliseconds since 1970, on the store's clock
  std::vector<Cell> cells;
};

// One row, as a reader sees it who asks for the newest version of each column that the observer
// looks at. The cells are puts, in HBase's order, families in the order of their names. Valid
// during the call of the observer.
struct RowChange {
  ByteView row;
  std::span<const Cell> before;  // empty: there was no such row
  std::span<const Cell> after;   // empty: there is none any more
  // What it shows later if nobody writes it, in the order of time: from each moment on at which a
  // cell expires that the observer depends on, and from when there is no such row. Empty where all
  // of its cells go at one moment by the TTL of their families, or none does: what is derived from
  // the row, and has its time and that TTL, goes with it.
  std::span<const LaterRow> before_later;
  std::span<const LaterRow> after_later;
};

// What an observer adds to a batch. One thread at a time.
class DerivedWrites {
 public:
  // The writes to this table: puts, DeleteColumn and DeleteFamily with kLatestTimestamp, which the
  // store replaces: by the batch's own time, or by a later one where the derived row has cells or
  // markers that would hide the new ones. As in HBase a marker hides puts of the same column in the
  // same call, in whatever order they come; but in a mutation of which a put has a time to live
  // (MutationBatch::SetTtlMillis) markers are one millisecond earlier, so that they hide what was
  // there before, which would show again once the put expires. The batch's durability and options
  // have no effect.
  //
  // A derived row belongs to one row of the observed table: only writes of that row may derive it,
  // and nobody else may write it. That is why it needs no lock of its own. It may be one of the
  // observed table itself, in the region that is observed; nobody is told of it then.
  MutationBatch* Of(const TableName& table) { return &batches_[table]; }

  std::map<TableName, MutationBatch>& batches() { return batches_; }

 private:
  std::map<TableName, MutationBatch> batches_;
};

// Thread-safe.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;

  // The columns that it looks at, as in Get::columns; empty: all. Never changes.
  virtual const std::map<Bytes, std::set<Bytes>>& columns() const = 0;
  // What is derived from a row depends on the column's value, and not only on there being a row.
  // Asked of columns that it looks at, when cells of a row expire at different moments.
  virtual bool DependsOn(ByteView family, ByteView qualifier) const {
    static_cast<void>(family);
    static_cast<void>(qualifier);
    return true;
  }
  // The family holds what observers add, and nothing else: who deletes whole rows, without naming
  // families, does not mean it.
  virtual bool IsDerived(ByteView family) const {
    static_cast<void>(family);
    return false;
  }
  // Rows are of one region, and each comes once. Locks are held: it may read tables, but must not
  // write any, and must be quick. An error refuses the batch: nothing of it was written. Aborted is
  // the store's own and must not be returned.
  virtual Status Observe(const RegionInfo& region, std::span<const RowChange> changes,
                         DerivedWrites* derived) = 0;
};

// Rows of a family that lie in the region of the rows of their table that they are about, whatever
// their own keys, which begin with something that stands for the region. So they get other keys
// when regions are split or merged. One thread at a time.
class RegionRows {
 public:
  virtual ~RegionRows() = default;
  // Whether 'row', which is of region 'from', is about a row that is of region 'to'; then *moved is
  // its key there. Keeps the order of rows. Rows that are about no row at all go.
  virtual Result<bool> Move(ByteView row, const RegionInfo& from, const RegionInfo& to,
                            Bytes* moved) = 0;
  // FailedPrecondition: the region could not hold such rows.
  virtual Status CheckRegion(const RegionInfo& region) = 0;
};

// Who observes what. Thread-safe.
class WriteObserverSource {
 public:
  virtual ~WriteObserverSource() = default;
  // Null: nobody observes the table. Asked when a region is written to for the first time, and
  // again after it was told that the table's observer changed. No lock is held, and tables may be
  // read. An error fails the write.
  virtual Result<std::shared_ptr<WriteObserver>> ObserverOf(const TableName& table) = 0;
  // Null: the family's rows lie where their keys say, as nearly all do. Asked while a region is
  // replaced and its writers wait; tables may be read, but not written. The answer is about rows
  // that were written before it was asked for.
  virtual Result<std::unique_ptr<RegionRows>> RegionRowsOf(const TableName& table,
                                                           const std::string& family) {
    static_cast<void>(table);
    static_cast<void>(family);
    return std::unique_ptr<RegionRows>();
  }
  // Tables that hold nothing but rows which are derived from this one's, whether or not they are
  // kept up now. Asked before the table is emptied in one step, and they with it: from then on
  // nothing is derived any more from what was read of it before. No lock is held, and tables may be
  // read.
  virtual Result<std::vector<TableName>> TablesDerivedFrom(const TableName& table) {
    static_cast<void>(table);
    return std::vector<TableName>();
  }
  // Told before the table's rows become others in one step, by which nothing is derived: the table
  // is restored from a snapshot, or made where one was lost. From then on nobody reads what is
  // derived from its rows, nor keeps it up, until Replacement::derive_anew was called, whether the
  // step failed or not. No lock is held, and tables may be read and written; the table itself is
  // disabled, or missing.
  struct Replacement {
    std::vector<TableName> derived;  // as TablesDerivedFrom; they are emptied in the same step
    // Families of the table that hold nothing but derived rows. They stay, and are emptied.
    std::vector<std::string> derived_families;
    std::function<Status()> derive_anew;  // null: nothing is derived
  };
  virtual Result<Replacement> RowsAreReplaced(const TableName& table) {
    static_cast<void>(table);
    return Replacement();
  }
  // Told before the table is altered from 'before' to 'after'. Where its families come to show
  // their cells for a longer or shorter time, or other versions of them, it answers as
  // RowsAreReplaced does, but nothing is to be emptied; elsewhere nothing is to be derived.
  // derive_anew may alter tables that are derived.
  virtual Result<Replacement> FamiliesAreAltered(const TableDescriptor& before,
                                                 const TableDescriptor& after) {
    static_cast<void>(before);
    static_cast<void>(after);
    return Replacement();
  }
  // Told before the table itself goes, or gets other rows in one step, in case that these were
  // derived from another's: then nobody reads or keeps them up any more. No lock is held, and
  // tables may be read and written.
  virtual Status DerivedRowsGo(const TableName& table) {
    static_cast<void>(table);
    return Status::Ok();
  }
  // FailedPrecondition: rows are derived from what the table has in the family, or derived ones lie
  // there, so that it has to stay. Asked before somebody removes a family. No lock is held, and
  // tables may be read.
  virtual Status CheckFamilyIsFree(const TableName& table, const std::string& family) {
    static_cast<void>(table);
    static_cast<void>(family);
    return Status::Ok();
  }
};

// A row of the observed table as a snapshot showed it.
struct ReadRow {
  ByteView row;
  int64_t newest = 0;  // the latest time of the cells that were looked at
};

// What is derived from rows that are there already, as when an index is filled. One thread at a
// time. The first two are called under the locks of the rows, so they must be quick, and must not
// write; 'i' is a row's place among those that were handed over.
class RowDeriver {
 public:
  virtual ~RowDeriver() = default;
  // Nobody has written the row since the snapshot. True must be certain.
  virtual bool IsAsRead(size_t i) = 0;
  // Adds what is made of the row as it was read.
  virtual Status Derive(const RegionInfo& region, size_t i, DerivedWrites* derived) = 0;
  // What Derive adds goes to rows that have never had a cell or a marker, as long as rows are as
  // they were read.
  virtual bool derives_new_rows() const = 0;
  // Is told of all other rows as if each had just come to be as it is.
  virtual WriteObserver* observer() = 0;
};

// A store whose writes are observed. Thread-safe.
class ObservedStore {
 public:
  virtual ~ObservedStore() = default;
  // To be called once the source has another answer for this table. When this returns a snapshot
  // shows every write that the new observer was not told of, so that what it would have made of
  // them can be made from the snapshot. Waits for writes that are under way; not to be called by
  // an observer. An error is that of a log that is lost.
  virtual Status ObserverChanged(const TableName& table) = 0;
  // Has 'deriver' derive writes from these rows, whoever else observes the table, and writes what
  // it adds. What is made of a row gets the row's own time; of one that was read, 'newest'. The
  // rows' locks are held meanwhile, so that no write of a row comes between. 'rows': each once, in
  // the order in which the deriver is asked for them; some may be gone. What was added outlives a
  // crash once a later write of the store does. Errors as those of a write; something may have been
  // derived from some of the rows then.
  virtual Status DeriveFromRows(const TableName& table, std::span<const ReadRow> rows,
                                RowDeriver* deriver) = 0;
};

}  // namespace bennu::api

#endif  // BENNU_SRC_API_WRITE_OBSERVER_H_
