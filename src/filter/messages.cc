#include "src/filter/messages.h"

#include "src/base/status_macros.h"

namespace bennu {

Bytes EncodeFilter(const Filter& filter) {
  pb::Filter message;
  filter::ToMessage(filter, &message);
  return filter::Serialize(message);
}

Bytes EncodeComparator(const ByteComparator& comparator) {
  pb::Comparator message;
  filter::ToMessage(comparator, &message);
  return filter::Serialize(message);
}

Result<FilterPtr> DecodeFilter(ByteView bytes) {
  pb::Filter message;
  RETURN_IF_ERROR(filter::Parse(bytes, "a filter", &message));
  return filter::DecodeFilter(message, 0);
}

Result<ComparatorPtr> DecodeComparator(ByteView bytes) {
  pb::Comparator message;
  RETURN_IF_ERROR(filter::Parse(bytes, "a comparator", &message));
  return filter::DecodeComparator(message);
}

namespace filter {

void ToMessage(const Filter& filter, pb::Filter* message) {
  message->set_name(filter.class_name());
  message->set_serialized_filter(filter.Encode());
}

void ToMessage(const ByteComparator& comparator, pb::Comparator* message) {
  message->set_name(comparator.class_name());
  message->set_serialized_comparator(comparator.Encode());
}

void ToMessage(CompareOp op, const ByteComparator* comparator, pb::CompareFilter* message) {
  message->set_compare_op(ToMessage(op));
  if (comparator != nullptr) ToMessage(*comparator, message->mutable_comparator());
}

}  // namespace filter
}  // namespace bennu
