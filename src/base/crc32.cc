#include "src/base/crc32.h"

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace bennu {

namespace {

constexpr uint32_t kReflectedPolynomial = 0x82F63B78;  // Castagnoli's, bits reversed

using ByteTable = std::array<uint32_t, 256>;

// Table k holds the effect of a byte that k more bytes follow, so eight bytes are eight look-ups
// that do not wait for one another ("slicing by 8").
constexpr std::array<ByteTable, 8> MakeTables() {
  std::array<ByteTable, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
    }
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr std::array<ByteTable, 8> kTables = MakeTables();

uint64_t LoadLittle64(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));  // little-endian machines only
  return value;
}

#if defined(__x86_64__)
#define BENNU_SSE42 __attribute__((target("sse4.2")))

BENNU_SSE42 uint64_t Crc32cWords(const char* bytes, size_t size, uint64_t crc) {
  for (const char* end = bytes + size; bytes != end; bytes += 8) {
    crc = __builtin_ia32_crc32di(crc, LoadLittle64(bytes));
  }
  return crc;
}

// The instruction takes three cycles, and a new one can start in each: three stretches of the data
// are summed side by side, and their sums joined. Long lanes for blocks, short ones for what is
// left of them and for log entries.
constexpr size_t kLongLaneSize = 1024;
constexpr size_t kShortLaneSize = 128;

// What kLaneSize bytes of zeros make of a sum. The sum is linear in its bits, so each of its bytes
// has a table of its own.
template <size_t kLaneSize>
class LaneShift {
 public:
  BENNU_SSE42 LaneShift() {
    const std::array<char, kLaneSize> zeros{};
    std::array<uint32_t, 32> of_bit{};
    for (uint32_t bit = 0; bit < 32; ++bit) {
      of_bit[bit] = static_cast<uint32_t>(Crc32cWords(zeros.data(), kLaneSize, uint64_t{1} << bit));
    }
    for (uint32_t byte = 0; byte < 4; ++byte) {
      for (uint32_t value = 0; value < 256; ++value) {
        for (uint32_t bit = 0; bit < 8; ++bit) {
          if ((value >> bit & 1) != 0) tables_[byte][value] ^= of_bit[byte * 8 + bit];
        }
      }
    }
  }
  uint32_t Of(uint64_t crc) const {
    return tables_[0][crc & 0xFF] ^ tables_[1][crc >> 8 & 0xFF] ^ tables_[2][crc >> 16 & 0xFF] ^
           tables_[3][crc >> 24 & 0xFF];
  }

 private:
  std::array<ByteTable, 4> tables_{};
};

// Sums what whole triples of lanes hold, and takes it off the data.
template <size_t kLaneSize>
BENNU_SSE42 uint64_t Crc32cThreeLanes(ByteView* data, uint64_t crc) {
  if (data->size() < 3 * kLaneSize) return crc;
  static const LaneShift<kLaneSize> shift;
  for (; data->size() >= 3 * kLaneSize; data->remove_prefix(3 * kLaneSize)) {
    const char* const bytes = data->data();
    uint64_t second = 0;
    uint64_t third = 0;
    for (size_t i = 0; i < kLaneSize; i += 8) {
      crc = __builtin_ia32_crc32di(crc, LoadLittle64(bytes + i));
      second = __builtin_ia32_crc32di(second, LoadLittle64(bytes + kLaneSize + i));
      third = __builtin_ia32_crc32di(third, LoadLittle64(bytes + 2 * kLaneSize + i));
    }
    crc = shift.Of(shift.Of(crc) ^ second) ^ third;
  }
  return crc;
}

BENNU_SSE42 uint32_t Crc32cSse42(ByteView data, uint32_t seed) {
  uint64_t crc = static_cast<uint32_t>(~seed);
  crc = Crc32cThreeLanes<kLongLaneSize>(&data, crc);
  crc = Crc32cThreeLanes<kShortLaneSize>(&data, crc);
  const size_t words = data.size() / 8 * 8;
  crc = Crc32cWords(data.data(), words, crc);
  auto crc32 = static_cast<uint32_t>(crc);
  for (size_t i = words; i < data.size(); ++i) {
    crc32 = __builtin_ia32_crc32qi(crc32, static_cast<unsigned char>(data[i]));
  }
  return ~crc32;
}
#undef BENNU_SSE42
#endif

using CrcFunction = uint32_t (*)(ByteView, uint32_t);

CrcFunction ChooseCrc32c() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) return Crc32cSse42;
#endif
  return internal::Crc32cPortable;
}

}  // namespace

namespace internal {

uint32_t Crc32cPortable(ByteView data, uint32_t seed) {
  const char* bytes = data.data();
  size_t left = data.size();
  uint32_t crc = ~seed;
  for (; left >= 8; left -= 8, bytes += 8) {
    const uint64_t word = LoadLittle64(bytes) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (; left > 0; --left, ++bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*bytes)) & 0xFF];
  }
  return ~crc;
}

}  // namespace internal

uint32_t Crc32c(ByteView data, uint32_t seed) {
  static const CrcFunction function = ChooseCrc32c();
  return function(data, seed);
}

uint32_t Crc32(ByteView data, uint32_t seed) {
  return static_cast<uint32_t>(
      ::crc32_z(seed, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

}  // namespace bennu
