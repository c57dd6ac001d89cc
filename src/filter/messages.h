// Between filters and their protobuf messages: what every class here needs to write and read
// itself.
#ifndef BENNU_SRC_FILTER_MESSAGES_H_
#define BENNU_SRC_FILTER_MESSAGES_H_

#include <string>
#include <string_view>

#include "bennu/filter.h"
#include "proto/comparator.pb.h"
#include "proto/filter.pb.h"

namespace bennu::filter {

// The Java package of all classes here, with its dot.
inline constexpr std::string_view kPackage = "org.apache.hadoop.hbase.filter.";

inline Bytes ClassName(std::string_view simple_name) { return Bytes(kPackage).append(simple_name); }

template <typename Message>
Bytes Serialize(const Message& message) {
  return message.SerializeAsString();
}

// InvalidArgument, naming 'what', when 'bytes' are not that message.
template <typename Message>
Status Parse(ByteView bytes, std::string_view what, Message* message) {
  if (message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Status::Ok();
  return InvalidArgument("the bytes of " + std::string(what) + " are not its protobuf message");
}

void ToMessage(const Filter& filter, pb::Filter* message);
void ToMessage(const ByteComparator& comparator, pb::Comparator* message);
// 'comparator' may be null.
void ToMessage(CompareOp op, const ByteComparator* comparator, pb::CompareFilter* message);
inline pb::CompareType ToMessage(CompareOp op) { return static_cast<pb::CompareType>(op); }
inline CompareOp FromMessage(pb::CompareType type) { return static_cast<CompareOp>(type); }

// Filters hold filters, and each level is bytes of its own that no parser counts.
inline constexpr int kNestingMax = 100;

Result<FilterPtr> DecodeFilter(const pb::Filter& message, int depth);
Result<ComparatorPtr> DecodeComparator(const pb::Comparator& message);

}  // namespace bennu::filter

#endif  // BENNU_SRC_FILTER_MESSAGES_H_
