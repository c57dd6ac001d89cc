#include "src/server/hbase/aggregates.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <optional>

#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/encoding/big_decimal.h"
#include "src/rpc/requests.h"
#include "src/server/hbase/endpoints.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

constexpr size_t kAggregatedAtATime = 1000;

// The kinds of values. Decode: false when there can be no answer; no value when it counts for
// nothing. Min: what the interpreter holds for the least value, encoded.

// LongColumnInterpreter. Sums wrap, as Java's do.
struct Longs {
  using Value = int64_t;
  static bool Decode(ByteView bytes, std::optional<Value>* value) {
    if (bytes.size() == sizeof(Value)) *value = static_cast<Value>(LoadBE64(bytes.data()));
    return true;
  }
  static Bytes Min() { return Encode(std::numeric_limits<int64_t>::min()); }
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
  static bool Decode(ByteView bytes, std::optional<Value>* value) {
    if (bytes.size() == sizeof(Value)) *value = std::bit_cast<Value>(LoadBE64(bytes.data()));
    return true;
  }
  static Bytes Min() { return Encode(std::numeric_limits<double>::denorm_min()); }
  static Value Add(Value a, Value b) { return a + b; }
  static Value Multiply(Value a, Value b) { return a * b; }
  static Bytes Encode(Value value) {
    pb::DoubleMsg message;
    message.set_double_msg(value);
    return message.SerializeAsString();
  }
};

// BigDecimalColumnInterpreter, for which all values have two digits behind the point: hundredths.
struct Decimals {
  using Value = boost::multiprecision::cpp_int;
  // Values that a server could be made to work on for long are refused.
  static bool Decode(ByteView bytes, std::optional<Value>* value) {
    constexpr size_t kBytesMax = 4096;
    constexpr int32_t kScaleMax = 10000;
    if (bytes.size() > kBytesMax) return false;
    const auto decimal = encoding::DecodeBigDecimal(bytes);
    if (!decimal.ok() || decimal->scale > kScaleMax || decimal->scale < -kScaleMax) return false;
    *value = decimal->WithScale(kScale).unscaled;
    return true;
  }
  static Value Add(const Value& a, const Value& b) { return a + b; }
  static Value Multiply(const Value& a, const Value& b) {
    return encoding::BigDecimal{a * b, 2 * kScale}.WithScale(kScale).unscaled;
  }
  static Bytes Encode(const Value& value) { return Message({value, kScale}); }
  static Bytes Min() { return Message({49, 325}); }  // that of Java's doubles, 4.9E-324

 private:
  static constexpr int32_t kScale = 2;
  static Bytes Message(const encoding::BigDecimal& value) {
    pb::BigDecimalMsg message;
    encoding::AppendBigDecimal(message.mutable_bigdecimal_msg(), value);
    return message.SerializeAsString();
  }
};

template <typename Kind>
class Aggregator {
 public:
  using Value = typename Kind::Value;

  // One row's cells. Null, or the cell because of which there can be no answer.
  const Cell* AddRow(const Cell* cells, size_t count) {
    ++rows_;
    std::optional<Value> of_row;
    for (size_t i = 0; i < count; ++i) {
      std::optional<Value> value;
      if (!Kind::Decode(cells[i].value_view(), &value)) return &cells[i];
      if (!value.has_value()) continue;
      max_ = max_.has_value() ? std::max(*max_, *value) : *value;
      min_ = min_.has_value() ? std::min(*min_, *value) : *value;
      of_row = Sum(of_row, *value);
    }
    if (!of_row.has_value()) return nullptr;
    sum_ = Sum(sum_, *of_row);
    sum_of_squares_ = Sum(sum_of_squares_, Kind::Multiply(*of_row, *of_row));
    return nullptr;
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
      if (weighted) {
        AddPart(sum_, response);
      } else {
        *response->add_first_part() = Kind::Min();
      }
    } else {
      return false;
    }
    return true;
  }

 private:
  static Value Sum(const std::optional<Value>& a, const Value& b) {
    return a.has_value() ? Kind::Add(*a, b) : b;
  }
  static void AddPart(const std::optional<Value>& value, pb::AggregateResponse* response) {
    if (value.has_value()) *response->add_first_part() = Kind::Encode(*value);
  }

  uint64_t rows_ = 0;
  std::optional<Value> max_, min_, sum_, sum_of_squares_;
};

CallError NoDecimal(const Cell& cell) {
  return rpc::RemoteError(
      exceptions::kDoNotRetry,
      fmt::format(
          "row '{}', column {}:{}: the value is no BigDecimal that can be added up: {} bytes",
          ToStringBinary(cell.row()), ToStringBinary(cell.family()),
          ToStringBinary(cell.qualifier()), cell.value_length));
}

template <typename Kind>
CallError Run(const ServedRegion& region, const std::string& method,
              const pb::AggregateRequest& request, pb::AggregateResponse* response) {
  Scan scan;
  if (const Status status = rpc::ReadScan(request.scan(), &scan); !status.ok()) {
    return rpc::RemoteError(status);
  }
  ClipToRegion(region.info, &scan);
  if (method == "GetRowNum" && !scan.columns.empty()) {
    // HBase takes the first column that is asked for off the scan, so that rows without it count.
    auto& columns = scan.columns.begin()->second;
    if (!columns.empty()) columns.erase(columns.begin());
  }
  auto scanner = region.table->OpenScanner(scan);
  if (!scanner.ok()) return rpc::RemoteError(scanner.status());
  Aggregator<Kind> aggregator;
  CellBatch batch;
  // As in HBase, where a scanner of the region counts, one that finds nothing as well.
  uint64_t reads = 1;
  do {
    if (const Status status = (*scanner)->Next(kAggregatedAtATime, &batch); !status.ok()) {
      return rpc::RemoteError(status);
    }
    reads = std::max<uint64_t>(reads, batch.row_count());
    region.counters->reads.fetch_add(reads, std::memory_order_relaxed);
    reads = 0;
    for (size_t i = 0; i < batch.row_count(); ++i) {
      const uint32_t begin = batch.row_starts[i];
      const Cell* const bad = aggregator.AddRow(&batch.cells[begin], batch.row_end(i) - begin);
      if (bad != nullptr) return NoDecimal(*bad);
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
  if (interpreter.ends_with(".BigDecimalColumnInterpreter")) {
    return Run<Decimals>(region, method, request, response);
  }
  return rpc::RemoteError(
      exceptions::kDoNotRetry,
      fmt::format("the column interpreter {}; there are those for longs, doubles and BigDecimals",
                  interpreter));
}

}  // namespace bennu::server::hbase
