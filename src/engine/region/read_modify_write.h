// Writes that read first: Increment, Append, conditions, and whatever else of a batch is not stored
// as it stands.
//
// Under the row locks the mutations are turned into plain puts and deletes in a batch of the
// region's own, which then goes the way of every batch (write_steps.h). Every mutation sees what
// was there before its batch, as in HBase.
#ifndef BENNU_SRC_ENGINE_REGION_READ_MODIFY_WRITE_H_
#define BENNU_SRC_ENGINE_REGION_READ_MODIFY_WRITE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "bennu/mutation.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/engine/region/region_state.h"

namespace bennu::engine {

// Makes *resolved of the mutations with the given indexes; its mutation i is made of rows[i].
// No new cell is earlier than 'not_before'.
Status ResolveMutations(const RegionState& region, const MutationBatch& batch,
                        std::span<const uint32_t> rows, int64_t not_before,
                        MutationBatch* resolved);

// What Table::Mutate answers to the mutations with the given indexes, once they are resolved.
std::vector<Row> ResultsOf(const MutationBatch& batch, std::span<const uint32_t> rows,
                           const MutationBatch& resolved);

// Whether all hold. '*newest': the timestamp of the newest cell that was seen; 0: there was none.
Result<bool> Hold(const RegionState& region, std::span<const Table::Condition> conditions,
                  int64_t* newest);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_READ_MODIFY_WRITE_H_
