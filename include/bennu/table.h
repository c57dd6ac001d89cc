// The data API: HBase's Connection and Table, and its Admin in bennu/admin.h, as one interface with
// more than one engine behind it (this process's own, later a cluster's). Everything above it (SQL,
// protocol servers) reads and writes through it and through nothing else.
//
// All classes here are thread-safe unless they say otherwise.
#ifndef BENNU_TABLE_H_
#define BENNU_TABLE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "bennu/status.h"

namespace bennu {

namespace api {
class TableChanges;
}

// HBase's CompareOperator, for CheckAndMutate. It compares "given value OP current value", as HBase
// does; filters compare the other way round.
enum class CompareOperator { kLess, kLessOrEqual, kEqual, kNotEqual, kGreaterOrEqual, kGreater };

// One table's rows. HBase's Table.
class Table {
 public:
  virtual ~Table() = default;

  virtual const TableName& name() const = 0;
  virtual TableDescriptor descriptor() const = 0;       // as of now
  virtual std::vector<RegionInfo> regions() const = 0;  // in key order

  // Writes the batch and returns once it is as durable as batch->durability asks. The part of the
  // batch that falls into one region is one WAL entry: applied whole or not at all. Timestamps of
  // kLatestTimestamp are patched in place. After an error nothing of the failing region's part is
  // visible; parts of other regions may be. The batch may be reused afterwards.
  // InvalidArgument: unknown family, row or cell too large. FailedPrecondition: read-only store.
  // Increments and Appends read under the locks of their rows. Write does not return their new
  // cells; Mutate does.
  virtual Status Write(MutationBatch* batch) = 0;
  // As Write, and returns new cells: (*results)[i] holds the new cells of mutation i of the batch,
  // in HBase's order, if it is an Increment or Append that wants them back; otherwise it is empty.
  // HBase's Table.increment, append and mutateRow.
  virtual Status Mutate(MutationBatch* batch, std::vector<Row>* results) = 0;
  // Mutate for rows of one region only (InvalidArgument otherwise): all or nothing, also for
  // readers. HBase's MultiRowMutation.
  virtual Status MutateAtomically(MutationBatch* batch, std::vector<Row>* results) = 0;
  // Each mutation succeeds or fails by itself, in the order of the batch: (*outcomes)[i] is the
  // outcome of mutation i. Returns an error only if no mutation could be tried. HBase's
  // Table.batch.
  struct Outcome {
    Status status;
    Row result;  // as in Mutate
  };
  virtual Status MutateEach(MutationBatch* batch, std::vector<Outcome>* outcomes) = 0;
  // Write without waiting: 'done' runs once, when Write would have returned, on a thread of the
  // store or of another writer; *batch must stay untouched until then. 'done' must be short and
  // must not block.
  virtual void WriteAsync(MutationBatch* batch, std::function<void(Status)> done) = 0;

  // Applies 'batch' (of that one row) if the newest value of the column compares as asked. Returns
  // whether it was applied. Atomic with respect to all other writes of the row. As in HBase, no
  // value, an empty value and 'expect_absent' mean the same: they match a missing column and an
  // empty value, and with kNotEqual every other value. A missing column matches nothing else.
  struct Condition {
    Bytes row, family, qualifier;
    bool expect_absent = false;
    CompareOperator op = CompareOperator::kEqual;
    Bytes value;
    TimeRange time_range = {};  // the newest value in it counts
    // Instead of family, qualifier, operator and value: the row must have a cell that passes.
    // Cloned.
    std::shared_ptr<const Filter> filter = nullptr;
  };
  virtual Result<bool> CheckAndWrite(const Condition& condition, MutationBatch* batch) = 0;
  // As CheckAndWrite, and returns the new cells of Increments and Appends, the cells of all
  // mutations one after another. HBase's Table.checkAndMutate.
  struct CheckedResult {
    bool success = false;
    Row result;
  };
  virtual Result<CheckedResult> CheckAndMutate(const Condition& condition,
                                               MutationBatch* batch) = 0;

  // ---- one row alone
  // Write with one batch is faster for many rows. These calls return and fail as Write and GetRow
  // do.

  Status Put(ByteView row, ByteView family, ByteView qualifier, ByteView value,
             int64_t timestamp = kLatestTimestamp);
  // Deletes every family of the row up to 'timestamp'.
  Status DeleteRow(ByteView row, int64_t timestamp = kLatestTimestamp);
  // Deletes all versions of the column up to 'timestamp'.
  Status DeleteColumn(ByteView row, ByteView family, ByteView qualifier,
                      int64_t timestamp = kLatestTimestamp);
  // Adds 'amount' to an 8-byte big-endian counter (absent counts as 0); returns the new value.
  Result<int64_t> Increment(ByteView row, ByteView family, ByteView qualifier, int64_t amount);
  // The newest version of every column; an absent row is an empty Row.
  Result<Row> ReadRow(ByteView row);
  // The newest value of the column; nullopt when there is none.
  Result<std::optional<Bytes>> ReadValue(ByteView row, ByteView family, ByteView qualifier);

  // ---- reading

  virtual Result<std::unique_ptr<Scanner>> OpenScanner(const Scan& scan) = 0;
  // An absent row is an empty Row.
  virtual Result<Row> GetRow(const Get& get) = 0;
  // The short path of point reads: calls 'use' once with the visible cells of the row (none when it
  // is absent), pinned during the call. Allocates nothing when the row is cached.
  virtual Status GetCells(const Get& get, const std::function<void(const Cell*, size_t)>& use) = 0;

  // Whether the Get would return anything.
  Result<bool> Exists(const Get& get);

  // Cuts 'range' into at most 'count' consecutive ranges of about equal size on disk, at region
  // borders first and then at block borders, for parallel scans. Never empty.
  virtual Result<std::vector<RowRange>> SplitRange(const RowRange& range, size_t count) = 0;

 private:
  friend class StoreTools;
  virtual class RowRangeReader* RowsAtHand() { return nullptr; }
};

class Admin;  // bennu/admin.h

// Abilities that only some stores have. SQL plans around those that a store lacks.
struct Capabilities {
  // Reads of all its tables and regions can see one moment (Connection::TakeSnapshot).
  bool snapshots = false;
  // The store asks Scan::navigator before it reads a row, and does not read the rows that are
  // skipped. A store without this ability reads all rows and asks afterwards, so that a navigator
  // saves nothing.
  bool navigators = false;
  // Rows cross a network, so that scans should carry whatever they can of a query's conditions.
  bool remote = false;
  // Other processes write the store, too, its SYSTEM tables included.
  bool shared = false;
};

// An open store.
class Connection {
 public:
  virtual ~Connection() = default;

  // NotFound: no such table. Tables are cheap to ask for; keep the pointer when it is hot. It stays
  // usable while the connection lives; after a drop its calls return NotFound.
  virtual Result<std::shared_ptr<Table>> OpenTable(const TableName& name) = 0;
  virtual Admin* admin() = 0;  // lives as long as the connection
  // Does not change while the connection lives.
  virtual Capabilities capabilities() const = 0;
  // A moment of all tables and regions, for reads. Null: the store has no snapshots.
  virtual std::shared_ptr<const Snapshot> TakeSnapshot() = 0;
  // The store's clock, milliseconds: never goes back, not even over a restart.
  virtual int64_t NowMillis() = 0;

 private:
  friend class StoreTools;
  virtual class ThreadPool* QueryPool() { return nullptr; }
  virtual api::TableChanges* Changes() { return nullptr; }
};

}  // namespace bennu

#endif  // BENNU_TABLE_H_
