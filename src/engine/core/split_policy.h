// When a region is split by itself, and where: HBase's policies, chosen by the table attribute
// SPLIT_POLICY (a class name; only its last part counts), or for all tables without one by
// hbase.regionserver.region.split.policy, and sized by MAX_FILESIZE.
//
//   SteppingSplitPolicy                      the default: twice the flush size while the table has
//                                            one region, MAX_FILESIZE from then on
//   IncreasingToUpperBoundRegionSplitPolicy  regions³ × twice the flush size, MAX_FILESIZE at most;
//                                            here and above hbase.increasing.policy.initial.size,
//                                            if set, takes the place of twice the flush size
//   ConstantSizeRegionSplitPolicy            MAX_FILESIZE
//   KeyPrefixRegionSplitPolicy, DelimitedKeyPrefixRegionSplitPolicy
//                                            as IncreasingToUpperBound, never inside a prefix
//   BusyRegionSplitPolicy                    as IncreasingToUpperBound; also a region whose writers
//                                            were held up by full memstores too often
//                                            (hbase.busy.policy.blockedRequests, minAge, aggWindow)
//   DisabledRegionSplitPolicy                never, not when asked either
//   Phoenix's MetaDataSplitPolicy, SystemFunctionSplitPolicy, SystemStatsSplitPolicy
//                                            as Stepping, never inside the first key columns
//   Phoenix's IndexRegionSplitPolicy         as Stepping; SystemTaskSplitPolicy as Disabled
//
// HBase varies MAX_FILESIZE by up to an eighth from region to region, so that not all split at
// once; here splits run one at a time and it counts as it is. With each policy a table may say
// besides that no border is to be inside a prefix
// (hbase.regionserver.region.split_restriction.type, prefix_length, delimiter). Values; pure
// functions. Source: the classes of these names in HBase 2.5.10 and Phoenix 5.3.
#ifndef BENNU_SRC_ENGINE_CORE_SPLIT_POLICY_H_
#define BENNU_SRC_ENGINE_CORE_SPLIT_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "src/api/store_configuration.h"

namespace bennu::engine {

class SplitPolicy {
 public:
  // The sizes are those of tables that do not say.
  // 'configuration': of the whole store; a table's properties win over it. May be null.
  SplitPolicy(const TableDescriptor& table, uint64_t max_file_bytes, uint64_t flush_bytes,
              const api::Attributes* configuration = nullptr);

  // Also false with SPLIT_ENABLED=false.
  bool may_split() const { return kind_ != Kind::kDisabled; }
  // A region splits when one of its stores is bigger than this.
  uint64_t SizeToSplit(size_t table_region_count) const;
  // When a region is split for its writers' sake, whatever its size: it is at least so old, and
  // this share of its writes of a window met full memstores (RegionWriter::MeasurePressure).
  // Nothing: never.
  struct Busy {
    double held_up_share = 0.2;
    int64_t age_millis = 600'000;
    int64_t window_millis = 300'000;
  };
  const std::optional<Busy>& busy() const { return busy_; }
  // Moves a row where a region could be split to where this policy allows it; empty: nowhere.
  Bytes Border(ByteView row) const;

 private:
  void SetBusy(const TableDescriptor& table, const api::StoreConfiguration& properties);
  void SetRestriction(const TableDescriptor& table, const api::StoreConfiguration& properties);

  enum class Kind { kDisabled, kConstant, kIncreasing, kStepping };
  enum class Group { kNone, kPrefix, kDelimiter, kLeadingColumns };

  Kind kind_ = Kind::kStepping;
  Group group_ = Group::kNone;
  size_t group_length_ = 0;  // bytes of the prefix, or leading columns that end with a zero byte
  Bytes delimiter_;
  std::optional<Busy> busy_;
  uint64_t max_bytes_;
  uint64_t initial_bytes_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_SPLIT_POLICY_H_
