// Casts over vectors: loops for the frequent pairs, one value at a time for the others.
#include "src/sql/expr/kernels.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql {
namespace {

template <typename From, typename To, typename F>
void Loop(const Vector& in, size_t count, Vector* out, F convert) {
  const Reader<From> values(in);
  To* result = out->data<To>();
  for (size_t i = 0; i < count; ++i) result[i] = convert(values[i]);
}

bool IsWideSigned(TypeId id) {
  return id == TypeId::kBigint || id == TypeId::kDate || id == TypeId::kTime;
}

// Pairs that cannot fail and need no decision per value; false: not one of them.
bool CastFast(const Vector& in, const DataType& to, size_t count, Vector* out) {
  const TypeId from = in.type().id;
  if (in.physical_type() == PhysicalType::kInt64 && IsIntegral(from)) {
    if (to.id == TypeId::kBigint) {
      Loop<int64_t, int64_t>(in, count, out, [](int64_t v) { return v; });
      return true;
    }
    if (to.id == TypeId::kDouble) {
      Loop<int64_t, double>(in, count, out, [](int64_t v) { return static_cast<double>(v); });
      return true;
    }
    if (to.id == TypeId::kDecimal && !to.max_length.has_value()) {
      Loop<int64_t, Decimal>(in, count, out, [](int64_t v) { return Decimal::FromInt64(v); });
      return true;
    }
    if (to.id == TypeId::kInteger && RangeOf(from).max <= INT32_MAX && !IsUnsigned(from)) {
      Loop<int64_t, int64_t>(in, count, out, [](int64_t v) { return v; });
      return true;
    }
  }
  if (in.physical_type() == PhysicalType::kDouble && to.id == TypeId::kDouble) {
    Loop<double, double>(in, count, out, [](double v) { return v; });
    return true;
  }
  if (IsDateTime(from) && in.physical_type() == PhysicalType::kInt64) {
    if (to.id == TypeId::kTimestamp) {
      Loop<int64_t, Timestamp>(in, count, out, [](int64_t v) { return Timestamp{v, 0}; });
      return true;
    }
    if (IsWideSigned(to.id)) {
      Loop<int64_t, int64_t>(in, count, out, [](int64_t v) { return v; });
      return true;
    }
  }
  return false;
}

}  // namespace

Status CastKernel(const Vector& in, const DataType& to, bool implicit_cast, size_t count,
                  Vector* out) {
  MergeNulls(in, count, out);
  if (CastFast(in, to, count, out)) return Status::Ok();
  // Lengths and scales of a CAST are shown and not applied, as in the original.
  const DataType target = implicit_cast ? to : DataType{to.id};
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const Value value = in.GetValue(in.IndexOf(i));
    Result<Value> cast = implicit_cast ? Coerce(value, target) : Cast(value, target);
    if (!cast.ok()) return std::move(cast).status();
    if (to.id == TypeId::kDecimal && !cast->is_null()) {
      out->Set<Decimal>(i, cast->decimal().StripTrailingZeros());
    } else {
      out->SetValue(i, *cast);
    }
  }
  return Status::Ok();
}

}  // namespace bennu::sql
