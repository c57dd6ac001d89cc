// What get, scan and count have in common: their named arguments made into a Get or a Scan.
#ifndef BENNU_SRC_SHELL_READ_OPTIONS_H_
#define BENNU_SRC_SHELL_READ_OPTIONS_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bennu/filter.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/shell/cell_text.h"
#include "src/shell/options.h"

namespace bennu::shell {

using ColumnSet = std::map<Bytes, std::set<Bytes>>;

// Adds the columns, and their formatters to *format. NotFound: the table has no such family.
Status AddColumns(const TableDescriptor& descriptor, const std::vector<Bytes>& columns,
                  ColumnSet* set, CellFormat* format);
// NotFound naming the families that there are.
Status CheckFamily(const TableDescriptor& descriptor, ByteView family);

// COLUMN(S), TIMESTAMP, TIMERANGE, VERSIONS, FILTER, MAXLENGTH, FORMATTER …
Result<Get> GetFromOptions(const TableDescriptor& descriptor, Options* options, CellFormat* format);
// These, and STARTROW, STOPROW, ROWPREFIXFILTER, LIMIT, REVERSED, RAW, BATCH, CACHE …
Result<Scan> ScanFromOptions(const TableDescriptor& descriptor, Options* options,
                             CellFormat* format);
// The rows that begin with the prefix.
RowRange PrefixRange(ByteView prefix);

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_READ_OPTIONS_H_
