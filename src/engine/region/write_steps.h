// The steps that every write of a region takes, in this order. What is worth knowing:
//
// - A cell's key and sequence id must be unique in a memstore. Two cells of one batch may have the
//   same key (the same column put twice); the later one counts. Since the first insert of a key
//   wins, a batch whose cells do not ascend strictly in each store is inserted back to front, and
//   so is its replay.
// - Reads under a row lock (conditions, counters, deletes of the newest version) see writes of that
//   row that are not published yet. That is right: what depends on them has a later id, so it can
//   not be published unless they are; and when the log gives them up, what depends on them is given
//   up as well or not taken any more (AppendRequest::generation), and is made anew.
//
// 'rows' are indexes of the batch's mutations in the order of their keys, repeats allowed. Nothing
// here locks or waits.
#ifndef BENNU_SRC_ENGINE_REGION_WRITE_STEPS_H_
#define BENNU_SRC_ENGINE_REGION_WRITE_STEPS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/engine/region/region_state.h"
#include "src/engine/region/write_scratch.h"
#include "src/wal/wal.h"

namespace bennu::engine {

// The indexes of all mutations of the batch, as 'rows' is wanted.
std::vector<uint32_t> RowsInKeyOrder(const MutationBatch& batch);

// Whether the region's table can take the mutations, and in *scratch all that the later steps need
// to know of their cells, with the stores that they were checked against.
Status CheckBatch(const RegionState& region, const MutationBatch& batch,
                  std::span<const uint32_t> rows, WriteScratch* scratch);

// Under update_mu: whether the region is still what the write was checked against. Aborted: it is
// not, NotFound: nor will it be.
Status CheckUnchanged(const RegionState& region, const WriteScratch& scratch);

// Gives the cells without a time the time 'now', and deletes of a newest version that of the
// version. Under the row locks.
Status StampBatch(int64_t now, MutationBatch* batch, WriteScratch* scratch);

// The safest that any of the mutations asks for.
Durability DurabilityOf(const RegionState& region, const MutationBatch& batch,
                        std::span<const uint32_t> rows);
// False: it does not go into the log.
bool LevelOf(Durability durability, wal::SyncLevel* level);

// What goes into the log, but not what is to happen with the id. Points into the batch and
// *scratch. 'with_skipped': SKIP_WAL mutations among others as well.
wal::AppendRequest RequestOf(const RegionState& region, const MutationBatch& batch,
                             std::span<const uint32_t> rows, bool with_skipped, int64_t now,
                             WriteScratch* scratch);

// 'buffer': the batch's. Under update_mu, before a later id is given out to a write of these rows.
void AddToMemstores(ByteView buffer, uint64_t sequence_id, WriteScratch* scratch);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_WRITE_STEPS_H_
