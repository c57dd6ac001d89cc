#include "tests/stress/verifier.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "bennu/admin.h"
#include "src/base/coding.h"
#include "src/base/status_macros.h"

namespace bennu::stress {

namespace {

std::string CellText(const Cell& cell) {
  return Bytes(cell.family()) + ":" + Bytes(cell.qualifier()) + "@" +
         std::to_string(cell.timestamp()) + "=" + Bytes(cell.value_view()) + "\n";
}

// What the row would be with these operations.
std::string Evaluate(const RowSlot& slot, uint32_t count, const std::string& key) {
  testing::MemoryStore store;
  Must(store.CreateTable(StressTable(kTableName), {}), "model");
  auto table = Must(store.OpenTable({"default", kTableName}), "model");
  for (uint32_t i = 0; i < count; ++i) {
    if (slot.ops[i].state.load() == OpState::kVoid) continue;
    MutationBatch batch;
    AppendOp(slot.ops[i].seed, slot.ops[i].time, key, i + 1 == kOpsPerRow, &batch);
    Must(table->Write(&batch), "model");
  }
  return Must(ReadRow(table.get(), key), "model");
}

class Verifier {
 public:
  Verifier(Connection* store, Model* model, testing::MemoryStore* mirror)
      : store_(store), model_(model), mirror_(mirror) {}

  void Run() {
    table_ = Must(store_->OpenTable({"default", kTableName}), "the table");
    rows_ = Must(ReadAll(table_.get(), nullptr), "a scan of everything");
    Must(mirror_->CreateTable(StressTable(kTableName), {}), "model");
    copy_ = Must(mirror_->OpenTable({"default", kTableName}), "model");
    CheckPairs(rows_);
    for (int thread = 0; thread < kThreadsMax; ++thread) {
      for (int row = 0; row < kRowsPerThread; ++row) LookAt(thread, row);
    }
    Settle();
    CheckStrangers();
    for (int segment = 0; segment < kSegmentCount; ++segment) {
      CheckCounter(segment);
      CheckAppends(segment);
    }
    CheckOwnTables();
    for (int thread = 0; thread < kThreadsMax; ++thread) CheckUnlogged(thread);
    CheckChain();
  }

 private:
  struct Uncertain {
    RowSlot* slot;
    Op* op;
    std::string key;
    bool may_be_done;
    bool may_be_void;
  };

  void LookAt(int thread, int row) {
    RowSlot& slot = model_->rows[thread][row];
    const std::string key = RowKey(thread, row, slot.epoch.load());
    known_.insert(key);
    const uint32_t count = slot.count.load();
    if (count == 0) {
      if (rows_.contains(key)) Violation("row " + key + " was never written, yet it is there");
      return;
    }
    const auto found = rows_.find(key);
    const std::string actual = found == rows_.end() ? "" : found->second;
    Op& last = slot.ops[count - 1];
    const std::string with = Evaluate(slot, count, key);
    if (last.state.load() != OpState::kBegun) {
      if (actual != with) Violation("row " + key + " holds\n" + actual + "and must hold\n" + with);
    } else {
      const std::string without = Evaluate(slot, count - 1, key);
      if (actual != with && actual != without) {
        Violation("row " + key + " holds\n" + actual + "and must hold\n" + with +
                  "or, as the last write was not acknowledged,\n" + without);
      }
      uncertain_[{last.batch, key[0]}].push_back(
          {&slot, &last, key, actual == with, actual == without});
    }
  }

  // The part of a batch in one region is there or it is not.
  void Settle() {
    for (auto& [batch, parts] : uncertain_) {
      bool may_be_done = true;
      bool may_be_void = true;
      std::string keys;
      for (const Uncertain& part : parts) {
        may_be_done = may_be_done && part.may_be_done;
        may_be_void = may_be_void && part.may_be_void;
        keys += " " + part.key;
      }
      if (!may_be_done && !may_be_void) {
        Violation("a batch is there by half, rows" + keys);
      }
      for (const Uncertain& part : parts) {
        part.op->state.store(may_be_done ? OpState::kDone : OpState::kVoid);
      }
    }
    for (int thread = 0; thread < kThreadsMax; ++thread) {
      for (int row = 0; row < kRowsPerThread; ++row) CopyRow(thread, row);
    }
  }

  void CopyRow(int thread, int row) {
    const RowSlot& slot = model_->rows[thread][row];
    const std::string key = RowKey(thread, row, slot.epoch.load());
    for (uint32_t i = 0; i < slot.count.load(); ++i) {
      if (slot.ops[i].state.load() != OpState::kDone) continue;
      MutationBatch batch;
      AppendOp(slot.ops[i].seed, slot.ops[i].time, key, i + 1 == kOpsPerRow, &batch);
      Must(copy_->Write(&batch), "model");
    }
  }

  void CheckStrangers() const {
    for (const auto& [key, cells] : rows_) {
      if (known_.contains(key) || key.find('-') == std::string::npos) continue;
      Violation("row " + key + " is there again, or was never written:\n" + cells);
    }
  }

  void CheckCounter(int segment) {
    Counter& counter = model_->counters[segment];
    Get get;
    get.row = std::string(1, kSegments[segment]) + "counter";
    const Row row = Must(table_->GetRow(get), "a counter");
    const Cell* const cell = row.Find("f", "n");
    const int64_t value = cell == nullptr ? 0 : static_cast<int64_t>(LoadBE64(cell->value));
    if (value < counter.done.load() || value > counter.begun.load()) {
      Violation("counter " + get.row + " is " + std::to_string(value) + ", not " +
                std::to_string(counter.done.load()) + " to " +
                std::to_string(counter.begun.load()));
    }
    counter.begun.store(value);
    counter.done.store(value);
  }

  void CheckAppends(int segment) {
    Get get;
    get.row = std::string(1, kSegments[segment]) + "appends";
    const Row row = Must(table_->GetRow(get), "appends");
    const Cell* const cell = row.Find("g", "a");
    std::string text = cell == nullptr ? "" : std::string(cell->value_view());
    std::set<uint32_t> found;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find(';', at);
      const auto number = static_cast<uint32_t>(std::stoul(text.substr(at, end - at)));
      if (!found.insert(number).second) Violation("an append is there twice: " + get.row);
      at = end + 1;
    }
    const uint32_t count = std::min<uint32_t>(model_->appends[segment].load(), kAppendsMax);
    for (uint32_t i = 0; i < count; ++i) {
      auto& state = model_->append_states[segment][i];
      const bool is_there = found.contains(i);
      if (state.load() == OpState::kDone && !is_there) {
        Violation("append " + std::to_string(i) + " of " + get.row + " is lost");
      }
      if (state.load() == OpState::kVoid && is_there) {
        Violation("append " + std::to_string(i) + " of " + get.row + " came later");
      }
      state.store(is_there ? OpState::kDone : OpState::kVoid);
    }
    if (!found.empty() && *found.rbegin() >= count) Violation("an append that nobody made");
  }

  // What is found was in a file, so it stays.
  void CheckUnlogged(int thread) {
    UnloggedRow& row = model_->unlogged[thread];
    const uint64_t value = Must(ReadUnlogged(table_.get(), thread), UnloggedKey(thread));
    if (value < row.safe.load() || value > row.begun.load()) {
      Violation(UnloggedKey(thread) + " is " + std::to_string(value) + ", not " +
                std::to_string(row.safe.load()) + " to " + std::to_string(row.begun.load()));
    }
    row.safe.store(value);
    row.done.store(value);
  }

  void CheckOwnTables() {
    for (int thread = 0; thread < kThreadsMax; ++thread) {
      const TableName name{"default", "own" + std::to_string(thread)};
      const bool exists = Must(store_->admin()->TableExists(name), "TableExists");
      auto& state = model_->own_table_made[thread];
      if (state.load() == OpState::kDone && !exists) Violation(name.qualifier + " is lost");
      if (state.load() == OpState::kVoid && exists) Violation(name.qualifier + " is there again");
      state.store(exists ? OpState::kDone : OpState::kVoid);
      if (!exists) continue;
      const auto table = Must(store_->OpenTable(name), name.qualifier);
      Must(ReadAll(table.get(), nullptr), name.qualifier);
    }
  }

  void CheckChain() const {
    Bytes end;
    for (const RegionInfo& region : table_->regions()) {
      if (region.start_key != end) Violation("the regions leave a hole before " + region.start_key);
      end = region.end_key;
    }
    if (!end.empty()) Violation("no region holds the last rows");
  }

  Connection* const store_;
  Model* const model_;
  testing::MemoryStore* const mirror_;
  std::shared_ptr<Table> table_;
  std::shared_ptr<Table> copy_;
  std::map<std::string, std::string> rows_;
  std::set<std::string> known_;
  std::map<std::pair<uint64_t, char>, std::vector<Uncertain>> uncertain_;
};

}  // namespace

TableDescriptor StressTable(const std::string& name) {
  TableDescriptor descriptor;
  descriptor.name.qualifier = name;
  for (const char* family_name : kFamilies) {
    ColumnFamilyDescriptor family;
    family.name = family_name;
    family.attributes["VERSIONS"] = "1000";
    descriptor.families.push_back(std::move(family));
  }
  descriptor.families[1].attributes["DATA_BLOCK_ENCODING"] = "FAST_DIFF";
  return descriptor;
}

Result<std::string> ReadRow(Table* table, const std::string& row,
                            std::shared_ptr<const Snapshot> snapshot) {
  Get get;
  get.row = row;
  get.max_versions = std::numeric_limits<int32_t>::max();
  get.snapshot = std::move(snapshot);
  std::string text;
  RETURN_IF_ERROR(table->GetCells(get, [&](const Cell* cells, size_t count) {
    for (size_t i = 0; i < count; ++i) text += CellText(cells[i]);
  }));
  return text;
}

Result<uint64_t> ReadUnlogged(Table* table, int thread) {
  Get get;
  get.row = UnloggedKey(thread);
  ASSIGN_OR_RETURN(const Row row, table->GetRow(get));
  const Cell* const cell = row.Find("f", "n");
  return cell == nullptr ? 0 : std::stoull(std::string(cell->value_view()));
}

Result<std::map<std::string, std::string>> ReadAll(Table* table,
                                                   std::shared_ptr<const Snapshot> snapshot) {
  Scan scan;
  scan.max_versions = std::numeric_limits<int32_t>::max();
  scan.snapshot = std::move(snapshot);
  ASSIGN_OR_RETURN(const auto scanner, table->OpenScanner(scan));
  std::map<std::string, std::string> rows;
  CellBatch batch;
  do {
    RETURN_IF_ERROR(scanner->Next(50, &batch));
    for (const Cell& cell : batch.cells) rows[std::string(cell.row())] += CellText(cell);
  } while (batch.row_count() > 0);
  return rows;
}

void CheckPairs(const std::map<std::string, std::string>& rows) {
  const auto text = [&](const std::string& key) {
    const auto found = rows.find(key);
    return found == rows.end() ? std::string() : found->second;
  };
  for (const char segment : kSegments) {
    const std::string key = std::string(1, segment) + "pair";
    const std::string left = text(key + "0");
    if (left != text(key + "1")) {
      Violation("two rows that are written together differ: " + key + "\n" + left + "and\n" +
                text(key + "1"));
    }
    // The versions of one family, then the same of the other.
    const size_t middle = std::min(left.find("g:"), left.size());
    std::string second = left.substr(middle);
    for (size_t at = 0; (at = second.find("g:p@", at)) != std::string::npos;) second[at] = 'f';
    if (left.substr(0, middle) != second) {
      Violation("a row is there by half: " + key + "\n" + left);
    }
  }
}

void VerifyAndSettle(Connection* store, Model* model, testing::MemoryStore* mirror) {
  Verifier(store, model, mirror).Run();
}

}  // namespace bennu::stress
