// Tables that are asked for over and over, such as by each statement.
#ifndef BENNU_SRC_API_KNOWN_TABLES_H_
#define BENNU_SRC_API_KNOWN_TABLES_H_

#include <memory>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "bennu/table.h"

namespace bennu::api {

// A Connection that has to ask others whether a table is there. Thread-safe.
class KnownTables {
 public:
  virtual ~KnownTables() = default;

  // As Connection::OpenTable. Of a table that was opened by this before nobody is asked: where it
  // is gone meanwhile, its calls say so (NotFound).
  virtual Result<std::shared_ptr<Table>> OpenKnownTable(const TableName& name) = 0;
  // A table that was opened by that before. Null: it was not.
  virtual std::shared_ptr<Table> KnownTable(const TableName& name) = 0;
};

// Opens a table of any connection for reading and writing its rows. Whoever makes or drops a table
// calls OpenTable, which tells whether it is there now.
inline Result<std::shared_ptr<Table>> OpenKnownTable(Connection* connection,
                                                     const TableName& name) {
  auto* const tables = dynamic_cast<KnownTables*>(connection);
  return tables == nullptr ? connection->OpenTable(name) : tables->OpenKnownTable(name);
}

// Opens in the same way the first of two tables that is there. Only one of them ever is, so that
// nobody is asked for the other once one is known.
inline Result<std::shared_ptr<Table>> OpenFirstKnownTable(Connection* connection,
                                                          const TableName& first,
                                                          const TableName& second) {
  auto* const tables = dynamic_cast<KnownTables*>(connection);
  auto known = tables == nullptr ? nullptr : tables->KnownTable(second);
  if (known != nullptr) return known;
  auto opened = OpenKnownTable(connection, first);
  if (opened.status().code() != StatusCode::kNotFound) return opened;
  return OpenKnownTable(connection, second);
}

}  // namespace bennu::api

#endif  // BENNU_SRC_API_KNOWN_TABLES_H_
