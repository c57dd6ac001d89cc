// Which blocks of a file are brought into the block cache before anybody asks for them, as the
// family's PREFETCH_BLOCKS_ON_OPEN and CACHE_..._ON_WRITE say.
//
// HBase puts blocks into the cache while it writes them. Here a file's blocks belong to its reader,
// so they are read back once it is open; the machine still has them.
#ifndef BENNU_SRC_ENGINE_STORE_CACHE_WARMTH_H_
#define BENNU_SRC_ENGINE_STORE_CACHE_WARMTH_H_

#include "bennu/descriptor.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

struct CacheWarmth {
  bool data = false;
  bool index = false;
  bool blooms = false;

  // Of a file that a flush has written.
  static CacheWarmth OfNewFile(const ColumnFamilyDescriptor& family);
  // Of any file that is opened, also a compaction's result.
  static CacheWarmth OfOpening(const ColumnFamilyDescriptor& family);
};

// Best effort: a block that cannot be read is told by the first read that needs it. Ends early
// when the cache has no room for more of this file.
void WarmCache(const StoreFile& file, const CacheWarmth& warmth);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_CACHE_WARMTH_H_
