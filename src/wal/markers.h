// Markers: entries that tell what a region did. One cell of family METAFAMILY whose row is the
// region's first key, whose qualifier names the event and whose value is a message.
// Source: hbase-wal spec section 6; HBase's WALEdit, WALUtil.
#ifndef BENNU_SRC_WAL_MARKERS_H_
#define BENNU_SRC_WAL_MARKERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/status.h"

namespace bennu::wal {

// The region that a marker is about.
struct MarkerRegion {
  Bytes table;  // as in the WAL key
  Bytes encoded_region;
  Bytes region_name;
  Bytes start_key;  // becomes the row; not in the message
};

struct RegionEvent {
  bool open = true;  // else a close
  MarkerRegion region;
  uint64_t sequence_id = 0;
  struct Store {
    Bytes family;
    std::vector<std::string> files;  // names, not paths
  };
  std::vector<Store> stores;
  std::string server_name;  // "host,port,startcode"
};

struct FlushEvent {
  enum class Action { kStart = 0, kCommit = 1, kAbort = 2, kCannotFlush = 3 };
  Action action = Action::kStart;
  MarkerRegion region;
  uint64_t flush_sequence_id = 0;
  struct Store {
    Bytes family;
    std::vector<std::string> files;  // what the flush made, on commit
  };
  std::vector<Store> stores;
};

struct CompactionEvent {
  MarkerRegion region;
  Bytes family;
  std::vector<std::string> inputs;  // names of store files
  std::vector<std::string> outputs;
};

struct BulkLoadEvent {
  MarkerRegion region;
  struct Store {
    Bytes family;
    std::vector<std::string> files;  // as they are called in the store
    uint64_t size_bytes = 0;         // of the last one, as HBase has it
  };
  std::vector<Store> stores;
  uint64_t sequence_id = 0;  // of the load, as in the files' names
};

// Each returns one cell in the layout of MutationBatch, to be appended as an entry of its own.
Bytes EncodeMarker(const RegionEvent& event, int64_t timestamp_ms);
Bytes EncodeMarker(const FlushEvent& event, int64_t timestamp_ms);
Bytes EncodeMarker(const CompactionEvent& event, int64_t timestamp_ms);
Bytes EncodeMarker(const BulkLoadEvent& event, int64_t timestamp_ms);

bool IsMarker(const Cell& cell);
bool IsBulkLoadMarker(const Cell& cell);  // whether or not its message is sound

// Empty when 'cell' is no marker of that kind; Corruption when it is and its message is damaged.
// MarkerRegion::start_key is the row (empty for the row that stands for an empty key).
Result<std::optional<RegionEvent>> DecodeRegionEvent(const Cell& cell);
Result<std::optional<FlushEvent>> DecodeFlushEvent(const Cell& cell);
Result<std::optional<CompactionEvent>> DecodeCompactionEvent(const Cell& cell);

// "FlushDescriptor action: START_FLUSH table_name: \"t\" …": the message's name and its text form
// on one line, as protobuf for Java prints it. Empty for other cells and for damaged messages.
std::string MarkerText(const Cell& cell);

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_MARKERS_H_
