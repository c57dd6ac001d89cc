// OrderedBytes and its neighbours: any bytes are a value or refused; what is decoded can be encoded
// again, and skipping a value takes as many bytes as decoding it.
#include "src/base/check.h"
#include "src/encoding/big_decimal.h"
#include "src/encoding/bytes_codec.h"
#include "src/encoding/ordered_bytes.h"

namespace bennu::encoding {
namespace {

using ordered::Header;
using ordered::Kind;

// Decodes one value as what its first byte says it is. Returns the bytes taken, nothing if refused.
template <typename Decode>
std::optional<size_t> BytesTaken(Decode decode, ByteView input) {
  ByteView rest = input;
  const auto value = decode(&rest);
  if (!value.ok()) {
    BENNU_CHECK(rest.size() == input.size());  // an error leaves the input alone
    return std::nullopt;
  }
  return input.size() - rest.size();
}

std::optional<size_t> Decode(const Header& header, ByteView input) {
  switch (header.kind) {
    case Kind::kInt8: return BytesTaken(ordered::DecodeInt8, input);
    case Kind::kInt16: return BytesTaken(ordered::DecodeInt16, input);
    case Kind::kInt32: return BytesTaken(ordered::DecodeInt32, input);
    case Kind::kInt64: return BytesTaken(ordered::DecodeInt64, input);
    case Kind::kFloat32: return BytesTaken(ordered::DecodeFloat32, input);
    case Kind::kFloat64: return BytesTaken(ordered::DecodeFloat64, input);
    case Kind::kText: return BytesTaken(ordered::DecodeText, input);
    case Kind::kBlobVar: return BytesTaken(ordered::DecodeBlobVar, input);
    case Kind::kBlobCopy: return BytesTaken(ordered::DecodeBlobCopy, input);
    case Kind::kNull: return 1;
    default: return BytesTaken(ordered::DecodeNumericAsBigDecimal, input);
  }
}

void FuzzValue(ByteView input) {
  const std::optional<Header> header = ordered::Inspect(input);
  BENNU_CHECK(header.has_value() == ordered::IsEncodedValue(input));
  ByteView rest = input;
  const Result<size_t> skipped = ordered::Skip(&rest);
  if (!header.has_value()) {
    BENNU_CHECK(!skipped.ok());
    return;
  }
  const std::optional<size_t> taken = Decode(*header, input);
  if (taken.has_value() && skipped.ok() && header->kind != Kind::kBlobCopy) {
    BENNU_CHECK(*taken == skipped.value());
  }
  static_cast<void>(ordered::CountValues(input));
}

void FuzzNumber(ByteView input) {
  ByteView rest = input;
  const auto number = ordered::DecodeNumericAsBigDecimal(&rest);
  if (!number.ok() || !number.value().has_value()) return;
  // More digits than are kept get rounded, after HBase chose the form by the unrounded number:
  // 0.99…9 then has the bytes of a small number that is 1, and no second round gives these again.
  if (number.value()->Precision() > ordered::kNumericDigitsMax) return;
  Bytes once;
  ordered::EncodeNumeric(&once, *number.value(), ordered::Order::kAscending);
  ByteView view = once;
  const auto back = ordered::DecodeNumericAsBigDecimal(&view);
  BENNU_CHECK(back.ok() && back.value().has_value() && view.empty());
  BENNU_CHECK(CompareNumbers(*back.value(), *number.value()) == 0);
}

void FuzzText(ByteView input) {
  const Result<BigDecimal> decimal = BigDecimal::Parse(input);
  if (decimal.ok() && input.size() < 40) {
    BENNU_CHECK(BigDecimal::Parse(decimal.value().ToString()).value() == decimal.value());
  }
  static_cast<void>(FromStringBinary(input));
  const Result<BigDecimal> binary = DecodeBigDecimal(input);
  if (!binary.ok()) return;
  Bytes encoded;
  AppendBigDecimal(&encoded, binary.value());
  BENNU_CHECK(DecodeBigDecimal(encoded).value() == binary.value());
}

}  // namespace
}  // namespace bennu::encoding

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bennu::ByteView input(reinterpret_cast<const char*>(data), size);
  bennu::encoding::FuzzValue(input);
  bennu::encoding::FuzzNumber(input);
  bennu::encoding::FuzzText(input);
  return 0;
}
