// The log entries by which a region tells what it did (hbase-wal spec section 6), each as one cell
// in the layout of MutationBatch. Pure functions.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_MARKERS_H_
#define BENNU_SRC_ENGINE_REGION_REGION_MARKERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "src/engine/region/bulk_load_journal.h"
#include "src/engine/region/store_set.h"
#include "src/engine/store/store.h"
#include "src/wal/wal_entry.h"

namespace bennu::engine {

enum class FlushAction { kStart, kCommit };

// 'opened': REGION_OPEN, else REGION_CLOSE. 'server_name': "host,port,startcode".
Bytes RegionEventMarker(const RegionInfo& info, const StoreSet& stores,
                        const std::string& server_name, uint64_t sequence_id, bool opened,
                        int64_t now_millis);
// 'files': the new files of each store; not used for kStart.
Bytes FlushMarker(const RegionInfo& info, FlushAction action, uint64_t sequence_id,
                  const std::vector<StoreSet::Entry>& stores,
                  const std::vector<PendingFiles>& files, int64_t now_millis);
Bytes CompactionMarker(const RegionInfo& info, const Bytes& family,
                       const CompactionRequest& request, const PendingFiles& results,
                       int64_t now_millis);

Bytes BulkLoadMarker(const RegionInfo& info, const std::vector<BulkLoadFile>& files,
                     uint64_t sequence_id, int64_t now_millis);

// False when the entry is no compaction marker.
bool ParseCompactionMarker(const wal::WalEntry& entry, Bytes* family,
                           std::vector<std::string>* inputs, std::vector<std::string>* outputs);

bool IsBulkLoadMarker(const wal::WalEntry& entry);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_MARKERS_H_
