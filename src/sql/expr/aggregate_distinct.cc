// COUNT(DISTINCT …) and APPROX_COUNT_DISTINCT.
#include <bit>
#include <cmath>
#include <unordered_set>

#include "src/sql/expr/aggregate_state.h"
#include "src/sql/expr/bytes_hash.h"
#include "src/sql/types/codec.h"

namespace bennu::sql {
namespace {

uint64_t Mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  return x ^ (x >> 32);
}

// Pairs of a group and an integer, open addressing, at most half full.
class PairSet {
 public:
  // True when it was not there yet.
  bool Insert(uint32_t group, int64_t value) {
    if (2 * (size_ + 1) > slots_.size()) Grow();
    if (!Place(group, value)) return false;
    ++size_;
    return true;
  }
  template <typename F>
  void ForEach(F f) const {
    for (const Slot& slot : slots_) {
      if (slot.used) f(slot.group, slot.value);
    }
  }
  size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    int64_t value = 0;
    uint32_t group = 0;
    bool used = false;
  };

  bool Place(uint32_t group, int64_t value) {
    const size_t mask = slots_.size() - 1;
    size_t at = Mix(static_cast<uint64_t>(value) * 31 + group) & mask;
    for (;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (!slot.used) {
        slot = {value, group, true};
        return true;
      }
      if (slot.value == value && slot.group == group) return false;
    }
  }

  void Grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(std::max<size_t>(64, old.size() * 2), Slot());
    for (const Slot& slot : old) {
      if (slot.used) Place(slot.group, slot.value);
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

using BytesSet = std::unordered_set<std::string, BytesHash, std::equal_to<>>;

// Bytes by which values are equal exactly when SQL says so.
void AppendKey(const Vector& vector, size_t row, std::string* key) {
  const size_t before = key->size();
  key->append(4, '\0');
  switch (vector.physical_type()) {
    case PhysicalType::kDecimal: {
      const Decimal value = vector.At<Decimal>(row).StripTrailingZeros();
      const Int128 unscaled = value.unscaled();
      const int32_t scale = value.scale();
      key->append(reinterpret_cast<const char*>(&unscaled), sizeof(unscaled));
      key->append(reinterpret_cast<const char*>(&scale), sizeof(scale));
      break;
    }
    case PhysicalType::kBytes: {
      const ByteView bytes = vector.At<std::string_view>(row);
      *key += vector.type().id == TypeId::kChar ? StripCharPadding(bytes) : bytes;
      break;
    }
    case PhysicalType::kTimestamp: {
      const Timestamp time = vector.At<Timestamp>(row);
      key->append(reinterpret_cast<const char*>(&time.millis), 8);
      key->append(reinterpret_cast<const char*>(&time.nanos), 4);
      break;
    }
    case PhysicalType::kDouble: {
      const double value = vector.At<double>(row) + 0.0;  // -0 is 0
      key->append(reinterpret_cast<const char*>(&value), 8);
      break;
    }
    case PhysicalType::kInt64:
      key->append(reinterpret_cast<const char*>(&vector.At<int64_t>(row)), 8);
      break;
    case PhysicalType::kBool: key->push_back(static_cast<char>(vector.At<uint8_t>(row))); break;
  }
  StoreBig32(key->data() + before, static_cast<uint32_t>(key->size() - before - 4));
}

class CountDistinctAggregator : public Aggregator {
 public:
  explicit CountDistinctAggregator(const AggregateCall& call)
      : integers_only_(call.arguments.size() == 1 &&
                       PhysicalTypeOf(call.arguments[0]->type.id) == PhysicalType::kInt64) {}

  void Resize(size_t count) override {
    if (count > counts_.size()) counts_.resize(count);
  }

  Status Update(std::span<const Vector* const> arguments, const uint32_t* groups,
                size_t count) override {
    if (integers_only_) {
      const Reader<int64_t> values(*arguments[0]);
      ForEachValue(*arguments[0], groups, count, [&](size_t group, size_t row) {
        counts_[group] += pairs_.Insert(static_cast<uint32_t>(group), values[row]) ? 1 : 0;
      });
      return Status::Ok();
    }
    for (size_t i = 0; i < count; ++i) AddRow(arguments, groups == nullptr ? 0 : groups[i], i);
    return Status::Ok();
  }

  Status Merge(Aggregator* other, const uint32_t* map, size_t) override {
    auto* from = static_cast<CountDistinctAggregator*>(other);
    from->pairs_.ForEach([&](uint32_t group, int64_t value) {
      const auto into = static_cast<uint32_t>(MapGroup(map, group));
      counts_[into] += pairs_.Insert(into, value) ? 1 : 0;
    });
    for (const std::string& key : from->keys_) {
      std::string moved = key;
      const auto into = static_cast<uint32_t>(MapGroup(map, LoadBig32(key.data())));
      StoreBig32(moved.data(), into);
      InsertKey(std::move(moved), into);
    }
    return Status::Ok();
  }

  Status Finalize(const uint32_t* groups, size_t count, Vector* out) override {
    for (size_t i = 0; i < count; ++i) out->Set<int64_t>(i, counts_[groups[i]]);
    return Status::Ok();
  }

  size_t memory_bytes() const override {
    return counts_.capacity() * 8 + pairs_.memory_bytes() + key_bytes_;
  }

 private:
  // Rows that are NULL throughout do not count.
  void AddRow(std::span<const Vector* const> arguments, uint32_t group, size_t row) {
    key_.assign(4, '\0');
    StoreBig32(key_.data(), group);
    bool any = false;
    for (const Vector* argument : arguments) {
      if (argument->IsNull(row)) {
        key_ += "\xff\xff\xff\xff";
      } else {
        any = true;
        AppendKey(*argument, row, &key_);
      }
    }
    if (any && keys_.find(std::string_view(key_)) == keys_.end()) InsertKey(key_, group);
  }

  void InsertKey(std::string key, uint32_t group) {
    constexpr size_t kNodeBytes = 56;  // of the set, about
    const size_t bytes = key.size() + kNodeBytes;
    if (!keys_.insert(std::move(key)).second) return;
    ++counts_[group];
    key_bytes_ += bytes;
  }

  const bool integers_only_;
  std::vector<int64_t> counts_;
  PairSet pairs_;
  BytesSet keys_;
  size_t key_bytes_ = 0;
  std::string key_;
};

// ---------------------------------------------------------------- approximate

// Exact up to kExactMax values of a group, then HyperLogLog with 2^16 registers (0.4 % error).
class Sketch {
 public:
  void AddHash(uint64_t hash) {
    if (registers_.empty()) {
      exact_.insert(hash);
      if (exact_.size() > kExactMax) Convert();
      return;
    }
    const size_t index = hash >> (64 - kPrecision);
    const auto rank = static_cast<uint8_t>(
        std::countl_zero((hash << kPrecision) | (uint64_t{1} << (kPrecision - 1))) + 1);
    Raise(index, rank);
  }

  void Add(const Sketch& other) {
    for (uint64_t hash : other.exact_) AddHash(hash);
    if (other.registers_.empty()) return;
    if (registers_.empty()) Convert();
    for (size_t i = 0; i < registers_.size(); ++i) Raise(i, other.registers_[i]);
  }

  int64_t Estimate() const {
    if (registers_.empty()) return static_cast<int64_t>(exact_.size());
    const auto m = static_cast<double>(registers_.size());
    const double raw = 0.7213 / (1 + 1.079 / m) * m * m / inverse_;
    const bool sparse = raw <= 2.5 * m && zeros_ > 0;
    return std::llround(sparse ? m * std::log(m / static_cast<double>(zeros_)) : raw);
  }

 private:
  static constexpr int kPrecision = 16;
  static constexpr size_t kExactMax = 4096;

  void Convert() {
    registers_.assign(size_t{1} << kPrecision, 0);
    zeros_ = registers_.size();
    inverse_ = static_cast<double>(zeros_);
    for (uint64_t hash : exact_) AddHash(hash);
    exact_.clear();
  }

  void Raise(size_t index, uint8_t rank) {
    uint8_t* const known = &registers_[index];
    if (rank <= *known) return;
    zeros_ -= *known == 0 ? 1 : 0;
    inverse_ += std::ldexp(1.0, -rank) - std::ldexp(1.0, -*known);
    *known = rank;
  }

  std::unordered_set<uint64_t> exact_;
  std::vector<uint8_t> registers_;
  double inverse_ = 0;  // sum of 2^-rank over the registers
  size_t zeros_ = 0;    // registers without a rank
};

class ApproxAggregator : public StateAggregator<Sketch, ApproxAggregator> {
 public:
  using StateAggregator::StateAggregator;

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    ForEachValue(*arguments[0], groups, count, [&](size_t group, size_t row) {
      key_.clear();
      AppendKey(*arguments[0], row, &key_);
      states_[group].AddHash(Mix(std::hash<std::string_view>()(key_)));
    });
    return Status::Ok();
  }
  static void MergeState(Sketch* into, Sketch* from) { into->Add(*from); }
  // The original does not clear its sketch between groups: each one's answer counts the values of
  // all groups before it too, in the order in which groups come out.
  void Emit(Sketch* state, size_t row, Vector* out) {
    so_far_.Add(*state);
    out->Set<int64_t>(row, so_far_.Estimate());
  }

 private:
  std::string key_;
  Sketch so_far_;
};

}  // namespace

std::unique_ptr<Aggregator> MakeCountDistinct(const AggregateCall& call) {
  return std::make_unique<CountDistinctAggregator>(call);
}

std::unique_ptr<Aggregator> MakeApproxCountDistinct(const AggregateCall& call) {
  return std::make_unique<ApproxAggregator>(call);
}

}  // namespace bennu::sql
