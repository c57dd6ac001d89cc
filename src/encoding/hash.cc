#include "src/encoding/hash.h"

#include <bit>
#include <cstring>

namespace bennu::encoding {

namespace {

// The machine is little-endian (base/coding.h), as these hashes want it.
uint32_t LoadWord(const char* bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// Up to 4 bytes, the missing ones zero.
uint32_t LoadPart(ByteView bytes) {
  uint32_t word = 0;
  if (!bytes.empty()) std::memcpy(&word, bytes.data(), std::min<size_t>(bytes.size(), 4));
  return word;
}

uint32_t SignedByte(char byte) {
  return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(byte)));
}

}  // namespace

uint32_t MurmurHash(ByteView bytes, uint32_t seed) {
  constexpr uint32_t kMultiplier = 0x5bd1e995;
  uint32_t hash = seed ^ static_cast<uint32_t>(bytes.size());
  while (bytes.size() >= 4) {
    uint32_t word = LoadWord(bytes.data()) * kMultiplier;
    word = (word ^ (word >> 24)) * kMultiplier;
    hash = (hash * kMultiplier) ^ word;
    bytes.remove_prefix(4);
  }
  if (!bytes.empty()) {
    if (bytes.size() >= 3) hash ^= SignedByte(bytes[2]) << 16;
    if (bytes.size() >= 2) hash ^= SignedByte(bytes[1]) << 8;
    hash = (hash ^ SignedByte(bytes[0])) * kMultiplier;
  }
  hash = (hash ^ (hash >> 13)) * kMultiplier;
  return hash ^ (hash >> 15);
}

uint32_t Murmur3Hash(ByteView bytes, uint32_t seed) {
  constexpr uint32_t kFirst = 0xcc9e2d51;
  constexpr uint32_t kSecond = 0x1b873593;
  const auto length = static_cast<uint32_t>(bytes.size());
  uint32_t hash = seed;
  while (bytes.size() >= 4) {
    hash ^= std::rotl(LoadWord(bytes.data()) * kFirst, 15) * kSecond;
    hash = std::rotl(hash, 13) * 5 + 0xe6546b64;
    bytes.remove_prefix(4);
  }
  if (!bytes.empty()) hash ^= std::rotl(LoadPart(bytes) * kFirst, 15) * kSecond;
  hash ^= length;
  hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
  return hash ^ (hash >> 16);
}

uint32_t JenkinsHash(ByteView bytes, uint32_t seed) {
  uint32_t a = 0xdeadbeef + static_cast<uint32_t>(bytes.size()) + seed;
  uint32_t b = a;
  uint32_t c = a;
  while (bytes.size() > 12) {
    a += LoadWord(bytes.data());
    b += LoadWord(bytes.data() + 4);
    c += LoadWord(bytes.data() + 8);
    a = (a - c) ^ std::rotl(c, 4);
    c += b;
    b = (b - a) ^ std::rotl(a, 6);
    a += c;
    c = (c - b) ^ std::rotl(b, 8);
    b += a;
    a = (a - c) ^ std::rotl(c, 16);
    c += b;
    b = (b - a) ^ std::rotl(a, 19);
    a += c;
    c = (c - b) ^ std::rotl(b, 4);
    b += a;
    bytes.remove_prefix(12);
  }
  if (bytes.empty()) return c;
  a += LoadPart(bytes);
  if (bytes.size() > 4) b += LoadPart(bytes.substr(4));
  if (bytes.size() > 8) c += LoadPart(bytes.substr(8));
  c = (c ^ b) - std::rotl(b, 14);
  a = (a ^ c) - std::rotl(c, 11);
  b = (b ^ a) - std::rotl(a, 25);
  c = (c ^ b) - std::rotl(b, 16);
  a = (a ^ c) - std::rotl(c, 4);
  b = (b ^ a) - std::rotl(a, 14);
  return (c ^ b) - std::rotl(b, 24);
}

uint32_t JavaHashCode(ByteView bytes) {
  uint32_t hash = 1;
  for (const char byte : bytes) hash = 31 * hash + SignedByte(byte);
  return hash;
}

}  // namespace bennu::encoding
