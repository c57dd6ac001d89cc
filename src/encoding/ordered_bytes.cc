#include "src/encoding/ordered_bytes.h"

#include <bit>
#include <cmath>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/encoding/ordered_bytes_internal.h"

namespace bennu::ordered_bytes {

using namespace internal;  // NOLINT(google-build-using-namespace): this folder's own constants

namespace internal {

void AppendVaruint(Bytes* out, uint64_t value, uint8_t flip) {
  char bytes[9];
  size_t size;
  if (value < 241) {
    bytes[0] = static_cast<char>(value);
    size = 1;
  } else if (value < 2288) {
    bytes[0] = static_cast<char>((value - 240) / 256 + 241);
    bytes[1] = static_cast<char>((value - 240) % 256);
    size = 2;
  } else if (value < 67824) {
    bytes[0] = static_cast<char>(249);
    StoreBE16(bytes + 1, static_cast<uint16_t>(value - 2288));
    size = 3;
  } else {
    // 250 is followed by 3 bytes, … 255 by 8.
    const auto width = static_cast<size_t>((std::bit_width(value) + 7) / 8);
    bytes[0] = static_cast<char>(247 + width);
    for (size_t i = 0; i < width; ++i) {
      bytes[1 + i] = static_cast<char>(value >> (8 * (width - 1 - i)));
    }
    size = 1 + width;
  }
  const size_t begin = out->size();
  out->append(bytes, size);
  FlipFrom(out, begin, flip);
}

bool ConsumeVaruint(ByteView* in, uint8_t flip, uint64_t* value) {
  const auto at = [in, flip](size_t i) -> uint64_t {
    return static_cast<uint8_t>(static_cast<uint8_t>((*in)[i]) ^ flip);
  };
  if (in->empty()) return false;
  const uint64_t first = at(0);
  const size_t size = first < 241 ? 1 : first < 249 ? 2 : first == 249 ? 3 : first - 246;
  if (in->size() < size) return false;
  if (size == 1) {
    *value = first;
  } else if (size == 2) {
    *value = 240 + 256 * (first - 241) + at(1);
  } else if (size == 3) {
    *value = 2288 + 256 * at(1) + at(2);
  } else {
    *value = 0;
    for (size_t i = 1; i < size; ++i) *value = (*value << 8) | at(i);
  }
  in->remove_prefix(size);
  return true;
}

}  // namespace internal

namespace {

// Header and 'width' bytes of 'bits', big-endian.
void AppendFixed(Bytes* out, uint8_t header, uint64_t bits, size_t width, Order order) {
  const uint8_t flip = FlipOf(order);
  char bytes[9];
  bytes[0] = static_cast<char>(header ^ flip);
  for (size_t i = 0; i < width; ++i) {
    bytes[1 + i] = static_cast<char>(static_cast<uint8_t>(bits >> (8 * (width - 1 - i))) ^ flip);
  }
  out->append(bytes, 1 + width);
}

Result<uint64_t> ConsumeFixed(ByteView* in, uint8_t header, size_t width, const char* what) {
  if (in->empty()) return CutShort(what);
  const uint8_t flip = FlipOf(OrderOf(in->front()));
  const auto found = static_cast<uint8_t>(static_cast<uint8_t>(in->front()) ^ flip);
  if (found != header) return UnexpectedHeader(found, what);
  if (in->size() < 1 + width) return CutShort(what);
  uint64_t bits = 0;
  for (size_t i = 1; i <= width; ++i) {
    bits = (bits << 8) | static_cast<uint8_t>(static_cast<uint8_t>((*in)[i]) ^ flip);
  }
  in->remove_prefix(1 + width);
  return bits;
}

// Takes header and, unless it is a null, says in which order. Sets *null for a null.
Status ConsumeHeader(ByteView* in, uint8_t header, const char* what, uint8_t* flip, bool* null) {
  if (in->empty()) return CutShort(what);
  *flip = FlipOf(OrderOf(in->front()));
  const auto found = static_cast<uint8_t>(static_cast<uint8_t>(in->front()) ^ *flip);
  *null = found == kNull;
  if (!*null && found != header) return UnexpectedHeader(found, what);
  in->remove_prefix(1);
  return Status::Ok();
}

char Terminator(uint8_t flip) { return static_cast<char>(kTerminator ^ flip); }

}  // namespace

void EncodeNull(Bytes* out, Order order) {
  out->push_back(static_cast<char>(kNull ^ FlipOf(order)));
}

// ---- fixed width: inverting the sign bit makes two's complement ordered

void EncodeInt8(Bytes* out, int8_t value, Order order) {
  AppendFixed(out, kInt8, static_cast<uint8_t>(value) ^ 0x80u, 1, order);
}
void EncodeInt16(Bytes* out, int16_t value, Order order) {
  AppendFixed(out, kInt16, static_cast<uint16_t>(value) ^ 0x8000u, 2, order);
}
void EncodeInt32(Bytes* out, int32_t value, Order order) {
  AppendFixed(out, kInt32, static_cast<uint32_t>(value) ^ 0x80000000u, 4, order);
}
void EncodeInt64(Bytes* out, int64_t value, Order order) {
  AppendFixed(out, kInt64, static_cast<uint64_t>(value) ^ (uint64_t{1} << 63), 8, order);
}

Result<int8_t> DecodeInt8(ByteView* in) {
  ASSIGN_OR_RETURN(const uint64_t bits, ConsumeFixed(in, kInt8, 1, "int8"));
  return static_cast<int8_t>(bits ^ 0x80);
}
Result<int16_t> DecodeInt16(ByteView* in) {
  ASSIGN_OR_RETURN(const uint64_t bits, ConsumeFixed(in, kInt16, 2, "int16"));
  return static_cast<int16_t>(bits ^ 0x8000);
}
Result<int32_t> DecodeInt32(ByteView* in) {
  ASSIGN_OR_RETURN(const uint64_t bits, ConsumeFixed(in, kInt32, 4, "int32"));
  return static_cast<int32_t>(static_cast<uint32_t>(bits) ^ 0x80000000u);
}
Result<int64_t> DecodeInt64(ByteView* in) {
  ASSIGN_OR_RETURN(const uint64_t bits, ConsumeFixed(in, kInt64, 8, "int64"));
  return static_cast<int64_t>(bits ^ (uint64_t{1} << 63));
}

// Floating point: positive numbers get their sign bit inverted, negative ones all bits.

void EncodeFloat32(Bytes* out, float value, Order order) {
  const uint32_t bits = std::isnan(value) ? 0x7fc00000u : std::bit_cast<uint32_t>(value);
  AppendFixed(out, kFloat32, bits ^ ((bits >> 31) != 0 ? ~0u : 0x80000000u), 4, order);
}
void EncodeFloat64(Bytes* out, double value, Order order) {
  const uint64_t sign = uint64_t{1} << 63;
  const uint64_t bits = std::isnan(value) ? 0x7ff8000000000000u : std::bit_cast<uint64_t>(value);
  AppendFixed(out, kFloat64, bits ^ ((bits & sign) != 0 ? ~uint64_t{0} : sign), 8, order);
}

Result<float> DecodeFloat32(ByteView* in) {
  ASSIGN_OR_RETURN(const uint64_t wide, ConsumeFixed(in, kFloat32, 4, "float32"));
  const auto bits = static_cast<uint32_t>(wide);
  return std::bit_cast<float>(bits ^ ((bits >> 31) != 0 ? 0x80000000u : ~0u));
}
Result<double> DecodeFloat64(ByteView* in) {
  const uint64_t sign = uint64_t{1} << 63;
  ASSIGN_OR_RETURN(const uint64_t bits, ConsumeFixed(in, kFloat64, 8, "float64"));
  return std::bit_cast<double>(bits ^ ((bits & sign) != 0 ? sign : ~uint64_t{0}));
}

// ---- text

Status EncodeText(Bytes* out, ByteView value, Order order) {
  if (value.find('\0') != ByteView::npos) {
    return InvalidArgument(
        "OrderedBytes: a text with a zero byte cannot be encoded, since that byte ends a text");
  }
  const size_t begin = out->size();
  out->push_back(static_cast<char>(kText));
  out->append(value);
  out->push_back(static_cast<char>(kTerminator));
  FlipFrom(out, begin, FlipOf(order));
  return Status::Ok();
}

Result<std::optional<Bytes>> DecodeText(ByteView* in) {
  ByteView rest = *in;
  uint8_t flip = 0;
  bool null = false;
  RETURN_IF_ERROR(ConsumeHeader(&rest, kText, "text", &flip, &null));
  std::optional<Bytes> value;
  if (!null) {
    const size_t end = rest.find(Terminator(flip));
    if (end == ByteView::npos) return CutShort("text");
    value.emplace(rest.substr(0, end));
    FlipFrom(&*value, 0, flip);
    rest.remove_prefix(end + 1);
  }
  *in = rest;
  return value;
}

// ---- BlobVar: 7 bits of the value in each byte, whose top bit says that more follow

void EncodeBlobVar(Bytes* out, ByteView value, Order order) {
  const size_t begin = out->size();
  out->push_back(static_cast<char>(kBlobVar));
  if (value.empty()) out->push_back(static_cast<char>(kTerminator));
  uint32_t pending = 0;  // the lowest 'count' bits wait to be written
  int count = 0;
  for (const char byte : value) {
    pending = (pending << 8) | static_cast<uint8_t>(byte);
    count += 8;
    while (count >= 7) {
      count -= 7;
      out->push_back(static_cast<char>(0x80 | ((pending >> count) & 0x7f)));
    }
    pending &= (1u << count) - 1;
  }
  if (count > 0) out->push_back(static_cast<char>(0x80 | (pending << (7 - count))));
  if (!value.empty()) out->back() = static_cast<char>(out->back() & 0x7f);
  FlipFrom(out, begin, FlipOf(order));
}

Result<std::optional<Bytes>> DecodeBlobVar(ByteView* in) {
  ByteView rest = *in;
  uint8_t flip = 0;
  bool null = false;
  RETURN_IF_ERROR(ConsumeHeader(&rest, kBlobVar, "BlobVar", &flip, &null));
  std::optional<Bytes> value;
  if (!null) {
    value.emplace();
    uint32_t pending = 0;
    int count = 0;
    for (bool more = true; more;) {
      if (rest.empty()) return CutShort("BlobVar");
      const auto byte = static_cast<uint8_t>(static_cast<uint8_t>(rest.front()) ^ flip);
      rest.remove_prefix(1);
      more = (byte & 0x80) != 0;
      pending = (pending << 7) | (byte & 0x7fu);
      count += 7;
      if (count >= 8) {
        count -= 8;
        value->push_back(static_cast<char>(pending >> count));
        pending &= (1u << count) - 1;
      }
    }
  }
  *in = rest;
  return value;
}

// ---- BlobCopy

Status EncodeBlobCopy(Bytes* out, ByteView value, Order order) {
  if (order == Order::kDescending && value.find('\0') != ByteView::npos) {
    return InvalidArgument(
        "OrderedBytes: a BlobCopy with a zero byte cannot be encoded in descending order, where "
        "that byte ends it; use BlobVar");
  }
  const size_t begin = out->size();
  out->push_back(static_cast<char>(kBlobCopy));
  out->append(value);
  if (order == Order::kDescending) out->push_back(static_cast<char>(kTerminator));
  FlipFrom(out, begin, FlipOf(order));
  return Status::Ok();
}

void EncodeNullBlobCopy(Bytes* out, Order order) {
  EncodeNull(out, order);
  if (order == Order::kDescending) out->push_back(Terminator(FlipOf(order)));
}

Result<std::optional<Bytes>> DecodeBlobCopy(ByteView* in) {
  ByteView rest = *in;
  uint8_t flip = 0;
  bool null = false;
  RETURN_IF_ERROR(ConsumeHeader(&rest, kBlobCopy, "BlobCopy", &flip, &null));
  std::optional<Bytes> value;
  if (!null) {
    if (flip == 0) {
      value.emplace(rest);
      rest = {};
    } else {
      // It is the last value, so its end is the end of the bytes.
      if (rest.empty() || rest.back() != Terminator(flip)) return CutShort("BlobCopy");
      value.emplace(rest.substr(0, rest.size() - 1));
      FlipFrom(&*value, 0, flip);
      rest = {};
    }
  }
  *in = rest;
  return value;
}

// ---- inspection

std::optional<Header> Inspect(ByteView in) {
  if (in.empty()) return std::nullopt;
  const Order order = OrderOf(in.front());
  const auto header = static_cast<uint8_t>(static_cast<uint8_t>(in.front()) ^ FlipOf(order));
  if (header >= kNegativeLarge && header <= kNegativeSmall) {
    return Header{Kind::kNegativeNumber, order};
  }
  if (header >= kPositiveSmall && header <= kPositiveLarge) {
    return Header{Kind::kPositiveNumber, order};
  }
  switch (header) {
    case kNull: return Header{Kind::kNull, order};
    case kNegativeInfinity: return Header{Kind::kNegativeInfinity, order};
    case kZero: return Header{Kind::kZero, order};
    case kPositiveInfinity: return Header{Kind::kPositiveInfinity, order};
    case kNaN: return Header{Kind::kNaN, order};
    case kInt8: return Header{Kind::kInt8, order};
    case kInt16: return Header{Kind::kInt16, order};
    case kInt32: return Header{Kind::kInt32, order};
    case kInt64: return Header{Kind::kInt64, order};
    case kFloat32: return Header{Kind::kFloat32, order};
    case kFloat64: return Header{Kind::kFloat64, order};
    case kText: return Header{Kind::kText, order};
    case kBlobVar: return Header{Kind::kBlobVar, order};
    case kBlobCopy: return Header{Kind::kBlobCopy, order};
    default: return std::nullopt;
  }
}

namespace {

// Returns the position behind the first byte that 'ends' holds for, npos if there is none.
template <typename Predicate>
size_t FindEnd(ByteView in, size_t begin, uint8_t flip, Predicate ends) {
  for (size_t i = begin; i < in.size(); ++i) {
    if (ends(static_cast<uint8_t>(static_cast<uint8_t>(in[i]) ^ flip))) return i + 1;
  }
  return ByteView::npos;
}

// Returns where a finite number other than zero ends, npos if it is cut short.
size_t FindNumberEnd(ByteView in, uint8_t header, uint8_t flip) {
  ByteView rest = in.substr(1);
  const bool exponent_flipped = header == kNegativeLarge || header == kPositiveSmall;
  if (exponent_flipped || header == kNegativeSmall || header == kPositiveLarge) {
    uint64_t exponent;
    const uint8_t exponent_flip = exponent_flipped ? static_cast<uint8_t>(~flip) : flip;
    if (!ConsumeVaruint(&rest, exponent_flip, &exponent)) return ByteView::npos;
  }
  const uint8_t mantissa_flip = header < kZero ? static_cast<uint8_t>(~flip) : flip;
  return FindEnd(in, in.size() - rest.size(), mantissa_flip,
                 [](uint8_t byte) { return (byte & 1) == 0; });
}

size_t FixedSize(Kind kind) {
  switch (kind) {
    case Kind::kInt8: return 2;
    case Kind::kInt16: return 3;
    case Kind::kInt32:
    case Kind::kFloat32: return 5;
    case Kind::kInt64:
    case Kind::kFloat64: return 9;
    default: return 1;
  }
}

// Returns the size of the value at the front, npos if it is cut short.
size_t ValueSize(ByteView in, Header header) {
  const uint8_t flip = FlipOf(header.order);
  switch (header.kind) {
    case Kind::kNegativeNumber:
    case Kind::kPositiveNumber:
      return FindNumberEnd(in, static_cast<uint8_t>(static_cast<uint8_t>(in[0]) ^ flip), flip);
    case Kind::kText: return FindEnd(in, 1, flip, [](uint8_t byte) { return byte == kTerminator; });
    case Kind::kBlobVar:
      return FindEnd(in, 1, flip, [](uint8_t byte) { return (byte & 0x80) == 0; });
    case Kind::kBlobCopy:
      if (header.order == Order::kAscending) return in.size();
      return FindEnd(in, 1, flip, [](uint8_t byte) { return byte == kTerminator; });
    default: return FixedSize(header.kind) <= in.size() ? FixedSize(header.kind) : ByteView::npos;
  }
}

}  // namespace

Result<size_t> Skip(ByteView* in) {
  const std::optional<Header> header = Inspect(*in);
  if (!header.has_value()) {
    if (in->empty()) return CutShort("value");
    return UnexpectedHeader(static_cast<uint8_t>(in->front()), "value");
  }
  const size_t size = ValueSize(*in, *header);
  if (size == ByteView::npos) return CutShort("value");
  in->remove_prefix(size);
  return size;
}

Result<size_t> CountValues(ByteView in) {
  size_t count = 0;
  while (!in.empty()) {
    ASSIGN_OR_RETURN([[maybe_unused]] const size_t size, Skip(&in));
    ++count;
  }
  return count;
}

}  // namespace bennu::ordered_bytes
