#include "src/cell/flat_key.h"

#include <fmt/format.h>

#include <cstring>

#include "src/base/check.h"

namespace bennu::cell {

void AppendFlatKey(Bytes* out, ByteView row, ByteView family, ByteView qualifier, int64_t timestamp,
                   CellType type) {
  BENNU_DCHECK(row.size() <= kMaxRowLength && family.size() <= kMaxFamilyLength);
  const char row_length[2] = {static_cast<char>(row.size() >> 8), static_cast<char>(row.size())};
  out->append(row_length, 2);
  out->append(row);
  out->push_back(static_cast<char>(family.size()));
  out->append(family);
  out->append(qualifier);
  const uint64_t big_endian = __builtin_bswap64(static_cast<uint64_t>(timestamp));
  char tail[9];
  std::memcpy(tail, &big_endian, 8);
  tail[8] = static_cast<char>(type);
  out->append(tail, 9);
}

void AppendFirstOnRow(Bytes* out, ByteView row) {
  AppendFlatKey(out, row, {}, {}, kLatestTimestamp, CellType::kMaximum);
}

void AppendLastOnRow(Bytes* out, ByteView row) {
  AppendFlatKey(out, row, {}, {}, kOldestTimestamp, CellType::kMinimum);
}

void AppendFirstOnColumn(Bytes* out, ByteView row, ByteView family, ByteView qualifier) {
  AppendFlatKey(out, row, family, qualifier, kLatestTimestamp, CellType::kMaximum);
}

void AppendFirstOnColumnAt(Bytes* out, ByteView row, ByteView family, ByteView qualifier,
                           int64_t timestamp) {
  AppendFlatKey(out, row, family, qualifier, timestamp, CellType::kMaximum);
}

void AppendLastOnColumn(Bytes* out, ByteView row, ByteView family, ByteView qualifier) {
  AppendFlatKey(out, row, family, qualifier, kOldestTimestamp, CellType::kMinimum);
}

std::string TypeName(CellType type) {
  switch (type) {
    case CellType::kMinimum: return "Minimum";
    case CellType::kPut: return "Put";
    case CellType::kDelete: return "Delete";
    case CellType::kDeleteFamilyVersion: return "DeleteFamilyVersion";
    case CellType::kDeleteColumn: return "DeleteColumn";
    case CellType::kDeleteFamily: return "DeleteFamily";
    case CellType::kMaximum: return "Maximum";
  }
  return fmt::format("Unknown({})", static_cast<int>(type));
}

namespace {

// Returns what is wrong with the key, or null.
const char* FindKeyFault(ByteView key) {
  if (key.size() < kFlatKeyOverhead) return "shorter than the 12 bytes that every key has";
  const uint32_t row_length =
      (static_cast<uint32_t>(static_cast<uint8_t>(key[0])) << 8) | static_cast<uint8_t>(key[1]);
  if (row_length == 0) return "an empty row";
  if (row_length > kMaxRowLength) return "a row length above 32767";
  if (row_length + kFlatKeyOverhead > key.size()) return "a row longer than the key";
  const uint32_t family_length = static_cast<uint8_t>(key[2 + row_length]);
  if (family_length > kMaxFamilyLength) return "a family length above 127";
  if (row_length + family_length + kFlatKeyOverhead > key.size()) {
    return "a family longer than the key";
  }
  if ((static_cast<uint8_t>(key[key.size() - 9]) & 0x80) != 0) return "a negative timestamp";
  if (!IsStoredType(static_cast<uint8_t>(key.back()))) return "an unknown cell type";
  return nullptr;
}

}  // namespace

bool IsWellFormedFlatKey(ByteView key) { return FindKeyFault(key) == nullptr; }

Status CheckFlatKey(ByteView key) {
  const char* fault = FindKeyFault(key);
  if (fault == nullptr) return Status::Ok();
  return Corruption(fmt::format("cell key of {} bytes has {}", key.size(), fault));
}

}  // namespace bennu::cell
