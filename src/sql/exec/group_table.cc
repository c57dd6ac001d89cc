#include "src/sql/exec/group_table.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace bennu::sql::exec {
namespace {

constexpr size_t kInitialSlots = 1024;

// Multiplies to 128 bits and folds: mixes all bits of both in one instruction.
inline uint64_t Mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr uint64_t kSeed1 = 0x9e3779b97f4a7c15;
constexpr uint64_t kSeed2 = 0xd6e8feb86659fd93;

inline uint64_t Load64(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}

// All of up to 8 bytes, each length in its own way. Without a loop or a call.
inline uint64_t LoadFew(const char* p, size_t size) {
  if (size >= 4) {
    uint32_t low;
    uint32_t high;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + size - 4, 4);
    return low | uint64_t{high} << 32;
  }
  if (size == 0) return 0;
  const auto byte = [p](size_t i) { return uint64_t{static_cast<uint8_t>(p[i])}; };
  return byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16;
}

inline bool AreEqual(ByteView left, ByteView right) {
  if (left.size() != right.size()) return false;
  if (left.size() > 8) return std::memcmp(left.data(), right.data(), left.size()) == 0;
  return LoadFew(left.data(), left.size()) == LoadFew(right.data(), right.size());
}

inline uint64_t HashInteger(int64_t value) {
  return Mix(static_cast<uint64_t>(value) ^ kSeed1, kSeed2);
}

// Each column of a serialized key: a byte (1 value, 0 NULL), then the value: fixed width, or a
// 32-bit length and bytes.
size_t FixedSize(PhysicalType type) {
  switch (type) {
    case PhysicalType::kBool: return 1;
    case PhysicalType::kInt64: return 8;
    case PhysicalType::kDouble: return 8;
    case PhysicalType::kDecimal: return 20;
    case PhysicalType::kTimestamp: return 12;
    case PhysicalType::kBytes: return 4;
  }
  return 0;
}

template <typename T>
char* Put(char* p, const T& value) {
  std::memcpy(p, &value, sizeof(value));
  return p + sizeof(value);
}

char* PutValue(char* p, uint8_t value) { return Put(p, value); }
char* PutValue(char* p, int64_t value) { return Put(p, value); }
char* PutValue(char* p, double value) {
  // -0 and 0 are one key.
  return Put(p, std::isnan(value) ? std::nan("") : value + 0.0);
}
char* PutValue(char* p, const Decimal& value) {
  const Decimal plain = value.StripTrailingZeros();  // 1.0 and 1 are one key
  return Put(Put(p, plain.unscaled()), plain.scale());
}
char* PutValue(char* p, const Timestamp& value) { return Put(Put(p, value.millis), value.nanos); }
char* PutValue(char* p, ByteView value) {
  p = Put(p, static_cast<uint32_t>(value.size()));
  if (!value.empty()) std::memcpy(p, value.data(), value.size());
  return p + value.size();
}

template <typename T>
T Get(const char** p) {
  T value;
  std::memcpy(&value, *p, sizeof(value));
  *p += sizeof(value);
  return value;
}

void GetInto(const char** p, Vector* vector, size_t row) {
  switch (vector->physical_type()) {
    case PhysicalType::kBool: vector->Set(row, Get<uint8_t>(p)); break;
    case PhysicalType::kInt64: vector->Set(row, Get<int64_t>(p)); break;
    case PhysicalType::kDouble: vector->Set(row, Get<double>(p)); break;
    case PhysicalType::kDecimal: {
      const auto unscaled = Get<Int128>(p);
      vector->Set(row, Decimal(unscaled, Get<int32_t>(p)));
      break;
    }
    case PhysicalType::kTimestamp: {
      const auto millis = Get<int64_t>(p);
      vector->Set(row, Timestamp{millis, Get<int32_t>(p)});
      break;
    }
    case PhysicalType::kBytes: {
      const auto size = Get<uint32_t>(p);
      vector->SetView(row, ByteView(*p, size));
      *p += size;
      break;
    }
  }
}

}  // namespace

uint64_t HashBytes(ByteView bytes) {
  const char* p = bytes.data();
  size_t left = bytes.size();
  uint64_t hash = kSeed1 ^ bytes.size();
  if (left <= 8) return Mix(hash ^ LoadFew(p, left), kSeed1);
  for (; left > 8; left -= 8, p += 8) hash = Mix(hash ^ Load64(p), kSeed2);
  return Mix(hash ^ Load64(p + left - 8), kSeed1);
}

GroupTable::GroupTable(std::vector<DataType> types)
    : types_(std::move(types)), slots_(kInitialSlots) {
  if (types_.size() != 1) return;
  const PhysicalType physical = PhysicalTypeOf(types_[0].id);
  if (physical == PhysicalType::kInt64) kind_ = Kind::kInteger;
  if (physical == PhysicalType::kBytes) kind_ = Kind::kText;
}

void GroupTable::Grow() {
  if (size_t{count_} * 2 < slots_.size()) return;
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.group == kNone) continue;
    const uint64_t hash =
        kind_ == Kind::kInteger ? HashInteger(static_cast<int64_t>(slot.key)) : slot.key;
    size_t i = hash & mask;
    while (slots_[i].group != kNone) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

void GroupTable::InsertIntegers(const Vector& key, size_t count, uint32_t* ids) {
  // Slots are asked for so many rows before they are looked at: a large table is not in the
  // processor's caches.
  constexpr size_t kAhead = 8;
  const int64_t* data = key.data<int64_t>();
  for (size_t row = 0; row < count; ++row) {
    if (row + kAhead < count) {
      const uint64_t later = HashInteger(data[key.IndexOf(row + kAhead)]);
      __builtin_prefetch(&slots_[later & (slots_.size() - 1)]);
    }
    if (key.has_nulls() && key.IsNull(row)) {
      if (null_group_ == kNone) {
        null_group_ = count_++;
        integers_.push_back(0);
        Grow();
      }
      ids[row] = null_group_;
      continue;
    }
    const int64_t value = data[key.IndexOf(row)];
    const auto bits = static_cast<uint64_t>(value);
    const size_t mask = slots_.size() - 1;
    size_t i = HashInteger(value) & mask;
    while (slots_[i].group != kNone && slots_[i].key != bits) i = (i + 1) & mask;
    if (slots_[i].group == kNone) {
      slots_[i] = {bits, count_};
      ids[row] = count_++;
      integers_.push_back(value);
      Grow();
    } else {
      ids[row] = slots_[i].group;
    }
  }
}

void GroupTable::FindIntegers(const Vector& key, size_t count, uint32_t* ids) const {
  const int64_t* data = key.data<int64_t>();
  const size_t mask = slots_.size() - 1;
  for (size_t row = 0; row < count; ++row) {
    if (key.has_nulls() && key.IsNull(row)) {
      ids[row] = null_group_;
      continue;
    }
    const int64_t value = data[key.IndexOf(row)];
    size_t i = HashInteger(value) & mask;
    while (slots_[i].group != kNone && slots_[i].key != static_cast<uint64_t>(value)) {
      i = (i + 1) & mask;
    }
    ids[row] = slots_[i].group;
  }
}

uint32_t GroupTable::InsertBytes(ByteView key) {
  const uint64_t hash = HashBytes(key);
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  for (; slots_[i].group != kNone; i = (i + 1) & mask) {
    if (slots_[i].key == hash && AreEqual(bytes_[slots_[i].group], key)) return slots_[i].group;
  }
  slots_[i] = {hash, count_};
  bytes_.push_back(heap_.Add(key));
  const uint32_t group = count_++;
  Grow();
  return group;
}

uint32_t GroupTable::FindBytes(ByteView key) const {
  const uint64_t hash = HashBytes(key);
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  for (; slots_[i].group != kNone; i = (i + 1) & mask) {
    if (slots_[i].key == hash && AreEqual(bytes_[slots_[i].group], key)) return slots_[i].group;
  }
  return kNone;
}

void GroupTable::Serialize(std::span<const Vector* const> keys, size_t count,
                           Scratch* scratch) const {
  scratch->offsets.resize(count + 1);
  size_t fixed = 0;
  for (const DataType& type : types_) fixed += 1 + FixedSize(PhysicalTypeOf(type.id));
  size_t total = 0;
  for (size_t row = 0; row < count; ++row) {
    scratch->offsets[row] = total;
    total += fixed;
    for (const Vector* key : keys) {
      if (key->physical_type() == PhysicalType::kBytes && !key->IsNull(row)) {
        total += key->At<ByteView>(row).size();
      }
    }
  }
  scratch->offsets[count] = total;
  scratch->bytes.resize(total);
  std::vector<char*> at(count);
  for (size_t row = 0; row < count; ++row) at[row] = scratch->bytes.data() + scratch->offsets[row];
  for (const Vector* key : keys) {
    VisitPhysical(key->physical_type(), [&](auto sample) {
      using T = decltype(sample);
      for (size_t row = 0; row < count; ++row) {
        char* p = at[row];
        if (key->IsNull(row)) {
          // As wide as a value, so that the sizes above hold.
          const size_t size = 1 + FixedSize(key->physical_type());
          std::memset(p, 0, size);
          at[row] = p + size;
        } else {
          *p++ = 1;
          at[row] = PutValue(p, key->At<T>(row));
        }
      }
    });
  }
}

void GroupTable::Insert(std::span<const Vector* const> keys, size_t count, uint32_t* ids) {
  if (kind_ == Kind::kInteger) return InsertIntegers(*keys[0], count, ids);
  if (kind_ == Kind::kText) {
    for (size_t row = 0; row < count; ++row) {
      if (keys[0]->IsNull(row)) {
        if (null_group_ == kNone) {
          null_group_ = count_++;
          bytes_.push_back(ByteView());
          Grow();
        }
        ids[row] = null_group_;
      } else {
        ids[row] = InsertBytes(keys[0]->At<ByteView>(row));
      }
    }
    return;
  }
  Serialize(keys, count, &scratch_);
  for (size_t row = 0; row < count; ++row) {
    const size_t begin = scratch_.offsets[row];
    ids[row] =
        InsertBytes(ByteView(scratch_.bytes.data() + begin, scratch_.offsets[row + 1] - begin));
  }
}

void GroupTable::Find(std::span<const Vector* const> keys, size_t count, uint32_t* ids,
                      Scratch* scratch) const {
  if (kind_ == Kind::kInteger) return FindIntegers(*keys[0], count, ids);
  if (kind_ == Kind::kText) {
    for (size_t row = 0; row < count; ++row) {
      ids[row] = keys[0]->IsNull(row) ? null_group_ : FindBytes(keys[0]->At<ByteView>(row));
    }
    return;
  }
  Serialize(keys, count, scratch);
  for (size_t row = 0; row < count; ++row) {
    const size_t begin = scratch->offsets[row];
    ids[row] =
        FindBytes(ByteView(scratch->bytes.data() + begin, scratch->offsets[row + 1] - begin));
  }
}

void GroupTable::Hash(std::span<const Vector* const> keys, size_t count, uint64_t* hashes,
                      Scratch* scratch) const {
  if (kind_ != Kind::kSerialized) {
    for (size_t row = 0; row < count; ++row) {
      if (keys[0]->IsNull(row)) {
        hashes[row] = 0;
      } else if (kind_ == Kind::kInteger) {
        hashes[row] = HashInteger(keys[0]->At<int64_t>(row));
      } else {
        hashes[row] = HashBytes(keys[0]->At<ByteView>(row));
      }
    }
    return;
  }
  Serialize(keys, count, scratch);
  for (size_t row = 0; row < count; ++row) {
    const size_t begin = scratch->offsets[row];
    hashes[row] =
        HashBytes(ByteView(scratch->bytes.data() + begin, scratch->offsets[row + 1] - begin));
  }
}

void GroupTable::Emit(const uint32_t* groups, size_t count, std::span<Vector* const> out) const {
  for (size_t row = 0; row < count; ++row) {
    const uint32_t group = groups[row];
    if (kind_ != Kind::kSerialized) {
      if (group == null_group_) {
        out[0]->SetNull(row);
        continue;
      }
      out[0]->SetValid(row);
      if (kind_ == Kind::kInteger) {
        out[0]->Set<int64_t>(row, integers_[group]);
      } else {
        out[0]->SetView(row, bytes_[group]);
      }
      continue;
    }
    const char* p = bytes_[group].data();
    for (Vector* vector : out) {
      const bool valid = *p++ != 0;
      GetInto(&p, vector, row);
      if (valid) {
        vector->SetValid(row);
      } else {
        vector->SetNull(row);
      }
    }
  }
}

size_t GroupTable::memory_bytes() const {
  return slots_.size() * sizeof(Slot) + integers_.capacity() * sizeof(int64_t) +
         bytes_.capacity() * sizeof(ByteView) + heap_.bytes_used();
}

}  // namespace bennu::sql::exec
