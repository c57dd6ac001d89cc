// StoreTools: what a store may offer to SQL beyond the public data API.
#ifndef BENNU_SRC_API_STORE_TOOLS_H_
#define BENNU_SRC_API_STORE_TOOLS_H_

#include "bennu/scan.h"
#include "bennu/table.h"

namespace bennu {

// The way to virtual functions that the public classes keep private: these tools change with the
// engine, and no user's program should depend on them. The tools live as long as what is asked.
class StoreTools {
 public:
  // Reads a few rows of the table without a scanner. Null: the store reads rows by scanners only.
  static RowRangeReader* RowsAtHand(Table* table) { return table->RowsAtHand(); }
  // The same scan column by column. Null: the store gives rows only.
  static ColumnScanner* Columns(Scanner* scanner) { return scanner->Columns(); }
  // The threads on which SQL reads in parallel. Null: the store has none, and a query runs on the
  // thread of its caller.
  static ThreadPool* QueryPool(Connection* connection) { return connection->QueryPool(); }
  // Changes of several tables at one moment. Null: the store has none, as a cluster.
  static api::TableChanges* Changes(Connection* connection) { return connection->Changes(); }
};

}  // namespace bennu

#endif  // BENNU_SRC_API_STORE_TOOLS_H_
