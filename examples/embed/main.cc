// Bennu inside a program: SQL over a table, and HBase's cells in the same directory.
//
//   embed DIRECTORY
//
// Run it twice: the data stays, and the visits are counted.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/mutation.h"

namespace {

using bennu::Result;
using bennu::Status;

// Phoenix's SQL: make a table, fill it with a prepared statement, ask.
Status Flights(bennu::SqlConnection* sql) {
  BENNU_RETURN_IF_ERROR(
      sql->Execute("CREATE TABLE IF NOT EXISTS flights ("
                   "  origin VARCHAR NOT NULL, flight VARCHAR NOT NULL, delay INTEGER"
                   "  CONSTRAINT pk PRIMARY KEY (origin, flight))")
          .status());

  BENNU_ASSIGN_OR_RETURN(auto upsert, sql->Prepare("UPSERT INTO flights VALUES (?, ?, ?)"));
  struct Flight {
    const char* origin;
    const char* flight;
    int delay;
  };
  for (const Flight& flight :
       {Flight{"JFK", "AA1141", 33}, Flight{"JFK", "B6725", -18}, Flight{"LGA", "UA1545", 11}}) {
    BENNU_RETURN_IF_ERROR(upsert->Bind(0, flight.origin));
    BENNU_RETURN_IF_ERROR(upsert->Bind(1, flight.flight));
    BENNU_RETURN_IF_ERROR(upsert->Bind(2, flight.delay));
    BENNU_RETURN_IF_ERROR(upsert->Execute().status());  // durable when it returns
  }

  BENNU_ASSIGN_OR_RETURN(auto counts,
                         sql->Execute("SELECT origin, COUNT(*) FROM flights GROUP BY origin"));
  while (true) {
    BENNU_ASSIGN_OR_RETURN(const bool more, counts->Next());
    if (!more) break;
    BENNU_ASSIGN_OR_RETURN(const int64_t flights, counts->GetInt64(1));
    std::cout << counts->GetText(0) << ' ' << flights << " flights\n";
  }

  // A look-up by the primary key reads one row.
  BENNU_ASSIGN_OR_RETURN(auto select,
                         sql->Prepare("SELECT delay FROM flights WHERE origin = ? AND flight = ?"));
  BENNU_RETURN_IF_ERROR(select->Bind(0, "LGA"));
  BENNU_RETURN_IF_ERROR(select->Bind(1, "UA1545"));
  BENNU_ASSIGN_OR_RETURN(auto row, select->Execute());
  BENNU_ASSIGN_OR_RETURN(const bool found, row->Next());
  if (found) {
    BENNU_ASSIGN_OR_RETURN(const int64_t delay, row->GetInt64(0));
    std::cout << "UA1545 was " << delay << " minutes late\n";
  }
  return Status::Ok();
}

// HBase's data model, with no SQL between: a table of counters.
Status Visits(bennu::Connection* store) {
  const bennu::TableName name{"default", "visits"};
  BENNU_ASSIGN_OR_RETURN(const bool exists, store->admin()->TableExists(name));
  if (!exists) {
    bennu::TableDescriptor descriptor;
    descriptor.name = name;
    descriptor.families.resize(1);
    descriptor.families[0].name = "n";
    BENNU_RETURN_IF_ERROR(store->admin()->CreateTable(descriptor, {}));
  }
  BENNU_ASSIGN_OR_RETURN(auto table, store->OpenTable(name));
  BENNU_ASSIGN_OR_RETURN(const int64_t visits, table->Increment("embed", "n", "visits", 1));
  std::cout << "visit " << visits << '\n';
  return Status::Ok();
}

Status Run(const std::string& directory) {
  BENNU_ASSIGN_OR_RETURN(auto database, bennu::Database::Open(directory));
  BENNU_ASSIGN_OR_RETURN(auto sql, database->Connect());
  BENNU_RETURN_IF_ERROR(Flights(sql.get()));
  return Visits(database->store());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: embed DIRECTORY\n";
    return EXIT_FAILURE;
  }
  const Status status = Run(argv[1]);
  if (!status.ok()) {
    std::cerr << status.ToString() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
