#include "src/sql/exec/row_verifier.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/row_fetcher.h"
#include "src/sql/exec/table_key_maker.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::exec {

struct RowVerifier::Look {
  TableKeyMaker key_maker;
  RowFetcher fetcher;
  IndexEncoder encoder;
  std::vector<Bytes> keys;  // one
  std::vector<IndexEntry> entries;
};

RowVerifier::RowVerifier(const catalog::TableMeta* index, const plan::IndexedTable* indexed)
    : index_(index), indexed_(indexed) {}

RowVerifier::~RowVerifier() = default;

void RowVerifier::Begin(ExecContext* context) {
  context_ = context;
  look_ = nullptr;
  made_.clear();
}

bool RowVerifier::AllVerified(const ColumnSlice& slice) const {
  const ColumnRows::Column* const mark =
      slice.rows->Find(index_->empty_family, index_->empty_qualifier);
  if (mark == nullptr || !mark->HasAll(slice.begin, slice.end)) return false;
  const bool is_same = mark->ends == nullptr && mark->stride == 0;
  const uint32_t end = is_same ? std::min(slice.begin + 1, slice.end) : slice.end;
  for (uint32_t row = slice.begin; row < end; ++row) {
    if (!IsVerifiedMark(*index_, mark->ValueAt(row))) return false;
  }
  return true;
}

Status RowVerifier::StartLooking() {
  // The plan keeps both metas.
  const std::shared_ptr<const catalog::TableMeta> index(indexed_->owner, index_);
  ASSIGN_OR_RETURN(auto definition, plan::DefineIndex(indexed_->owner, index));
  std::map<Bytes, std::set<Bytes>> columns;
  plan::AddReadColumns(*definition, &columns);
  look_ = std::make_unique<Look>(
      Look{{&index_->key_schema, &indexed_->table->key_schema, &indexed_->table_key},
           {context_, indexed_->data, std::move(columns)},
           {std::move(definition), /*builds=*/true},
           std::vector<Bytes>(1),
           {}});
  return Status::Ok();
}

Result<std::span<const Cell>> RowVerifier::Rebuild(ByteView index_row) {
  if (look_ == nullptr) RETURN_IF_ERROR(StartLooking());
  const std::span<const Cell> none;
  // A key that cannot be taken apart leads to no row.
  if (!look_->key_maker.Make(index_row, &look_->keys[0]).ok()) return none;
  RETURN_IF_ERROR(look_->fetcher.Fetch(look_->keys));
  const TableRow row{look_->keys[0], look_->fetcher.row(0)};
  RETURN_IF_ERROR(look_->encoder.Encode(std::span(&row, 1), &look_->entries, RowState::kStored));
  const IndexEntry& entry = look_->entries[0];
  if (!entry.present || entry.key != index_row) return none;
  Made& made = *made_.emplace_back(std::make_unique<Made>());
  look_->encoder.AppendChange(IndexEntry(), entry, kLatestTimestamp, &made.batch);
  const MutationBatch::Row& cells = made.batch.rows().front();
  for (uint64_t offset = cells.cells_begin; offset < cells.cells_end;) {
    offset = CellAt(made.batch.buffer(), offset, &made.cells.emplace_back());
  }
  std::sort(made.cells.begin(), made.cells.end(), [](const Cell& a, const Cell& b) {
    return std::make_tuple(a.family(), a.qualifier()) < std::make_tuple(b.family(), b.qualifier());
  });
  return std::span<const Cell>(made.cells);
}

}  // namespace bennu::sql::exec
