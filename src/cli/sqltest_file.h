// A file of recorded SQL: statements with the answers that a real Phoenix gave.
//
//   statement ok | count N | error ERROR 504 (42703) | error UNCODED
//   query TYPES nosort|rowsort … # columns: … ---- rows
//   cells T, raw-cells T, descriptor T … lines
//   commit …, rollback …, connection …, autocommit …, bind …
//
// Records are separated by empty lines; a line that starts with '#' is a comment, some of which
// carry answers. What the parser does not know is an error, so that nothing is passed over in
// silence.
#ifndef BENNU_SRC_CLI_SQLTEST_FILE_H_
#define BENNU_SRC_CLI_SQLTEST_FILE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"

namespace bennu::cli {

struct SqlTestRecord {
  enum class Kind {
    kStatement,
    kQuery,
    kCells,
    kRawCells,
    kDescriptor,
    kCommit,
    kRollback,
    // These change the state of the run and are no records of their own.
    kConnection,
    kAutocommit,
  };
  enum class Expect { kOk, kCount, kError, kUncoded };

  Kind kind = Kind::kStatement;
  int line = 0;              // of its first line in the file, from 1
  std::string text;          // SQL, or the table's or connection's name
  std::vector<Datum> binds;  // of the '?' of the SQL

  Expect expect = Expect::kOk;
  int64_t count = -1;  // kCount, or the "# update count:" of a query
  std::string error;   // "ERROR 504 (42703)"

  bool sorted = false;  // the rows must come in this order
  size_t column_count = 0;
  std::optional<std::string> columns;  // "LABEL=TYPE<TAB>LABEL=TYPE"
  std::vector<std::string> rows;       // of a query, or the lines of cells and descriptors
  bool no_such_table = false;

  std::map<std::string, std::string> properties;  // of a connection
  bool on = true;                                 // of autocommit
};

// Whether the record is counted.
bool IsCounted(const SqlTestRecord& record);

// InvalidArgument: an unknown directive or a malformed record, with its line.
Result<std::vector<SqlTestRecord>> ParseSqlTest(std::string_view text);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQLTEST_FILE_H_
