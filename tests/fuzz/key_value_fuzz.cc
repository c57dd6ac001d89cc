// KeyValues and tags from a damaged file: what the check calls whole can be read and is written
// back the same; cutting it makes it short, never whole or bad.
#include "src/cell/key_value.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/cell/flat_key.h"
#include "src/cell/tags.h"

namespace bennu::cell {
namespace {

void ReadWhole(const Bytes& bytes) {
  Cell cell;
  BENNU_CHECK(CellAt(bytes, 0, &cell) == bytes.size());
  BENNU_CHECK(IsWellFormedFlatKey(cell.flat_key()));
  BENNU_CHECK(CheckFlatKey(cell.flat_key()).ok());
  BENNU_CHECK(cell.row().size() + cell.family().size() + cell.qualifier().size() +
                  kFlatKeyOverhead ==
              cell.key_length);

  Bytes again;
  AppendKeyValue(&again, cell);
  // An empty tag area may be written as absent.
  if (cell.tags_length > 0) BENNU_CHECK(again == bytes);

  const size_t step = std::max<size_t>(1, bytes.size() / 64);
  for (size_t length = 0; length < bytes.size(); length += step) {
    size_t size;
    BENNU_CHECK(CheckKeyValue(ByteView(bytes).substr(0, length), &size) == KeyValueCheck::kShort);
  }
}

void WalkTags(ByteView tags) {
  size_t size = 0;
  Tag tag;
  TagIterator iterator(tags);
  while (iterator.Next(&tag)) size += 3 + tag.value.size();
  BENNU_CHECK(iterator.bad() ? size <= tags.size() : size == tags.size());
  static_cast<void>(FindTtlMillis(tags));
}

}  // namespace
}  // namespace bennu::cell

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bennu::cell::CheckKeyValue;
  using bennu::cell::KeyValueCheck;
  const bennu::ByteView input(reinterpret_cast<const char*>(data), size);
  size_t taken = 0;
  if (CheckKeyValue(input, &taken) == KeyValueCheck::kWhole) {
    BENNU_CHECK(taken <= input.size());
    bennu::cell::ReadWhole(bennu::Bytes(input.substr(0, taken)));
  }
  bennu::cell::WalkTags(input);
  BENNU_CHECK(bennu::cell::CheckFlatKey(input).ok() == bennu::cell::IsWellFormedFlatKey(input));
  return 0;
}
