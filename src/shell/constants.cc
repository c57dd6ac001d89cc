#include "src/shell/constants.h"

#include <algorithm>
#include <array>
#include <utility>

namespace bennu::shell {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAliases = {{
    {"ENDKEY", "STOPROW"},
    {"ENDROW", "STOPROW"},
    {"STARTKEY", "STARTROW"},
}};

}  // namespace

const std::vector<std::string_view>& ConstantNames() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all = {
        // of reads and writes
        "ALLOW_PARTIAL_RESULTS", "ALL_METRICS", "ATTRIBUTES", "AUTHORIZATIONS", "BATCH", "CACHE",
        "CACHE_BLOCKS", "COLUMN", "COLUMNS", "CONSISTENCY", "FILTER", "FORMATTER",
        "FORMATTER_CLASS", "INTERVAL", "ISOLATION_LEVEL", "LIMIT", "MAXLENGTH", "MAX_RESULT_SIZE",
        "METRICS", "RAW", "READ_TYPE", "REGION_REPLICA_ID", "REVERSED", "ROWPREFIXFILTER",
        "STARTROW", "STOPROW", "TIMERANGE", "TIMESTAMP", "VERSIONS", "VISIBILITY",
        // of families
        "BLOCKCACHE", "BLOCKSIZE", "BLOOMFILTER", "CACHE_BLOOMS_ON_WRITE", "CACHE_DATA_ON_WRITE",
        "CACHE_INDEX_ON_WRITE", "COMPRESSION", "COMPRESSION_COMPACT", "COMPRESSION_COMPACT_MAJOR",
        "COMPRESSION_COMPACT_MINOR", "COMPRESS_TAGS", "DATA_BLOCK_ENCODING", "DFS_REPLICATION",
        "ENCRYPTION", "ENCRYPTION_KEY", "EVICT_BLOCKS_ON_CLOSE", "FOREVER", "INDEX_BLOCK_ENCODING",
        "IN_MEMORY", "IN_MEMORY_COMPACTION", "IS_MOB", "KEEP_DELETED_CELLS", "MIN_VERSIONS",
        "MOB_COMPACT_PARTITION_POLICY", "MOB_THRESHOLD", "NEW_VERSION_BEHAVIOR",
        "PREFETCH_BLOCKS_ON_OPEN", "REPLICATION_SCOPE", "STORAGE_POLICY", "TTL",
        // of tables
        "COMPACTION_ENABLED", "CONFIGURATION", "DURABILITY", "FLUSH_POLICY", "MAX_FILESIZE",
        "MEMSTORE_FLUSHSIZE", "MERGE_ENABLED", "METADATA", "METHOD", "NAME",
        "NORMALIZATION_ENABLED", "NORMALIZER_TARGET_REGION_COUNT", "NORMALIZER_TARGET_REGION_SIZE",
        "NORMALIZER_TARGET_REGION_SIZE_MB", "NUMREGIONS", "OWNER", "PRIORITY", "READONLY",
        "REGION_MEMSTORE_REPLICATION", "REGION_REPLICATION", "REOPEN_REGIONS", "SPLITALGO",
        "SPLITS", "SPLITS_FILE", "SPLIT_ENABLED", "SPLIT_POLICY",
        // of the rest
        "CLASSNAME", "CLONE_SFT", "CLUSTER", "CONFIG", "DATA", "DISABLE", "GLOBAL_BYPASS",
        "LOCALITY_THRESHOLD", "MACHINE", "NAMESPACE", "NONE", "NO_INSERTS", "NO_WRITES",
        "NO_WRITES_COMPACTIONS", "READ", "REGIONSERVER", "REQUEST", "SCOPE", "SPACE", "THROTTLE",
        "THROTTLE_TYPE", "WRITE", "POLICY", "REGEX", "RESTORE_ACL", "SERVER_NAME", "SKIP_FLUSH",
        "STATE", "TABLE", "TYPE", "USER", "VALUE"};
    std::sort(all.begin(), all.end());
    return all;
  }();
  return names;
}

std::optional<Value> FindConstant(std::string_view name) {
  if (name == "TRUE" || name == "FALSE") return Value::Boolean(name == "TRUE");
  if (name == "NIL") return Value();
  for (const auto& [alias, meaning] : kAliases) {
    if (alias == name) return Value::String(meaning);
  }
  const auto& names = ConstantNames();
  if (!std::binary_search(names.begin(), names.end(), name)) return std::nullopt;
  return Value::String(name);
}

}  // namespace bennu::shell
