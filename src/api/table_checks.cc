#include "src/api/table_checks.h"

#include <array>
#include <string>
#include <string_view>

#include "src/api/class_names.h"
#include "src/api/split_properties.h"
#include "src/api/store_configuration.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"

namespace bennu::api {

namespace {

constexpr char kSanityChecksKey[] = "hbase.table.sanity.checks";
constexpr char kBlockingFilesKey[] = "hbase.hstore.blockingStoreFiles";
constexpr int64_t kBlockingFilesDefault = 16;
constexpr int64_t kFifoBlockingFilesMin = 1000;
constexpr int64_t kMegabyte = 1 << 20;

// Which families a flush takes first; here it takes all of them.
constexpr std::array<std::string_view, 3> kFlushPolicies = {
    "FlushAllStoresPolicy", "FlushAllLargeStoresPolicy", "FlushNonSloppyStoresFirstPolicy"};

// What regions and whole tables go by, so that it has no effect in a family's properties.
constexpr std::array<const char*, 12> kOfTable = {"hbase.hregion.max.filesize.limit",
                                                  "hbase.hregion.memstore.block.multiplier",
                                                  "hbase.hregion.memstore.flush.size.limit",
                                                  "hbase.busy.policy.aggWindow",
                                                  "hbase.busy.policy.blockedRequests",
                                                  "hbase.busy.policy.minAge",
                                                  "hbase.increasing.policy.initial.size",
                                                  "hbase.server.keyvalue.maxsize",
                                                  kSplitPolicyKey,
                                                  kRestrictionTypeKey,
                                                  kRestrictionLengthKey,
                                                  kRestrictionDelimiterKey};

Status Refused(const std::string& message) {
  return InvalidArgument(message + ". " + kSanityChecksKey +
                         "=false, of the table or the store, lets it pass");
}

Status CheckFloor(const std::string& owner, const StoreConfiguration& properties,
                  const Attributes& table, const char* key, const char* limit_key,
                  int64_t limit_default) {
  const std::string* const text = Find(table, key);
  const int64_t limit = properties.Integer(limit_key, limit_default);
  if (text == nullptr || ParseInteger(*text).value_or(limit) >= limit) return Status::Ok();
  return Refused(
      BadAttribute(owner, key, *text, "at least " + std::to_string(limit) + " bytes").message());
}

// FIFO drops files of which everything has expired, and does nothing else.
Status CheckFifo(const std::string& owner, const ColumnFamilyDescriptor& family,
                 const StoreConfiguration& properties) {
  const auto policy = properties.Class(kCompactionPolicyKey, kExploringCompactionPolicy);
  if (policy != kFifoCompactionPolicy) return Status::Ok();
  const std::string fifo = owner + ": " + std::string(kFifoCompactionPolicy);
  if (family.ttl_seconds() == kTtlForever) {
    return Refused(fifo + " drops only what has expired; give the family a TTL");
  }
  if (family.min_versions() > 0) {
    return Refused(fifo + " keeps no expired versions, but MIN_VERSIONS is " +
                   std::to_string(family.min_versions()) + "; set it to 0");
  }
  const int64_t files = properties.Integer(kBlockingFilesKey, kBlockingFilesDefault);
  if (files >= kFifoBlockingFilesMin) return Status::Ok();
  return Refused(fifo + " merges no files, so there will be many, but " + kBlockingFilesKey +
                 " is " + std::to_string(files) + "; set it to " +
                 std::to_string(kFifoBlockingFilesMin) + " or more");
}

Status CheckPlaces(const std::string& owner, const TableDescriptor& table) {
  RETURN_IF_ERROR(CheckPlace(owner, table.attributes));
  for (const ColumnFamilyDescriptor& family : table.families) {
    const std::string of_family = owner + ", family " + ToStringBinary(family.name);
    RETURN_IF_ERROR(CheckPlace(of_family, family.attributes));
    for (const char* const key : kOfTable) {
      if (Find(family.attributes, key) == nullptr) continue;
      return InvalidArgument(of_family + ": " + key +
                             " is of a table and has no effect here; set it for the table");
    }
  }
  return Status::Ok();
}

}  // namespace

bool HasSanityChecks(const TableDescriptor& table, const Attributes& site) {
  return StoreConfiguration(&site, &table.attributes, nullptr).Bool(kSanityChecksKey, true);
}

Status CheckTable(const TableDescriptor& table, const Attributes& site) {
  const bool sane = HasSanityChecks(table, site);
  RETURN_IF_ERROR(table.Validate(sane));
  const std::string owner = "table " + table.name.ToString();
  RETURN_IF_ERROR(CheckSplitProperties(owner, table.attributes, site));
  RETURN_IF_ERROR(CheckClass(owner, table.attributes, "FLUSH_POLICY", kFlushPolicies));
  const StoreConfiguration of_table(&site, &table.attributes, nullptr);
  if (!sane) return Status::Ok();
  if (const Status status = CheckPlaces(owner, table); !status.ok()) {
    return Refused(status.message());
  }
  RETURN_IF_ERROR(CheckFloor(owner, of_table, table.attributes, "MAX_FILESIZE",
                             "hbase.hregion.max.filesize.limit", 2 * kMegabyte));
  RETURN_IF_ERROR(CheckFloor(owner, of_table, table.attributes, "MEMSTORE_FLUSHSIZE",
                             "hbase.hregion.memstore.flush.size.limit", kMegabyte));
  for (const ColumnFamilyDescriptor& family : table.families) {
    const StoreConfiguration of_family(&site, &table.attributes, &family.attributes);
    RETURN_IF_ERROR(
        CheckFifo(owner + ", family " + ToStringBinary(family.name), family, of_family));
  }
  return Status::Ok();
}

}  // namespace bennu::api
