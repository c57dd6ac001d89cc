#include "src/sql/session/going_index.h"

#include "src/base/status_macros.h"

namespace bennu::sql::session {

using catalog::IndexState;

Result<std::unique_ptr<GoingIndex>> GoingIndex::Begin(SqlStore* store,
                                                      const catalog::Catalog::IndexAndTable& index,
                                                      const catalog::DdlContext& context,
                                                      bool is_claimed) {
  std::unique_ptr<GoingIndex> going(new GoingIndex(store));
  bool mine = is_claimed;
  if (!is_claimed) {
    going->claim_ = std::make_unique<IndexBuilds::Claim>(store->index_builds(), index.index->key());
    mine = going->claim_->mine();
  }
  // Before the pause: what passes the index by must find it in a state in which it does not count.
  const bool stays_disabled = index.index->index_state == IndexState::kDisabled;
  const IndexState state = mine && !stays_disabled ? IndexState::kBuilding : IndexState::kDisabled;
  RETURN_IF_ERROR(store->catalog()->SetIndexState(*index.index, state, context).status());
  ASSIGN_OR_RETURN(going->pause_,
                   store->indexes()->PauseKeeping(index.table->physical, index.index->key()));
  return going;
}

GoingIndex::~GoingIndex() {
  pause_ = nullptr;
  claim_ = nullptr;
  if (!is_gone_ && store_->index_builds() != nullptr) store_->index_builds()->Wake();
}

}  // namespace bennu::sql::session
