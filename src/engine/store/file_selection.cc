#include "src/engine/store/file_selection.h"

#include <optional>

#include "src/base/status_macros.h"
#include "src/cell/comparator.h"

namespace bennu::engine {

namespace {

// Whether 'stop' is the first key behind all that begin with 'prefix'.
bool EndsPrefix(ByteView prefix, ByteView stop) {
  size_t last = prefix.size();
  while (last > 0 && static_cast<uint8_t>(prefix[last - 1]) == 0xFF) --last;
  return last > 0 && stop.size() == last &&
         stop.substr(0, last - 1) == prefix.substr(0, last - 1) &&
         static_cast<uint8_t>(stop[last - 1]) == static_cast<uint8_t>(prefix[last - 1]) + 1;
}

// The first 'length' bytes of every row in the range, when all rows have them in common.
std::optional<ByteView> SharedPrefix(const RowRange& range, bool reversed, size_t length) {
  const ByteView low = reversed ? range.stop : range.start;
  const ByteView high = reversed ? range.start : range.stop;
  const bool high_inclusive = reversed ? range.start_inclusive : range.stop_inclusive;
  if (length == 0 || low.size() < length) return std::nullopt;
  const ByteView prefix = low.substr(0, length);
  const bool shared =
      high.substr(0, length) == prefix || (!high_inclusive && EndsPrefix(prefix, high));
  return shared ? std::optional(prefix) : std::nullopt;
}

}  // namespace

bool IsSingleRow(const RowRange& range) {
  return !range.start.empty() && range.start_inclusive && range.stop_inclusive &&
         range.start == range.stop;
}

Result<bool> FileSelection::MayMatter(const StoreFile& file, Scanner::Metrics* metrics) const {
  const hfile::Reader& reader = *file.reader();
  if (reader.empty()) return false;
  if (reading && file.cell_sequence_id() > read_point) {
    return false;  // loaded later than this reader's moment
  }
  if (!file.MayMatter(time_range) || IsExpired(reader)) {
    ++metrics->files_skipped_by_time;
    return false;
  }
  const Bytes& low = scan.reversed ? range.stop : range.start;
  const Bytes& high = scan.reversed ? range.start : range.stop;
  if ((!low.empty() && Before(reader.last_row(), low)) ||
      (!high.empty() && Before(high, reader.first_row()))) {
    ++metrics->files_skipped_by_key;
    return false;
  }
  ASSIGN_OR_RETURN(const bool passes, PassesBloom(reader));
  if (!passes) ++metrics->files_skipped_by_bloom;
  return passes;
}

bool FileSelection::Before(ByteView left, ByteView right) const {
  return (meta_order ? cell::CompareMetaRows(left, right) : cell::CompareRows(left, right)) < 0;
}

bool FileSelection::IsExpired(const hfile::Reader& reader) const {
  const int32_t ttl = family.ttl_seconds;
  if (!reading || ttl == kTtlForever || family.min_versions > 0) return false;
  const auto own = reader.time_range();
  return own.has_value() && own->max < now_millis - static_cast<int64_t>(ttl) * 1000;
}

// Source: StoreFileReader.passesBloomFilter of HBase, which asks a ROWCOL filter for scans of one
// column only, and a prefix filter only where start and stop share the prefix.
Result<bool> FileSelection::PassesBloom(const hfile::Reader& reader) const {
  const BloomType type = reader.bloom_type();
  if (IsSingleRow(range)) {
    return type == BloomType::kRowCol ? PassesRowColBloom(reader)
                                      : reader.MayContainRow(range.start);
  }
  if (type != BloomType::kRowPrefixFixedLength || meta_order) return true;
  const std::optional<ByteView> prefix =
      SharedPrefix(range, scan.reversed, static_cast<size_t>(reader.bloom_prefix_length()));
  return prefix.has_value() ? reader.MayContainRowPrefix(*prefix) : true;
}

// A marker of a column has the column's key in the filter; one of the family has a key of its own.
Result<bool> FileSelection::PassesRowColBloom(const hfile::Reader& reader) const {
  if (scan.raw || !reading) return true;
  const auto columns = scan.columns.find(family.name);
  if (columns == scan.columns.end() || columns->second.empty()) return true;
  ASSIGN_OR_RETURN(const bool may_hide, reader.MayContainDeleteFamily(range.start));
  if (may_hide) return true;
  for (const Bytes& qualifier : columns->second) {
    ASSIGN_OR_RETURN(const bool may_contain, reader.MayContainRowCol(range.start, qualifier));
    if (may_contain) return true;
  }
  return false;
}

}  // namespace bennu::engine
