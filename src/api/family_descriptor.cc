// Typed reading and checking of a family's attributes (hbase-hfile spec section 13).
#include <algorithm>
#include <array>
#include <utility>

#include "bennu/cell.h"
#include "bennu/descriptor.h"
#include "src/api/attributes.h"
#include "src/api/family_options.h"
#include "src/api/store_configuration.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"

namespace bennu {

namespace {

using api::Attributes;
using api::Find;

constexpr int32_t kBlockSizeDefault = 65536;
constexpr int32_t kBlockSizeMin = 1024;
constexpr int32_t kBlockSizeMax = 16 << 20;

constexpr std::array<std::pair<BloomType, std::string_view>, 4> kBloomNames = {{
    {BloomType::kNone, "NONE"},
    {BloomType::kRow, "ROW"},
    {BloomType::kRowCol, "ROWCOL"},
    {BloomType::kRowPrefixFixedLength, "ROWPREFIX_FIXED_LENGTH"},
}};
constexpr std::array<std::pair<DataBlockEncoding, std::string_view>, 5> kEncodingNames = {{
    {DataBlockEncoding::kNone, "NONE"},
    {DataBlockEncoding::kPrefix, "PREFIX"},
    {DataBlockEncoding::kDiff, "DIFF"},
    {DataBlockEncoding::kFastDiff, "FAST_DIFF"},
    {DataBlockEncoding::kRowIndexV1, "ROW_INDEX_V1"},
}};
constexpr std::array<std::pair<Compression, std::string_view>, 9> kCompressionNames = {{
    {Compression::kLzo, "LZO"},
    {Compression::kGz, "GZ"},
    {Compression::kNone, "NONE"},
    {Compression::kSnappy, "SNAPPY"},
    {Compression::kLz4, "LZ4"},
    {Compression::kBzip2, "BZIP2"},
    {Compression::kZstd, "ZSTD"},
    {Compression::kLzma, "LZMA"},
    {Compression::kBrotli, "BROTLI"},
}};
// Those that files can be written with here.
constexpr std::string_view kCompressionsHere = "NONE, GZ, SNAPPY, LZ4, ZSTD";
constexpr std::array<std::pair<KeepDeletedCells, std::string_view>, 3> kKeepDeletedNames = {{
    {KeepDeletedCells::kFalse, "FALSE"},
    {KeepDeletedCells::kTrue, "TRUE"},
    {KeepDeletedCells::kTtl, "TTL"},
}};

template <typename Names, typename Value>
std::string_view NameOf(const Names& names, Value value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "UNKNOWN";
}

template <typename Names, typename Value>
Value ValueOf(const Names& names, const Attributes& attributes, const char* key, Value missing) {
  const std::string* const text = Find(attributes, key);
  if (text == nullptr) return missing;
  const std::string upper = api::ToUpper(*text);
  for (const auto& [value, name] : names) {
    if (name == upper) return value;
  }
  return missing;
}

template <typename Names>
Status CheckName(const std::string& owner, const Attributes& attributes, const char* key,
                 const Names& names) {
  const std::string* const text = Find(attributes, key);
  if (text == nullptr) return Status::Ok();
  const std::string upper = api::ToUpper(*text);
  std::string expected;
  for (const auto& [value, name] : names) {
    if (name == upper) return Status::Ok();
    expected += (expected.empty() ? "" : ", ") + std::string(name);
  }
  return api::BadAttribute(owner, key, *text, "one of " + expected);
}

int32_t IntegerOr(const Attributes& attributes, const char* key, int32_t missing) {
  const std::string* const text = Find(attributes, key);
  if (text == nullptr) return missing;
  const auto value = api::ParseInteger(*text);
  return value && *value >= INT32_MIN && *value <= INT32_MAX ? static_cast<int32_t>(*value)
                                                             : missing;
}

bool BoolOr(const Attributes& attributes, const char* key, bool missing) {
  const std::string* const text = Find(attributes, key);
  if (text == nullptr) return missing;
  return api::ParseBool(*text).value_or(missing);
}

Status CheckFamilyName(ByteView name) {
  const std::string shown = "family name '" + ToStringBinary(name) + "'";
  if (name.empty()) return InvalidArgument("a family name must not be empty");
  if (name.size() > kMaxFamilyLength) {
    return InvalidArgument(shown + " has " + std::to_string(name.size()) + " bytes; at most " +
                           std::to_string(kMaxFamilyLength) + " are possible");
  }
  if (name.front() == '.') return InvalidArgument(shown + " must not start with '.'");
  if (name == "recovered.edits") return InvalidArgument(shown + " is reserved");
  const auto is_bad = [](char c) {
    return static_cast<uint8_t>(c) < 0x20 || c == 0x7F || c == ':' || c == '/' || c == '\\';
  };
  if (std::any_of(name.begin(), name.end(), is_bad)) {
    return InvalidArgument(shown + " must not hold ':', '/', '\\' or control characters");
  }
  return Status::Ok();
}

bool IsHere(Compression compression) {
  return api::WritableCompression(compression) == compression;
}

Status CheckCompression(const std::string& owner, const Attributes& attributes, const char* key) {
  const std::string* const text = Find(attributes, key);
  if (text == nullptr) return Status::Ok();
  const std::string upper = api::ToUpper(*text);
  const auto named = std::find_if(kCompressionNames.begin(), kCompressionNames.end(),
                                  [&](const auto& each) { return each.second == upper; });
  const std::string expected = "one of " + std::string(kCompressionsHere);
  if (named == kCompressionNames.end()) return api::BadAttribute(owner, key, *text, expected);
  if (IsHere(named->first)) return Status::Ok();
  return NotSupported(owner + ": " + key + " is '" + *text + "', which is not here; expected " +
                      expected);
}

Status CheckTracker(const std::string& owner, const Attributes& attributes) {
  constexpr char kKey[] = "hbase.store.file-tracker.impl";
  const std::string* const tracker = Find(attributes, kKey);
  if (tracker == nullptr || *tracker == "DEFAULT") return Status::Ok();
  return api::UnsupportedAttribute(owner, kKey, *tracker);
}

// Without them a reader would not get what was written, or others would.
Status CheckStoredElsewhere(const std::string& owner, const Attributes& attributes) {
  if (BoolOr(attributes, "IS_MOB", false)) {
    return NotSupported(owner + ": IS_MOB=true: Bennu keeps large values in the store's files; " +
                        "there is no MOB area, leave the attribute out");
  }
  for (const char* key : {"ENCRYPTION", "ENCRYPTION_KEY"}) {
    if (const std::string* text = Find(attributes, key); text != nullptr && !text->empty()) {
      return NotSupported(
          owner + ": " + key + " is '" + *text +
          "', but store files are not encrypted here; leave the attribute out, and " +
          "keep the store on an encrypted file system");
    }
  }
  return CheckTracker(owner, attributes);
}

// Attributes that HBase acts upon and Bennu does not: refused unless they ask for nothing.
Status CheckUnsupported(const std::string& owner, const Attributes& attributes) {
  RETURN_IF_ERROR(CheckStoredElsewhere(owner, attributes));
  if (const std::string* text = Find(attributes, "INDEX_BLOCK_ENCODING");
      text != nullptr && api::ToUpper(*text) != "NONE") {
    return api::UnsupportedAttribute(owner, "INDEX_BLOCK_ENCODING", *text);
  }
  for (const char* key : {"COMPRESSION", "COMPRESSION_COMPACT", "COMPRESSION_COMPACT_MAJOR",
                          "COMPRESSION_COMPACT_MINOR"}) {
    RETURN_IF_ERROR(CheckCompression(owner, attributes, key));
  }
  return Status::Ok();
}

Status CheckTtl(const std::string& owner, const Attributes& attributes, bool sane) {
  const std::string* const text = Find(attributes, "TTL");
  if (text == nullptr) return Status::Ok();
  const auto seconds = api::ParseTtlSeconds(*text);
  if (seconds && (*seconds > 0 || !sane) && *seconds <= kTtlForever) return Status::Ok();
  return api::BadAttribute(owner, "TTL", *text, "seconds from 1 to 2147483647, or FOREVER");
}

}  // namespace

std::string_view BloomTypeName(BloomType type) { return NameOf(kBloomNames, type); }
std::string_view DataBlockEncodingName(DataBlockEncoding encoding) {
  return NameOf(kEncodingNames, encoding);
}
std::string_view CompressionName(Compression compression) {
  return NameOf(kCompressionNames, compression);
}

int32_t ColumnFamilyDescriptor::max_versions() const {
  return IntegerOr(attributes, "VERSIONS", 1);
}
int32_t ColumnFamilyDescriptor::min_versions() const {
  return std::max(IntegerOr(attributes, "MIN_VERSIONS", 0), 0);
}
int32_t ColumnFamilyDescriptor::ttl_seconds() const {
  const std::string* const text = Find(attributes, "TTL");
  if (text == nullptr) return kTtlForever;
  const auto seconds = api::ParseTtlSeconds(*text);
  // HBase also takes -1 for "never".
  if (!seconds || *seconds <= 0 || *seconds > kTtlForever) return kTtlForever;
  return static_cast<int32_t>(*seconds);
}
KeepDeletedCells ColumnFamilyDescriptor::keep_deleted_cells() const {
  return ValueOf(kKeepDeletedNames, attributes, "KEEP_DELETED_CELLS", KeepDeletedCells::kFalse);
}
int32_t ColumnFamilyDescriptor::block_size_bytes() const {
  return std::clamp(IntegerOr(attributes, "BLOCKSIZE", kBlockSizeDefault), 1, kBlockSizeMax);
}
bool ColumnFamilyDescriptor::block_cache() const { return BoolOr(attributes, "BLOCKCACHE", true); }
BloomType ColumnFamilyDescriptor::bloom_type() const {
  return ValueOf(kBloomNames, attributes, "BLOOMFILTER", BloomType::kRow);
}
int32_t ColumnFamilyDescriptor::bloom_prefix_length() const {
  return IntegerOr(attributes, "RowPrefixBloomFilter.prefix_length", 0);
}
DataBlockEncoding ColumnFamilyDescriptor::data_block_encoding() const {
  return ValueOf(kEncodingNames, attributes, "DATA_BLOCK_ENCODING", DataBlockEncoding::kNone);
}
Compression ColumnFamilyDescriptor::compression() const {
  return ValueOf(kCompressionNames, attributes, "COMPRESSION", Compression::kNone);
}
Compression api::WritableCompression(Compression compression) {
  switch (compression) {
    case Compression::kLzo:
    case Compression::kBzip2:
    case Compression::kLzma:
    case Compression::kBrotli: return Compression::kNone;
    default: return compression;
  }
}
Status api::CheckServable(const TableDescriptor& table) {
  const std::string owner = "table " + table.name.ToString();
  Status status = CheckTracker(owner, table.attributes);
  for (const ColumnFamilyDescriptor& family : table.families) {
    if (!status.ok()) break;
    const std::string name = "family " + ToStringBinary(family.name);
    status = CheckStoredElsewhere(name, family.attributes).Annotate(owner);
  }
  if (status.ok()) return status;
  return NotSupported(status.message() +
                      ". Its regions stay closed: take it off in HBase, and let a major compaction "
                      "rewrite the files");
}
Compression api::CompactionCompression(const ColumnFamilyDescriptor& family, bool major) {
  const Compression any =
      ValueOf(kCompressionNames, family.attributes, "COMPRESSION_COMPACT", family.compression());
  return ValueOf(kCompressionNames, family.attributes,
                 major ? "COMPRESSION_COMPACT_MAJOR" : "COMPRESSION_COMPACT_MINOR", any);
}
bool api::BoolAttribute(const ColumnFamilyDescriptor& family, const char* key, bool missing) {
  return BoolOr(family.attributes, key, missing);
}
bool ColumnFamilyDescriptor::new_version_behavior() const {
  return BoolOr(attributes, "NEW_VERSION_BEHAVIOR", false);
}

namespace {

// Numbers within the bounds that HBase's master keeps, unless it is told not to (sanityCheck in
// TableDescriptorChecker).
Status CheckBounds(const std::string& owner, const Attributes& attributes, bool sane) {
  struct Bound {
    const char* key;
    int64_t min, max;
  };
  for (const Bound& bound :
       {Bound{"MIN_VERSIONS", 0, INT32_MAX}, Bound{"BLOCKSIZE", kBlockSizeMin, kBlockSizeMax},
        Bound{"REPLICATION_SCOPE", 0, 2}, Bound{"DFS_REPLICATION", 0, INT16_MAX}}) {
    RETURN_IF_ERROR(api::CheckIntegerAttribute(
        owner, attributes, bound.key, sane ? bound.min : INT32_MIN, sane ? bound.max : INT32_MAX));
  }
  return CheckTtl(owner, attributes, sane);
}

}  // namespace

Status ColumnFamilyDescriptor::Validate(bool sane) const {
  RETURN_IF_ERROR(CheckFamilyName(name));
  const std::string owner = "family " + ToStringBinary(name);
  RETURN_IF_ERROR(api::CheckIntegerAttribute(owner, attributes, "VERSIONS", 1, INT32_MAX));
  RETURN_IF_ERROR(CheckBounds(owner, attributes, sane));
  if (sane && min_versions() > max_versions()) {
    return api::BadAttribute(owner, "MIN_VERSIONS", std::to_string(min_versions()),
                             "at most VERSIONS, which is " + std::to_string(max_versions()));
  }
  RETURN_IF_ERROR(CheckName(owner, attributes, "KEEP_DELETED_CELLS", kKeepDeletedNames));
  RETURN_IF_ERROR(CheckName(owner, attributes, "BLOOMFILTER", kBloomNames));
  RETURN_IF_ERROR(CheckName(owner, attributes, "DATA_BLOCK_ENCODING", kEncodingNames));
  for (const char* key : {"BLOCKCACHE", "IN_MEMORY", "COMPRESS_TAGS", "CACHE_DATA_ON_WRITE",
                          "CACHE_INDEX_ON_WRITE", "CACHE_BLOOMS_ON_WRITE", "EVICT_BLOCKS_ON_CLOSE",
                          "PREFETCH_BLOCKS_ON_OPEN", "NEW_VERSION_BEHAVIOR", "IS_MOB"}) {
    RETURN_IF_ERROR(api::CheckBoolAttribute(owner, attributes, key));
  }
  if (bloom_type() == BloomType::kRowPrefixFixedLength && bloom_prefix_length() <= 0) {
    return InvalidArgument(owner + ": BLOOMFILTER is ROWPREFIX_FIXED_LENGTH, which needs a " +
                           "positive RowPrefixBloomFilter.prefix_length");
  }
  RETURN_IF_ERROR(api::CheckStoreProperties(owner, attributes));
  return CheckUnsupported(owner, attributes);
}

}  // namespace bennu
