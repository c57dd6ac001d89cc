// Tags: what a cell carries beside its value. A tag area is a sequence of
//   int16 length (1 + bytes of the value, big-endian) | type, 1 byte | value
// Source: hbase-cell spec section 4; HBase's Tag, TagType.
#ifndef BENNU_SRC_CELL_TAGS_H_
#define BENNU_SRC_CELL_TAGS_H_

#include <cstdint>
#include <optional>

#include "bennu/bytes.h"

namespace bennu::cell {

inline constexpr uint8_t kTagAcl = 1;
inline constexpr uint8_t kTagVisibility = 2;
inline constexpr uint8_t kTagVisibilityFormat = 4;
inline constexpr uint8_t kTagTtl = 8;  // value: 8 bytes, milliseconds

struct Tag {
  uint8_t type = 0;
  ByteView value;  // points into the tag area
};

// Walks a tag area, which must outlive this:  for (TagIterator it(tags); it.Next(&tag);) …
class TagIterator {
 public:
  explicit TagIterator(ByteView tags) : rest_(tags) {}
  // Returns false at the end, and when the rest is not a tag (then bad() is true).
  bool Next(Tag* tag);
  bool bad() const { return bad_; }

 private:
  ByteView rest_;
  bool bad_ = false;
};

// Appends one tag; 'value' is at most 65534 bytes.
void AppendTag(Bytes* out, uint8_t type, ByteView value);

// The cell's own time to live in milliseconds, if its tags hold one.
std::optional<int64_t> FindTtlMillis(ByteView tags);

}  // namespace bennu::cell

#endif  // BENNU_SRC_CELL_TAGS_H_
