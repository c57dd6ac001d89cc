// What the servers of a remote store leave out of a scan: conditions as filters that every HBase
// has.
//
// A filter never leaves out a row that the query wants, but may let others pass: bytes are compared
// where values are meant, and only where that is the same. So conditions are checked here again,
// and the filter saves what would cross the network for nothing.
// Source: hbase-rpc spec section 6; SingleColumnValueFilter and MultiRowRangeFilter of HBase.
#ifndef BENNU_SRC_SQL_EXEC_REMOTE_FILTER_H_
#define BENNU_SRC_SQL_EXEC_REMOTE_FILTER_H_

#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/filter.h"
#include "bennu/status.h"
#include "src/sql/bind/expr.h"
#include "src/sql/exec/operator.h"
#include "src/sql/keys/key_scan.h"
#include "src/sql/keys/key_schema.h"
#include "src/sql/plan/scan_column.h"

namespace bennu::sql::exec {

struct RemoteFilter {
  FilterPtr filter;                     // null: nothing can be left out
  std::vector<bind::ExprPtr> carried;   // conditions that it stands for
  std::vector<bind::ExprPtr> left_out;  // those that are checked here alone
};

// Of a condition over slots that the columns fill in, with the values of this run. 'key' is the
// form of the rows' keys as the servers have them; null: nothing is said of these.
Result<RemoteFilter> MakeRemoteFilter(ExecContext* context,
                                      const std::vector<plan::ScanColumn>& columns,
                                      const KeySchema* key, const bind::ExprPtr& condition);

// Leads the scan from one range of rows that the slots allow to the next. Null: they say nothing in
// ranges, or in too many.
FilterPtr MakeSlotFilter(const KeySchema& schema, const std::vector<KeySlot>& slots);

// These rows alone. They are ascending, and not empty.
Result<FilterPtr> MakePointsFilter(const std::vector<Bytes>& points);

// Rows that both let pass; either may be null, and so is the result when both are.
FilterPtr BothFilters(FilterPtr a, FilterPtr b);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_REMOTE_FILTER_H_
