#include "src/cell/key_value.h"

#include <cstring>

#include "src/base/coding.h"
#include "src/cell/flat_key.h"

namespace bennu::cell {

void AppendKeyValue(Bytes* out, const Cell& cell) {
  const size_t tags_bytes = cell.tags_length == 0 ? 0 : 2 + size_t{cell.tags_length};
  const size_t body = 8 + size_t{cell.key_length} + cell.value_length + tags_bytes;
  const size_t begin = out->size();
  out->resize(begin + 4 + body);
  char* to = out->data() + begin;
  StoreBE32(to, static_cast<uint32_t>(body));
  StoreBE32(to + 4, cell.key_length);
  StoreBE32(to + 8, cell.value_length);
  std::memcpy(to + 12, cell.key, cell.key_length);
  to += 12 + cell.key_length;
  if (cell.value_length != 0) std::memcpy(to, cell.value, cell.value_length);
  if (tags_bytes != 0) {
    to += cell.value_length;
    StoreBE16(to, static_cast<uint16_t>(cell.tags_length));
    std::memcpy(to + 2, cell.tags, cell.tags_length);
  }
}

KeyValueCheck CheckKeyValue(ByteView bytes, size_t* size) {
  if (bytes.size() < 4) return KeyValueCheck::kShort;
  const uint64_t body = LoadBE32(bytes.data());
  if (body > 0x7fffffff || body < 8 + kFlatKeyOverhead) return KeyValueCheck::kBad;
  if (bytes.size() < 12) return KeyValueCheck::kShort;
  const uint64_t key_length = LoadBE32(bytes.data() + 4);
  const uint64_t value_length = LoadBE32(bytes.data() + 8);
  const uint64_t used = 8 + key_length + value_length;
  if (key_length < kFlatKeyOverhead || used > body) return KeyValueCheck::kBad;
  const uint64_t rest = body - used;  // 0, or the tags with their length
  if (rest == 1 || rest == 2 || rest > 2 + 65535) return KeyValueCheck::kBad;
  if (bytes.size() >= 12 + key_length && !IsWellFormedFlatKey(bytes.substr(12, key_length))) {
    return KeyValueCheck::kBad;
  }
  if (bytes.size() < 4 + body) return KeyValueCheck::kShort;
  if (rest != 0 && LoadBE16(bytes.data() + 4 + used) != rest - 2) return KeyValueCheck::kBad;
  *size = 4 + body;
  return KeyValueCheck::kWhole;
}

}  // namespace bennu::cell
