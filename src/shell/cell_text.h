// How cells look: "timestamp=2024-01-01T00:00, value=v", and the formatters that columns may name
// ('f:count:toLong').
#ifndef BENNU_SRC_SHELL_CELL_TEXT_H_
#define BENNU_SRC_SHELL_CELL_TEXT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"

namespace bennu::shell {

// A column as it is typed: FAMILY[:QUALIFIER[:FORMATTER]].
struct ColumnSpec {
  Bytes family;
  std::optional<Bytes> qualifier;  // "f:" is the empty one, "f" means the whole family
  std::string formatter;           // empty: none
};
ColumnSpec ParseColumnSpec(ByteView text);

// A time of the local zone as Java's LocalDateTime prints it: seconds and milliseconds are left out
// where they are zero.
std::string TimestampText(int64_t millis);

// The value as a method of HBase's class Bytes shows it: toInt, toLong, toString … ; also as
// "c(org.apache.hadoop.hbase.util.Bytes).toLong"; or as one of ordered_formatters.h does.
// InvalidArgument: no such method, or bytes that do not fit it.
Result<std::string> FormatBytes(ByteView bytes, std::string_view formatter);

// The formatters that one get or scan asked for.
class CellFormat {
 public:
  // Notes the column's formatter, if it names one.
  void AddColumn(const ColumnSpec& column);
  void set_formatter(std::string formatter) { formatter_ = std::move(formatter); }  // for all
  void set_max_length(size_t length) { max_length_ = length; }
  void set_epoch_timestamps(bool epoch) { epoch_ = epoch; }
  // hbase:meta's cells of a region are shown as what they tell, and whole.
  void set_table(const TableName& table);

  Result<std::string> Row(ByteView row) const { return Plain(row); }
  Result<std::string> Column(const Cell& cell) const;  // "f:q"
  // "timestamp=…, value=…", of a delete marker "timestamp=…, type=Delete"; cut to the length set.
  Result<std::string> Text(const Cell& cell) const;

 private:
  Result<std::string> Plain(ByteView bytes) const;
  Result<std::string> ValueText(const Cell& cell) const;

  std::map<std::pair<Bytes, Bytes>, std::string> column_formatters_;
  std::string formatter_;
  std::optional<size_t> max_length_;
  bool epoch_ = false;
  bool of_meta_ = false;
};

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_CELL_TEXT_H_
