// COLLECTDISTINCT: the distinct values of a group as an array.
//
// Phoenix keeps them in a java.util.HashMap and gives them in its order: by bucket, the hash's low
// bits, and inside a bucket as they came. There are 16 buckets, twice as many whenever more than
// three quarters of them would be filled.
#include <algorithm>
#include <unordered_set>

#include "src/base/status_macros.h"
#include "src/sql/expr/aggregate_state.h"
#include "src/sql/types/array.h"
#include "src/sql/types/codec.h"

namespace bennu::sql {
namespace {

constexpr size_t kNodeBytes = 72;  // of the set and the list, about

uint32_t JavaHash(ByteView bytes) {
  uint32_t hash = 1;
  for (const char c : bytes) {
    hash = 31 * hash + static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(c)));
  }
  return hash ^ (hash >> 16);
}

struct Values {
  std::unordered_set<std::string> known;  // as an ascending column stores them
  std::vector<const std::string*> order;  // as they came

  // Returns the bytes that it takes.
  size_t Add(const std::string& value) {
    const auto [place, added] = known.insert(value);
    if (!added) return 0;
    order.push_back(&*place);
    return value.size() + kNodeBytes;
  }
};

class CollectDistinct : public StateAggregator<Values, CollectDistinct> {
 public:
  explicit CollectDistinct(const AggregateCall& call)
      : StateAggregator(call), element_(ElementType(call.type)) {}

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    const Vector& values = *arguments[0];
    for (size_t i = 0; i < count; ++i) {
      encoded_.clear();
      RETURN_IF_ERROR(EncodeRow(values, i, element_, SortOrder::kAsc, &encoded_));
      if (!encoded_.empty()) bytes_ += states_[groups == nullptr ? 0 : groups[i]].Add(encoded_);
    }
    return Status::Ok();
  }

  void MergeState(Values* into, Values* from) {
    for (const std::string* value : from->order) bytes_ += into->Add(*value);
  }

  void Emit(Values* state, size_t row, Vector* out) {
    size_t buckets = 16;
    while (state->order.size() * 4 > buckets * 3) buckets *= 2;
    std::vector<std::pair<uint32_t, ByteView>> placed;
    for (const std::string* value : state->order) {
      placed.emplace_back(JavaHash(*value) & (buckets - 1), *value);
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<ByteView> elements;
    for (const auto& [bucket, value] : placed) elements.push_back(value);
    Bytes array;
    JoinArray(elements, call_.type, &array);
    if (array.empty()) {
      out->SetNull(row);
    } else {
      out->SetBytes(row, array);
    }
  }

  size_t memory_bytes() const override { return StateAggregator::memory_bytes() + bytes_; }

 private:
  const DataType element_;
  Bytes encoded_;
  size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Aggregator> MakeCollectDistinct(const AggregateCall& call) {
  return std::make_unique<CollectDistinct>(call);
}

}  // namespace bennu::sql
