#include "src/sql/catalog/options.h"
#include "src/sql/catalog/local_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>
#include <string_view>

#include "bennu/descriptor.h"
#include "src/base/ascii.h"
#include "src/base/status_macros.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

using parse::Expr;
using parse::ExprKind;
using parse::LiteralKind;
using parse::Property;

constexpr int32_t kMaxSaltBuckets = 256;
constexpr int32_t kMaxEncodedBytes = 4;

Status BadValue(const Property& property, std::string_view expected) {
  return MakeUncodedSqlError(fmt::format("{} must be {}", property.name, expected),
                             property.position);
}

Status NotThere(const Property& property, std::string_view feature) {
  return MakeUncodedSqlError(fmt::format("{} is not supported yet ({})", feature, property.name),
                             property.position, "leave the option out");
}

bool IsNull(const Property& property) {
  return property.value->kind == ExprKind::kLiteral &&
         property.value->literal == LiteralKind::kNull;
}

// Of Phoenix's own options those to which NULL says something; the others it leaves as they are.
bool TakesNull(const Property& property) {
  return property.name == "TTL" || property.name == kGuidePostsWidth;
}

Result<bool> BoolOf(const Property& property) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(property));
  const std::string upper = Upper(text);
  if (upper == "TRUE") return true;
  if (upper == "FALSE") return false;
  return BadValue(property, "true or false");
}

Result<int64_t> IntegerOf(const Property& property, std::string_view expected) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(property));
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0) {
    return BadValue(property, expected);
  }
  return number;
}

Status SetBool(const Property& property, std::optional<bool>* out) {
  ASSIGN_OR_RETURN(*out, BoolOf(property));
  return Status::Ok();
}

// ---------------------------------------------------------------- Phoenix's own options

Status SetSaltBuckets(const Property& property, TableOptions* options) {
  ASSIGN_OR_RETURN(const int64_t buckets, IntegerOf(property, "a number from 0 to 256"));
  if (buckets > kMaxSaltBuckets) return MakeSqlError(1021, "", property.position);
  options->salt_buckets = static_cast<int32_t>(buckets);
  return Status::Ok();
}

Status SetEncodedBytes(const Property& property, TableOptions* options) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(property));
  if (Upper(text) == "NONE") {
    options->encoding_bytes = 0;
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const int64_t bytes, IntegerOf(property, "NONE or a number from 0 to 4"));
  if (bytes > kMaxEncodedBytes) return BadValue(property, "NONE or a number from 0 to 4");
  options->encoding_bytes = static_cast<int32_t>(bytes);
  return Status::Ok();
}

Status SetStorageScheme(const Property& property, TableOptions* options) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(property));
  const std::string upper = Upper(text);
  if (upper == "ONE_CELL_PER_COLUMN") {
    options->storage_scheme = StorageScheme::kOneCellPerColumn;
  } else if (upper == "SINGLE_CELL_ARRAY_WITH_OFFSETS") {
    options->storage_scheme = StorageScheme::kSingleCellArrayWithOffsets;
  } else {
    return BadValue(property, "ONE_CELL_PER_COLUMN or SINGLE_CELL_ARRAY_WITH_OFFSETS");
  }
  return Status::Ok();
}

Status SetDefaultFamily(const Property& property, TableOptions* options) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(property));
  if (text.empty()) return BadValue(property, "a family's name");
  if (IsLocalFamily(text)) return MakeSqlError(1090, "familyName=" + text, property.position);
  options->default_family = text;
  return Status::Ok();
}

Status SetUpdateCacheFrequency(const Property& property, TableOptions* options) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(property));
  const std::string upper = Upper(text);
  if (upper == "ALWAYS") {
    options->update_cache_frequency_ms = kUpdateCacheAlways;
  } else if (upper == "NEVER") {
    options->update_cache_frequency_ms = kUpdateCacheNever;
  } else {
    ASSIGN_OR_RETURN(options->update_cache_frequency_ms,
                     IntegerOf(property, "ALWAYS, NEVER or a number of milliseconds"));
  }
  return Status::Ok();
}

Status SetTtl(const Property& property, TableOptions* options) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(property));
  const std::string upper = Upper(text);
  if (upper == "FOREVER" || upper == "NONE" || upper.empty()) {
    options->ttl = "";
    options->family_attributes["TTL"] = std::to_string(kTtlForever);
    return Status::Ok();
  }
  const bool digits =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) {
    // A condition: whether it can be one is seen where the columns are known.
    if (property.value->kind != ExprKind::kLiteral) return BadValue(property, "a time or a text");
    options->ttl = text;
    options->family_attributes["TTL"] = std::to_string(kTtlForever);
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const int64_t seconds, IntegerOf(property, "a number of seconds"));
  const bool forever = seconds == 0 || seconds >= kTtlForever;
  options->ttl = forever ? "" : std::to_string(seconds);
  options->family_attributes["TTL"] = std::to_string(forever ? kTtlForever : seconds);
  return Status::Ok();
}

Status SetTransactional(const Property& property, TableOptions* options) {
  return SetBool(property, &options->transactional);
}

Status KeepText(const Property& property, TableOptions* options) {
  ASSIGN_OR_RETURN(options->catalog_texts[property.name], TextOf(property));
  return Status::Ok();
}

Status KeepBool(const Property& property, TableOptions* options) {
  ASSIGN_OR_RETURN(const bool value, BoolOf(property));
  options->catalog_texts[property.name] = value ? "true" : "false";
  return Status::Ok();
}

// NULL takes a width away that was given before.
Status SetGuidePostsWidth(const Property& property, TableOptions* options) {
  if (IsNull(property)) {
    options->catalog_texts[property.name] = "";
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const int64_t value, IntegerOf(property, "a number of bytes or NULL"));
  options->catalog_texts[property.name] = std::to_string(value);
  return Status::Ok();
}

Status Refuse(const Property& property, TableOptions*) { return NotThere(property, "this option"); }

using Setter = std::function<Status(const Property&, TableOptions*)>;

template <std::optional<bool> TableOptions::*member>
Status SetMember(const Property& property, TableOptions* options) {
  return SetBool(property, &(options->*member));
}

const std::map<std::string_view, Setter>& PhoenixOptions() {
  static const auto* const setters = new std::map<std::string_view, Setter>{
      {"SALT_BUCKETS", SetSaltBuckets},
      {"IMMUTABLE_ROWS", SetMember<&TableOptions::immutable_rows>},
      {"COLUMN_ENCODED_BYTES", SetEncodedBytes},
      {"IMMUTABLE_STORAGE_SCHEME", SetStorageScheme},
      {"DEFAULT_COLUMN_FAMILY", SetDefaultFamily},
      {"STORE_NULLS", SetMember<&TableOptions::store_nulls>},
      {"MULTI_TENANT", SetMember<&TableOptions::multi_tenant>},
      {"DISABLE_WAL", SetMember<&TableOptions::disable_wal>},
      {"APPEND_ONLY_SCHEMA", SetMember<&TableOptions::append_only_schema>},
      {"TRANSACTIONAL", SetTransactional},
      {"UPDATE_CACHE_FREQUENCY", SetUpdateCacheFrequency},
      {"TTL", SetTtl},
      {"IS_STRICT_TTL", KeepBool},
      {"CHANGE_DETECTION_ENABLED", KeepBool},
      {"USE_STATS_FOR_PARALLELIZATION", KeepBool},
      {kGuidePostsWidth, SetGuidePostsWidth},
      {"SCHEMA_VERSION", KeepText},
      {"EXTERNAL_SCHEMA_ID", KeepText},
      {"STREAMING_TOPIC_NAME", KeepText},
      {"TRANSACTION_PROVIDER", [](const Property&, TableOptions*) { return Status::Ok(); }},
      {"AUTO_PARTITION_SEQ", KeepText},
      {"PHYSICAL_TABLE_NAME", Refuse},
  };
  return *setters;
}

// ---------------------------------------------------------------- HBase's options

}  // namespace

Result<std::string> TextOf(const Property& property) {
  const Expr& value = *property.value;
  if (value.kind == ExprKind::kColumn) return value.column.text;
  if (value.kind == ExprKind::kLiteral) {
    switch (value.literal) {
      case LiteralKind::kNull: return std::string();
      case LiteralKind::kTrue: return std::string("true");
      case LiteralKind::kFalse: return std::string("false");
      default: return value.text;
    }
  }
  return BadValue(property, "a literal");
}

bool IsFamilyAttribute(const std::string& name) {
  static const std::set<std::string_view> names = {"VERSIONS",
                                                   "MIN_VERSIONS",
                                                   "TTL",
                                                   "BLOOMFILTER",
                                                   "COMPRESSION",
                                                   "DATA_BLOCK_ENCODING",
                                                   "BLOCKSIZE",
                                                   "KEEP_DELETED_CELLS",
                                                   "IN_MEMORY",
                                                   "BLOCKCACHE",
                                                   "REPLICATION_SCOPE",
                                                   "CACHE_DATA_ON_WRITE",
                                                   "CACHE_INDEX_ON_WRITE",
                                                   "CACHE_BLOOMS_ON_WRITE",
                                                   "EVICT_BLOCKS_ON_CLOSE",
                                                   "PREFETCH_BLOCKS_ON_OPEN",
                                                   "COMPRESSION_COMPACT",
                                                   "COMPRESSION_COMPACT_MAJOR",
                                                   "COMPRESSION_COMPACT_MINOR",
                                                   "COMPRESS_TAGS",
                                                   "IS_MOB",
                                                   "MOB_THRESHOLD",
                                                   "ENCRYPTION",
                                                   "ENCRYPTION_KEY",
                                                   "DFS_REPLICATION",
                                                   "NEW_VERSION_BEHAVIOR",
                                                   "IN_MEMORY_COMPACTION",
                                                   "STORAGE_POLICY",
                                                   "METADATA"};
  return names.contains(name);
}

bool IsSharedByFamilies(const std::string& name) {
  return name == "TTL" || name == "KEEP_DELETED_CELLS" || name == "REPLICATION_SCOPE";
}

Attributes AttributesOfIndex(const Attributes& of_table) {
  Attributes shared;
  for (const auto& [name, value] : of_table) {
    if (IsSharedByFamilies(name)) shared[name] = value;
    if (name == "MIN_VERSIONS") shared[name] = value == "0" ? "0" : "1";
  }
  return shared;
}

namespace {

Status SetHBaseOption(const Property& property, TableOptions* options) {
  ASSIGN_OR_RETURN(std::string text, TextOf(property));
  if (!IsFamilyAttribute(property.name)) {
    if (!property.family.empty()) {
      return MakeSqlError(1049, "Property: " + property.name, property.position);
    }
    options->table_attributes[property.name] = std::move(text);
    return Status::Ok();
  }
  if (property.name == "KEEP_DELETED_CELLS") text = Upper(std::move(text));
  Attributes& attributes = property.family.empty() ? options->family_attributes
                                                   : options->attributes_of_family[property.family];
  attributes[property.name] = std::move(text);
  return Status::Ok();
}

}  // namespace

Result<TableOptions> ParseOptions(const std::vector<Property>& properties) {
  TableOptions options;
  for (const Property& property : properties) {
    if (!property.family.empty() && IsSharedByFamilies(property.name)) {
      return MakeSqlError(1050, "Property: " + property.name, property.position,
                          "set it for the whole table");
    }
    const auto setter = PhoenixOptions().find(property.name);
    if (setter == PhoenixOptions().end()) {
      RETURN_IF_ERROR(SetHBaseOption(property, &options));
      continue;
    }
    if (!property.family.empty()) {
      return MakeSqlError(1049, "Property: " + property.name, property.position);
    }
    if (IsNull(property) && !TakesNull(property)) continue;
    RETURN_IF_ERROR(setter->second(property, &options));
  }
  return options;
}

void KeepCatalogTexts(const TableOptions& options, TableMeta* table) {
  for (const auto& [name, text] : options.catalog_texts) {
    if (text.empty()) {
      table->other_properties.erase(name);
    } else {
      table->other_properties[name] = text;
    }
  }
}

Attributes DefaultFamilyAttributes() {
  return {{"VERSIONS", "1"},
          {"DATA_BLOCK_ENCODING", "FAST_DIFF"},
          {"BLOOMFILTER", "ROW"},
          {"KEEP_DELETED_CELLS", "FALSE"},
          {"TTL", std::to_string(kTtlForever)},
          {"COMPRESSION", "NONE"},
          {"BLOCKSIZE", "65536"},
          {"MIN_VERSIONS", "0"},
          {"BLOCKCACHE", "true"},
          {"IN_MEMORY", "false"},
          {"REPLICATION_SCOPE", "0"}};
}

}  // namespace bennu::sql::catalog
