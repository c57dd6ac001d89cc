#include "src/shell/read_options.h"

#include <fmt/format.h>

#include <limits>

#include "src/api/attributes.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"

namespace bennu::shell {

namespace {

// The time range of TIMESTAMP or TIMERANGE.
Status ReadTimes(Options* options, TimeRange* range) {
  if (const Value* const timestamp = options->Find("TIMESTAMP")) {
    ASSIGN_OR_RETURN(range->min, IntegerOf("TIMESTAMP", *timestamp));
    if (range->min < 0) return InvalidArgument("TIMESTAMP must not be negative");
    range->max = range->min == std::numeric_limits<int64_t>::max() ? range->min : range->min + 1;
  }
  const Value* const bounds = options->Find("TIMERANGE");
  if (bounds == nullptr) return Status::Ok();
  const auto* const pair = bounds->As<Value::Array>();
  if (pair == nullptr || pair->size() != 2) {
    return InvalidArgument("TIMERANGE must be [from, to), not " + bounds->Inspect());
  }
  ASSIGN_OR_RETURN(range->min, IntegerOf("TIMERANGE", (*pair)[0]));
  ASSIGN_OR_RETURN(range->max, IntegerOf("TIMERANGE", (*pair)[1]));
  if (range->min < 0 || range->max < 0) return InvalidArgument("TIMERANGE must not be negative");
  if (range->max < range->min) return InvalidArgument("maxStamp is smaller than minStamp");
  return Status::Ok();
}

Result<int32_t> ReadVersions(Options* options) {
  ASSIGN_OR_RETURN(const int64_t versions, options->Integer("VERSIONS", 1));
  if (versions < 1) return InvalidArgument("VERSIONS must be at least 1");
  return static_cast<int32_t>(std::min<int64_t>(versions, std::numeric_limits<int32_t>::max()));
}

Result<std::shared_ptr<const Filter>> ReadFilter(Options* options) {
  const Value* const text = options->Find("FILTER");
  if (text == nullptr) return std::shared_ptr<const Filter>();
  if (text->As<Bytes>() == nullptr) {
    return InvalidArgument("FILTER must be a text of the filter language, not " + text->Inspect());
  }
  ASSIGN_OR_RETURN(FilterPtr filter, ParseFilter(*text->As<Bytes>()));
  return std::shared_ptr<const Filter>(std::move(filter));
}

Status ReadFormat(Options* options, CellFormat* format) {
  ASSIGN_OR_RETURN(const int64_t length, options->Integer("MAXLENGTH", -1));
  if (length >= 0) format->set_max_length(static_cast<size_t>(length));
  const auto formatter = options->Text("FORMATTER");
  const auto formatter_class = options->Text("FORMATTER_CLASS");
  if (!formatter.has_value()) return Status::Ok();
  format->set_formatter(formatter_class.has_value()
                            ? fmt::format("c({}).{}", *formatter_class, *formatter)
                            : *formatter);
  return Status::Ok();
}

// Arguments that mean nothing here, or nothing yet.
Status CheckOthers(Options* options) {
  options->Find("ATTRIBUTES");
  for (const char* const key : {"AUTHORIZATIONS", "VISIBILITY"}) {
    if (options->Has(key)) {
      return NotSupported(fmt::format("{}: cells have no visibility labels here", key));
    }
  }
  return Status::Ok();
}

Result<Consistency> ReadConsistency(Options* options) {
  const Value* const value = options->Find("CONSISTENCY");
  if (value == nullptr) return Consistency::kStrong;
  const Bytes text = value->ToText();
  if (text == "TIMELINE") return Consistency::kTimeline;
  if (text == "STRONG") return Consistency::kStrong;
  return InvalidArgument("CONSISTENCY must be 'STRONG' or 'TIMELINE', not " + value->Inspect());
}

// -1: none is named.
Result<int32_t> ReadReplica(const TableDescriptor& descriptor, Options* options) {
  ASSIGN_OR_RETURN(const int64_t replica, options->Integer("REGION_REPLICA_ID", -1));
  if (replica < 0) return -1;
  const std::string* const attribute = api::Find(descriptor.attributes, "REGION_REPLICATION");
  const int64_t count = attribute == nullptr ? 1 : api::ParseInteger(*attribute).value_or(1);
  if (replica < count) return static_cast<int32_t>(replica);
  return InvalidArgument(
      fmt::format("REGION_REPLICA_ID is {}, but the replicas of a region of {} are 0 to {} "
                  "(REGION_REPLICATION of the table is {})",
                  replica, descriptor.name.ToString(), count - 1, count));
}

Result<std::vector<Bytes>> ReadColumnNames(Options* options) {
  ASSIGN_OR_RETURN(std::vector<Bytes> columns, options->Texts("COLUMNS"));
  ASSIGN_OR_RETURN(std::vector<Bytes> single, options->Texts("COLUMN"));
  return columns.empty() ? std::move(single) : std::move(columns);
}

Result<RowRange> ReadRange(Options* options) {
  RowRange range;
  range.start = options->Text("STARTROW").value_or("");
  range.stop = options->Text("STOPROW").value_or("");
  if (const auto prefix = options->Text("ROWPREFIXFILTER")) return PrefixRange(*prefix);
  return range;
}

Status ReadScanLimits(Options* options, Scan* scan) {
  ASSIGN_OR_RETURN(scan->row_limit, options->Integer("LIMIT", -1));
  if (scan->row_limit <= 0) scan->row_limit = -1;  // as in HBase no limit
  ASSIGN_OR_RETURN(const int64_t batch, options->Integer("BATCH", -1));
  if (batch > 0) {
    scan->batch =
        static_cast<int32_t>(std::min<int64_t>(batch, std::numeric_limits<int32_t>::max()));
  }
  ASSIGN_OR_RETURN(scan->max_result_bytes, options->Integer("MAX_RESULT_SIZE", -1));
  if (scan->max_result_bytes <= 0) scan->max_result_bytes = -1;
  ASSIGN_OR_RETURN(scan->allow_partial_results, options->Boolean("ALLOW_PARTIAL_RESULTS", false));
  const auto isolation = options->Text("ISOLATION_LEVEL");
  scan->read_uncommitted = isolation.has_value() && *isolation == "READ_UNCOMMITTED";
  options->Find("CACHE");      // rows a call of a client over the network
  options->Find("READ_TYPE");  // the store chooses
  return Status::Ok();
}

}  // namespace

RowRange PrefixRange(ByteView prefix) {
  RowRange range;
  range.start = prefix;
  range.stop = prefix;
  while (!range.stop.empty() && range.stop.back() == '\xff') range.stop.pop_back();
  if (!range.stop.empty()) range.stop.back() = static_cast<char>(range.stop.back() + 1);
  return range;
}

Status CheckFamily(const TableDescriptor& descriptor, ByteView family) {
  if (descriptor.FindFamily(family) != nullptr) return Status::Ok();
  std::string known;
  for (const ColumnFamilyDescriptor& candidate : descriptor.families) {
    known += (known.empty() ? "" : ", ") + ToStringBinary(candidate.name) + ":*";
  }
  return NotFound(fmt::format("Unknown column family {} in table {}! Valid column names: {}",
                              ToStringBinary(family), descriptor.name.ToString(), known));
}

Status AddColumns(const TableDescriptor& descriptor, const std::vector<Bytes>& columns,
                  ColumnSet* set, CellFormat* format) {
  std::set<Bytes> whole;
  for (const Bytes& text : columns) {
    const ColumnSpec spec = ParseColumnSpec(text);
    RETURN_IF_ERROR(CheckFamily(descriptor, spec.family));
    format->AddColumn(spec);
    std::set<Bytes>& qualifiers = (*set)[spec.family];
    if (!spec.qualifier.has_value()) {
      whole.insert(spec.family);
    } else {
      qualifiers.insert(*spec.qualifier);
    }
  }
  for (const Bytes& family : whole) (*set)[family].clear();
  return Status::Ok();
}

namespace {

// What a Get and a Scan have in common.
template <typename Read>
Status ReadSelection(const TableDescriptor& descriptor, Options* options, CellFormat* format,
                     Read* read) {
  RETURN_IF_ERROR(ReadFormat(options, format));
  ASSIGN_OR_RETURN(const std::vector<Bytes> columns, ReadColumnNames(options));
  RETURN_IF_ERROR(AddColumns(descriptor, columns, &read->columns, format));
  RETURN_IF_ERROR(ReadTimes(options, &read->time_range));
  ASSIGN_OR_RETURN(read->max_versions, ReadVersions(options));
  ASSIGN_OR_RETURN(read->filter, ReadFilter(options));
  ASSIGN_OR_RETURN(read->consistency, ReadConsistency(options));
  ASSIGN_OR_RETURN(read->replica_id, ReadReplica(descriptor, options));
  return Status::Ok();
}

}  // namespace

Result<Get> GetFromOptions(const TableDescriptor& descriptor, Options* options,
                           CellFormat* format) {
  Get get;
  RETURN_IF_ERROR(ReadSelection(descriptor, options, format, &get));
  RETURN_IF_ERROR(CheckOthers(options));
  RETURN_IF_ERROR(options->CheckAllKnown());
  return get;
}

Result<Scan> ScanFromOptions(const TableDescriptor& descriptor, Options* options,
                             CellFormat* format) {
  Scan scan;
  RETURN_IF_ERROR(ReadSelection(descriptor, options, format, &scan));
  ASSIGN_OR_RETURN(scan.range, ReadRange(options));
  ASSIGN_OR_RETURN(scan.reversed, options->Boolean("REVERSED", false));
  // The other families of rows that a filter passes cannot be read afterwards backwards. HBase's
  // shell has no argument for it, and its server then fails.
  scan.load_families_on_demand = !scan.reversed;
  ASSIGN_OR_RETURN(scan.raw, options->Boolean("RAW", false));
  ASSIGN_OR_RETURN(scan.cache_blocks, options->Boolean("CACHE_BLOCKS", true));
  RETURN_IF_ERROR(ReadScanLimits(options, &scan));
  RETURN_IF_ERROR(CheckOthers(options));
  RETURN_IF_ERROR(options->CheckAllKnown());
  return scan;
}

}  // namespace bennu::shell
