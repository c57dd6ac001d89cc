// What a family's descriptor says of its files beyond the public accessors. Pure functions.
#ifndef BENNU_SRC_API_FAMILY_OPTIONS_H_
#define BENNU_SRC_API_FAMILY_OPTIONS_H_

#include "bennu/descriptor.h"

namespace bennu::api {

// COMPRESSION_COMPACT_MAJOR or _MINOR, else COMPRESSION_COMPACT, else COMPRESSION: how a compaction
// writes its file.
Compression CompactionCompression(const ColumnFamilyDescriptor& family, bool major);

// An attribute that is TRUE or FALSE.
bool BoolAttribute(const ColumnFamilyDescriptor& family, const char* key, bool missing);

}  // namespace bennu::api

#endif  // BENNU_SRC_API_FAMILY_OPTIONS_H_
