// Columns of values in bulk: Vector, SelectionVector, DataChunk. Kernels loop over raw arrays.
//
// Lifetimes: a vector of kBytes holds string_views. They point either into the vector's own heap
// (SetBytes, AllocateBytes), which lives as long as any vector that references it, or, when set
// with SetView, into memory that somebody else pins: a scanner's batch until its next Next().
// Whoever keeps rows longer than that (sorts, joins, results) calls OwnBytes first. Thread rule:
// one thread at a time; vectors that share buffers (Reference) may be read by several.
#ifndef BENNU_SRC_SQL_TYPES_VECTOR_H_
#define BENNU_SRC_SQL_TYPES_VECTOR_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bennu/bytes.h"
#include "src/sql/types/decimal.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::sql {

inline constexpr size_t kVectorSize = 2048;

// Rows of a full vector: kVectorSize, or what the environment variable BENNU_VECTOR_SIZE says
// (1 … 65536), which tests use to find faults at the edges. Read once.
size_t VectorSize();

// Which rows of a chunk are meant, ascending. Its size is the number of rows chosen.
struct SelectionVector {
  std::vector<uint32_t> rows;

  size_t size() const { return rows.size(); }
  uint32_t operator[](size_t i) const { return rows[i]; }
  void Clear() { rows.clear(); }
  void Append(uint32_t row) { rows.push_back(row); }
  static SelectionVector All(size_t count);
};

// Bytes that vectors own. Only grows until Clear, so views stay valid.
class StringHeap {
 public:
  // Not initialised; 'size' may be 0.
  char* Allocate(size_t size);
  std::string_view Add(std::string_view bytes);
  void Clear();  // keeps the last block for reuse
  size_t bytes_used() const { return bytes_used_; }

 private:
  // Most heaps are of one constant; each block is larger than the one before.
  static constexpr size_t kBlockBytesMin = 64;
  static constexpr size_t kBlockBytesMax = 16 << 10;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* position_ = nullptr;
  size_t remaining_ = 0;
  size_t last_block_size_ = 0;
  size_t bytes_used_ = 0;
};

template <PhysicalType P>
struct PhysicalTraits;
template <>
struct PhysicalTraits<PhysicalType::kBool> {
  using Type = uint8_t;
};
template <>
struct PhysicalTraits<PhysicalType::kInt64> {
  using Type = int64_t;
};
template <>
struct PhysicalTraits<PhysicalType::kDouble> {
  using Type = double;
};
template <>
struct PhysicalTraits<PhysicalType::kDecimal> {
  using Type = Decimal;
};
template <>
struct PhysicalTraits<PhysicalType::kTimestamp> {
  using Type = Timestamp;
};
template <>
struct PhysicalTraits<PhysicalType::kBytes> {
  using Type = std::string_view;
};

// Up to capacity() values of one type. validity()[row] is 1 for a value and 0 for NULL, and always
// right; has_nulls() may be true without any, never false with one. The data of a NULL row is
// unspecified but safe to compute with (zero after Reset). A constant vector has one value, in row
// 0, that stands for all rows.
class Vector {
 public:
  Vector() = default;  // untyped, no capacity; give it a type with Initialize
  explicit Vector(const DataType& type, size_t capacity = VectorSize());
  Vector(Vector&&) noexcept = default;
  Vector& operator=(Vector&&) noexcept = default;
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  // A new type and capacity; reuses memory when it fits.
  void Initialize(const DataType& type, size_t capacity = VectorSize());
  // Flat, no NULLs, empty heap; no allocation unless the buffers are shared.
  void Reset();
  // Becomes a second name for other's rows (type, data, heap); neither may be written until Reset.
  void Reference(const Vector& other);
  // Becomes constant.
  void SetConstant(const Value& value);
  void set_constant(bool constant) { constant_ = constant; }

  const DataType& type() const { return type_; }
  // Another logical type of the same physical type (after a cast that changes no bits).
  void set_type(const DataType& type) { type_ = type; }
  PhysicalType physical_type() const { return physical_; }
  size_t capacity() const { return capacity_; }
  bool is_constant() const { return constant_; }
  bool has_nulls() const { return has_nulls_; }
  void set_has_nulls(bool has_nulls) { has_nulls_ = has_nulls; }

  // T is PhysicalTraits<physical_type()>::Type.
  template <typename T>
  T* data() {
    return reinterpret_cast<T*>(buffers_->data.get());
  }
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(buffers_->data.get());
  }
  uint8_t* validity() { return buffers_->validity; }
  const uint8_t* validity() const { return buffers_->validity; }

  // Where a row's value lies: 'row', or 0 for a constant.
  size_t IndexOf(size_t row) const { return constant_ ? 0 : row; }
  bool IsNull(size_t row) const { return validity()[IndexOf(row)] == 0; }
  template <typename T>
  const T& At(size_t row) const {
    return data<T>()[IndexOf(row)];
  }

  void SetNull(size_t row) {
    validity()[row] = 0;
    has_nulls_ = true;
  }
  void SetValid(size_t row) { validity()[row] = 1; }
  template <typename T>
  void Set(size_t row, const T& value) {
    data<T>()[row] = value;
  }
  // Copies the bytes into the heap.
  void SetBytes(size_t row, ByteView bytes) { data<ByteView>()[row] = heap()->Add(bytes); }
  // Keeps the view: see lifetimes above.
  void SetView(size_t row, ByteView bytes) { data<ByteView>()[row] = bytes; }
  char* AllocateBytes(size_t size) { return heap()->Allocate(size); }

  // One at a time; for edges, not for loops. The value must have this physical type or be NULL.
  void SetValue(size_t row, const Value& value);
  // CHAR loses its trailing blanks, as a client reads it.
  Value GetValue(size_t row) const;

  // Row 'to' becomes a copy of other's row 'from'; same physical type. Bytes are copied.
  void CopyRow(size_t to, const Vector& other, size_t from);
  // Rows [0, selection.size()) become other's chosen rows. Views stay views, and other's heap is
  // kept alive by this vector.
  void Gather(const Vector& other, const SelectionVector& selection);
  // Turns a constant into 'count' equal rows.
  void Flatten(size_t count);
  // Copies all bytes of rows [0, count) into this vector's own heap.
  void OwnBytes(size_t count);

 private:
  struct Buffers {
    std::unique_ptr<char[]> data;                     // the values, and validity behind them
    uint8_t* validity = nullptr;                      // in data
    std::shared_ptr<StringHeap> heap;                 // null: no bytes yet
    std::vector<std::shared_ptr<StringHeap>> pinned;  // heaps of gathered rows
    size_t data_bytes = 0;
    size_t validity_bytes = 0;
  };
  void Allocate();
  StringHeap* heap() {
    if (buffers_->heap == nullptr) buffers_->heap = std::make_shared<StringHeap>();
    return buffers_->heap.get();
  }

  DataType type_;
  PhysicalType physical_ = PhysicalType::kBytes;
  size_t capacity_ = 0;
  bool constant_ = false;
  bool has_nulls_ = false;
  std::shared_ptr<Buffers> buffers_;
};

// Rows [0, size) of several columns.
struct DataChunk {
  std::vector<Vector> columns;
  size_t size = 0;

  void Initialize(const std::vector<DataType>& types, size_t capacity = VectorSize());
  void Reset();  // no rows; see Vector::Reset
};

// Calls f(PhysicalTraits<…>::Type{}) for the physical type; for kernels written as templates.
template <typename F>
decltype(auto) VisitPhysical(PhysicalType type, F&& f) {
  switch (type) {
    case PhysicalType::kBool: return f(uint8_t{});
    case PhysicalType::kInt64: return f(int64_t{});
    case PhysicalType::kDouble: return f(double{});
    case PhysicalType::kDecimal: return f(Decimal());
    case PhysicalType::kTimestamp: return f(Timestamp());
    case PhysicalType::kBytes: break;
  }
  return f(std::string_view());
}

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_VECTOR_H_
