// HBase's data model in a program: versions, a scan with a filter, a counter, and a write that
// depends on what is there.
//
//   data_model
//
// A table of tickets: a row for each, its columns in the family "t", up to three versions of each
// column.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bennu/admin.h"
#include "bennu/bytes_codec.h"
#include "bennu/database.h"
#include "bennu/filter.h"
#include "bennu/mutation.h"

namespace {

using bennu::Bytes;
using bennu::Result;
using bennu::Status;
using bennu::Table;

Result<std::shared_ptr<Table>> CreateTickets(bennu::Connection* store) {
  bennu::TableDescriptor descriptor;
  descriptor.name = {"default", "tickets"};
  descriptor.families.resize(1);
  descriptor.families[0].name = "t";
  descriptor.families[0].attributes["VERSIONS"] = "3";
  BENNU_RETURN_IF_ERROR(store->admin()->CreateTable(descriptor, {}));
  return store->OpenTable(descriptor.name);
}

// Every write is a new version, and a read gets the newest unless it asks for more. Without a
// timestamp a version gets the time of the store's clock; these are fixed, so that the output is.
Status Versions(Table* table) {
  BENNU_RETURN_IF_ERROR(table->Put("ticket-1", "t", "state", "open", 1000));
  BENNU_RETURN_IF_ERROR(table->Put("ticket-1", "t", "state", "in work", 2000));
  BENNU_RETURN_IF_ERROR(table->Put("ticket-1", "t", "state", "closed", 3000));
  BENNU_ASSIGN_OR_RETURN(const std::optional<Bytes> state,
                         table->ReadValue("ticket-1", "t", "state"));
  std::cout << "ticket-1 is " << state.value_or("unknown") << ", and was:";

  bennu::Get get;
  get.row = "ticket-1";
  get.max_versions = 3;
  BENNU_ASSIGN_OR_RETURN(const bennu::Row row, table->GetRow(get));
  for (const bennu::Cell& cell : row.cells) {
    std::cout << ' ' << cell.value_view() << " at " << cell.timestamp() << ';';
  }
  std::cout << '\n';
  return Status::Ok();
}

// Many rows are written fastest in one batch. The filter works where the rows are: only those that
// pass come back.
Status OpenTickets(Table* table) {
  bennu::MutationBatch batch;
  for (const char* const row : {"ticket-2", "ticket-3", "ticket-4"}) {
    batch.StartRow(row);
    batch.Put("t", "state", row == std::string("ticket-3") ? "closed" : "open");
  }
  BENNU_RETURN_IF_ERROR(table->Write(&batch));

  bennu::ColumnTest is_open;
  is_open.family = "t";
  is_open.qualifier = "state";
  is_open.op = bennu::CompareOp::kEqual;
  is_open.comparator = bennu::NewBinaryComparator("open");
  is_open.filter_if_missing = true;
  bennu::Scan scan;
  scan.filter = bennu::NewSingleColumnValueFilter(std::move(is_open));
  BENNU_ASSIGN_OR_RETURN(auto scanner, table->OpenScanner(scan));
  std::cout << "open:";
  bennu::CellBatch rows;
  while (true) {
    BENNU_RETURN_IF_ERROR(scanner->Next(100, &rows));
    if (rows.row_count() == 0) break;
    for (const uint32_t start : rows.row_starts) std::cout << ' ' << rows.cells[start].row();
  }
  std::cout << '\n';
  return Status::Ok();
}

// Takes the ticket for somebody, unless somebody has it already: the check and the write are one
// step, whoever else writes at the same time.
Status Take(Table* table, const char* who) {
  Table::Condition nobody;
  nobody.row = "ticket-2";
  nobody.family = "t";
  nobody.qualifier = "owner";
  nobody.expect_absent = true;
  bennu::MutationBatch batch;
  batch.StartRow("ticket-2");
  batch.Put("t", "owner", who);
  batch.Put("t", "state", "in work");
  batch.StartIncrement("ticket-2");
  batch.Increment("t", "changes", 1);
  BENNU_ASSIGN_OR_RETURN(const auto taken, table->CheckAndMutate(nobody, &batch));
  std::cout << who << (taken.success ? " takes ticket-2" : " is too late for ticket-2");
  for (const bennu::Cell& cell : taken.result.cells) {
    bennu::ByteView value = cell.value_view();
    BENNU_ASSIGN_OR_RETURN(const int64_t changes, bennu::bytes_codec::DecodeInt64(&value));
    std::cout << ", change " << changes;
  }
  std::cout << '\n';
  return Status::Ok();
}

Status Run() {
  BENNU_ASSIGN_OR_RETURN(auto database, bennu::Database::Open(":memory:"));
  BENNU_ASSIGN_OR_RETURN(auto table, CreateTickets(database->store()));
  BENNU_RETURN_IF_ERROR(Versions(table.get()));
  BENNU_RETURN_IF_ERROR(OpenTickets(table.get()));
  BENNU_RETURN_IF_ERROR(Take(table.get(), "ann"));
  BENNU_RETURN_IF_ERROR(Take(table.get(), "bob"));
  BENNU_ASSIGN_OR_RETURN(const int64_t changes, table->Increment("ticket-2", "t", "changes", 1));
  std::cout << "changes of ticket-2: " << changes << '\n';

  BENNU_RETURN_IF_ERROR(table->DeleteRow("ticket-4"));
  BENNU_ASSIGN_OR_RETURN(const bennu::Row gone, table->ReadRow("ticket-4"));
  std::cout << "ticket-4 is " << (gone.empty() ? "deleted" : "still there") << '\n';
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
