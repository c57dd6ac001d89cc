// Row keys of several fields: built, written, scanned by a prefix, and taken apart again.
//
//   composite_keys
//
// Measurements of sensors: a row is (sensor, time, probe), the newest of each sensor first, and the
// probe may be missing. Any program on HBase's JVM that describes the key with the same types reads
// and writes the same bytes.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "bennu/admin.h"
#include "bennu/bytes_codec.h"
#include "bennu/database.h"
#include "bennu/mutation.h"
#include "bennu/ordered_bytes.h"
#include "bennu/types.h"

namespace {

namespace types = bennu::types;
using bennu::Bytes;
using bennu::ByteView;
using bennu::Result;
using bennu::Status;
using types::Order;
using types::Value;

struct Keys {
  std::shared_ptr<const types::Struct> whole;
  std::shared_ptr<const types::Struct> sensor;  // the first field, by which a scan begins
};

Result<Keys> MakeKeys() {
  types::StructBuilder builder;
  builder.Add(types::OrderedString(Order::kAscending));
  BENNU_ASSIGN_OR_RETURN(auto sensor, builder.Build());
  builder.Add(types::OrderedInt64(Order::kDescending))
      .Add(types::OrderedNumeric(Order::kAscending));
  BENNU_ASSIGN_OR_RETURN(auto whole, builder.Build());
  return Keys{whole, sensor};
}

Status WriteRows(const Keys& keys, bennu::Table* table) {
  struct Measurement {
    const char* sensor;
    int64_t minute;
    Value probe;
    double celsius;
  };
  const Measurement measurements[] = {{"cellar", 5, 1, 11.5},
                                      {"attic", 5, Value(), 31.0},
                                      {"cellar", 10, 2, 11.25},
                                      {"cellar", 10, 1, 11.75},
                                      {"cellar-door", 10, Value::Decimal{"1.5"}, 9.0}};
  bennu::MutationBatch batch;
  for (const Measurement& one : measurements) {
    Bytes row;
    BENNU_RETURN_IF_ERROR(keys.whole->Encode(&row, Value::List{one.sensor, one.minute, one.probe}));
    Bytes value;  // values need no order, so that HBase's plain Bytes do
    bennu::bytes_codec::EncodeFloat64(&value, one.celsius);
    batch.StartRow(row);
    batch.Put("m", "celsius", value);
  }
  return table->Write(&batch);
}

// The rows of one sensor, the newest first. A text ends with a zero byte in the key, so that
// "cellar-door" is not among those of "cellar".
Status PrintSensor(const Keys& keys, bennu::Table* table, const std::string& sensor) {
  bennu::Scan scan;
  BENNU_RETURN_IF_ERROR(keys.sensor->Encode(&scan.range.start, Value::List{sensor}));
  scan.range.stop = bennu::bytes_codec::PrefixEnd(scan.range.start);
  BENNU_ASSIGN_OR_RETURN(auto scanner, table->OpenScanner(scan));
  bennu::CellBatch batch;
  while (true) {
    BENNU_RETURN_IF_ERROR(scanner->Next(100, &batch));
    if (batch.cells.empty()) return Status::Ok();
    for (const bennu::Cell& cell : batch.cells) {
      types::StructIterator fields = keys.whole->Iterate(cell.row());
      BENNU_ASSIGN_OR_RETURN(const Value name, fields.Next());
      BENNU_ASSIGN_OR_RETURN(const Value minute, fields.Next());
      BENNU_ASSIGN_OR_RETURN(const Value probe, fields.Next());
      ByteView value = cell.value_view();
      BENNU_ASSIGN_OR_RETURN(const double celsius, bennu::bytes_codec::DecodeFloat64(&value));
      std::cout << *name.bytes() << " minute " << *minute.integer() << " probe " << probe.ToString()
                << ": " << celsius << '\n';
    }
  }
}

Status Run() {
  BENNU_ASSIGN_OR_RETURN(const Keys keys, MakeKeys());
  BENNU_ASSIGN_OR_RETURN(auto database, bennu::Database::Open(":memory:"));
  bennu::TableDescriptor descriptor;
  descriptor.name = {"default", "measurements"};
  descriptor.families.resize(1);
  descriptor.families[0].name = "m";
  BENNU_RETURN_IF_ERROR(database->store()->admin()->CreateTable(descriptor, {}));
  BENNU_ASSIGN_OR_RETURN(auto table, database->store()->OpenTable(descriptor.name));
  BENNU_RETURN_IF_ERROR(WriteRows(keys, table.get()));
  BENNU_RETURN_IF_ERROR(PrintSensor(keys, table.get(), "cellar"));
  BENNU_RETURN_IF_ERROR(PrintSensor(keys, table.get(), "attic"));

  // What a key looks like, as HBase's shell prints it.
  Bytes row;
  BENNU_RETURN_IF_ERROR(keys.whole->Encode(&row, Value::List{"attic", int64_t{5}}));
  std::cout << "key of attic at 5: " << bennu::bytes_codec::ToStringBinary(row) << '\n';
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
