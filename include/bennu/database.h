// Bennu in your process: open a directory, run Phoenix SQL and the HBase data API over it.
//
//   BENNU_ASSIGN_OR_RETURN(auto database, bennu::Database::Open("flights"));
//   BENNU_ASSIGN_OR_RETURN(auto sql, database->Connect());
//   const char* const query = "SELECT dest, COUNT(*) FROM flights GROUP BY dest";
//   BENNU_ASSIGN_OR_RETURN(auto rows, sql->Execute(query));
//   while (true) {
//     BENNU_ASSIGN_OR_RETURN(const bool more, rows->Next());
//     if (!more) break;
//     BENNU_ASSIGN_OR_RETURN(const int64_t count, rows->GetInt64(1));
//     std::cout << rows->GetText(0) << ' ' << count << '\n';
//   }
//
// Errors of SQL carry Phoenix's code, SQLSTATE and the place in the text (Status::sql_error).
#ifndef BENNU_DATABASE_H_
#define BENNU_DATABASE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/datum.h"
#include "bennu/result_chunk.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"

namespace bennu {

// What a write waits for unless it says otherwise (Durability::kUseDefault).
enum class WriteSync {
  kFsync,  // fdatasync of the log: an acknowledged write survives the machine
  kOs,     // handed to the operating system: it survives the process, as HBase does it
};

// How Database::Open opens a directory, or connects to a cluster: then memory_bytes,
// query_memory_bytes, threads, configuration and site_file count.
struct DatabaseOptions {
  bool read_only = false;  // may be opened beside a process that holds the directory
  bool create_if_missing = true;
  WriteSync write_sync = WriteSync::kFsync;
  // Memory for caches, unsaved data and queries: a third each for the block cache, the memstores of
  // all tables, and a query. 0: a quarter of the memory that the process may have (of the machine
  // or its control group), at least 64 MiB and at most 6 GiB.
  uint64_t memory_bytes = 0;
  uint64_t block_cache_bytes = 0;     // not 0: this size, whatever memory_bytes says
  uint64_t memstore_bytes = 0;        // likewise; writers wait when memstores hold this much
  uint64_t query_memory_bytes = 0;    // likewise; a query that needs more writes temporary files
  size_t threads = 0;                 // for queries; 0: one per hardware thread
  bool background_compaction = true;  // off: files are merged only when asked for
  // HBase's and Phoenix's properties by their names, such as hbase.hregion.majorcompaction;
  // docs/configuration.md lists them. A table's and a family's attributes of the same name win, and
  // so do the sizes above. phoenix.query.timeoutMs is for connections that set no timeout of their
  // own. An invalid value is InvalidArgument; unknown names are ignored.
  std::map<std::string, std::string> configuration;
  // Of a cluster: a file in the syntax of hbase-site.xml, over which 'configuration' wins. Empty:
  // the one in the folder that the variable HBASE_CONF_DIR of the environment names, if any.
  std::string site_file;
};

// A column of a result.
struct ColumnInfo {
  std::string label;  // alias, or the expression's text
  std::string type;   // Phoenix's name, such as "UNSIGNED_LONG" or "DECIMAL(10,2)"
  bool nullable = true;
};

// The result of a statement: rows to walk through, or the number of rows that it changed. One
// thread at a time; must not outlive its SqlConnection.
class ResultSet {
 public:
  virtual ~ResultSet() = default;

  // Empty for statements that give no rows.
  virtual const std::vector<ColumnInfo>& columns() const = 0;
  // Rows that UPSERT or DELETE affected; -1 for other statements.
  virtual int64_t update_count() const = 0;

  // Moves to the next row (the first call: to the first); false at the end.
  virtual Result<bool> Next() = 0;
  // The rows from the one behind the last that Next moved to, some of them at a time, column by
  // column and without a copy of the values; null at the end. It is the fast way to read many. What
  // it returns lives until the next call of Next or NextChunk, or the end of this. There is no
  // current row afterwards; Next moves to the row behind the chunk.
  virtual Result<const ResultChunk*> NextChunk() = 0;

  // The index of the column with this label: the label exactly as written, else the only one that
  // differs in the case of its letters. InvalidArgument: there is no such column, or several.
  Result<size_t> ColumnIndex(std::string_view label) const;

  // ---- the current row
  // 'column' counts from 0.

  // Whether Next has moved to a row. Without one there is nothing to read.
  virtual bool HasRow() const = 0;

  // IsNull, Get and GetText need a row and a column that exist; the process ends otherwise.
  virtual bool IsNull(size_t column) const = 0;
  virtual Datum Get(size_t column) const = 0;
  // As the shell prints it; "NULL" for NULL.
  virtual std::string GetText(size_t column) const = 0;

  // ---- the value as one C++ type
  // No value is guessed, cut off or replaced. InvalidArgument, naming the column and its type:
  // there is no such column, or the value is NULL, is of another kind or does not fit.
  // FailedPrecondition: there is no current row.

  // Integers of every type; a DECIMAL or DOUBLE that is a whole number.
  virtual Result<int64_t> GetInt64(size_t column) const;
  // Numbers of every type; the nearest double where it has too few digits.
  virtual Result<double> GetDouble(size_t column) const;
  Result<bool> GetBool(size_t column) const;  // BOOLEAN
  // BINARY and VARBINARY; of texts their UTF-8.
  Result<Bytes> GetBytes(size_t column) const;
  // DATE, TIME and TIMESTAMP.
  Result<Datum::Moment> GetMoment(size_t column) const;

 private:
  // The value, which is not NULL, or why there is none.
  Result<Datum> Present(size_t column) const;
  // InvalidArgument: the value of the column 'problem'; 'remedy' says what to do.
  Status Misread(size_t column, std::string_view problem, std::string_view remedy) const;
};

// A statement that is parsed and planned once, and can be run many times with different parameters.
class PreparedStatement {
 public:
  virtual ~PreparedStatement() = default;
  virtual size_t parameter_count() const = 0;
  // Phoenix's name of the type that a value for each parameter is turned into, such as
  // "VARCHAR(10)"; empty where the statement does not say. Values of other types are taken where
  // Phoenix takes them.
  virtual std::vector<std::string> parameter_types() const = 0;
  // The columns of the rows that Execute gives, known before it; none for statements that give no
  // rows. For UPSERT and DELETE: the columns that RETURNING gives, with autocommit and for one row.
  virtual Result<std::vector<ColumnInfo>> Columns() const = 0;
  // 'index' counts from 0. The value is kept until the parameter is bound again. InvalidArgument:
  // there is no such parameter. Error 203: Execute would fail with this value, whatever the others
  // are, because UPSERT puts it into a column that takes nothing of its type, or a condition
  // compares it with something of another kind. The parameter is unbound then. Execute finds all
  // other values that the statement cannot take.
  virtual Status Bind(size_t index, Datum value) = 0;
  // Error 2004 when a parameter was never bound.
  virtual Result<std::unique_ptr<ResultSet>> Execute() = 0;
  // Stops the last execution, if it still runs: it returns Cancelled. Any thread.
  virtual void Cancel() = 0;
  // The timeout of executions from now on, instead of the connection's; 0: none.
  virtual void SetQueryTimeout(int64_t millis) = 0;
};

// A statement that is being run, from its first plan to its last row.
struct StatementInfo {
  int64_t id = 0;  // ascending since the database was opened
  std::string text;
  std::string tenant;
  int64_t start_millis = 0;    // since 1970
  uint64_t rows_read = 0;      // of tables, so far
  uint64_t rows_returned = 0;  // so far
  uint64_t morsels = 0;        // parts that its scans are cut into
  uint64_t morsels_done = 0;
  int64_t memory_bytes = 0;  // that its sorts, groups and joins hold
};

// One Phoenix connection, with its autocommit mode (on at first, unlike in Phoenix's JDBC driver)
// and its pending changes. One thread at a time; open as many as you like.
class SqlConnection {
 public:
  virtual ~SqlConnection() = default;  // discards pending changes

  virtual Result<std::unique_ptr<ResultSet>> Execute(std::string_view sql) = 0;
  virtual Result<std::unique_ptr<PreparedStatement>> Prepare(std::string_view sql) = 0;

  virtual bool autocommit() const = 0;
  virtual Status SetAutocommit(bool on) = 0;  // turning it on commits what is pending
  virtual Status Commit() = 0;
  virtual Status Rollback() = 0;
  // Whether there are changes that Commit would write and Rollback would discard.
  virtual bool HasUncommitted() const = 0;
  // Stops the statement that another thread runs on this connection; it returns Cancelled.
  virtual void Cancel() = 0;
  // The statement that began last among those that run on this connection, and how far it is: for
  // another thread that shows its progress. Nothing: none runs, or the server does not tell, as
  // Apache's query server. Over a server it may be a second old, takes the time of a request, and
  // has the text's first 1,000 bytes alone.
  virtual std::optional<StatementInfo> RunningStatement() = 0;
  // The timeout of statements from now on; 0: none. A statement that takes longer fails with error
  // 6000. The time between two calls of ResultSet::Next does not count.
  virtual void SetQueryTimeout(int64_t millis) = 0;
};

// How Database::Connect makes a connection.
struct ConnectOptions {
  // Phoenix's CurrentSCN: reads see what was written before this time (milliseconds), writes get it
  // as their timestamp. Unset: now.
  std::optional<int64_t> current_scn;
  bool read_only = false;  // statements that write fail with error 518
  std::string tenant;      // Phoenix's TenantId
  // phoenix.query.timeoutMs. Unset: as the database is configured, else ten minutes. 0: none.
  std::optional<int64_t> query_timeout_millis;
  // Of queries over a cluster: whether secondary replicas may answer. Unset: as
  // phoenix.connection.consistency says, else the primaries alone.
  std::optional<Consistency> consistency;
};

// An open directory, a store in memory, or a connection to a cluster. Thread-safe.
class Database {
 public:
  // 'path': a cluster by HBase's name for it, such as hbase://zk1,zk2:2181/hbase
  // (docs/cluster.md); else a directory; ":memory:" is a store in memory, a new one at each call,
  // which is gone with the Database and writes no file. Its files and its log take memory besides
  // what the options say; a directory of such a name is "./:memory:". Held: another process has it
  // (its pid is in the message). FailedPrecondition: 'path' holds something else. Corruption:
  // damaged, with file and offset. InvalidArgument: ":memory:" with options that would leave it
  // empty (read_only, not create_if_missing).
  static Result<std::unique_ptr<Database>> Open(const std::string& path,
                                                const DatabaseOptions& options = {});
  virtual ~Database() = default;  // flushes and closes

  virtual Result<std::unique_ptr<SqlConnection>> Connect(const ConnectOptions& options) = 0;
  Result<std::unique_ptr<SqlConnection>> Connect() { return Connect(ConnectOptions()); }
  // The running statements of all connections, by number. SQL: SHOW STATEMENTS.
  virtual std::vector<StatementInfo> RunningStatements() const = 0;
  // Stops a statement of any connection; it returns Cancelled. NotFound: it does not run (any
  // longer). SQL: CANCEL STATEMENT id.
  virtual Status CancelStatement(int64_t id) = 0;
  // HBase's data model: tables, cells, versions. Lives as long as the database.
  virtual Connection* store() = 0;
};

}  // namespace bennu

#endif  // BENNU_DATABASE_H_
