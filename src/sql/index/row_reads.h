// Rows of a table by their keys, whole, for those who are about to write them.
#ifndef BENNU_SRC_SQL_INDEX_ROW_READS_H_
#define BENNU_SRC_SQL_INDEX_ROW_READS_H_

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"

namespace bennu::sql::index {

// (*rows)[i]: keys[i], with all versions that its families keep; empty when it is not there. Keys
// may come in any order, each once. 'columns' as in Get.
Status ReadRowsByKey(Table* table, std::span<const Bytes> keys,
                     const std::map<Bytes, std::set<Bytes>>& columns, std::vector<Row>* rows);

// All that is stored of the row with this time, deleted or not, and delete markers.
Result<Row> ReadStored(Table* table, const Bytes& key, int64_t time);

// The latest time of anything that is stored of the row, seen or not; 0: nothing is.
Result<int64_t> LatestTimeOf(Table* table, const Bytes& key);

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_ROW_READS_H_
