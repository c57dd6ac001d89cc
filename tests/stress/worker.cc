#include "tests/stress/worker.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "tests/stress/verifier.h"

namespace bennu::stress {

namespace {

constexpr int kFailuresMax = 20;  // in a row: the store has given up

class Worker {
 public:
  Worker(Connection* store, Model* model, testing::MemoryStore* mirror, const LoadOptions& options,
         int number)
      : store_(store),
        model_(model),
        options_(options),
        number_(number),
        random_(options.seed * 1000 + static_cast<uint64_t>(number)) {
    auto table = store->OpenTable({"default", kTableName});
    if (!table.ok()) Violation("opening the table: " + table.status().ToString());
    table_ = *table;
    copy_ = mirror->OpenTable({"default", kTableName}).value();
  }

  void Run() {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.milliseconds);
    while (std::chrono::steady_clock::now() < end && failures_ < kFailuresMax) {
      model_->operations.fetch_add(1);
      Step();
    }
  }

 private:
  uint64_t Below(uint64_t bound) { return random_() % bound; }

  void Step() {
    const uint64_t what = Below(1000);
    if (what < 540) {
      WriteBatch();
    } else if (what < 640) {
      CheckAndWrite();
    } else if (what < 720) {
      Increment();
    } else if (what < 760) {
      Append();
    } else if (what < 800) {
      WritePair();
    } else if (what < 840) {
      WriteUnlogged();
    } else if (what < 930) {
      ReadOwnRow();
    } else if (what < 960) {
      ReadSnapshot();
    } else {
      Administer(what - 960);
    }
  }

  // Whether the call went well. It may fail only when faults are injected.
  bool Accept(const Status& status, const char* what) {
    if (status.ok()) {
      failures_ = 0;
      return true;
    }
    switch (status.code()) {
      case StatusCode::kIoError:
      case StatusCode::kNoSpace:
      case StatusCode::kFailedPrecondition:
      case StatusCode::kResourceExhausted:
      case StatusCode::kCancelled:
      case StatusCode::kAborted:
        if (options_.may_fail) {
          ++failures_;
          return false;
        }
        [[fallthrough]];
      default: Violation(std::string(what) + ": " + status.ToString());
    }
  }

  // ---- rows of this thread

  RowSlot& Slot(int row) { return model_->rows[number_][row]; }
  std::string Key(int row) { return RowKey(number_, row, Slot(row).epoch.load()); }
  bool IsCertain(int row) {
    RowSlot& slot = Slot(row);
    const uint32_t count = slot.count.load();
    return count == 0 || slot.ops[count - 1].state.load() != OpState::kBegun;
  }

  // Notes the next operation of the row; its index.
  uint32_t Begin(int row, uint64_t batch) {
    RowSlot& slot = Slot(row);
    const uint32_t count = slot.count.load();
    Op& op = slot.ops[count];
    op.seed = random_();
    op.time = model_->time.fetch_add(10);
    op.batch = batch;
    op.state.store(OpState::kBegun);
    slot.count.store(count + 1);
    return count;
  }
  void AppendTo(int row, uint32_t index, MutationBatch* batch) {
    const Op& op = Slot(row).ops[index];
    AppendOp(op.seed, op.time, Key(row), index + 1 == kOpsPerRow, batch);
  }
  void Done(int row, uint32_t index) {
    MutationBatch batch;
    AppendTo(row, index, &batch);
    if (!copy_->Write(&batch).ok()) Violation("the model refuses a write");
    Slot(row).ops[index].state.store(OpState::kDone);
  }

  bool CanGoOn(int row) { return IsCertain(row) && Slot(row).count.load() < kOpsPerRow; }
  // Drops an operation that did not happen; after its last one, the deletion of all that it held, a
  // row is given up for a new one.
  void MakeRoom(int row) {
    RowSlot& slot = Slot(row);
    const uint32_t count = slot.count.load();
    if (count > 0 && slot.ops[count - 1].state.load() == OpState::kVoid) {
      slot.count.store(count - 1);
    } else if (count == kOpsPerRow && IsCertain(row)) {
      slot.count.store(0);
      slot.epoch.fetch_add(1);
    }
  }

  std::vector<int> ChooseRows(size_t count) {
    std::vector<int> rows;
    for (size_t i = 0; i < count; ++i) {
      const int row = static_cast<int>(Below(kRowsPerThread));
      MakeRoom(row);
      if (!CanGoOn(row) || std::find(rows.begin(), rows.end(), row) != rows.end()) continue;
      rows.push_back(row);
    }
    return rows;
  }

  void WriteBatch() {
    const std::vector<int> rows = ChooseRows(1 + Below(4));
    if (rows.empty()) return NothingLeft();
    const uint64_t number = model_->batches.fetch_add(1);
    MutationBatch batch;
    std::vector<uint32_t> indexes;
    for (const int row : rows) {
      indexes.push_back(Begin(row, number));
      AppendTo(row, indexes.back(), &batch);
    }
    if (!Accept(table_->Write(&batch), "Write")) return;
    for (size_t i = 0; i < rows.size(); ++i) Done(rows[i], indexes[i]);
  }

  // All rows of the thread are uncertain.
  void NothingLeft() {
    if (std::none_of(std::begin(all_), std::end(all_), [&](int row) { return IsCertain(row); })) {
      ++failures_;
    }
  }

  void CheckAndWrite() {
    const std::vector<int> rows = ChooseRows(1);
    if (rows.empty()) return;
    const int row = rows.front();
    Table::Condition condition;
    condition.row = Key(row);
    condition.family = "f";
    condition.qualifier = "q0";
    Get get;
    get.row = condition.row;
    get.columns["f"] = {"q0"};
    const auto now = copy_->GetRow(get);
    const Cell* const cell = now->Find("f", "q0");
    condition.expect_absent = cell == nullptr;
    if (cell != nullptr) condition.value = Bytes(cell->value_view());
    const bool holds = Below(3) != 0;
    if (!holds) {
      condition.expect_absent = false;
      condition.value = "something else";
    }
    MutationBatch batch;
    if (!holds) {
      batch.StartRow(condition.row);
      batch.Put("f", "q0", "must not be there");
      const auto applied = table_->CheckAndWrite(condition, &batch);
      if (Accept(applied.status(), "CheckAndWrite") && *applied) {
        Violation("CheckAndWrite of " + condition.row + " took a wrong value for right");
      }
      return;
    }
    const uint32_t index = Begin(row, model_->batches.fetch_add(1));
    AppendTo(row, index, &batch);
    const auto applied = table_->CheckAndWrite(condition, &batch);
    if (!Accept(applied.status(), "CheckAndWrite")) return;
    if (!*applied)
      Violation("CheckAndWrite of " + condition.row + " took the right value for wrong");
    Done(row, index);
  }

  void ReadOwnRow() {
    const int row = static_cast<int>(Below(kRowsPerThread));
    if (!IsCertain(row)) return;
    const auto found = ReadRow(table_.get(), Key(row));
    if (!Accept(found.status(), "reading")) return;
    const auto expected = ReadRow(copy_.get(), Key(row));
    if (*found != *expected) {
      Violation("row " + Key(row) + " reads as\n" + *found + "and must be\n" + *expected);
    }
  }

  // ---- rows of all threads

  std::string Segment(int* number) {
    *number = static_cast<int>(Below(kSegmentCount));
    return std::string(1, kSegments[*number]);
  }

  void Increment() {
    int segment = 0;
    const std::string row = Segment(&segment) + "counter";
    const auto amount = static_cast<int64_t>(1 + Below(5));
    Counter& counter = model_->counters[segment];
    counter.begun.fetch_add(amount);
    if (Accept(table_->Increment(row, "f", "n", amount).status(), "Increment")) {
      counter.done.fetch_add(amount);
    }
  }

  void Append() {
    int segment = 0;
    const std::string row = Segment(&segment) + "appends";
    if (model_->appends[segment].load() >= kAppendsMax - kThreadsMax) return;
    const uint32_t number = model_->appends[segment].fetch_add(1);
    MutationBatch batch;
    batch.StartAppend(row);
    batch.Append("g", "a", std::to_string(number) + ";");
    if (Accept(table_->Write(&batch), "Append")) {
      model_->append_states[segment][number].store(OpState::kDone);
    }
  }

  void WritePair() {
    int segment = 0;
    const std::string row = Segment(&segment) + "pair";
    const std::string value = std::to_string(random_());
    MutationBatch batch;
    for (const char* end : {"0", "1"}) {
      batch.StartRow(row + end);
      for (const char* family : kFamilies) batch.Put(family, "p", value);
    }
    static_cast<void>(Accept(table_->Write(&batch), "Write"));
  }

  void WriteUnlogged() {
    UnloggedRow& row = model_->unlogged[number_];
    const uint64_t value = row.begun.fetch_add(1) + 1;
    MutationBatch batch;
    batch.durability = Durability::kSkipWal;
    batch.StartRow(UnloggedKey(number_));
    batch.Put("f", "n", std::to_string(value));
    if (!Accept(table_->Write(&batch), "Write")) return;
    row.done.store(value);
    const auto found = ReadUnlogged(table_.get(), number_);
    if (!Accept(found.status(), "reading")) return;
    if (*found != value) {
      Violation(UnloggedKey(number_) + " is " + std::to_string(*found) + " right after " +
                std::to_string(value) + " was written");
    }
  }

  void Flush(Admin* admin) {
    uint64_t done[kThreadsMax];
    for (int i = 0; i < kThreadsMax; ++i) done[i] = model_->unlogged[i].done.load();
    if (!Accept(admin->Flush({"default", kTableName}), "Flush")) return;
    for (int i = 0; i < kThreadsMax; ++i) {
      auto& safe = model_->unlogged[i].safe;
      uint64_t before = safe.load();
      while (before < done[i] && !safe.compare_exchange_weak(before, done[i])) {
      }
    }
  }

  void ReadSnapshot() {
    const auto snapshot = store_->TakeSnapshot();
    const auto first = ReadAll(table_.get(), snapshot);
    if (!Accept(first.status(), "a scan")) return;
    CheckPairs(*first);
    if (Below(2) == 0) return;
    const auto second = ReadAll(table_.get(), snapshot);
    if (!Accept(second.status(), "a scan")) return;
    if (*first != *second) Violation("two scans of one snapshot differ");
  }

  // ---- what changes no answer

  void Administer(uint64_t what) {
    Admin* const admin = store_->admin();
    const TableName name{"default", kTableName};
    if (what < 14) {
      Flush(admin);
    } else if (what < 20) {
      static_cast<void>(Accept(admin->Compact(name, Below(3) == 0), "Compact"));
    } else if (what < 26) {
      Bear(admin->SplitTable(name, Bytes(kBorders[Below(std::size(kBorders))])), "SplitTable");
    } else if (what < 31) {
      Merge(admin);
    } else if (what < 34) {
      Alter(admin);
    } else if (what < 36) {
      CloneOfSnapshot(admin);
    } else {
      OwnTable(admin);
    }
  }

  // Refusals are fine: another thread was faster.
  void Bear(const Status& status, const char* what) {
    const bool is_refusal =
        status.code() == StatusCode::kFailedPrecondition ||
        status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kNotFound ||
        status.code() == StatusCode::kAlreadyExists || status.code() == StatusCode::kAborted;
    if (!is_refusal) static_cast<void>(Accept(status, what));
  }

  void Merge(Admin* admin) {
    const std::vector<RegionInfo> regions = table_->regions();
    if (regions.size() < 2) return;
    const size_t at = Below(regions.size() - 1);
    Bear(admin->MergeRegions({regions[at].EncodedName(), regions[at + 1].EncodedName()}),
         "MergeRegions");
  }

  void Alter(Admin* admin) {
    TableDescriptor descriptor = StressTable(kTableName);
    static constexpr const char* kEncodings[] = {"NONE", "DIFF", "FAST_DIFF", "PREFIX",
                                                 "ROW_INDEX_V1"};
    static constexpr const char* kCompressions[] = {"NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"};
    static constexpr const char* kInMemory[] = {"NONE", "BASIC", "EAGER", "ADAPTIVE"};
    static constexpr const char* kBlooms[] = {"NONE", "ROW", "ROWCOL"};
    for (ColumnFamilyDescriptor& family : descriptor.families) {
      family.attributes["DATA_BLOCK_ENCODING"] = kEncodings[Below(5)];
      family.attributes["COMPRESSION"] = kCompressions[Below(5)];
      family.attributes["BLOOMFILTER"] = kBlooms[Below(3)];
      family.attributes["BLOCKSIZE"] = std::to_string(1024 << Below(5));
      family.attributes["IN_MEMORY_COMPACTION"] = kInMemory[Below(4)];
      ChooseEngine(&family);
    }
    static_cast<void>(Accept(admin->AlterTable(descriptor), "AlterTable"));
  }

  // Files that one engine has made are the next one's.
  void ChooseEngine(ColumnFamilyDescriptor* family) {
    const std::string package = "org.apache.hadoop.hbase.regionserver.";
    switch (Below(4)) {
      case 0:
        family->attributes["hbase.hstore.engine.class"] = package + "StripeStoreEngine";
        family->attributes["hbase.store.stripe.initialStripeCount"] = "2";
        family->attributes["hbase.store.stripe.compaction.minFiles"] = "2";
        break;
      case 1:
        family->attributes["hbase.hstore.engine.class"] = package + "DateTieredStoreEngine";
        break;
      default: break;
    }
  }

  // A snapshot of the table under load, seen through a clone. What a death left of the last one is
  // removed first.
  void CloneOfSnapshot(Admin* admin) {
    const std::string name = "snapshot" + std::to_string(number_);
    const TableName clone{"default", "clone" + std::to_string(number_)};
    const auto clean_up = [&] {
      Bear(admin->DropTable(clone), "DropTable");
      Bear(admin->DeleteSnapshot(name), "DeleteSnapshot");
    };
    clean_up();
    const Status taken = admin->SnapshotTable(name, {"default", kTableName}, {});
    Bear(taken, "SnapshotTable");
    if (!taken.ok()) return;
    const Status cloned = admin->CloneSnapshot(name, clone);
    Bear(cloned, "CloneSnapshot");
    if (!cloned.ok()) return;
    auto table = store_->OpenTable(clone);
    if (!Accept(table.status(), "OpenTable")) return;
    const auto rows = ReadAll(table->get(), nullptr);
    if (Accept(rows.status(), "a scan of a clone")) CheckPairs(*rows);
    table = NotFound("closed");
    clean_up();
  }

  void OwnTable(Admin* admin) {
    auto& made = model_->own_table_made[number_];
    if (made.load() == OpState::kBegun) return;  // uncertain
    const std::string name = "own" + std::to_string(number_);
    const bool drop = made.load() == OpState::kDone;
    made.store(OpState::kBegun);
    const Status status =
        drop ? admin->DropTable({"default", name}) : admin->CreateTable(StressTable(name), {"k"});
    if (!Accept(status, drop ? "DropTable" : "CreateTable")) return;
    made.store(drop ? OpState::kVoid : OpState::kDone);
    if (drop) return;
    auto table = store_->OpenTable({"default", name});
    if (!Accept(table.status(), "OpenTable")) return;
    MutationBatch batch;
    batch.StartRow("row");
    batch.Put("f", "q", "v");
    static_cast<void>(Accept((*table)->Write(&batch), "Write"));
  }

  Connection* const store_;
  Model* const model_;
  const LoadOptions& options_;
  const int number_;
  std::mt19937_64 random_;
  std::shared_ptr<Table> table_;
  std::shared_ptr<Table> copy_;  // what the certain rows must hold
  int failures_ = 0;
  const std::vector<int> all_ = [] {
    std::vector<int> rows(kRowsPerThread);
    for (int i = 0; i < kRowsPerThread; ++i) rows[static_cast<size_t>(i)] = i;
    return rows;
  }();
};

}  // namespace

void RunLoad(Connection* store, Model* model, testing::MemoryStore* mirror,
             const LoadOptions& options) {
  std::vector<std::thread> threads;
  for (int i = 0; i < options.threads; ++i) {
    threads.emplace_back([=, &options] { Worker(store, model, mirror, options, i).Run(); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace bennu::stress
