#include "src/cell/tags.h"

#include "src/base/check.h"
#include "src/base/coding.h"

namespace bennu::cell {

bool TagIterator::Next(Tag* tag) {
  if (rest_.empty()) return false;
  if (rest_.size() < 3) {
    bad_ = true;
    return false;
  }
  const size_t length = LoadBE16(rest_.data());
  if (length == 0 || 2 + length > rest_.size()) {
    bad_ = true;
    return false;
  }
  tag->type = static_cast<uint8_t>(rest_[2]);
  tag->value = rest_.substr(3, length - 1);
  rest_.remove_prefix(2 + length);
  return true;
}

void AppendTag(Bytes* out, uint8_t type, ByteView value) {
  BENNU_CHECK(value.size() <= 65534);
  char head[3];
  StoreBE16(head, static_cast<uint16_t>(value.size() + 1));
  head[2] = static_cast<char>(type);
  out->append(head, 3);
  out->append(value);
}

std::optional<int64_t> FindTtlMillis(ByteView tags) {
  Tag tag;
  for (TagIterator it(tags); it.Next(&tag);) {
    if (tag.type == kTagTtl && tag.value.size() == 8) {
      return static_cast<int64_t>(LoadBE64(tag.value.data()));
    }
  }
  return std::nullopt;
}

}  // namespace bennu::cell
