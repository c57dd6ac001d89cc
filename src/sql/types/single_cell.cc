#include "src/sql/types/single_cell.h"

#include <cstdlib>
#include <limits>

#include "src/sql/types/codec.h"

namespace bennu::sql {
namespace {

constexpr char kFirstElement = 'x';
constexpr char kVersion = 3;

void AppendOffset16(uint16_t value, Bytes* out) {
  out->push_back(static_cast<char>(value >> 8));
  out->push_back(static_cast<char>(value));
}

void AppendOffset32(uint32_t value, Bytes* out) {
  char bytes[4];
  StoreBig32(bytes, value);
  out->append(bytes, sizeof(bytes));
}

}  // namespace

void AppendSingleCell(std::span<const std::optional<ByteView>> elements, Bytes* out) {
  const size_t start = out->size();
  out->push_back(kFirstElement);
  for (const std::optional<ByteView>& element : elements) {
    if (element.has_value()) out->append(*element);
  }
  const auto offsets_begin = static_cast<uint32_t>(out->size() - start);
  const bool wide = offsets_begin > static_cast<uint32_t>(std::numeric_limits<int16_t>::max());
  const auto append = [&](int64_t offset) {
    if (wide) {
      AppendOffset32(static_cast<uint32_t>(offset), out);
    } else {
      AppendOffset16(static_cast<uint16_t>(offset), out);
    }
  };
  append(0);
  int64_t position = 1;
  for (const std::optional<ByteView>& element : elements) {
    append(element.has_value() ? position : -position);
    if (element.has_value()) position += static_cast<int64_t>(element->size());
  }
  const auto count = static_cast<int32_t>(elements.size()) + 1;
  AppendOffset32(offsets_begin, out);
  AppendOffset32(static_cast<uint32_t>(wide ? -count : count), out);
  out->push_back(kVersion);
}

std::optional<ByteView> SingleCellElement(ByteView cell, int32_t element) {
  constexpr size_t kTrailerBytes = 9;
  if (cell.size() < kTrailerBytes || element < 0) return std::nullopt;
  const char* trailer = cell.data() + cell.size() - kTrailerBytes;
  const uint32_t offset_position = LoadBig32(trailer);
  const int32_t signed_count = static_cast<int32_t>(LoadBig32(trailer + 4));
  const size_t width = signed_count < 0 ? 4 : 2;
  const int64_t count = std::abs(static_cast<int64_t>(signed_count));
  if (element >= count || offset_position > cell.size() ||
      offset_position + count * width + kTrailerBytes > cell.size()) {
    return std::nullopt;
  }
  const char* offsets = cell.data() + offset_position;
  auto offset_at = [&](int64_t i) -> int64_t {
    const char* p = offsets + i * width;
    if (width == 4) return static_cast<int32_t>(LoadBig32(p));
    return static_cast<int16_t>((static_cast<uint8_t>(p[0]) << 8) | static_cast<uint8_t>(p[1]));
  };
  const int64_t begin = offset_at(element);
  if (begin < 0) return std::nullopt;
  const int64_t end = element + 1 < count ? std::abs(offset_at(element + 1))
                                          : static_cast<int64_t>(offset_position);
  if (end < begin || end > static_cast<int64_t>(offset_position)) return std::nullopt;
  return cell.substr(begin, end - begin);
}

}  // namespace bennu::sql
