// Under which circumstances recorded SQL is run. The recordings come from tables of one region that
// stay in memory; the answers must be the same when the store is cut up, written out, merged,
// restarted or written to by others all the time.
//
// Here is what each mode changes in a record: the statement that is sent, and how much of the
// answer can still be compared. What a mode does to the store is in sqltest_store.h,
// sqltest_splits.h and sqltest_writers.h.
#ifndef BENNU_SRC_CLI_SQLTEST_MODES_H_
#define BENNU_SRC_CLI_SQLTEST_MODES_H_

#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/cli/sqltest_file.h"

namespace bennu::cli {

// Modes that are given together hold together.
struct SqlTestModes {
  bool split = false;      // each table has several regions, cut inside its rows
  bool salted = false;     // each table has salt buckets
  bool flushed = false;    // after each write every memstore becomes a file
  bool compacted = false;  // and after every third write the files are merged
  bool reopened = false;   // after each write the store is closed and opened again
  bool killed = false;     // the same with no clean end: the logs are replayed
  bool writers = false;    // others write the same rows, and other tables, at the same time
  bool served = false;     // all goes through a server and its protocol for Phoenix's clients
  bool clustered = false;  // SQL runs here, over a server that is a cluster of HBase's to it
  bool indexed = false;    // each table has indexes that were not recorded

  bool any() const {
    return split || salted || flushed || compacted || reopened || killed || writers || served ||
           clustered || indexed;
  }
  // The sums of several threads, or of several pieces, come together in any order.
  bool sums_in_any_order() const {
    return salted || split || writers || served || clustered || indexed;
  }
};

// What --help says of them.
inline constexpr char kSqlTestModesHelp[] =
    "Run under hostile circumstances; may be given again, all hold together. split: tables have "
    "several regions, cut inside their rows (found by a run before). salted: tables get "
    "SALT_BUCKETS=4. flushed: every memstore is written out after each write. compacted: flushed, "
    "and files are merged after every third write; by a major compaction in files that look at no "
    "old versions. reopened: the store is closed and opened after each write. killed: the same "
    "from an image of the directory while it was open. writers: three more connections send each "
    "UPSERT at the same time, and four threads write and check a table of their own. served: "
    "statements go through a server and the protocol of Phoenix's clients (not with writers). "
    "clustered: SQL runs in this process, and its tables in a server that it asks by HBase's RPC "
    "and "
    "that keeps no indexes. "
    "indexed: each table gets a covered and an uncovered index, each query is also asked without "
    "them, and in the end every index has to have what its table has";

// InvalidArgument: no such mode.
Status AddSqlTestMode(std::string_view name, SqlTestModes* modes);

// ---- statements

// Whether the record's text starts with these words (upper case, one space between), in any case.
bool StartsWithWords(std::string_view sql, std::string_view words);
// CREATE TABLE with SALT_BUCKETS=4; all else, and tables that have buckets or splits, unchanged.
std::string WithSaltBuckets(const SqlTestRecord& record);
// UPSERT VALUES whose repetition writes the same values again: no statement that reads, counts or
// asks for the time.
bool IsRepeatable(const SqlTestRecord& record);
// Whether it may have written anything (also when it failed).
bool MayWrite(const SqlTestRecord& record);

// ---- answers

// What makes a file's answers depend on more than the newest values.
struct SqlTestTraits {
  bool old_versions = false;   // raw cells, CurrentSCN, VERSIONS: a major compaction may drop them
  bool row_timestamp = false;  // keys may hold the time of the write
  // A process that is killed loses the values that it had reserved; which row gets which value
  // depends on the order in which rows come.
  bool sequences = false;
  bool pinned_times = false;  // writes at a CurrentSCN, which no table with an index takes
};
SqlTestTraits TraitsOf(const std::vector<SqlTestRecord>& records);

// False for records whose answer the mode changes rightly: plans and definitions of salted and
// indexed tables, FIRST_VALUE and its kin where their order leaves ties to the salt or to threads,
// sums that follow the order of their additions, and old versions of cells that several wrote or
// that a compaction may have dropped.
bool IsApplicable(const SqlTestRecord& record, const SqlTestModes& modes);
// A change of the first rows that come, without an order: with salt or by an index, others than
// recorded. What
// follows in its file cannot be compared.
bool TakesAnyRows(const SqlTestRecord& record);

// The answers of a query with salted tables, or by an index, where rows that no ORDER BY tells
// apart come in any order: "" when they are as recorded, else what is different. With a LIMIT but
// no ORDER BY only the number of rows is compared. 'labels' are the columns' names in the order of
// the values.
std::string CompareSalted(const SqlTestRecord& record, const std::vector<std::string>& labels,
                          std::vector<std::string> expected, std::vector<std::string> actual);

// The same where several threads scan: without an ORDER BY the rows come in the recorded order all
// the same, and only the last digits of sums may differ.
std::string CompareParallel(const SqlTestRecord& record, const std::vector<std::string>& labels,
                            std::vector<std::string> expected, std::vector<std::string> actual);

// A step of EXPLAIN without its degree of parallelism, which follows the number of regions.
std::string WithoutWays(const std::string& line);

// The lines of EXPLAIN without what is another over a cluster, where the client does most steps:
// who does them, and steps that servers add for themselves.
std::vector<std::string> WithoutPlaces(const std::vector<std::string>& lines);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQLTEST_MODES_H_
