#include "src/api/store_configuration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "src/api/class_names.h"
#include "src/api/property_values.h"
#include "src/api/split_properties.h"
#include "src/base/status_macros.h"

namespace bennu::api {

namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

struct IntegerProperty {
  const char* key;
  int64_t min;
  int64_t max;
};
constexpr IntegerProperty kIntegers[] = {
    {"hbase.hstore.compaction.min", 0, kIntPropertyMax},
    {"hbase.hstore.compactionThreshold", 0, kIntPropertyMax},
    {"hbase.hstore.compaction.max", 1, kIntPropertyMax},
    {"hbase.hstore.compaction.min.size", 0, kMax},
    {"hbase.hstore.compaction.max.size", 1, kMax},
    {"hbase.hstore.compaction.max.size.offpeak", 1, kMax},
    {"hbase.hstore.blockingStoreFiles", 1, kIntPropertyMax},
    {"hbase.hregion.memstore.block.multiplier", 1, kIntPropertyMax},
    {"hbase.offpeak.start.hour", -1, 23},
    {"hbase.offpeak.end.hour", -1, 23},
    {"hbase.hregion.majorcompaction", 0, kMax},
    {"hbase.hstore.compaction.date.tiered.max.storefile.age.millis", 0, kMax},
    {"hbase.hstore.compaction.date.tiered.incoming.window.min", 1, kIntPropertyMax},
    {"hbase.hstore.compaction.date.tiered.base.window.millis", 1, kMax},
    {"hbase.hstore.compaction.date.tiered.windows.per.tier", 1, kIntPropertyMax},
    {"hbase.hstore.compaction.date.tiered.max.tier.age.millis", 0, kMax},
    {"hbase.store.stripe.initialStripeCount", 0, 1000},
    {"hbase.store.stripe.sizeToSplit", 1, kMax},
    {"hbase.store.stripe.compaction.minFiles", 1, kIntPropertyMax},
    {"hbase.store.stripe.compaction.maxFiles", 1, kIntPropertyMax},
    {"hbase.store.stripe.compaction.minFilesL0", 1, kIntPropertyMax},
    {"phoenix.max.lookback.age.seconds", 0, kIntPropertyMax},
    {"hbase.hstore.time.to.purge.deletes", 0, kMax},
    {"hbase.hstore.blockingWaitTime", 0, kMax},
    {"hbase.hstore.compaction.throughput.lower.bound", 0, kMax},
    {"hbase.hstore.compaction.throughput.higher.bound", 0, kMax},
    {"hbase.hstore.compaction.throughput.offpeak", 0, kMax},
    {"hbase.hregion.compacting.pipeline.segments.limit", 0, kIntPropertyMax},
    {"hbase.server.thread.wakefrequency", 0, kMax},
    {"hbase.server.compactchecker.interval.multiplier", 0, kIntPropertyMax},
    {"hbase.hregion.max.filesize.limit", 0, kMax},
    {"hbase.hregion.memstore.flush.size.limit", 0, kMax},
    {"hbase.server.keyvalue.maxsize", -kMax, kMax},
    {"hbase.table.max.rowsize", 0, kMax},
    // -1, HBase's default: as if it were not there.
    {"hbase.increasing.policy.initial.size", -1, kMax},
    {"hbase.busy.policy.minAge", 0, kMax},
    {"hbase.busy.policy.aggWindow", 1, kMax},
    {kRestrictionLengthKey, 1, kIntPropertyMax},
};
constexpr const char* kReals[] = {"hbase.hstore.compaction.ratio",
                                  "hbase.hstore.compaction.ratio.offpeak",
                                  "hbase.hregion.majorcompaction.jitter",
                                  "hbase.store.stripe.splitPartCount",
                                  "hbase.store.stripe.region.split.max.imbalance",
                                  "hbase.memstore.inmemoryflush.threshold.factor"};
constexpr const char* kBools[] = {
    "bennu.compaction.major.offpeak.only",
    "hbase.hstore.compaction.date.tiered.single.output.for.minor.compaction",
    "hbase.store.stripe.compaction.flushToL0", "hbase.table.sanity.checks", kMapFilesKey};

constexpr char kBusyShareKey[] = "hbase.busy.policy.blockedRequests";
constexpr char kInMemoryTypeKey[] = "hbase.hregion.compacting.memstore.type";
constexpr char kWindowPolicyKey[] = "hbase.hstore.compaction.date.tiered.window.policy.class";
constexpr char kWindowFactoryKey[] = "hbase.hstore.compaction.date.tiered.window.factory.class";
// Those that are neither numbers nor flags.
constexpr const char* kOthers[] = {
    kBusyShareKey,        kInMemoryTypeKey,    kStoreEngineKey,
    kCompactionPolicyKey, kWindowPolicyKey,    kWindowFactoryKey,
    kSplitPolicyKey,      kRestrictionTypeKey, kRestrictionDelimiterKey};

// What is done for all tables together.
constexpr const char* kOfWholeStore[] = {
    "hbase.hstore.blockingWaitTime", "hbase.hstore.compaction.throughput.lower.bound",
    "hbase.hstore.compaction.throughput.higher.bound", "hbase.hstore.compaction.throughput.offpeak",
    "hbase.server.thread.wakefrequency"};

std::optional<double> ParseReal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

Status CheckInMemoryCompaction(std::string_view owner, const Attributes& attributes,
                               const char* key) {
  const std::string* const text = Find(attributes, key);
  if (text == nullptr) return Status::Ok();
  const std::string upper = ToUpper(*text);
  for (const char* const name : {"NONE", "BASIC", "EAGER", "ADAPTIVE"}) {
    if (upper == name) return Status::Ok();
  }
  return BadAttribute(owner, key, *text, "one of NONE, BASIC, EAGER, ADAPTIVE");
}

// A share of the writes; HBase takes no other, but goes on with its default.
Status CheckBusyShare(std::string_view owner, const Attributes& attributes) {
  const std::string* const text = Find(attributes, kBusyShareKey);
  if (text == nullptr) return Status::Ok();
  const double share = ParseReal(*text).value_or(-1);
  if (share >= 0.00001 && share <= 0.99999) return Status::Ok();
  return BadAttribute(owner, kBusyShareKey, *text, "a share between 0 and 1, such as 0.2");
}

}  // namespace

const std::vector<std::string_view>& StorePropertyNames() {
  static const auto* const names = [] {
    auto* const list = new std::vector<std::string_view>;
    for (const IntegerProperty& property : kIntegers) list->push_back(property.key);
    for (const char* const key : kReals) list->push_back(key);
    for (const char* const key : kBools) list->push_back(key);
    for (const char* const key : kOthers) list->push_back(key);
    std::sort(list->begin(), list->end());
    return list;
  }();
  return *names;
}

bool IsStoreProperty(std::string_view name) {
  const auto& names = StorePropertyNames();
  return std::binary_search(names.begin(), names.end(), name);
}

Status CheckPlace(std::string_view owner, const Attributes& attributes) {
  for (const char* const key : kOfWholeStore) {
    if (Find(attributes, key) == nullptr) continue;
    return InvalidArgument(std::string(owner) + ": " + key +
                           " is of the whole store and has no effect here; give it to the program "
                           "that opens the store (--conf, --config)");
  }
  return Status::Ok();
}

std::string_view LastPartOfClass(std::string_view class_name) {
  const size_t end = class_name.find_last_not_of(" \t");
  class_name = class_name.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const size_t dot = class_name.find_last_of(".$");
  return dot == std::string_view::npos ? class_name : class_name.substr(dot + 1);
}

Status CheckClass(std::string_view owner, const Attributes& attributes, const std::string& key,
                  std::span<const std::string_view> known) {
  const std::string* const text = Find(attributes, key);
  if (text == nullptr || text->empty()) return Status::Ok();
  std::string names;
  for (const std::string_view name : known) {
    if (LastPartOfClass(*text) == name) return Status::Ok();
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return NotSupported(OwnerPrefix(owner) + key + " is '" + *text +
                      "', a class that is not here; known are " + names);
}

const std::string* StoreConfiguration::Find(const std::string& key) const {
  for (const Attributes* const from : {family_, table_, site_}) {
    if (from == nullptr) continue;
    if (const std::string* const value = api::Find(*from, key)) return value;
  }
  return nullptr;
}

int64_t StoreConfiguration::Integer(const std::string& key, int64_t missing) const {
  const std::string* const text = Find(key);
  return text == nullptr ? missing : ParseInteger(*text).value_or(missing);
}

double StoreConfiguration::Real(const std::string& key, double missing) const {
  const std::string* const text = Find(key);
  return text == nullptr ? missing : ParseReal(*text).value_or(missing);
}

bool StoreConfiguration::Bool(const std::string& key, bool missing) const {
  const std::string* const text = Find(key);
  return text == nullptr ? missing : ParseBool(*text).value_or(missing);
}

std::string_view StoreConfiguration::Class(const std::string& key, std::string_view missing) const {
  const std::string* const text = Find(key);
  return text == nullptr ? missing : LastPartOfClass(*text);
}

Status CheckStoreProperties(std::string_view owner, const Attributes& attributes) {
  for (const IntegerProperty& property : kIntegers) {
    RETURN_IF_ERROR(
        CheckIntegerAttribute(owner, attributes, property.key, property.min, property.max));
  }
  for (const char* const key : kReals) {
    const std::string* const text = Find(attributes, key);
    if (text != nullptr && ParseReal(*text).value_or(-1) < 0) {
      return BadAttribute(owner, key, *text, "a number that is not negative");
    }
  }
  for (const char* const key : kBools) RETURN_IF_ERROR(CheckBoolAttribute(owner, attributes, key));
  for (const char* const key : {"IN_MEMORY_COMPACTION", kInMemoryTypeKey}) {
    RETURN_IF_ERROR(CheckInMemoryCompaction(owner, attributes, key));
  }
  RETURN_IF_ERROR(
      CheckClass(owner, attributes, kStoreEngineKey,
                 std::array{kDefaultStoreEngine, kDateTieredStoreEngine, kStripeStoreEngine}));
  RETURN_IF_ERROR(CheckClass(
      owner, attributes, kCompactionPolicyKey,
      std::array{kExploringCompactionPolicy, kRatioCompactionPolicy, kFifoCompactionPolicy}));
  RETURN_IF_ERROR(CheckBusyShare(owner, attributes));
  RETURN_IF_ERROR(CheckSplitPolicyClass(owner, attributes, kSplitPolicyKey));
  RETURN_IF_ERROR(CheckClass(owner, attributes, kRestrictionTypeKey,
                             std::array{std::string_view("None"), std::string_view("KeyPrefix"),
                                        std::string_view("DelimitedKeyPrefix")}));
  RETURN_IF_ERROR(CheckClass(owner, attributes, kWindowPolicyKey,
                             std::array{kExploringCompactionPolicy, kRatioCompactionPolicy}));
  return CheckClass(owner, attributes, kWindowFactoryKey,
                    std::array{std::string_view("ExponentialCompactionWindowFactory")});
}

}  // namespace bennu::api
