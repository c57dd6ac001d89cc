// put, get, delete, deleteall, incr, append, get_counter.
#include <fmt/format.h>

#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/shell/command.h"
#include "src/shell/read_options.h"

namespace bennu::shell {

namespace {

constexpr size_t kRowsDeletedAtATime = 100;

// What the last argument may be: a timestamp, or named arguments, or one after the other.
struct WriteExtras {
  int64_t timestamp = kLatestTimestamp;
  std::optional<int64_t> ttl_millis;
  std::vector<std::pair<std::string, Bytes>> attributes;
};

Status ReadExtras(const Value& value, WriteExtras* extras) {
  if (value.is_nil()) return Status::Ok();
  if (value.As<Value::Hash>() == nullptr) {
    ASSIGN_OR_RETURN(extras->timestamp, IntegerOf("the timestamp", value));
    if (extras->timestamp < 0) return InvalidArgument("the timestamp must not be negative");
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(Options options, Options::Of(value));
  if (const Value* const ttl = options.Find("TTL")) {
    ASSIGN_OR_RETURN(extras->ttl_millis, IntegerOf("TTL", *ttl));
    if (*extras->ttl_millis < 0) return InvalidArgument("TTL must not be negative");
  }
  if (const Value* const attributes = options.Find("ATTRIBUTES")) {
    const auto* const hash = attributes->As<Value::Hash>();
    if (hash == nullptr) return InvalidArgument("ATTRIBUTES must be a hash");
    for (const auto& [key, attribute] : *hash) {
      extras->attributes.emplace_back(key.ToText(), attribute.ToText());
    }
  }
  if (options.Has("VISIBILITY")) {
    return NotSupported("VISIBILITY: cells have no visibility labels here");
  }
  return options.CheckAllKnown();
}

Result<WriteExtras> ExtrasFrom(const Arguments& arguments, size_t first) {
  WriteExtras extras;
  for (size_t i = first; i < arguments.size(); ++i) {
    RETURN_IF_ERROR(ReadExtras(arguments[i], &extras));
  }
  return extras;
}

// To be called behind the batch's Start…
void Apply(const WriteExtras& extras, MutationBatch* batch) {
  if (extras.ttl_millis.has_value()) batch->SetTtlMillis(*extras.ttl_millis);
  for (const auto& [name, value] : extras.attributes) batch->SetAttribute(name, value);
}

Result<ColumnSpec> ColumnOf(const Table& table, const Value& value) {
  ColumnSpec spec = ParseColumnSpec(value.ToText());  // as in HBase 'f:q:r' is the column f:q
  RETURN_IF_ERROR(CheckFamily(table.descriptor(), spec.family));
  return spec;
}

Result<Value> RunPut(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  ASSIGN_OR_RETURN(const ColumnSpec column, ColumnOf(*table, arguments[2]));
  ASSIGN_OR_RETURN(const WriteExtras extras, ExtrasFrom(arguments, 4));
  MutationBatch batch;
  batch.StartRow(arguments[1].ToText());
  Apply(extras, &batch);
  batch.Put(column.family, column.qualifier.value_or(""), arguments[3].ToText(), extras.timestamp);
  RETURN_IF_ERROR(table->Write(&batch));
  return Value();
}

// 'f:a', 'f:b' or ['f:a', 'f:b'] or {COLUMN => …}.
Result<Get> GetFromArguments(const TableDescriptor& descriptor, const Arguments& arguments,
                             CellFormat* format) {
  const Value& first = ArgumentAt(arguments, 2);
  if (first.is_nil() || first.As<Value::Hash>() != nullptr) {
    ASSIGN_OR_RETURN(Options options, Options::Of(first));
    return GetFromOptions(descriptor, &options, format);
  }
  std::vector<Bytes> columns;
  for (size_t i = 2; i < arguments.size(); ++i) {
    if (const auto* array = arguments[i].As<Value::Array>()) {
      for (const Value& column : *array) columns.push_back(column.ToText());
    } else {
      columns.push_back(arguments[i].ToText());
    }
  }
  Get get;
  RETURN_IF_ERROR(AddColumns(descriptor, columns, &get.columns, format));
  return get;
}

Result<Value> RunGet(const Environment& environment, const Arguments& arguments) {
  Printer* const printer = environment.printer;
  printer->Header("COLUMN", "CELL");
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  CellFormat format;
  format.set_epoch_timestamps(environment.epoch_timestamps);
  format.set_table(table->name());
  ASSIGN_OR_RETURN(Get get, GetFromArguments(table->descriptor(), arguments, &format));
  get.row = arguments[1].ToText();
  if (get.row.empty()) return InvalidArgument("Row length is 0");
  ASSIGN_OR_RETURN(const Row row, table->GetRow(get));
  for (const Cell& cell : row.cells) {
    ASSIGN_OR_RETURN(const std::string column, format.Column(cell));
    ASSIGN_OR_RETURN(const std::string text, format.Text(cell));
    printer->Row(column, text);
  }
  printer->Footer(row.empty() ? 0 : 1, row.stale);
  return Value();
}

// One version of a column, or of a family when there is no qualifier.
Result<Value> RunDelete(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  ASSIGN_OR_RETURN(const ColumnSpec column, ColumnOf(*table, arguments[2]));
  ASSIGN_OR_RETURN(const WriteExtras extras, ExtrasFrom(arguments, 3));
  MutationBatch batch;
  batch.StartRow(arguments[1].ToText());
  Apply(extras, &batch);
  if (column.qualifier.has_value()) {
    batch.DeleteVersion(column.family, *column.qualifier, extras.timestamp);
  } else {
    batch.DeleteFamilyVersion(column.family, extras.timestamp);
  }
  RETURN_IF_ERROR(table->Write(&batch));
  return Value();
}

// Adds what deleteall deletes of one row: everything up to the timestamp, of a column or family
// where one is given.
void AddDelete(ByteView row, const std::optional<ColumnSpec>& column, const WriteExtras& extras,
               MutationBatch* batch) {
  if (!column.has_value()) {
    batch->DeleteRow(row, extras.timestamp);
    Apply(extras, batch);
    return;
  }
  batch->StartRow(row);
  Apply(extras, batch);
  if (column->qualifier.has_value()) {
    batch->DeleteColumn(column->family, *column->qualifier, extras.timestamp);
  } else {
    batch->DeleteFamily(column->family, extras.timestamp);
  }
}

Status DeletePrefix(Table* table, Options options, const std::optional<ColumnSpec>& column,
                    const WriteExtras& extras) {
  const auto prefix = options.Text("ROWPREFIXFILTER");
  if (!prefix.has_value()) return InvalidArgument("ROWPREFIXFILTER is missing");
  ASSIGN_OR_RETURN(const int64_t at_a_time, options.Integer("CACHE", kRowsDeletedAtATime));
  RETURN_IF_ERROR(options.CheckAllKnown());
  Scan scan;
  scan.range = PrefixRange(*prefix);
  scan.filter = NewFirstKeyOnlyFilter();
  ASSIGN_OR_RETURN(const auto scanner, table->OpenScanner(scan));
  CellBatch rows;
  MutationBatch batch;
  while (true) {
    RETURN_IF_ERROR(scanner->Next(static_cast<size_t>(std::max<int64_t>(at_a_time, 1)), &rows));
    if (rows.row_count() == 0) return Status::Ok();
    batch.Clear();
    for (const uint32_t start : rows.row_starts) {
      AddDelete(rows.cells[start].row(), column, extras, &batch);
    }
    RETURN_IF_ERROR(table->Write(&batch));
  }
}

Result<Value> RunDeleteAll(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  std::optional<ColumnSpec> column;
  if (const Value& name = ArgumentAt(arguments, 2); !name.is_nil() && !name.ToText().empty()) {
    ASSIGN_OR_RETURN(column, ColumnOf(*table, name));
  }
  ASSIGN_OR_RETURN(const WriteExtras extras, ExtrasFrom(arguments, 3));
  if (arguments[1].As<Value::Hash>() != nullptr) {
    ASSIGN_OR_RETURN(Options options, Options::Of(arguments[1]));
    RETURN_IF_ERROR(DeletePrefix(table.get(), std::move(options), column, extras));
    return Value();
  }
  MutationBatch batch;
  AddDelete(arguments[1].ToText(), column, extras, &batch);
  RETURN_IF_ERROR(table->Write(&batch));
  return Value();
}

Result<int64_t> CounterOf(ByteView value) {
  if (value.size() != sizeof(int64_t)) {
    return InvalidArgument(fmt::format("Wrong length: {}, expected 8", value.size()));
  }
  return static_cast<int64_t>(LoadBE64(value.data()));
}

Result<Value> RunIncr(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  ASSIGN_OR_RETURN(const ColumnSpec column, ColumnOf(*table, arguments[2]));
  int64_t amount = 1;
  size_t extras_from = 3;
  const Value& given = ArgumentAt(arguments, 3);
  if (given.As<Value::Hash>() == nullptr) {
    extras_from = 4;
    if (!given.is_nil()) {
      ASSIGN_OR_RETURN(amount, IntegerOf("the amount", given));
    }
  }
  ASSIGN_OR_RETURN(const WriteExtras extras, ExtrasFrom(arguments, extras_from));
  MutationBatch batch;
  batch.StartIncrement(arguments[1].ToText());
  Apply(extras, &batch);
  batch.Increment(column.family, column.qualifier.value_or(""), amount);
  std::vector<Row> results;
  RETURN_IF_ERROR(table->Mutate(&batch, &results));
  if (results.empty() || results[0].empty()) {
    environment.printer->Line("No counter found at specified coordinates");
    return Value();
  }
  ASSIGN_OR_RETURN(const int64_t counter, CounterOf(results[0].cells[0].value_view()));
  environment.printer->Line(fmt::format("COUNTER VALUE = {}", counter));
  return Value();
}

Result<Value> RunAppend(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  ASSIGN_OR_RETURN(const ColumnSpec column, ColumnOf(*table, arguments[2]));
  ASSIGN_OR_RETURN(const WriteExtras extras, ExtrasFrom(arguments, 4));
  MutationBatch batch;
  batch.StartAppend(arguments[1].ToText());
  Apply(extras, &batch);
  batch.Append(column.family, column.qualifier.value_or(""), arguments[3].ToText());
  std::vector<Row> results;
  RETURN_IF_ERROR(table->Mutate(&batch, &results));
  if (results.empty() || results[0].empty()) return Value();
  environment.printer->Line("CURRENT VALUE = " + ToStringBinary(results[0].cells[0].value_view()));
  return Value();
}

Result<Value> RunGetCounter(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  ASSIGN_OR_RETURN(const ColumnSpec column, ColumnOf(*table, arguments[2]));
  Get get;
  get.row = arguments[1].ToText();
  get.columns[column.family] = {column.qualifier.value_or("")};
  ASSIGN_OR_RETURN(const Row row, table->GetRow(get));
  if (row.empty()) {
    environment.printer->Line("No counter found at specified coordinates");
    return Value();
  }
  ASSIGN_OR_RETURN(const int64_t counter, CounterOf(row.cells[0].value_view()));
  environment.printer->Line(fmt::format("COUNTER VALUE = {}", counter));
  return Value();
}

}  // namespace

std::vector<Command> DataCommands() {
  return {
      {"put", "dml", 4, 6, RunPut, true},
      {"get", "dml", 2, Command::kAnyCount, RunGet, true},
      {"delete", "dml", 3, 5, RunDelete, true},
      {"deleteall", "dml", 2, 5, RunDeleteAll, true},
      {"incr", "dml", 3, 5, RunIncr, true},
      {"append", "dml", 4, 5, RunAppend, true},
      {"get_counter", "dml", 3, 3, RunGetCounter, true},
  };
}

}  // namespace bennu::shell
