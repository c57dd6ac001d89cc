// How many tables and regions a namespace may have: hbase.namespace.quota.maxtables and .maxregions
// among its properties. They hold for what clients ask for; regions split by themselves all the
// same. Source: NamespaceAuditor of HBase 2.5.
#ifndef BENNU_SRC_SERVER_HBASE_NAMESPACE_QUOTA_H_
#define BENNU_SRC_SERVER_HBASE_NAMESPACE_QUOTA_H_

#include <cstddef>

#include "bennu/table.h"
#include "src/server/hbase/call.h"

namespace bennu::server::hbase {

// Before 'table' is made with so many regions. QuotaExceededException.
CallError CheckQuotaForTable(Connection* store, const TableName& table, size_t regions);
// Before a region of 'table' becomes two. QuotaExceededException.
CallError CheckQuotaForSplit(Connection* store, const TableName& table);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_NAMESPACE_QUOTA_H_
