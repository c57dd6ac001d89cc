// What is looked at when a table is created or altered, beyond each value by itself: combinations
// that HBase's master refuses. Tables that are there already are opened whatever they say.
#ifndef BENNU_SRC_API_TABLE_CHECKS_H_
#define BENNU_SRC_API_TABLE_CHECKS_H_

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/api/attributes.h"

namespace bennu::api {

// Whether hbase.table.sanity.checks is on for the table, by itself or by 'site'.
bool HasSanityChecks(const TableDescriptor& table, const Attributes& site);

// Validate(), and more. 'site': the properties of the whole store. InvalidArgument: MAX_FILESIZE or
// MEMSTORE_FLUSHSIZE below HBase's bounds; a FIFO store without TTL, with MIN_VERSIONS, or with
// fewer than 1000 blocking files; a property that only the whole store can have, and in a family
// one that only a table can have. None of these is looked at with hbase.table.sanity.checks=false
// in the table or the store. Always: a split policy without what it needs (split_properties.h).
// NotSupported: a split or flush policy that Bennu does not have. Pure functions. Source:
// TableDescriptorChecker of HBase 2.5.
Status CheckTable(const TableDescriptor& table, const Attributes& site);

}  // namespace bennu::api

#endif  // BENNU_SRC_API_TABLE_CHECKS_H_
