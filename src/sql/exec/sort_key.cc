#include "src/sql/exec/sort_key.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "src/sql/types/codec.h"
#include "src/sql/types/decimal.h"

namespace bennu::sql::exec {
namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;

void AppendBig64(uint64_t value, Bytes* key) {
  char bytes[8];
  StoreBig64(bytes, value);
  key->append(bytes, sizeof(bytes));
}

// Numbers that are ordered as the values are.
uint64_t Ordered(int64_t value) { return static_cast<uint64_t>(value) ^ kSign; }
uint64_t Ordered(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  if (value == 0) value = 0;  // -0 and 0 are equal
  const auto bits = std::bit_cast<uint64_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

void AppendText(ByteView text, Bytes* key) {
  for (char c : text) {
    key->push_back(c);
    if (c == '\0') key->push_back('\xff');
  }
  key->append(2, '\0');
}

void AppendValue(const Vector& vector, size_t row, Bytes* key) {
  switch (vector.physical_type()) {
    case PhysicalType::kBool: key->push_back(static_cast<char>(vector.At<uint8_t>(row))); break;
    case PhysicalType::kInt64: AppendBig64(Ordered(vector.At<int64_t>(row)), key); break;
    case PhysicalType::kDouble: AppendBig64(Ordered(vector.At<double>(row)), key); break;
    case PhysicalType::kDecimal:
      // Beyond what bytes can say: above or below all that they can.
      if (!vector.At<Decimal>(row).EncodeTo(key)) {
        key->push_back(vector.At<Decimal>(row).sign() < 0 ? '\x00' : '\xff');
      }
      key->push_back('\0');  // below every byte of a longer number
      break;
    case PhysicalType::kTimestamp: {
      const Timestamp& value = vector.At<Timestamp>(row);
      AppendBig64(static_cast<uint64_t>(value.millis) ^ kSign, key);
      char nanos[4];
      StoreBig32(nanos, static_cast<uint32_t>(value.nanos));
      key->append(nanos, sizeof(nanos));
      break;
    }
    case PhysicalType::kBytes: {
      ByteView text = vector.At<ByteView>(row);
      if (vector.type().id == TypeId::kChar) text = StripCharPadding(text);
      AppendText(text, key);
      break;
    }
  }
}

// The rows whose value is not behind 'last', or is NULL if those come first. 'flip': all ones when
// descending.
template <typename T>
void RowsUpTo(uint64_t last, uint64_t flip, bool nulls_first, const Vector& vector, size_t count,
              std::vector<uint32_t>* rows) {
  rows->resize(count);
  size_t kept = 0;
  for (size_t row = 0; row < count; ++row) {
    (*rows)[kept] = static_cast<uint32_t>(row);
    const bool keep =
        vector.IsNull(row) ? nulls_first : (Ordered(vector.At<T>(row)) ^ flip) <= last;
    kept += keep ? 1 : 0;
  }
  rows->resize(kept);
}

uint64_t Prefix(ByteView key) {
  if (key.size() >= 8) return LoadBig64(key.data());
  char bytes[8] = {};
  if (!key.empty()) std::memcpy(bytes, key.data(), key.size());
  return LoadBig64(bytes);
}

}  // namespace

void AppendSortKey(const std::vector<SortField>& fields, const DataChunk& chunk, size_t row,
                   Bytes* key) {
  for (const SortField& field : fields) {
    const Vector& vector = chunk.columns[field.column];
    if (vector.IsNull(row)) {
      key->push_back(field.nulls_last ? '\x02' : '\0');
      continue;
    }
    key->push_back('\x01');
    const size_t begin = key->size();
    AppendValue(vector, row, key);
    if (field.descending) InvertBytes(key->data() + begin, key->size() - begin);
  }
}

void RowsThatMayPrecede(ByteView threshold, const std::vector<SortField>& fields,
                        const DataChunk& chunk, std::vector<uint32_t>* rows) {
  const SortField& first = fields[0];
  const Vector& vector = chunk.columns[first.column];
  const PhysicalType type = vector.physical_type();
  const bool number = type == PhysicalType::kInt64 || type == PhysicalType::kDouble;
  if (!number || threshold.size() < 9 || threshold[0] != '\x01') {
    rows->resize(chunk.size);
    std::iota(rows->begin(), rows->end(), 0);
    return;
  }
  const uint64_t last = LoadBig64(threshold.data() + 1);
  const uint64_t flip = first.descending ? ~uint64_t{0} : 0;
  if (type == PhysicalType::kInt64) {
    RowsUpTo<int64_t>(last, flip, !first.nulls_last, vector, chunk.size, rows);
  } else {
    RowsUpTo<double>(last, flip, !first.nulls_last, vector, chunk.size, rows);
  }
}

void SortKeys::Add(ByteView key) {
  bytes_.append(key);
  offsets_.push_back(bytes_.size());
}

void SortKeys::Clear() {
  bytes_.clear();
  offsets_.resize(1);
}

std::vector<uint32_t> SortKeys::Order(size_t limit) const {
  struct Entry {
    uint64_t prefix;
    uint32_t row;
  };
  // The first byte is the marker of the first field. Where it is the same in all keys, as without
  // NULLs, the prefix begins behind it: then it has the whole of an integer or a double.
  std::vector<Entry> entries(size());
  bool one_marker = !entries.empty() && !key(0).empty();
  for (uint32_t i = 1; i < entries.size() && one_marker; ++i) {
    one_marker = !key(i).empty() && key(i)[0] == key(0)[0];
  }
  for (uint32_t i = 0; i < entries.size(); ++i) {
    entries[i] = {Prefix(key(i).substr(one_marker ? 1 : 0)), i};
  }
  auto less = [this](const Entry& a, const Entry& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order = key(a.row).compare(key(b.row));
    return order != 0 ? order < 0 : a.row < b.row;
  };
  limit = std::min(limit, entries.size());
  if (limit < entries.size()) {
    std::nth_element(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(limit),
                     entries.end(), less);
    entries.resize(limit);
  }
  std::sort(entries.begin(), entries.end(), less);
  std::vector<uint32_t> order(limit);
  for (size_t i = 0; i < limit; ++i) order[i] = entries[i].row;
  return order;
}

}  // namespace bennu::sql::exec
