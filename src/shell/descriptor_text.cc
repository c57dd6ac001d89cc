#include "src/shell/descriptor_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "src/base/hex.h"

namespace bennu::shell {

namespace {

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;

// "KEY => 'value'" pairs, separated by commas.
class Pairs {
 public:
  void Add(std::string_view key, std::string_view value) {
    AddRaw(key, "'" + std::string(value) + "'");
  }
  void AddRaw(std::string_view key, std::string_view text) {
    text_ += fmt::format("{}{} => {}", text_.empty() ? "" : ", ", key, text);
  }
  // A hash of its own with quoted keys, unless it is empty.
  void AddMap(std::string_view key, const std::map<std::string, std::string>& map) {
    if (map.empty()) return;
    Pairs inner;
    for (const auto& [name, value] : map) inner.Add("'" + name + "'", value);
    AddRaw(key, "{" + inner.text_ + "}");
  }
  bool empty() const { return text_.empty(); }
  std::string Braced() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

int64_t NumberOr(const std::string& text, int64_t missing) {
  int64_t number = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), number);
  return done.ec == std::errc() && done.ptr == text.data() + text.size() ? number : missing;
}

std::string BoolText(bool value) { return value ? "true" : "false"; }

std::string_view KeepDeletedText(KeepDeletedCells keep) {
  switch (keep) {
    case KeepDeletedCells::kTrue: return "TRUE";
    case KeepDeletedCells::kTtl: return "TTL";
    case KeepDeletedCells::kFalse: break;
  }
  return "FALSE";
}

std::string AttributeOr(const ColumnFamilyDescriptor& family, const char* key,
                        std::string_view missing) {
  const auto at = family.attributes.find(key);
  return at == family.attributes.end() ? std::string(missing) : at->second;
}

// Attributes of tables that HBase shows by name; all others are metadata to it.
constexpr std::array<std::string_view, 7> kShownTableAttributes = {
    "DURABILITY", "IS_META",  "MAX_FILESIZE",      "MEMSTORE_FLUSHSIZE",
    "PRIORITY",   "READONLY", "REGION_REPLICATION"};

std::string TableValueText(std::string_view key, const std::string& value) {
  const bool size = key == "MAX_FILESIZE" || key == "MEMSTORE_FLUSHSIZE";
  const int64_t bytes = size ? NumberOr(value, -1) : -1;
  return bytes >= 0 ? ByteSizeText(bytes) : value;
}

}  // namespace

std::string TtlText(int64_t seconds) {
  if (seconds >= kTtlForever) return "FOREVER";
  std::string spoken;
  int64_t minutes = 0;
  const auto add = [&](int64_t unit, std::string_view name, int64_t* left) {
    const int64_t count = *left / unit;
    *left %= unit;
    if (unit == kMinute) minutes = count;
    // HBase's plural of the second looks at the minutes.
    const bool plural = unit == 1 ? minutes != 1 : count != 1;
    if (count > 0) {
      spoken += fmt::format("{}{} {}{}", spoken.empty() ? "" : " ", count, name, plural ? "S" : "");
    }
  };
  int64_t left = seconds;
  add(kDay, "DAY", &left);
  add(kHour, "HOUR", &left);
  add(kMinute, "MINUTE", &left);
  add(1, "SECOND", &left);
  return fmt::format("{} SECONDS{}", seconds, seconds < kMinute ? "" : " (" + spoken + ")");
}

std::string ByteSizeText(int64_t bytes) {
  std::string spoken;
  int64_t left = bytes;
  for (const auto& [unit, name] : {std::pair{int64_t{1} << 40, "TB"},
                                   {int64_t{1} << 30, "GB"},
                                   {int64_t{1} << 20, "MB"},
                                   {int64_t{1} << 10, "KB"},
                                   {int64_t{1}, "B"}}) {
    if (left / unit > 0) {
      spoken += fmt::format("{}{}{}", spoken.empty() ? "" : " ", left / unit, name);
    }
    left %= unit;
  }
  return fmt::format("{} B{}", bytes, spoken.empty() ? "" : " (" + spoken + ")");
}

std::string TableAttributesText(const TableDescriptor& table) {
  Pairs known;
  std::map<std::string, std::string> metadata;
  std::set<std::string_view> names(kShownTableAttributes.begin(), kShownTableAttributes.end());
  for (const auto& [key, value] : table.attributes) {
    if (names.count(key) > 0) {
      known.Add(key, TableValueText(key, value));
    } else {
      metadata[key] = value;
    }
  }
  known.AddMap("METADATA", metadata);
  return known.empty() ? "" : ", {TABLE_ATTRIBUTES => " + known.Braced() + "}";
}

std::string FamilyText(const ColumnFamilyDescriptor& family) {
  Pairs pairs;
  std::set<std::string, std::less<>> shown;
  const auto add = [&](const char* key, std::string_view value) {
    shown.insert(key);
    pairs.Add(key, value);
  };
  // In the order in which HBase shows them.
  add("NAME", ToStringBinary(family.name));
  add("INDEX_BLOCK_ENCODING", AttributeOr(family, "INDEX_BLOCK_ENCODING", "NONE"));
  add("VERSIONS", std::to_string(family.max_versions()));
  add("KEEP_DELETED_CELLS", KeepDeletedText(family.keep_deleted_cells()));
  add("DATA_BLOCK_ENCODING", DataBlockEncodingName(family.data_block_encoding()));
  add("TTL", TtlText(family.ttl_seconds()));
  add("MIN_VERSIONS", std::to_string(family.min_versions()));
  add("REPLICATION_SCOPE", AttributeOr(family, "REPLICATION_SCOPE", "0"));
  add("BLOOMFILTER", BloomTypeName(family.bloom_type()));
  add("IN_MEMORY", AttributeOr(family, "IN_MEMORY", "false"));
  add("COMPRESSION", CompressionName(family.compression()));
  add("BLOCKCACHE", BoolText(family.block_cache()));
  add("BLOCKSIZE", ByteSizeText(family.block_size_bytes()));
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::string> configuration;
  for (const auto& [key, value] : family.attributes) {
    if (shown.count(key) > 0) continue;
    // A property's name has dots; both kinds are kept together.
    const bool property = key.find('.') != std::string::npos;
    (property ? configuration : metadata)[key] = value;
  }
  pairs.AddMap("METADATA", metadata);
  pairs.AddMap("CONFIGURATION", configuration);
  return pairs.Braced();
}

std::string RegionText(const RegionInfo& region) {
  std::string text = fmt::format("{{ENCODED => {}, NAME => '{}', STARTKEY => '{}', ENDKEY => '{}'",
                                 region.EncodedName(), ToStringBinary(region.RegionName()),
                                 ToStringBinary(region.start_key), ToStringBinary(region.end_key));
  if (region.offline) text += ", OFFLINE => true";
  if (region.split) text += ", SPLIT => true";
  if (region.replica_id > 0) text += fmt::format(", REPLICA_ID => {}", region.replica_id);
  return text + "}";
}

}  // namespace bennu::shell
