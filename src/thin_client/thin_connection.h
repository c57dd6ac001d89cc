// ThinConnection: a Phoenix connection over a query server, Bennu's or Apache's own.
//
// The rows of a result are fetched frame by frame as they are read.
#ifndef BENNU_SRC_THIN_CLIENT_THIN_CONNECTION_H_
#define BENNU_SRC_THIN_CLIENT_THIN_CONNECTION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/avatica/running_statement.h"
#include "src/sql/exec/query.h"
#include "src/sql/types/value.h"
#include "src/thin_client/http_client.h"
#include "src/thin_client/url.h"

namespace bennu::thin_client {

struct ThinOptions {
  Url url;
  HttpOptions http;
  // Phoenix's properties of the connection: TenantId, CurrentSCN …
  std::map<std::string, std::string> properties;
  bool autocommit = true;
  bool read_only = false;
};

// What a statement gave. Goes before its connection.
struct ThinResult {
  int64_t update_count = -1;                   // of UPSERT and DELETE, else -1
  sql::exec::SharedColumns columns;            // null: none
  std::unique_ptr<sql::exec::RowStream> rows;  // null for statements without rows
};

// A statement that the server has prepared. Goes before its connection.
class ThinStatement {
 public:
  virtual ~ThinStatement() = default;
  // kNull where the server does not know a type.
  virtual const std::vector<sql::DataType>& parameter_types() const = 0;
  virtual const std::vector<sql::exec::ResultColumn>& columns() const = 0;
  virtual Result<ThinResult> Execute(std::span<const sql::Value> values) = 0;
  // An UPSERT or DELETE with the values of each row, in one message. With autocommit Bennu's server
  // takes all rows or none, and Apache's those before the one that failed.
  virtual Status ExecuteBatch(std::span<const std::vector<sql::Value>> rows) = 0;
  // Ends what it runs. Any thread.
  virtual void Cancel() = 0;
  virtual void set_timeout_millis(int64_t millis) = 0;
};

// One thread at a time, but Cancel and Running may be called from any.
// Errors of statements are those that the server tells, with code, SQLSTATE, and from Bennu's own
// server the place in the text and the hint. IoError: the server cannot be reached or was lost;
// what was sent last may or may not have been done.
class ThinConnection {
 public:
  static Result<std::unique_ptr<ThinConnection>> Open(const ThinOptions& options);
  virtual ~ThinConnection() = default;  // discards what is pending

  virtual Result<ThinResult> Execute(std::string_view sql) = 0;
  virtual Result<std::unique_ptr<ThinStatement>> Prepare(std::string_view sql) = 0;
  virtual bool autocommit() const = 0;
  virtual Status SetAutocommit(bool on) = 0;
  virtual Status Commit() = 0;
  virtual Status Rollback() = 0;
  // As far as this side knows: what was changed without autocommit.
  virtual bool HasUncommitted() const = 0;
  virtual void Cancel() = 0;
  // What the connection runs, as the server said within the last second. Nothing: no statement, or
  // the server does not tell.
  virtual std::optional<avatica::RunningStatement> Running() = 0;
  // Of statements from now on; 0: none. They fail with 6000.
  virtual void set_timeout_millis(int64_t millis) = 0;
};

}  // namespace bennu::thin_client

#endif  // BENNU_SRC_THIN_CLIENT_THIN_CONNECTION_H_
