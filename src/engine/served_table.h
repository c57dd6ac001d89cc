// ServedTable: a table of the engine as a server uses it.
#ifndef BENNU_SRC_ENGINE_SERVED_TABLE_H_
#define BENNU_SRC_ENGINE_SERVED_TABLE_H_

#include <memory>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/engine/async_writes.h"
#include "src/engine/store/scan_pause.h"

namespace bennu::engine {

// Thread-safe.
class ServedTable : public Table, public AsyncWrites {
 public:
  // As OpenScanner.
  virtual Result<std::unique_ptr<PausableScanner>> OpenPausableScanner(const Scan& scan) = 0;
  // Whether the table still has this very region, which a split or a merge would have replaced.
  virtual bool HasRegion(const RegionInfo& region) const = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_SERVED_TABLE_H_
