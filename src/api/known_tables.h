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
  // The first of two tables that is there, of which only one ever is. Once one is known nobody is
  // asked for the other.
  virtual Result<std::shared_ptr<Table>> OpenFirstKnownTable(const TableName& first,
                                                             const TableName& second) = 0;
};

// The same of any connection. For what reads and writes rows; who makes or drops tables wants to
// know what is there now.
inline Result<std::shared_ptr<Table>> OpenKnownTable(Connection* connection,
                                                     const TableName& name) {
  auto* const tables = dynamic_cast<KnownTables*>(connection);
  return tables == nullptr ? connection->OpenTable(name) : tables->OpenKnownTable(name);
}

inline Result<std::shared_ptr<Table>> OpenFirstKnownTable(Connection* connection,
                                                          const TableName& first,
                                                          const TableName& second) {
  auto* const tables = dynamic_cast<KnownTables*>(connection);
  if (tables != nullptr) return tables->OpenFirstKnownTable(first, second);
  auto opened = connection->OpenTable(first);
  if (opened.status().code() != StatusCode::kNotFound) return opened;
  return connection->OpenTable(second);
}

}  // namespace bennu::api

#endif  // BENNU_SRC_API_KNOWN_TABLES_H_
