#include "src/sql/types/vector.h"

#include <algorithm>
#include <cstdlib>

#include "src/base/check.h"
#include "src/sql/types/codec.h"

namespace bennu::sql {
namespace {

size_t ReadVectorSize() {
  const char* text = std::getenv("BENNU_VECTOR_SIZE");
  if (text == nullptr) return kVectorSize;
  const unsigned long size = std::strtoul(text, nullptr, 10);
  return size >= 1 && size <= 65536 ? size : kVectorSize;
}

size_t WidthOf(PhysicalType type) {
  return VisitPhysical(type, [](auto value) { return sizeof(value); });
}

}  // namespace

size_t VectorSize() {
  static const size_t size = ReadVectorSize();
  return size;
}

SelectionVector SelectionVector::All(size_t count) {
  SelectionVector all;
  all.rows.resize(count);
  for (size_t i = 0; i < count; ++i) all.rows[i] = static_cast<uint32_t>(i);
  return all;
}

char* StringHeap::Allocate(size_t size) {
  if (size > remaining_) {
    constexpr size_t kGrowth = 8;
    last_block_size_ =
        std::max(size, std::clamp(last_block_size_ * kGrowth, kBlockBytesMin, kBlockBytesMax));
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(last_block_size_));
    position_ = blocks_.back().get();
    remaining_ = last_block_size_;
  }
  char* result = position_;
  position_ += size;
  remaining_ -= size;
  bytes_used_ += size;
  return result;
}

std::string_view StringHeap::Add(std::string_view bytes) {
  if (bytes.empty()) return {};
  char* copy = Allocate(bytes.size());
  std::memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size()};
}

void StringHeap::Clear() {
  bytes_used_ = 0;
  if (blocks_.empty()) return;
  blocks_.erase(blocks_.begin(), blocks_.end() - 1);
  position_ = blocks_[0].get();
  remaining_ = last_block_size_;
}

Vector::Vector(const DataType& type, size_t capacity) { Initialize(type, capacity); }

void Vector::Initialize(const DataType& type, size_t capacity) {
  type_ = type;
  physical_ = PhysicalTypeOf(type.id);
  capacity_ = std::max<size_t>(capacity, 1);
  if (buffers_ != nullptr && buffers_.use_count() == 1 &&
      buffers_->data_bytes >= capacity_ * WidthOf(physical_) &&
      buffers_->validity_bytes >= capacity_) {
    std::memset(buffers_->data.get(), 0, capacity_ * WidthOf(physical_));
    has_nulls_ = true;  // unknown: makes Reset write all of validity
    Reset();
    return;
  }
  Allocate();
}

void Vector::Allocate() {
  buffers_ = std::make_shared<Buffers>();
  buffers_->data_bytes = capacity_ * WidthOf(physical_);
  buffers_->validity_bytes = capacity_;
  // Zeros: the data of a NULL row must be safe to compute with.
  buffers_->data = std::make_unique<char[]>(buffers_->data_bytes + buffers_->validity_bytes);
  buffers_->validity = reinterpret_cast<uint8_t*>(buffers_->data.get() + buffers_->data_bytes);
  std::memset(buffers_->validity, 1, capacity_);
  constant_ = false;
  has_nulls_ = false;
}

void Vector::Reset() {
  if (buffers_ == nullptr || buffers_.use_count() > 1) {
    Allocate();
    return;
  }
  constant_ = false;
  if (has_nulls_) std::memset(validity(), 1, capacity_);
  has_nulls_ = false;
  if (physical_ != PhysicalType::kBytes) return;
  // Views of the last batch must not be looked at again, not even under a NULL.
  std::fill_n(data<std::string_view>(), capacity_, std::string_view());
  buffers_->pinned.clear();
  if (buffers_->heap.use_count() > 1) {
    buffers_->heap = nullptr;
  } else if (buffers_->heap != nullptr) {
    buffers_->heap->Clear();
  }
}

void Vector::Reference(const Vector& other) {
  type_ = other.type_;
  physical_ = other.physical_;
  capacity_ = other.capacity_;
  constant_ = other.constant_;
  has_nulls_ = other.has_nulls_;
  buffers_ = other.buffers_;
}

void Vector::SetConstant(const Value& value) {
  Reset();
  SetValue(0, value);
  constant_ = true;
}

void Vector::SetValue(size_t row, const Value& value) {
  if (value.is_null()) {
    SetNull(row);
    return;
  }
  SetValid(row);
  switch (physical_) {
    case PhysicalType::kBool: data<uint8_t>()[row] = value.boolean() ? 1 : 0; break;
    case PhysicalType::kInt64: data<int64_t>()[row] = value.int64(); break;
    case PhysicalType::kDouble: data<double>()[row] = value.real(); break;
    case PhysicalType::kDecimal: data<Decimal>()[row] = value.decimal(); break;
    case PhysicalType::kTimestamp: data<Timestamp>()[row] = value.timestamp(); break;
    case PhysicalType::kBytes: SetBytes(row, value.bytes()); break;
  }
}

Value Vector::GetValue(size_t row) const {
  if (IsNull(row)) return Value::Null(type_);
  switch (physical_) {
    case PhysicalType::kBool: {
      Value value = Value::Bool(At<uint8_t>(row) != 0);
      value.set_type(type_);
      return value;
    }
    case PhysicalType::kInt64: return Value::Int(type_, At<int64_t>(row));
    case PhysicalType::kDouble: return Value::Real(type_, At<double>(row));
    case PhysicalType::kDecimal: return Value::Number(At<Decimal>(row), type_);
    case PhysicalType::kTimestamp: return Value::Time(type_, At<Timestamp>(row));
    case PhysicalType::kBytes: break;
  }
  std::string_view bytes = At<std::string_view>(row);
  if (type_.id == TypeId::kChar) bytes = StripCharPadding(bytes);
  return Value::String(type_, std::string(bytes));
}

void Vector::CopyRow(size_t to, const Vector& other, size_t from) {
  BENNU_DCHECK(physical_ == other.physical_);
  if (other.IsNull(from)) {
    SetNull(to);
    return;
  }
  SetValid(to);
  if (physical_ == PhysicalType::kBytes) {
    SetBytes(to, other.At<std::string_view>(from));
    return;
  }
  VisitPhysical(physical_, [&](auto tag) {
    using T = decltype(tag);
    data<T>()[to] = other.At<T>(from);
  });
}

void Vector::Gather(const Vector& other, const SelectionVector& selection) {
  BENNU_DCHECK(physical_ == other.physical_);
  BENNU_DCHECK(selection.size() <= capacity_);
  Reset();
  type_ = other.type_;
  if (other.constant_) {
    CopyRow(0, other, 0);
    constant_ = true;
    return;
  }
  const size_t count = selection.size();
  const uint32_t* rows = selection.rows.data();
  VisitPhysical(physical_, [&](auto tag) {
    using T = decltype(tag);
    const T* source = other.data<T>();
    T* target = data<T>();
    for (size_t i = 0; i < count; ++i) target[i] = source[rows[i]];
  });
  if (physical_ == PhysicalType::kBytes) {
    buffers_->pinned = other.buffers_->pinned;
    if (other.buffers_->heap != nullptr) buffers_->pinned.push_back(other.buffers_->heap);
  }
  if (!other.has_nulls_) return;
  const uint8_t* source = other.validity();
  uint8_t* target = validity();
  uint8_t all = 1;
  for (size_t i = 0; i < count; ++i) {
    target[i] = source[rows[i]];
    all &= target[i];
  }
  // Rows past 'count' are still valid, so has_nulls decides what the next Reset must clear.
  has_nulls_ = all == 0;
}

void Vector::Flatten(size_t count) {
  if (!constant_) return;
  BENNU_CHECK(count <= capacity_);
  if (buffers_.use_count() > 1) {  // a shared constant: copy it out first
    Vector copy(type_, capacity_);
    copy.CopyRow(0, *this, 0);
    *this = std::move(copy);
  }
  constant_ = false;
  VisitPhysical(physical_, [&](auto tag) {
    using T = decltype(tag);
    T* rows = data<T>();
    for (size_t i = 1; i < count; ++i) rows[i] = rows[0];
  });
  if (has_nulls_) std::memset(validity(), validity()[0], count);
}

void Vector::OwnBytes(size_t count) {
  if (physical_ != PhysicalType::kBytes || buffers_ == nullptr) return;
  const size_t rows = constant_ ? 1 : count;
  auto heap = std::make_shared<StringHeap>();
  if (buffers_.use_count() > 1) {
    Vector copy(type_, capacity_);
    for (size_t i = 0; i < rows; ++i) copy.CopyRow(i, *this, i);
    copy.constant_ = constant_;
    *this = std::move(copy);
    return;
  }
  std::string_view* views = data<std::string_view>();
  for (size_t i = 0; i < rows; ++i) {
    views[i] = validity()[i] != 0 ? heap->Add(views[i]) : std::string_view();
  }
  buffers_->heap = std::move(heap);
  buffers_->pinned.clear();
}

void DataChunk::Initialize(const std::vector<DataType>& types, size_t capacity) {
  columns.resize(types.size());
  for (size_t i = 0; i < types.size(); ++i) columns[i].Initialize(types[i], capacity);
  size = 0;
}

void DataChunk::Reset() {
  for (Vector& column : columns) column.Reset();
  size = 0;
}

}  // namespace bennu::sql
