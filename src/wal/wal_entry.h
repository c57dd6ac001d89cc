// One entry of a write-ahead log: an atomic piece of one region's writes. HBase's WAL.Entry.
#ifndef BENNU_SRC_WAL_WAL_ENTRY_H_
#define BENNU_SRC_WAL_WAL_ENTRY_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bennu/bytes.h"

namespace bennu::wal {

// A family whose writes are replicated elsewhere.
struct FamilyScope {
  Bytes family;
  int32_t scope = 0;  // 0 LOCAL, 1 GLOBAL, 2 SERIAL

  friend bool operator==(const FamilyScope&, const FamilyScope&) = default;
};

// A cluster that has seen the entry already; a UUID.
struct ClusterUuid {
  uint64_t most_significant_bits = 0;
  uint64_t least_significant_bits = 0;

  friend bool operator==(const ClusterUuid&, const ClusterUuid&) = default;
};

// The entry's key: HBase's WALKey without the count of cells.
struct WalKeyFields {
  Bytes encoded_region;  // 32 hex digits, or 1588230740 for hbase:meta
  Bytes table;           // "qualifier" or "namespace:qualifier"
  uint64_t sequence_id = 0;
  uint64_t write_time_ms = 0;
  uint64_t nonce_group = 0;
  uint64_t nonce = 0;
  uint64_t original_sequence_id = 0;  // 0 when absent
  std::vector<FamilyScope> scopes;
  std::vector<ClusterUuid> cluster_ids;
  std::vector<std::pair<std::string, Bytes>> extended_attributes;

  friend bool operator==(const WalKeyFields&, const WalKeyFields&) = default;
};

struct WalEntry {
  WalKeyFields key;
  // The cells in the layout of MutationBatch (walk them with CellAt; every one has been checked).
  // Valid until the next call of the reader that filled this.
  ByteView cells;
  uint32_t cell_count = 0;  // may be 0
  uint64_t offset = 0;      // where the entry begins in its file
  uint64_t end_offset = 0;
};

// The family of entries that are no user's data but tell what a region did (wal/markers.h). Replay
// into a memstore leaves its cells out.
inline constexpr ByteView kMetaFamily = "METAFAMILY";

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_WAL_ENTRY_H_
