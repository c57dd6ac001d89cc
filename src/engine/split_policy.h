// When a region is split by itself, and where: HBase's policies, chosen by the table attribute
// SPLIT_POLICY (a class name; only its last part counts) and sized by MAX_FILESIZE.
//
//   SteppingSplitPolicy                      the default: twice the flush size while the table has
//                                            one region, MAX_FILESIZE from then on
//   IncreasingToUpperBoundRegionSplitPolicy  regions³ × twice the flush size, MAX_FILESIZE at most
//   ConstantSizeRegionSplitPolicy            MAX_FILESIZE
//   KeyPrefixRegionSplitPolicy, DelimitedKeyPrefixRegionSplitPolicy
//                                            as IncreasingToUpperBound, never inside a prefix
//   DisabledRegionSplitPolicy                never, not when asked either
//   Phoenix's MetaDataSplitPolicy, SystemFunctionSplitPolicy, SystemStatsSplitPolicy
//                                            as Stepping, never inside the first key columns
//   Phoenix's IndexRegionSplitPolicy         as Stepping; SystemTaskSplitPolicy as Disabled
//
// HBase varies MAX_FILESIZE by up to an eighth from region to region, so that not all split at
// once; here splits run one at a time and it counts as it is. Values; pure functions.
// Source: the classes of these names in HBase 2.5 and Phoenix 5.3.
#ifndef BENNU_SRC_ENGINE_SPLIT_POLICY_H_
#define BENNU_SRC_ENGINE_SPLIT_POLICY_H_

#include <cstddef>
#include <cstdint>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"

namespace bennu::engine {

class SplitPolicy {
 public:
  // The sizes are those of tables that do not say.
  SplitPolicy(const TableDescriptor& table, uint64_t max_file_bytes, uint64_t flush_bytes);

  // Also false with SPLIT_ENABLED=false.
  bool may_split() const { return kind_ != Kind::kDisabled; }
  // A region splits when one of its stores is bigger than this.
  uint64_t SizeToSplit(size_t table_region_count) const;
  // Moves a row where a region could be split to where this policy allows it; empty: nowhere.
  Bytes Border(ByteView row) const;

 private:
  enum class Kind { kDisabled, kConstant, kIncreasing, kStepping };
  enum class Group { kNone, kPrefix, kDelimiter, kLeadingColumns };

  Kind kind_ = Kind::kStepping;
  Group group_ = Group::kNone;
  size_t group_length_ = 0;  // bytes of the prefix, or leading columns that end with a zero byte
  Bytes delimiter_;
  uint64_t max_bytes_;
  uint64_t initial_bytes_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_SPLIT_POLICY_H_
