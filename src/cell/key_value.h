// The KeyValue layout, with an int32 length before it, as WAL entries and mutation batches hold it.
//
//   OFFSET  SIZE
//        0     4  length of what follows (big-endian)
//        4     4  key length K
//        8     4  value length V
//       12     K  flat key
//     12+K     V  value
//   12+K+V     2  tags length T   -- only when there are tags
//   14+K+V     T  tags
#ifndef BENNU_SRC_CELL_KEY_VALUE_H_
#define BENNU_SRC_CELL_KEY_VALUE_H_

#include <cstddef>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/mutation.h"

namespace bennu::cell {

// Appends 'cell' in the layout above; its sequence id is not part of it.
void AppendKeyValue(Bytes* out, const Cell& cell);

enum class KeyValueCheck {
  kWhole,  // a well-formed KeyValue stands at the front
  kShort,  // well formed as far as it goes, but the bytes end before it does
  kBad,    // cannot be a KeyValue, whatever follows
};

// Looks at the front of 'bytes', which may come from a damaged file. For kWhole sets *size to the
// bytes taken, length included; CellAt may then be used on it.
KeyValueCheck CheckKeyValue(ByteView bytes, size_t* size);

}  // namespace bennu::cell

#endif  // BENNU_SRC_CELL_KEY_VALUE_H_
