// IN over constants: a sorted array for numbers and dates, a hash table for bytes.
#include <algorithm>
#include <unordered_set>

#include "src/base/check.h"
#include "src/sql/expr/bytes_hash.h"
#include "src/sql/expr/kernels.h"
#include "src/sql/types/codec.h"

namespace bennu::sql {
namespace {

struct InSet : FunctionState {
  std::vector<int64_t> integers;  // sorted, as the next three
  std::vector<double> doubles;
  std::vector<Decimal> decimals;
  std::vector<Timestamp> timestamps;
  std::unordered_set<std::string, BytesHash, std::equal_to<>> bytes;
  bool has_bool[2] = {false, false};
};

template <typename T>
void SortUnique(std::vector<T>* values) {
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

// Few values are looked through one after the other, which beats a search.
constexpr size_t kLinearSearchMax = 8;

template <typename T>
void Probe(const Vector& value, const std::vector<T>& sorted, size_t count, uint8_t* out) {
  const Reader<T> values(value);
  if (sorted.size() <= kLinearSearchMax) {
    std::memset(out, 0, count);
    for (const T& candidate : sorted) {
      for (size_t i = 0; i < count; ++i) out[i] |= static_cast<uint8_t>(values[i] == candidate);
    }
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    out[i] = std::binary_search(sorted.begin(), sorted.end(), values[i]);
  }
}

void ProbeBytes(const Vector& value, const InSet& set, size_t count, uint8_t* out) {
  const Reader<std::string_view> values(value);
  const bool strip = value.type().id == TypeId::kChar;
  for (size_t i = 0; i < count; ++i) {
    out[i] = set.bytes.find(strip ? StripCharPadding(values[i]) : values[i]) != set.bytes.end();
  }
}

}  // namespace

std::shared_ptr<const FunctionState> BuildInSet(const std::vector<Value>& values,
                                                const DataType& type) {
  auto set = std::make_shared<InSet>();
  for (const Value& value : values) {
    switch (PhysicalTypeOf(type.id)) {
      case PhysicalType::kBool: set->has_bool[value.boolean() ? 1 : 0] = true; break;
      case PhysicalType::kInt64: set->integers.push_back(value.int64()); break;
      case PhysicalType::kDouble: set->doubles.push_back(value.real()); break;
      case PhysicalType::kDecimal: set->decimals.push_back(value.decimal()); break;
      case PhysicalType::kTimestamp: set->timestamps.push_back(value.timestamp()); break;
      case PhysicalType::kBytes: {
        const bool strip = value.type().id == TypeId::kChar;
        set->bytes.insert(
            std::string(strip ? StripCharPadding(value.bytes()) : ByteView(value.bytes())));
        break;
      }
    }
  }
  SortUnique(&set->integers);
  SortUnique(&set->doubles);
  SortUnique(&set->decimals);
  SortUnique(&set->timestamps);
  return set;
}

void InSetKernel(const Vector& value, const FunctionState& compiled, size_t count, Vector* out) {
  const auto& set = static_cast<const InSet&>(compiled);
  MergeNulls(value, count, out);
  uint8_t* result = out->data<uint8_t>();
  switch (value.physical_type()) {
    case PhysicalType::kBool: {
      const Reader<uint8_t> values(value);
      for (size_t i = 0; i < count; ++i) result[i] = set.has_bool[values[i] & 1];
      return;
    }
    case PhysicalType::kInt64: return Probe(value, set.integers, count, result);
    case PhysicalType::kDouble: return Probe(value, set.doubles, count, result);
    case PhysicalType::kDecimal: return Probe(value, set.decimals, count, result);
    case PhysicalType::kTimestamp: return Probe(value, set.timestamps, count, result);
    case PhysicalType::kBytes: return ProbeBytes(value, set, count, result);
  }
}

}  // namespace bennu::sql
