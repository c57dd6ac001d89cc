#include "src/engine/store/cache_warmth.h"

#include "src/api/family_options.h"

namespace bennu::engine {

CacheWarmth CacheWarmth::OfOpening(const ColumnFamilyDescriptor& family) {
  const bool prefetch = api::BoolAttribute(family, "PREFETCH_BLOCKS_ON_OPEN", false);
  return {prefetch && family.block_cache(), prefetch, prefetch};
}

CacheWarmth CacheWarmth::OfNewFile(const ColumnFamilyDescriptor& family) {
  CacheWarmth warmth = OfOpening(family);
  warmth.data |= api::BoolAttribute(family, "CACHE_DATA_ON_WRITE", false) && family.block_cache();
  warmth.index |= api::BoolAttribute(family, "CACHE_INDEX_ON_WRITE", false);
  warmth.blooms |= api::BoolAttribute(family, "CACHE_BLOOMS_ON_WRITE", false);
  return warmth;
}

void WarmCache(const StoreFile& file, const CacheWarmth& warmth) {
  const hfile::Reader& reader = *file.reader();
  if (warmth.blooms) static_cast<void>(reader.CacheBlooms().ok());
  if (!warmth.data && !warmth.index) return;
  uint64_t room = reader.cache_capacity_bytes();
  // Walking over the entries brings in the index blocks that they are in.
  const auto visit = [&](ByteView /*key*/, uint64_t offset, uint32_t on_disk_size) {
    if (!warmth.data) return true;
    const auto block = reader.ReadDataBlock(offset, on_disk_size, /*cache_blocks=*/true);
    if (!block.ok() || (*block)->memory_bytes() > room) return false;
    room -= (*block)->memory_bytes();
    return true;
  };
  static_cast<void>(reader.ForEachBlock(visit).ok());
}

}  // namespace bennu::engine
