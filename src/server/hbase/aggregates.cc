#include "src/server/hbase/aggregates.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <optional>

#include "src/base/coding.h"
#include "src/rpc/requests.h"
#include "src/server/hbase/endpoints.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

constexpr size_t kRowsAtATime = 1000;

// LongColumnInterpreter. Sums wrap, as Java's do.
struct Longs {
  using Value = int64_t;
  static constexpr Value kMin = std::numeric_limits<int64_t>::min();
  static Value Decode(ByteView bytes) { return static_cast<int64_t>(LoadBE64(bytes.data())); }
  static Value Add(Value a, Value b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
  static Value Multiply(Value a, Value b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
  static Bytes Encode(Value value) {
    pb::LongMsg message;
    message.set_long_msg(value);
    return message.SerializeAsString();
  }
};

// DoubleColumnInterpreter.
struct Doubles {
  using Value = double;
  static constexpr Value kMin = std::numeric_limits<double>::denorm_min();  // Double.MIN_VALUE
  static Value Decode(ByteView bytes) { return std::bit_cast<double>(LoadBE64(bytes.data())); }
  static Value Add(Value a, Value b) { return a + b; }
  static Value Multiply(Value a, Value b) { return a * b; }
  static Bytes Encode(Value value) {
    pb::DoubleMsg message;
    message.set_double_msg(value);
    return message.SerializeAsString();
  }
};

template <typename Kind>
class Aggregator {
 public:
  using Value = typename Kind::Value;

  // One row's cells. Values of another length count for nothing.
  void AddRow(const Cell* cells, size_t count) {
    ++rows_;
    std::optional<Value> of_row;
    for (size_t i = 0; i < count; ++i) {
      if (cells[i].value_length != sizeof(uint64_t)) continue;
      const Value value = Kind::Decode(cells[i].value_view());
      max_ = max_.has_value() ? std::max(*max_, value) : value;
      min_ = min_.has_value() ? std::min(*min_, value) : value;
      of_row = Sum(of_row, value);
    }
    if (!of_row.has_value()) return;
    sum_ = Sum(sum_, *of_row);
    sum_of_squares_ = Sum(sum_of_squares_, Kind::Multiply(*of_row, *of_row));
  }

  // False: no such method. 'weighted': of the median, whose columns are a value and its weight.
  bool Answer(const std::string& method, bool weighted, pb::AggregateResponse* response) const {
    if (method == "GetMax") {
      AddPart(max_, response);
    } else if (method == "GetMin") {
      AddPart(min_, response);
    } else if (method == "GetSum") {
      AddPart(sum_, response);
    } else if (method == "GetRowNum") {
      AppendBE64(response->add_first_part(), rows_);
    } else if (method == "GetAvg" || method == "GetStd") {
      if (!sum_.has_value()) return true;
      AddPart(sum_, response);
      if (method == "GetStd") AddPart(sum_of_squares_, response);
      AppendBE64(response->mutable_second_part(), rows_);
    } else if (method == "GetMedian") {
      if (!sum_.has_value()) return true;
      // HBase's interpreters tell columns apart neither, so that both sums are of all cells.
      AddPart(sum_, response);
      AddPart(weighted ? sum_ : std::optional<Value>(Kind::kMin), response);
    } else {
      return false;
    }
    return true;
  }

 private:
  static Value Sum(const std::optional<Value>& a, Value b) {
    return a.has_value() ? Kind::Add(*a, b) : b;
  }
  static void AddPart(const std::optional<Value>& value, pb::AggregateResponse* response) {
    if (value.has_value()) *response->add_first_part() = Kind::Encode(*value);
  }

  uint64_t rows_ = 0;
  std::optional<Value> max_, min_, sum_, sum_of_squares_;
};

template <typename Kind>
CallError Run(const ServedRegion& region, const std::string& method,
              const pb::AggregateRequest& request, pb::AggregateResponse* response) {
  Scan scan;
  if (const Status status = rpc::ReadScan(request.scan(), &scan); !status.ok()) {
    return rpc::RemoteError(status);
  }
  ClipToRegion(region.info, &scan);
  auto scanner = region.table->OpenScanner(scan);
  if (!scanner.ok()) return rpc::RemoteError(scanner.status());
  Aggregator<Kind> aggregator;
  CellBatch batch;
  do {
    if (const Status status = (*scanner)->Next(kRowsAtATime, &batch); !status.ok()) {
      return rpc::RemoteError(status);
    }
    for (size_t i = 0; i < batch.row_count(); ++i) {
      const uint32_t begin = batch.row_starts[i];
      aggregator.AddRow(&batch.cells[begin], batch.row_end(i) - begin);
    }
  } while (batch.row_count() > 0);
  const bool weighted =
      request.scan().column_size() > 0 && request.scan().column(0).qualifier_size() > 1;
  if (aggregator.Answer(method, weighted, response)) return std::nullopt;
  return rpc::RemoteError(
      exceptions::kUnknownProtocol,
      fmt::format("Unknown method {} called on service AggregateService", method));
}

}  // namespace

CallError Aggregate(const ServedRegion& region, const std::string& method,
                    const pb::AggregateRequest& request, pb::AggregateResponse* response) {
  const std::string& interpreter = request.interpreter_class_name();
  for (const pb::Column& column : request.scan().column()) {
    if (CallError error = region.CheckFamily(column.family()); error) return error;
  }
  if (interpreter.ends_with(".LongColumnInterpreter") || method == "GetRowNum") {
    return Run<Longs>(region, method, request, response);
  }
  if (interpreter.ends_with(".DoubleColumnInterpreter")) {
    return Run<Doubles>(region, method, request, response);
  }
  return rpc::RemoteError(
      exceptions::kDoNotRetry,
      fmt::format("the column interpreter {}; there are those for longs and doubles", interpreter));
}

}  // namespace bennu::server::hbase
