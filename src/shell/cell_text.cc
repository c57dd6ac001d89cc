#include "src/shell/cell_text.h"

#include <fmt/format.h>

#include <array>
#include <ctime>

#include "src/api/descriptor_pb.h"
#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/encoding/big_decimal.h"
#include "src/encoding/bytes_codec.h"
#include "src/shell/descriptor_text.h"
#include "src/shell/ordered_formatters.h"
#include "src/shell/value.h"

namespace bennu::shell {

namespace {

constexpr std::string_view kDefaultFormatter = "toStringBinary";

std::string FloatText(double value) { return Value(Value::Variant(value)).Inspect(); }

std::string TypeName(CellType type) {
  switch (type) {
    case CellType::kDelete: return "Delete";
    case CellType::kDeleteFamilyVersion: return "DeleteFamilyVersion";
    case CellType::kDeleteColumn: return "DeleteColumn";
    case CellType::kDeleteFamily: return "DeleteFamily";
    default: return "Put";
  }
}

Result<std::string> BigDecimalText(ByteView bytes) {
  ASSIGN_OR_RETURN(const encoding::BigDecimal decimal, encoding::DecodeBigDecimal(bytes));
  return decimal.ToString();
}

struct Formatter {
  std::string_view name;
  size_t size;  // bytes that a value must have; 0: any
  Result<std::string> (*format)(ByteView);
};

constexpr std::array<Formatter, 10> kFormatters = {{
    {"toStringBinary", 0, [](ByteView v) -> Result<std::string> { return ToStringBinary(v); }},
    {"toString", 0, [](ByteView v) -> Result<std::string> { return std::string(v); }},
    {"toHex", 0, [](ByteView v) -> Result<std::string> { return HexEncode(v); }},
    {"toBigDecimal", 0, BigDecimalText},
    {"toBoolean", 1,
     [](ByteView v) -> Result<std::string> { return std::string(v[0] != 0 ? "true" : "false"); }},
    {"toShort", 2,
     [](ByteView v) -> Result<std::string> {
       return std::to_string(static_cast<int16_t>(LoadBE16(v.data())));
     }},
    {"toInt", 4,
     [](ByteView v) -> Result<std::string> {
       return std::to_string(static_cast<int32_t>(LoadBE32(v.data())));
     }},
    {"toLong", 8,
     [](ByteView v) -> Result<std::string> {
       return std::to_string(static_cast<int64_t>(LoadBE64(v.data())));
     }},
    {"toFloat", 4,
     [](ByteView v) -> Result<std::string> {
       return FloatText(static_cast<double>(encoding::LoadFloat(v.data())));
     }},
    {"toDouble", 8,
     [](ByteView v) -> Result<std::string> { return FloatText(encoding::LoadDouble(v.data())); }},
}};

// "toLong" of "c(org.apache.hadoop.hbase.util.Bytes).toLong"; nothing when the class is another.
std::optional<std::string_view> MethodName(std::string_view formatter) {
  if (formatter.substr(0, 2) != "c(") return formatter;
  const size_t end = formatter.find(").");
  if (end == std::string_view::npos) return formatter;
  if (formatter.substr(2, end - 2) != "org.apache.hadoop.hbase.util.Bytes") return std::nullopt;
  return formatter.substr(end + 2);
}

// What a cell of hbase:meta tells, where its bytes are not text.
std::optional<std::string> MetaText(const Cell& cell) {
  if (cell.family() != "info") return std::nullopt;
  const ByteView column = cell.qualifier();
  if (column == "regioninfo" || column == "splitA" || column == "splitB" ||
      column.starts_with("merge")) {
    const auto region = api::DecodeRegionInfo(cell.value_view());
    return region.ok() ? RegionText(*region) : "";
  }
  if (column == "serverstartcode" && cell.value_view().size() == sizeof(int64_t)) {
    return std::to_string(static_cast<int64_t>(LoadBE64(cell.value_view().data())));
  }
  return std::nullopt;
}

}  // namespace

ColumnSpec ParseColumnSpec(ByteView text) {
  ColumnSpec spec;
  const size_t first = text.find(':');
  spec.family = text.substr(0, first);
  if (first == ByteView::npos) return spec;
  text.remove_prefix(first + 1);
  const size_t second = text.find(':');
  spec.qualifier = Bytes(text.substr(0, second));
  if (second != ByteView::npos) spec.formatter = text.substr(second + 1);
  return spec;
}

std::string TimestampText(int64_t millis) {
  int64_t seconds = millis / 1000;
  int64_t fraction = millis % 1000;
  if (fraction < 0) {
    fraction += 1000;
    --seconds;
  }
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (::localtime_r(&time, &parts) == nullptr) return std::to_string(millis);
  const int64_t year = int64_t{parts.tm_year} + 1900;
  std::string text = fmt::format("{}{:04}-{:02}-{:02}T{:02}:{:02}", year > 9999 ? "+" : "", year,
                                 parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min);
  if (parts.tm_sec != 0 || fraction != 0) text += fmt::format(":{:02}", parts.tm_sec);
  if (fraction != 0) text += fmt::format(".{:03}", fraction);
  return text;
}

Result<std::string> FormatBytes(ByteView bytes, std::string_view formatter) {
  const std::optional<std::string_view> name = MethodName(formatter);
  for (const Formatter& candidate : kFormatters) {
    if (!name.has_value() || candidate.name != *name) continue;
    if (candidate.size != 0 && bytes.size() != candidate.size) {
      return InvalidArgument(fmt::format("{} wants {} bytes; the value has {}: {}", *name,
                                         candidate.size, bytes.size(), ToStringBinary(bytes)));
    }
    return candidate.format(bytes);
  }
  if (auto ordered = FormatOrdered(bytes, formatter); ordered.has_value()) return *ordered;
  std::string known;
  for (const Formatter& candidate : kFormatters) {
    known += (known.empty() ? "" : ", ") + std::string(candidate.name);
  }
  for (const std::string& candidate : OrderedFormatterNames()) known += ", " + candidate;
  return InvalidArgument(fmt::format("no formatter '{}'; there are {}", formatter, known));
}

void CellFormat::set_table(const TableName& table) {
  of_meta_ = table == TableName{"hbase", "meta"};
}

void CellFormat::AddColumn(const ColumnSpec& column) {
  if (column.formatter.empty()) return;
  column_formatters_[{column.family, column.qualifier.value_or("")}] = column.formatter;
}

Result<std::string> CellFormat::Plain(ByteView bytes) const {
  if (formatter_.empty()) return ToStringBinary(bytes);
  return FormatBytes(bytes, formatter_);
}

Result<std::string> CellFormat::Column(const Cell& cell) const {
  ASSIGN_OR_RETURN(const std::string family, Plain(cell.family()));
  ASSIGN_OR_RETURN(const std::string qualifier, Plain(cell.qualifier()));
  return family + ":" + qualifier;
}

Result<std::string> CellFormat::ValueText(const Cell& cell) const {
  std::string_view formatter = formatter_.empty() ? kDefaultFormatter : formatter_;
  const auto own = column_formatters_.find({Bytes(cell.family()), Bytes(cell.qualifier())});
  if (own != column_formatters_.end()) formatter = own->second;
  return FormatBytes(cell.value_view(), formatter);
}

Result<std::string> CellFormat::Text(const Cell& cell) const {
  std::string text =
      "timestamp=" + (epoch_ ? std::to_string(cell.timestamp()) : TimestampText(cell.timestamp()));
  if (IsDelete(cell.type())) {
    text += ", type=" + TypeName(cell.type());
  } else if (const auto told = of_meta_ ? MetaText(cell) : std::nullopt; told.has_value()) {
    return text + ", value=" + *told;
  } else {
    ASSIGN_OR_RETURN(const std::string value, ValueText(cell));
    text += ", value=" + value;
  }
  if (max_length_.has_value()) text.resize(std::min(text.size(), *max_length_));
  return text;
}

}  // namespace bennu::shell
