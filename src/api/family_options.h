// What a family's descriptor says of its files beyond the public accessors. Pure functions.
#ifndef BENNU_SRC_API_FAMILY_OPTIONS_H_
#define BENNU_SRC_API_FAMILY_OPTIONS_H_

#include "bennu/descriptor.h"
#include "bennu/status.h"

namespace bennu::api {

// NotSupported when cells of the table cannot be served as HBase would from what its descriptor
// says: values that live outside of store files, encrypted files, files that a list of HBase's
// alone tells; regions of such a table stay closed. Everything else that is not here shows only in
// how new files are written.
Status CheckServable(const TableDescriptor& table);

// How files are written where this is asked for: NONE for what is not here. HBase reads both.
Compression WritableCompression(Compression compression);

// COMPRESSION_COMPACT_MAJOR or _MINOR, else COMPRESSION_COMPACT, else COMPRESSION: how a compaction
// writes its file.
Compression CompactionCompression(const ColumnFamilyDescriptor& family, bool major);

// An attribute that is TRUE or FALSE.
bool BoolAttribute(const ColumnFamilyDescriptor& family, const char* key, bool missing);

}  // namespace bennu::api

#endif  // BENNU_SRC_API_FAMILY_OPTIONS_H_
