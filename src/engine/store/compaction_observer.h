// Who wants to see what major compactions write. HBase has coprocessors for that (preCompact).
#ifndef BENNU_SRC_ENGINE_STORE_COMPACTION_OBSERVER_H_
#define BENNU_SRC_ENGINE_STORE_COMPACTION_OBSERVER_H_

#include <cstddef>
#include <memory>
#include <string>

#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "bennu/table.h"

namespace bennu::engine {

// Sees one compaction, on its thread. Destroyed without Committed when it fails or is stopped.
class CompactionWatch {
 public:
  virtual ~CompactionWatch() = default;

  // Cells in the order in which they are written: a row, or a part of a long one. 'begins': not of
  // the row of the last call. The cells are valid during the call.
  virtual void AddCells(const Cell* cells, size_t count, bool begins) = 0;
  // What was written is the store now. No lock is held: tables may be read and written. What goes
  // wrong here is the watch's own matter.
  virtual void Committed() = 0;
};

// Thread-safe.
class CompactionObserver {
 public:
  virtual ~CompactionObserver() = default;

  // Called once, when the store is open; it outlives its compactions. Those that began before may
  // have gone by unseen.
  virtual void Attach(Connection* store) = 0;

  // All files of a family of a region are about to become one. Tables may be read. Null: it need
  // not be seen.
  virtual std::unique_ptr<CompactionWatch> Begin(const RegionInfo& region,
                                                 const std::string& family) = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_COMPACTION_OBSERVER_H_
