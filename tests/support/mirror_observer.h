// MirrorObserver: keeps a table that holds a row for each cell of another one, as a secondary index
// of all columns would. Whatever happens, the mirror must be what MirrorOf makes of the table.
#ifndef BENNU_TESTS_SUPPORT_MIRROR_OBSERVER_H_
#define BENNU_TESTS_SUPPORT_MIRROR_OBSERVER_H_

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bennu/scan.h"
#include "bennu/table.h"
#include "src/api/write_observer.h"
#include "src/base/status_macros.h"

namespace bennu {

// The row of the mirror: by value first, as an index has it, so that a change of a value moves it.
inline Bytes MirrorRowOf(const Cell& cell) {
  Bytes key(cell.value_view());
  key.append("|").append(cell.row()).append("|").append(cell.family());
  return key.append(":").append(cell.qualifier());
}

class MirrorObserver final : public api::WriteObserver {
 public:
  explicit MirrorObserver(TableName mirror) : mirror_(std::move(mirror)) {}

  const std::map<Bytes, std::set<Bytes>>& columns() const override { return columns_; }

  Status Observe(const RegionInfo&, std::span<const api::RowChange> changes,
                 api::DerivedWrites* derived) override {
    if (refuses.load()) return InvalidArgument("refused by the mirror");
    for (const api::RowChange& change : changes) {
      std::set<Bytes> before;
      std::set<Bytes> after;
      for (const Cell& cell : change.before) before.insert(MirrorRowOf(cell));
      for (const Cell& cell : change.after) after.insert(MirrorRowOf(cell));
      // Only what differs is written, so that nothing that was missed is mended by the way.
      std::vector<Bytes> rows;
      std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                          std::back_inserter(rows));
      MutationBatch* const batch = derived->Of(mirror_);
      for (const Bytes& row : rows) {
        batch->StartRow(row);
        batch->DeleteFamily("f");
      }
      rows.clear();
      std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                          std::back_inserter(rows));
      for (const Bytes& row : rows) {
        batch->StartRow(row);
        batch->Put("f", "", "");
      }
    }
    seen.fetch_add(changes.size());
    return Status::Ok();
  }

  std::atomic<bool> refuses{false};
  std::atomic<uint64_t> seen{0};  // changes

 private:
  const TableName mirror_;
  const std::map<Bytes, std::set<Bytes>> columns_;
};

// One table that is mirrored.
class MirrorSource final : public api::WriteObserverSource {
 public:
  MirrorSource(TableName table, TableName mirror)
      : table_(std::move(table)), observer_(std::make_shared<MirrorObserver>(std::move(mirror))) {}

  Result<std::shared_ptr<api::WriteObserver>> ObserverOf(const TableName& table) override {
    asked.fetch_add(1);
    const bool observes = table == table_ && on.load();
    return std::shared_ptr<api::WriteObserver>(observes ? observer_ : nullptr);
  }
  MirrorObserver* observer() { return observer_.get(); }

  std::atomic<bool> on{true};
  std::atomic<uint64_t> asked{0};

 private:
  const TableName table_;
  const std::shared_ptr<MirrorObserver> observer_;
};

// The rows of 'table', as MirrorRowOf makes them of its cells, or as they are.
inline Result<std::set<Bytes>> RowsOf(Table* table, std::shared_ptr<const Snapshot> snapshot,
                                      bool mirrored) {
  std::set<Bytes> rows;
  Scan scan;
  scan.snapshot = std::move(snapshot);
  ASSIGN_OR_RETURN(const auto scanner, table->OpenScanner(scan));
  CellBatch batch;
  do {
    RETURN_IF_ERROR(scanner->Next(1000, &batch));
    for (const Cell& cell : batch.cells) {
      rows.insert(mirrored ? MirrorRowOf(cell) : Bytes(cell.row()));
    }
  } while (batch.row_count() > 0);
  return rows;
}

// What the mirror has too much, or lacks, at this moment; empty: it is right.
inline Result<std::string> MirrorDifference(Table* table, Table* mirror,
                                            const std::shared_ptr<const Snapshot>& snapshot) {
  ASSIGN_OR_RETURN(const std::set<Bytes> expected, RowsOf(table, snapshot, true));
  ASSIGN_OR_RETURN(const std::set<Bytes> found, RowsOf(mirror, snapshot, false));
  std::string text;
  for (const Bytes& row : found) {
    if (!expected.contains(row)) text.append("  too much: ").append(row).append("\n");
  }
  for (const Bytes& row : expected) {
    if (!found.contains(row)) text.append("  missing: ").append(row).append("\n");
  }
  return text;
}

}  // namespace bennu

#endif  // BENNU_TESTS_SUPPORT_MIRROR_OBSERVER_H_
