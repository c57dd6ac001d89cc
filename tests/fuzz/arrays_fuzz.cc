// Arrays: any bytes are an array or refused, in both orders; what is one can be joined again and
// shown.
//
// Input: one byte that chooses the elements' type and the order, then the stored bytes.
#include <cstddef>
#include <cstdint>

#include "src/base/check.h"
#include "src/sql/types/array.h"
#include "src/sql/types/codec.h"

namespace bennu::sql {
namespace {

DataType TypeOf(uint8_t choice) {
  constexpr TypeId kTypes[] = {
      TypeId::kVarcharArray, TypeId::kVarbinaryArray, TypeId::kDecimalArray, TypeId::kIntegerArray,
      TypeId::kCharArray,    TypeId::kTimestampArray, TypeId::kBooleanArray, TypeId::kBinaryArray};
  DataType type{kTypes[choice % 8]};
  const bool sized = type.id == TypeId::kCharArray || type.id == TypeId::kBinaryArray;
  if (sized && choice % 64 < 48) type.max_length = 3;
  return type;
}

void Fuzz(const DataType& type, SortOrder order, ByteView stored) {
  const Result<Value> value = Decode(stored, type, order);
  if (!value.ok() || value->is_null()) return;
  const ByteView array = value->bytes();
  std::string text;
  AppendArrayText(array, type, {}, &text);
  const Result<ArrayView> view = ArrayView::Open(array, type);
  if (!view.ok()) return;
  std::vector<ByteView> parts;
  for (size_t i = 0; i < view->size(); ++i) {
    const Result<ByteView> part = view->At(i);
    if (!part.ok()) return;
    BENNU_CHECK(part->empty() || (part->data() >= array.data() &&
                                  part->data() + part->size() <= array.data() + array.size()));
    parts.push_back(*part);
  }
  Bytes joined;
  JoinArray(parts, type, &joined);
  const Result<ArrayView> again = ArrayView::Open(joined, type);
  // An array without elements is NULL.
  BENNU_CHECK(parts.empty() ? joined.empty() : again.ok() && again->size() == parts.size());
  static_cast<void>(ArrayElements(array, type));
}

}  // namespace
}  // namespace bennu::sql

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bennu::sql;
  if (size == 0) return 0;
  const bennu::ByteView stored(reinterpret_cast<const char*>(data + 1), size - 1);
  Fuzz(TypeOf(data[0]), data[0] < 128 ? SortOrder::kAsc : SortOrder::kDesc, stored);
  return 0;
}
