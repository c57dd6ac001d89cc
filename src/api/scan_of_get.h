// A Get as a scan.
#ifndef BENNU_SRC_API_SCAN_OF_GET_H_
#define BENNU_SRC_API_SCAN_OF_GET_H_

#include "bennu/scan.h"

namespace bennu {

// What the Get asks for, as a scan of its row: all but the filter and the snapshot. *scan may be
// that of an earlier Get, which mostly wanted the same columns.
void MakeScanOf(const Get& get, Scan* scan);

}  // namespace bennu

#endif  // BENNU_SRC_API_SCAN_OF_GET_H_
