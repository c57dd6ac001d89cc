// MemoryStore: the data API over a std::set of cells, correct by obviousness.
//
// Serves tests of what stands above the data API (SQL, servers) and is the model against which
// tests of the engine compare. Nothing is durable; every scan copies its result when it is opened;
// regions come from CreateTable's split keys and never change. Thread-safe by one lock.
#ifndef BENNU_TESTS_SUPPORT_MEMORY_STORE_H_
#define BENNU_TESTS_SUPPORT_MEMORY_STORE_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/table.h"
#include "tests/support/memory_rows.h"
#include "tests/support/plain_admin.h"

namespace bennu::testing {

class MemoryTable;

class MemoryStore : public Connection, public PlainAdmin {
 public:
  // 'clock' returns milliseconds; the operating system's when it is empty.
  explicit MemoryStore(std::function<int64_t()> clock = {});
  ~MemoryStore() override;

  // ---- Connection
  Result<std::shared_ptr<Table>> OpenTable(const TableName& name) override;
  Admin* admin() override { return this; }
  Capabilities capabilities() const override { return capabilities_; }
  // For tests of what is done without them.
  void SetCapabilities(Capabilities capabilities) { capabilities_ = capabilities; }
  std::shared_ptr<const Snapshot> TakeSnapshot() override;
  int64_t NowMillis() override;

  // ---- Admin
  Status CreateTable(const TableDescriptor& descriptor,
                     const std::vector<Bytes>& split_keys) override;
  Status DropTable(const TableName& name) override;
  Status AlterTable(const TableDescriptor& descriptor) override;
  Status DisableTable(const TableName& name) override;
  Status EnableTable(const TableName& name) override;
  Result<bool> IsTableEnabled(const TableName& name) override;
  Result<bool> TableExists(const TableName& name) override;
  Result<std::vector<TableName>> ListTables() override;
  Status CreateNamespace(const std::string& name) override;
  Status DropNamespace(const std::string& name) override;
  Result<std::vector<std::string>> ListNamespaces() override;
  Status Flush(const TableName& name) override;
  // A major compaction drops what nobody can see any more, delete markers included.
  Status Compact(const TableName& name, bool major) override;

  // Writes done so far to all tables; tests of "does not write" and "writes in batches" use it.
  uint64_t write_count() const;

 private:
  Capabilities capabilities_{.snapshots = true, .navigators = true};
  friend class MemoryTable;

  Status SetEnabled(const TableName& name, bool enabled);
  Result<std::shared_ptr<MemoryTable>> Find(const TableName& name);
  int64_t NowLocked();
  uint64_t OldestNeeded();  // by a snapshot; else the newest

  mutable std::recursive_mutex mu_;
  std::function<int64_t()> clock_;
  int64_t last_now_ms_ = 0;
  uint64_t sequence_ = 0;  // of the newest cell in any table
  uint64_t region_id_ = 0;
  std::multimap<uint64_t, std::weak_ptr<const Snapshot>> snapshots_;
  uint64_t write_count_ = 0;
  std::map<TableName, std::shared_ptr<MemoryTable>> tables_;
  std::set<std::string> namespaces_ = {"default", "hbase"};
};

class MemoryTable : public Table {
 public:
  MemoryTable(MemoryStore* store, TableDescriptor descriptor, std::vector<RegionInfo> regions);

  const TableName& name() const override { return name_; }
  TableDescriptor descriptor() const override;
  std::vector<RegionInfo> regions() const override;
  Status Write(MutationBatch* batch) override;
  Status Mutate(MutationBatch* batch, std::vector<Row>* results) override;
  Status MutateAtomically(MutationBatch* batch, std::vector<Row>* results) override;
  Status MutateEach(MutationBatch* batch, std::vector<Outcome>* outcomes) override;
  void WriteAsync(MutationBatch* batch, std::function<void(Status)> done) override;
  Result<bool> CheckAndWrite(const Condition& condition, MutationBatch* batch) override;
  Result<CheckedResult> CheckAndMutate(const Condition& condition, MutationBatch* batch) override;
  Result<std::unique_ptr<Scanner>> OpenScanner(const Scan& scan) override;
  Result<Row> GetRow(const Get& get) override;
  Status GetCells(const Get& get, const std::function<void(const Cell*, size_t)>& use) override;
  Result<std::vector<RowRange>> SplitRange(const RowRange& range, size_t count) override;

 private:
  friend class MemoryStore;

  Status CheckOpen() const;
  Status CheckColumns(const std::map<Bytes, std::set<Bytes>>& columns) const;
  Status CheckBatch(const MutationBatch& batch) const;
  Status CheckCell(const Cell& cell) const;
  // The newest visible cells of a column, 'count' at most.
  std::vector<const MemoryCell*> Newest(const Cell& column, const TimeRange& range, int32_t count);
  Status ResolveDelta(const Cell& delta, MutationKind kind, const TimeRange& range,
                      MutationBatch* plain);
  Status Resolve(const MutationBatch& batch, size_t index, MutationBatch* plain);
  Status MutateLocked(MutationBatch* batch, int64_t not_before, std::vector<Row>* results);
  void Stamp(MutationBatch* batch, int64_t now_ms);
  void Apply(MutationBatch* batch, int64_t not_before);
  Result<bool> Check(const Condition& condition, MutationBatch* batch, std::vector<Row>* results);
  std::vector<const MemoryCell*> CellsOfRow(ByteView row, uint64_t sequence_max) const;
  void CompactMajor();

  MemoryStore* const store_;  // must outlive this
  const TableName name_;
  TableDescriptor descriptor_;
  std::vector<RegionInfo> regions_;
  MemoryCells cells_;
  bool dropped_ = false;
  bool disabled_ = false;
};

}  // namespace bennu::testing

#endif  // BENNU_TESTS_SUPPORT_MEMORY_STORE_H_
