// Rows by time, in SQL: a ROW_TIMESTAMP column, queries of a time range, and a look at the past.
//
//   row_timestamp
//
// A column of the key that is a ROW_TIMESTAMP is the timestamp of the row's cells. A condition on
// it leaves out whole files by their times, and a connection as of a moment (Phoenix's CurrentSCN)
// sees the rows from before it.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "bennu/database.h"

namespace {

using bennu::Datum;
using bennu::Result;
using bennu::Status;

constexpr int64_t kDayMillis = 86'400'000;
constexpr int64_t kNewYearMillis = 1'704'067'200'000;  // 2024-01-01 00:00:00 UTC

Result<std::unique_ptr<bennu::SqlConnection>> ConnectAsOf(bennu::Database* database,
                                                          int64_t millis) {
  bennu::ConnectOptions options;
  options.current_scn = millis;
  return database->Connect(options);
}

// Each sensor has a value a day, 0 on New Year, 1 on the next day and so on.
Status Load(bennu::Database* database, int days) {
  // The table has to be older than the moments at which it is to be looked at.
  BENNU_ASSIGN_OR_RETURN(auto before, ConnectAsOf(database, kNewYearMillis));
  BENNU_RETURN_IF_ERROR(before
                            ->Execute("CREATE TABLE readings ("
                                      "  at DATE NOT NULL, sensor VARCHAR NOT NULL, reading BIGINT"
                                      "  CONSTRAINT pk PRIMARY KEY (at ROW_TIMESTAMP, sensor))")
                            .status());

  BENNU_ASSIGN_OR_RETURN(auto sql, database->Connect());
  BENNU_RETURN_IF_ERROR(sql->SetAutocommit(false));  // so that all rows are one write
  BENNU_ASSIGN_OR_RETURN(auto upsert, sql->Prepare("UPSERT INTO readings VALUES (?, ?, ?)"));
  for (int day = 0; day < days; ++day) {
    for (const char* const sensor : {"attic", "cellar"}) {
      BENNU_RETURN_IF_ERROR(upsert->Bind(0, Datum::Moment{kNewYearMillis + day * kDayMillis}));
      BENNU_RETURN_IF_ERROR(upsert->Bind(1, sensor));
      BENNU_RETURN_IF_ERROR(upsert->Bind(2, day));
      BENNU_RETURN_IF_ERROR(upsert->Execute().status());
    }
  }
  return sql->Commit();
}

// Prints the sum for each sensor from one day to before another.
Status PrintSums(bennu::SqlConnection* sql, int first_day, int end_day) {
  BENNU_ASSIGN_OR_RETURN(auto query,
                         sql->Prepare("SELECT sensor, COUNT(*) AS days, SUM(reading) AS total"
                                      "  FROM readings WHERE at >= ? AND at < ? GROUP BY sensor"));
  BENNU_RETURN_IF_ERROR(query->Bind(0, Datum::Moment{kNewYearMillis + first_day * kDayMillis}));
  BENNU_RETURN_IF_ERROR(query->Bind(1, Datum::Moment{kNewYearMillis + end_day * kDayMillis}));
  BENNU_ASSIGN_OR_RETURN(auto sums, query->Execute());
  BENNU_ASSIGN_OR_RETURN(const size_t total_column, sums->ColumnIndex("total"));
  while (true) {
    BENNU_ASSIGN_OR_RETURN(const bool more, sums->Next());
    if (!more) return Status::Ok();
    BENNU_ASSIGN_OR_RETURN(const int64_t days, sums->GetInt64(1));
    BENNU_ASSIGN_OR_RETURN(const int64_t total, sums->GetInt64(total_column));
    std::cout << "  " << sums->GetText(0) << ": " << days << " days, total " << total << '\n';
  }
}

Status Run() {
  BENNU_ASSIGN_OR_RETURN(auto database, bennu::Database::Open(":memory:"));
  BENNU_RETURN_IF_ERROR(Load(database.get(), 60));
  BENNU_ASSIGN_OR_RETURN(auto now, database->Connect());
  std::cout << "the first week:\n";
  BENNU_RETURN_IF_ERROR(PrintSums(now.get(), 0, 7));
  std::cout << "all days:\n";
  BENNU_RETURN_IF_ERROR(PrintSums(now.get(), 0, 60));

  BENNU_ASSIGN_OR_RETURN(auto past, ConnectAsOf(database.get(), kNewYearMillis + 10 * kDayMillis));
  std::cout << "all days, as of January 11:\n";
  BENNU_RETURN_IF_ERROR(PrintSums(past.get(), 0, 60));

  BENNU_ASSIGN_OR_RETURN(auto newest, now->Execute("SELECT MAX(at) AS newest FROM readings"));
  BENNU_ASSIGN_OR_RETURN(const bool found, newest->Next());
  if (!found) return Status::Ok();
  BENNU_ASSIGN_OR_RETURN(const Datum::Moment moment, newest->GetMoment(0));
  std::cout << "the newest is of day " << (moment.millis - kNewYearMillis) / kDayMillis << '\n';
  return Status::Ok();
}

}  // namespace

int main() {
  const Status status = Run();
  if (!status.ok()) {
    std::cerr << status.ToString() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
