#include "src/sql/index/index_check.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

#include "bennu/scan.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/view_indexes.h"
#include "src/sql/exec/index_encoder.h"
#include "src/sql/index/row_after.h"
#include "src/sql/index/row_reads.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {
namespace {

constexpr size_t kRowsPerLook = 1000;
// Without a moment: what is looked at again, and how often and when.
constexpr size_t kSuspectsMax = 100'000;
constexpr int kLooksMax = 3;
constexpr uint64_t kPauseMicros = 1'000'000;
constexpr uint64_t kPauseStepMicros = 100'000;

class Checker {
 public:
  Checker(std::shared_ptr<const plan::IndexDefinition> definition, size_t listed_max,
          const std::function<Status(size_t rows)>& progress, bool looks_again)
      : definition_(std::move(definition)),
        encoder_(definition_, /*builds=*/true),
        listed_max_(listed_max),
        progress_(progress),
        looks_again_(looks_again) {
    plan::AddReadColumns(*definition_, &columns_);
  }

  Result<IndexCheck> Run(Connection* connection) {
    snapshot_ = connection->TakeSnapshot();
    ASSIGN_OR_RETURN(table_, connection->OpenTable(definition_->table->physical));
    ASSIGN_OR_RETURN(index_, catalog::OpenRows(connection, *definition_->index));
    RETURN_IF_ERROR(LookAtTable());
    RETURN_IF_ERROR(LookAtIndex());
    if (looks_again_ && snapshot_ == nullptr) RETURN_IF_ERROR(LookAgain());
    return std::move(result_);
  }

 private:
  // Each row of the table has its row in the index.
  Status LookAtTable() {
    for (const RowRange& range : plan::RowsToIndex(*definition_)) {
      RETURN_IF_ERROR(LookAtTable(range));
    }
    return Status::Ok();
  }

  Status LookAtTable(const RowRange& range) {
    Scan scan;
    scan.range = range;
    scan.columns = columns_;
    scan.snapshot = snapshot_;
    ASSIGN_OR_RETURN(const auto scanner, table_->OpenScanner(scan));
    CellBatch found;
    std::vector<exec::TableRow> rows;
    std::vector<exec::IndexEntry> entries;
    for (;;) {
      RETURN_IF_ERROR(scanner->Next(kRowsPerLook, &found));
      if (found.row_count() == 0) return Status::Ok();
      rows.clear();
      for (size_t i = 0; i < found.row_count(); ++i) {
        const uint32_t begin = found.row_starts[i];
        rows.push_back(
            {found.cells[begin].row(), std::span(&found.cells[begin], found.row_end(i) - begin)});
      }
      RETURN_IF_ERROR(encoder_.Encode(rows, &entries));
      for (const exec::IndexEntry& entry : entries) {
        if (entry.present) expected_.insert(std::hash<ByteView>()(entry.key));
      }
      if (looks_up_) RETURN_IF_ERROR(LookUp(rows, entries));
      result_.table_rows += static_cast<int64_t>(rows.size());
      RETURN_IF_ERROR(progress_(rows.size()));
    }
  }

  Status LookUp(std::span<const exec::TableRow> rows, std::span<const exec::IndexEntry> entries) {
    std::vector<Bytes> keys;
    std::vector<Row> found;
    // From servers many at a time.
    const bool together = snapshot_ == nullptr && !definition_->index->is_local_index();
    if (together) {
      for (const exec::IndexEntry& entry : entries) {
        if (entry.present) keys.push_back(entry.key);
      }
      RETURN_IF_ERROR(ReadRowsByKey(index_.get(), keys, {}, &found));
    }
    size_t next = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      const exec::IndexEntry& entry = entries[i];
      if (!entry.present) continue;
      std::optional<IndexDifference::Kind> kind;
      if (together) {
        kind = Compare(entry, NewestCells(found[next++].cells));
      } else {
        ASSIGN_OR_RETURN(kind, Compare(entry));
      }
      if (kind.has_value()) Add({*kind, Bytes(rows[i].key), entry.key});
    }
    return Status::Ok();
  }

  // What is wrong with the entry's row in the index; nothing: it is right.
  Result<std::optional<IndexDifference::Kind>> Compare(const exec::IndexEntry& entry) {
    Get get;
    get.row = entry.key;
    get.snapshot = snapshot_;
    ASSIGN_OR_RETURN(const Row row, index_->GetRow(get));
    return Compare(entry, row.cells);
  }

  // The same, of what the row has.
  std::optional<IndexDifference::Kind> Compare(const exec::IndexEntry& entry,
                                               std::span<const Cell> cells) {
    std::optional<IndexDifference::Kind> kind;
    if (cells.empty()) {
      kind = IndexDifference::Kind::kMissing;
      return kind;
    }
    // What such a row leads to is looked at, and it need not have any values.
    if (exec::IsUnsettled(*definition_->index, cells)) return kind;
    // What rows of uncovered indexes lead to is looked at anyway, so that their mark says nothing.
    // Those of local indexes have none.
    const catalog::TableMeta& index = *definition_->index;
    const bool is_marked =
        index.index_type != catalog::IndexType::kGlobal || exec::IsVerified(index, cells);
    if (!is_marked || !encoder_.Matches(entry, cells)) {
      kind = IndexDifference::Kind::kDifferent;
    }
    return kind;
  }

  // Each row of the index is one that the table asks for.
  Status LookAtIndex() {
    for (const RowRange& range : catalog::RowsOfIndex(*definition_->index)) {
      RETURN_IF_ERROR(LookAtIndex(range));
    }
    return Status::Ok();
  }

  Status LookAtIndex(const RowRange& range) {
    Scan scan;
    scan.range = range;
    scan.snapshot = snapshot_;
    ASSIGN_OR_RETURN(const auto scanner, index_->OpenScanner(scan));
    CellBatch found;
    for (;;) {
      RETURN_IF_ERROR(scanner->Next(kRowsPerLook, &found));
      if (found.row_count() == 0) return Status::Ok();
      for (size_t i = 0; i < found.row_count(); ++i) {
        const ByteView row = found.cells[found.row_starts[i]].row();
        if (expected_.contains(std::hash<ByteView>()(row))) continue;
        // It waits for cells of a row to expire, or is left from before they did.
        const std::span cells(&found.cells[found.row_starts[i]],
                              found.row_end(i) - found.row_starts[i]);
        if (exec::IsUnsettled(*definition_->index, cells)) continue;
        Add({IndexDifference::Kind::kOrphan, Bytes(), Bytes(row)});
      }
      result_.index_rows += static_cast<int64_t>(found.row_count());
      RETURN_IF_ERROR(progress_(found.row_count()));
    }
  }

  // ---- without a moment

  // What differs may have been written between the looks at the two. It is right in the end, once
  // its writers are done.
  Status LookAgain() {
    const auto is_orphan = [](const IndexDifference& one) {
      return one.kind == IndexDifference::Kind::kOrphan;
    };
    if (std::any_of(suspects_.begin(), suspects_.end(), is_orphan)) {
      // Of rows that came into the table behind the first look.
      looks_up_ = false;
      RETURN_IF_ERROR(LookAtTable());
    }
    for (int look = 0; look < kLooksMax && !suspects_.empty(); ++look) {
      for (uint64_t waited = 0; waited < kPauseMicros; waited += kPauseStepMicros) {
        Env::Default()->SleepMicros(kPauseStepMicros);
        RETURN_IF_ERROR(progress_(0));
      }
      const bool last = look + 1 == kLooksMax;
      std::vector<IndexDifference> left;
      for (IndexDifference& suspect : suspects_) {
        ASSIGN_OR_RETURN(const Verdict verdict,
                         is_orphan(suspect) ? LookAtOrphan(suspect) : LookAtRow(&suspect));
        if (verdict == Verdict::kWrong || (verdict == Verdict::kInMotion && !last)) {
          left.push_back(std::move(suspect));
        }
      }
      suspects_ = std::move(left);
    }
    for (IndexDifference& suspect : suspects_) Count(std::move(suspect));
    return Status::Ok();
  }

  enum class Verdict : uint8_t { kRight, kWrong, kInMotion };

  Result<Verdict> LookAtRow(IndexDifference* suspect) {
    Get get;
    get.row = suspect->table_row;
    get.columns = columns_;
    ASSIGN_OR_RETURN(const Row row, table_->GetRow(get));
    const exec::TableRow of_table{suspect->table_row, row.cells};
    std::vector<exec::IndexEntry> entries;
    RETURN_IF_ERROR(encoder_.Encode(std::span(&of_table, 1), &entries));
    if (!entries[0].present) return Verdict::kRight;
    ASSIGN_OR_RETURN(const auto kind, Compare(entries[0]));
    if (!kind.has_value()) return Verdict::kRight;
    ASSIGN_OR_RETURN(const Row after, table_->GetRow(get));
    const bool same =
        std::equal(row.cells.begin(), row.cells.end(), after.cells.begin(), after.cells.end(),
                   [](const Cell& a, const Cell& b) { return a.flat_key() == b.flat_key(); });
    if (!same) return Verdict::kInMotion;
    suspect->kind = *kind;
    suspect->index_row = entries[0].key;
    return Verdict::kWrong;
  }

  Result<Verdict> LookAtOrphan(const IndexDifference& suspect) {
    if (expected_.contains(std::hash<ByteView>()(suspect.index_row))) return Verdict::kRight;
    Get get;
    get.row = suspect.index_row;
    ASSIGN_OR_RETURN(const Row row, index_->GetRow(get));
    return row.cells.empty() ? Verdict::kRight : Verdict::kWrong;
  }

  void Add(IndexDifference difference) {
    if (!looks_again_ || snapshot_ != nullptr) return Count(std::move(difference));
    if (suspects_.size() < kSuspectsMax) return suspects_.push_back(std::move(difference));
    Count(std::move(difference));  // so many are not all of rows that are being written
  }

  void Count(IndexDifference difference) {
    ++result_.differences;
    if (result_.first.size() < listed_max_) result_.first.push_back(std::move(difference));
  }

  const std::shared_ptr<const plan::IndexDefinition> definition_;
  exec::IndexEncoder encoder_;
  const size_t listed_max_;
  const std::function<Status(size_t rows)>& progress_;
  const bool looks_again_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<Table> table_;
  std::shared_ptr<Table> index_;
  std::map<Bytes, std::set<Bytes>> columns_;  // of the table
  bool looks_up_ = true;                      // each row's row in the index
  std::vector<IndexDifference> suspects_;     // without a moment
  // Hashes of the keys that the index should have.
  std::unordered_set<uint64_t> expected_;
  IndexCheck result_;
};

}  // namespace

Result<IndexCheck> CheckIndex(Connection* connection,
                              const std::shared_ptr<const catalog::TableMeta>& table,
                              const std::shared_ptr<const catalog::TableMeta>& index,
                              size_t listed_max, const std::function<Status(size_t rows)>& progress,
                              bool looks_again) {
  ASSIGN_OR_RETURN(auto definition, plan::DefineIndex(table, index));
  return Checker(std::move(definition), listed_max, progress, looks_again).Run(connection);
}

}  // namespace bennu::sql::index
