// The rows of a local index, written by Phoenix's servers: each region writes those of its rows, so
// that they are where they belong, whatever regions are split meanwhile.
//
// Source: phoenix-pushdown spec section 4.
#ifndef BENNU_SRC_SQL_INDEX_PHOENIX_LOCAL_BUILD_H_
#define BENNU_SRC_SQL_INDEX_PHOENIX_LOCAL_BUILD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/index/index_keeper.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {

// A scan with attributes for classes that the servers have loaded.
using OpenAttributedScanner = std::function<Result<std::unique_ptr<Scanner>>(
    const TableName& table, const Scan& scan, const std::map<std::string, Bytes>& attributes)>;

// False: it has some of its table's rows, and the servers would give it all of them.
bool CanServersBuild(const plan::IndexDefinition& index);

// Reads all regions, as many at a time as the connection has threads, and tells 'progress' of their
// rows. Returns how many these were. Without code: the servers cannot build it. 'version': as
// DescribeIndexes.
Result<int64_t> BuildLocalIndexByServers(Connection* connection,
                                         const OpenAttributedScanner& open_scanner, int32_t version,
                                         const std::shared_ptr<const plan::IndexDefinition>& index,
                                         const IndexKeeper::Progress& progress);

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_PHOENIX_LOCAL_BUILD_H_
