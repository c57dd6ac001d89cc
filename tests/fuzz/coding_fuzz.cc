// Integer decoders: any bytes are a number or refused; a number's own form decodes to itself.
#include "src/base/coding.h"

#include "src/base/check.h"
#include "src/base/hex.h"

namespace bennu {
namespace {

void FuzzVLong(ByteView input) {
  int64_t value;
  const size_t size = DecodeVLong(input, &value);
  BENNU_CHECK(size <= input.size() && size <= kVLongSizeMax);
  if (size == 0) return;
  Bytes encoded;
  AppendVLong(&encoded, value);
  int64_t back;
  BENNU_CHECK(encoded.size() == VLongSize(value));
  BENNU_CHECK(encoded.size() <= size);  // input may carry leading zeros
  BENNU_CHECK(DecodeVLong(encoded, &back) == encoded.size() && back == value);
}

void FuzzVarint(ByteView input) {
  uint64_t value;
  const size_t size = DecodeVarint64(input, &value);
  BENNU_CHECK(size <= input.size() && size <= kVarint64SizeMax);
  if (size == 0) return;
  Bytes encoded;
  AppendVarint(&encoded, value);
  uint64_t back;
  BENNU_CHECK(encoded.size() == VarintSize(value));
  BENNU_CHECK(DecodeVarint64(encoded, &back) == encoded.size() && back == value);
}

void FuzzHex(ByteView input) {
  BENNU_CHECK(HexDecode(HexEncode(input)).value() == input);
  const Result<Bytes> decoded = HexDecode(input);
  if (decoded.ok()) BENNU_CHECK(decoded.value().size() * 2 == input.size());
}

}  // namespace
}  // namespace bennu

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bennu::ByteView input(reinterpret_cast<const char*>(data), size);
  bennu::FuzzVLong(input);
  bennu::FuzzVarint(input);
  bennu::FuzzHex(input);
  return 0;
}
