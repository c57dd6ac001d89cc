// StoreConfiguration: HBase's properties as one store sees them. A family's value wins over its
// table's, and both over what holds for the whole store.
//
// HBase merges its site file with the values of table and family in that order
// (CompoundConfiguration in HStore); CONFIGURATION of the shell is part of these values here
// (descriptor_pb.h).
#ifndef BENNU_SRC_API_STORE_CONFIGURATION_H_
#define BENNU_SRC_API_STORE_CONFIGURATION_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/api/attributes.h"

namespace bennu::api {

// Names of classes that values of properties may be; only the last part counts.
inline constexpr std::string_view kDefaultStoreEngine = "DefaultStoreEngine";
inline constexpr std::string_view kDateTieredStoreEngine = "DateTieredStoreEngine";
inline constexpr std::string_view kStripeStoreEngine = "StripeStoreEngine";
inline constexpr std::string_view kExploringCompactionPolicy = "ExploringCompactionPolicy";
inline constexpr std::string_view kRatioCompactionPolicy = "RatioBasedCompactionPolicy";
inline constexpr std::string_view kFifoCompactionPolicy = "FIFOCompactionPolicy";

inline constexpr char kStoreEngineKey[] = "hbase.hstore.engine.class";
inline constexpr char kCompactionPolicyKey[] = "hbase.hstore.defaultengine.compactionpolicy.class";
// Bennu's own: whether store files are read through a mapping (src/base/mapped_file.h).
inline constexpr char kMapFilesKey[] = "bennu.storefile.mmap";

// Views of the three maps, which must outlive it. Immutable, so thread-safe.
class StoreConfiguration {
 public:
  // Null: no properties of that kind.
  StoreConfiguration(const Attributes* site, const Attributes* table, const Attributes* family)
      : site_(site), table_(table), family_(family) {}

  // The value that counts; null when there is none.
  const std::string* Find(const std::string& key) const;
  // 'missing' also for a text that is no such value.
  int64_t Integer(const std::string& key, int64_t missing) const;
  double Real(const std::string& key, double missing) const;
  bool Bool(const std::string& key, bool missing) const;
  // The last part of a class's name, or 'missing'.
  std::string_view Class(const std::string& key, std::string_view missing) const;

 private:
  const Attributes* const site_;
  const Attributes* const table_;
  const Attributes* const family_;
};

// Checks the properties that stores read, wherever they stand. 'owner' is "table t", "family f" or
// the like. InvalidArgument: a number that is none, or out of bounds. NotSupported: a class that
// Bennu does not have.
// 'owner' may be empty: the message begins with the property's name.
Status CheckStoreProperties(std::string_view owner, const Attributes& attributes);

// The names of the properties that it knows, sorted.
const std::vector<std::string_view>& StorePropertyNames();
bool IsStoreProperty(std::string_view name);

// Checks that none of a table's or family's properties is one that only the whole store can have:
// HBase takes them there, and reads them nowhere. InvalidArgument.
Status CheckPlace(std::string_view owner, const Attributes& attributes);

}  // namespace bennu::api

#endif  // BENNU_SRC_API_STORE_CONFIGURATION_H_
