// Lets a scan that shows nothing for long come up for air. Source: the time limit of HBase's
// ScannerContext.
#ifndef BENNU_SRC_ENGINE_STORE_SCAN_PAUSE_H_
#define BENNU_SRC_ENGINE_STORE_SCAN_PAUSE_H_

#include "bennu/bytes.h"
#include "bennu/scan.h"

namespace bennu::engine {

// Asked by the thread that calls Scanner::Next.
class ScanPause {
 public:
  virtual ~ScanPause() = default;
  // 'next_row' is looked at next. True: Next returns with the rows that it has, or none, and goes
  // on there when it is called again. Asked before each row that is looked at on its own, between
  // blocks of rows, and within a row where nothing of a block is shown, if the scan takes partial
  // results and its filter does not decide by whole rows; seldom where there is much to show.
  virtual bool IsDue(ByteView next_row) = 0;
};

// A scanner that comes up for air.
class PausableScanner : public Scanner {
 public:
  // To be set before the first row is read, and to outlive the scanner. An empty batch of Next may
  // then mean that it was due. NextColumns must not be called.
  virtual void SetPause(ScanPause* pause) = 0;
  // A filter has ended the last region that was read before its last row. Where the reading of a
  // region that is over gave nothing, HBase's clients do not ask the regions behind it either.
  virtual bool filter_done() const = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_SCAN_PAUSE_H_
