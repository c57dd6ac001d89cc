#include "src/sql/index/index_check.h"

#include <functional>
#include <unordered_set>
#include <utility>

#include "bennu/scan.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/view_indexes.h"
#include "src/sql/exec/index_encoder.h"
#include "src/sql/index/index_observer.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {
namespace {

constexpr size_t kRowsPerLook = 1000;

class Checker {
 public:
  Checker(std::shared_ptr<const plan::IndexDefinition> definition, size_t listed_max,
          const std::function<Status(size_t rows)>& progress)
      : definition_(std::move(definition)),
        encoder_(definition_, /*builds=*/true),
        listed_max_(listed_max),
        progress_(progress) {}

  Result<IndexCheck> Run(Connection* connection) {
    snapshot_ = connection->TakeSnapshot();
    if (snapshot_ == nullptr) {
      return FailedPrecondition(
          "an index is compared with its table as of one moment, which this "
          "store does not have");
    }
    ASSIGN_OR_RETURN(table_, connection->OpenTable(definition_->table->physical));
    ASSIGN_OR_RETURN(index_, catalog::OpenRows(connection, *definition_->index));
    RETURN_IF_ERROR(LookAtTable());
    RETURN_IF_ERROR(LookAtIndex());
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
    const IndexObserver columns({definition_});
    Scan scan;
    scan.range = range;
    scan.columns = columns.columns();
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
      for (size_t i = 0; i < rows.size(); ++i) {
        if (entries[i].present) RETURN_IF_ERROR(LookUp(rows[i].key, entries[i]));
      }
      result_.table_rows += static_cast<int64_t>(rows.size());
      RETURN_IF_ERROR(progress_(rows.size()));
    }
  }

  Status LookUp(ByteView table_row, const exec::IndexEntry& entry) {
    expected_.insert(std::hash<ByteView>()(entry.key));
    Get get;
    get.row = entry.key;
    get.snapshot = snapshot_;
    ASSIGN_OR_RETURN(const Row row, index_->GetRow(get));
    if (row.cells.empty()) {
      Add({IndexDifference::Kind::kMissing, Bytes(table_row), entry.key});
      return Status::Ok();
    }
    // What rows of uncovered indexes lead to is looked at anyway, so that their mark says nothing.
    // Those of local indexes have none.
    const catalog::TableMeta& index = *definition_->index;
    const bool is_marked =
        index.index_type != catalog::IndexType::kGlobal || exec::IsVerified(index, row.cells);
    if (!is_marked || !encoder_.Matches(entry, row.cells)) {
      Add({IndexDifference::Kind::kDifferent, Bytes(table_row), entry.key});
    }
    return Status::Ok();
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
        Add({IndexDifference::Kind::kOrphan, Bytes(), Bytes(row)});
      }
      result_.index_rows += static_cast<int64_t>(found.row_count());
      RETURN_IF_ERROR(progress_(found.row_count()));
    }
  }

  void Add(IndexDifference difference) {
    ++result_.differences;
    if (result_.first.size() < listed_max_) result_.first.push_back(std::move(difference));
  }

  const std::shared_ptr<const plan::IndexDefinition> definition_;
  exec::IndexEncoder encoder_;
  const size_t listed_max_;
  const std::function<Status(size_t rows)>& progress_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<Table> table_;
  std::shared_ptr<Table> index_;
  // Hashes of the keys that the index should have.
  std::unordered_set<uint64_t> expected_;
  IndexCheck result_;
};

}  // namespace

Result<IndexCheck> CheckIndex(Connection* connection,
                              const std::shared_ptr<const catalog::TableMeta>& table,
                              const std::shared_ptr<const catalog::TableMeta>& index,
                              size_t listed_max,
                              const std::function<Status(size_t rows)>& progress) {
  ASSIGN_OR_RETURN(auto definition, plan::DefineIndex(table, index));
  return Checker(std::move(definition), listed_max, progress).Run(connection);
}

}  // namespace bennu::sql::index
