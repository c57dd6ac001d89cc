// What a call's parameter says of table, region and rows, for the log of slow calls.
#ifndef BENNU_SRC_SERVER_HBASE_SLOW_PARAMETER_H_
#define BENNU_SRC_SERVER_HBASE_SLOW_PARAMETER_H_

#include <string_view>

#include "bennu/bytes.h"
#include "src/server/hbase/slow_log.h"

namespace bennu::server::hbase {

// Sets region, table, rows and the counts of a Multi; nothing for methods that are not of regions.
void DescribeParameter(std::string_view method, ByteView parameter, SlowCall* call);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_SLOW_PARAMETER_H_
