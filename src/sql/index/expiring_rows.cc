#include "src/sql/index/expiring_rows.h"

#include <algorithm>

#include "src/base/status_macros.h"
#include "src/sql/index/row_after.h"

namespace bennu::sql::index {

Status ExpiringRows::FindKeys(ByteView row, std::span<const Cell> now,
                              std::span<const api::LaterRow> later, exec::RowState state,
                              exec::IndexEncoder* encoder, Keys* keys) {
  keys->clear();
  rows_.clear();
  rows_.push_back({row, now});
  for (const api::LaterRow& one : later) rows_.push_back({row, one.cells});
  RETURN_IF_ERROR(encoder->Encode(rows_, &entries_, state));
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (!entries_[i].present) continue;
    std::optional<int64_t>& end = (*keys)[entries_[i].key];
    end.reset();
    if (i < later.size()) end = later[i].from;
  }
  return Status::Ok();
}

Status ExpiringRows::AppendChange(const api::RowChange& change, exec::IndexEncoder* encoder,
                                  ByteView prefix, MutationBatch* batch) {
  RETURN_IF_ERROR(FindKeys(change.row, change.before, change.before_later, exec::RowState::kStored,
                           encoder, &before_));
  RETURN_IF_ERROR(FindKeys(change.row, change.after, change.after_later, exec::RowState::kNew,
                           encoder, &after_));
  if (before_.empty() && !after_.empty()) RETURN_IF_ERROR(encoder->CheckKey(change.row));
  for (const auto& [key, end] : before_) {
    if (!after_.contains(key)) encoder->AppendGone(key, kLatestTimestamp, batch, prefix);
  }
  if (change.after_later.empty()) {
    // What stands there may be such a row, of which it is not known what it has.
    if (!after_.empty()) encoder->AppendWhole(entries_[0], kLatestTimestamp, batch, prefix);
    return Status::Ok();
  }
  // The time that the rows will get, from which their own time to live counts.
  const int64_t written = LatestTime(change.after);
  for (const auto& [key, end] : after_) {
    std::optional<int64_t> ttl_millis;
    if (end.has_value()) ttl_millis = std::max<int64_t>(*end - written, 0);
    encoder->AppendUnsettled(key, ttl_millis, kLatestTimestamp, batch, prefix);
  }
  return Status::Ok();
}

}  // namespace bennu::sql::index
