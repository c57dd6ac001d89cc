// Names and descriptors of tables, families and regions, as HBase has them.
//
// Attributes are kept as HBase keeps them: text keys to text values, unknown ones verbatim, so that
// a descriptor read from a directory or a client is written back unchanged. Typed accessors read
// them with HBase's defaults. Values: copies are independent; no thread rule beyond that. Source:
// hbase-hfile spec section 13; TableDescriptorBuilder, ColumnFamilyDescriptorBuilder 2.5.
#ifndef BENNU_DESCRIPTOR_H_
#define BENNU_DESCRIPTOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu {

// A table's name within its namespace. HBase's TableName.
struct TableName {
  std::string name_space = "default";
  std::string qualifier;

  // Parses "qualifier" or "namespace:qualifier". InvalidArgument: a character HBase refuses.
  static Result<TableName> Parse(std::string_view text);
  // "qualifier" in the default namespace, else "namespace:qualifier".
  std::string ToString() const;

  friend bool operator==(const TableName&, const TableName&) = default;
  friend auto operator<=>(const TableName&, const TableName&) = default;
};

inline constexpr int32_t kTtlForever = 2147483647;

enum class KeepDeletedCells { kFalse, kTrue, kTtl };
enum class BloomType { kNone, kRow, kRowCol, kRowPrefixFixedLength };
enum class DataBlockEncoding : uint8_t {
  kNone = 0,
  kPrefix = 2,
  kDiff = 3,
  kFastDiff = 4,
  kRowIndexV1 = 7
};
// HBase's Compression.Algorithm ordinals, as the HFile trailer stores them.
enum class Compression : uint8_t {
  kLzo = 0,
  kGz = 1,
  kNone = 2,
  kSnappy = 3,
  kLz4 = 4,
  kBzip2 = 5,
  kZstd = 6,
  kLzma = 7,
  kBrotli = 8
};

std::string_view BloomTypeName(BloomType type);                      // "ROW" …
std::string_view DataBlockEncodingName(DataBlockEncoding encoding);  // "FAST_DIFF" …
std::string_view CompressionName(Compression compression);           // "GZ" …

// A family: its name and its attributes. HBase's ColumnFamilyDescriptor.
struct ColumnFamilyDescriptor {
  Bytes name;  // printable, 1..127 bytes; names the directory of its store
  std::map<std::string, std::string> attributes;  // VERSIONS, TTL, BLOOMFILTER …

  int32_t max_versions() const;  // VERSIONS, default 1
  int32_t min_versions() const;  // default 0
  int32_t ttl_seconds() const;   // kTtlForever when cells never expire
  KeepDeletedCells keep_deleted_cells() const;
  int32_t block_size_bytes() const;               // BLOCKSIZE, default 65536
  bool block_cache() const;                       // default true
  BloomType bloom_type() const;                   // default ROW
  int32_t bloom_prefix_length() const;            // for ROWPREFIX_FIXED_LENGTH
  DataBlockEncoding data_block_encoding() const;  // default NONE
  Compression compression() const;                // default NONE
  bool new_version_behavior() const;              // default false

  // InvalidArgument: an attribute that Bennu knows has an invalid value (the message names both),
  // or the family's name is invalid. NotSupported: an attribute whose effect Bennu does not have
  // yet. Without 'sane', meaningless numbers pass, as with hbase.table.sanity.checks=false.
  Status Validate(bool sane = true) const;

  friend bool operator==(const ColumnFamilyDescriptor&, const ColumnFamilyDescriptor&) = default;
};

// A table: its name, its attributes and its families. HBase's TableDescriptor.
struct TableDescriptor {
  TableName name;
  std::map<std::string, std::string> attributes;  // MAX_FILESIZE, coprocessor$1 …, kept verbatim
  std::vector<ColumnFamilyDescriptor> families;   // sorted by name once stored

  const ColumnFamilyDescriptor* FindFamily(ByteView family) const;  // null when absent
  // As that of its families. hbase.table.sanity.checks=false among the attributes turns 'sane' off.
  Status Validate(bool sane = true) const;

  friend bool operator==(const TableDescriptor&, const TableDescriptor&) = default;
};

// One region of a table: the rows in [start_key, end_key); an empty key is unbounded.
struct RegionInfo {
  TableName table;
  uint64_t region_id = 0;  // creation time, milliseconds
  Bytes start_key;
  Bytes end_key;
  bool offline = false;  // set on a parent that was split
  bool split = false;
  int32_t replica_id = 0;

  // "table,start,id.md5." as HBase names it in hbase:meta; hbase:meta's own is "hbase:meta,,1".
  Bytes RegionName() const;
  // 32 hex digits (MD5 of the name before it), "1588230740" for hbase:meta.
  std::string EncodedName() const;
  bool Contains(ByteView row) const;

  friend bool operator==(const RegionInfo&, const RegionInfo&) = default;
};

}  // namespace bennu

#endif  // BENNU_DESCRIPTOR_H_
