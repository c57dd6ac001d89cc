#include <limits>
#include <set>

#include "bennu/descriptor.h"
#include "src/api/attributes.h"
#include "src/api/store_configuration.h"
#include "src/api/table_checks.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"

namespace bennu {

namespace {

Status CheckDurability(const std::string& owner, const api::Attributes& attributes) {
  const std::string* const text = api::Find(attributes, "DURABILITY");
  if (text == nullptr) return Status::Ok();
  for (const char* name : {"USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL", "FSYNC_WAL"}) {
    if (*text == name) return Status::Ok();
  }
  return api::BadAttribute(owner, "DURABILITY", *text,
                           "one of USE_DEFAULT, SKIP_WAL, ASYNC_WAL, SYNC_WAL, FSYNC_WAL");
}

Status CheckAttributes(const std::string& owner, const api::Attributes& attributes) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  RETURN_IF_ERROR(api::CheckIntegerAttribute(owner, attributes, "MAX_FILESIZE", -1, kMax));
  RETURN_IF_ERROR(api::CheckIntegerAttribute(owner, attributes, "MEMSTORE_FLUSHSIZE", -1, kMax));
  RETURN_IF_ERROR(api::CheckIntegerAttribute(owner, attributes, "REGION_REPLICATION", 1, 65535));
  for (const char* key :
       {"IS_META", "READONLY", "COMPACTION_ENABLED", "SPLIT_ENABLED", "MERGE_ENABLED",
        "NORMALIZATION_ENABLED", "REGION_MEMSTORE_REPLICATION"}) {
    RETURN_IF_ERROR(api::CheckBoolAttribute(owner, attributes, key));
  }
  RETURN_IF_ERROR(CheckDurability(owner, attributes));
  const std::string* const replicas = api::Find(attributes, "REGION_REPLICATION");
  if (replicas != nullptr && *replicas != "1") {
    return NotSupported(owner + ": REGION_REPLICATION is '" + *replicas +
                        "', but a region has one replica here; leave the attribute out, or set 1");
  }
  const std::string* const tracker = api::Find(attributes, "hbase.store.file-tracker.impl");
  if (tracker != nullptr && *tracker != "DEFAULT") {
    return api::UnsupportedAttribute(owner, "hbase.store.file-tracker.impl", *tracker);
  }
  return api::CheckStoreProperties(owner, attributes);
}

}  // namespace

const ColumnFamilyDescriptor* TableDescriptor::FindFamily(ByteView family) const {
  for (const ColumnFamilyDescriptor& candidate : families) {
    if (candidate.name == family) return &candidate;
  }
  return nullptr;
}

Status TableDescriptor::Validate(bool sane) const {
  RETURN_IF_ERROR(TableName::Parse(name.name_space + ":" + name.qualifier).status());
  const std::string owner = "table " + name.ToString();
  RETURN_IF_ERROR(CheckAttributes(owner, attributes));
  if (families.empty()) return InvalidArgument(owner + " must have at least one family");
  sane = sane && api::HasSanityChecks(*this, {});
  std::set<ByteView> names;
  for (const ColumnFamilyDescriptor& family : families) {
    RETURN_IF_ERROR(family.Validate(sane).Annotate(owner));
    if (!names.insert(family.name).second) {
      return InvalidArgument(owner + " names the family " + ToStringBinary(family.name) + " twice");
    }
  }
  return Status::Ok();
}

}  // namespace bennu
