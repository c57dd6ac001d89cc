// Makes and checks flat keys, the key bytes of a cell (layout: bennu/cell.h). Pure functions.
#ifndef BENNU_SRC_CELL_FLAT_KEY_H_
#define BENNU_SRC_CELL_FLAT_KEY_H_

#include <cstdint>
#include <limits>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/status.h"

namespace bennu::cell {

// HConstants.OLDEST_TIMESTAMP, in search keys only: older than every cell.
inline constexpr int64_t kOldestTimestamp = std::numeric_limits<int64_t>::min();

// Appends one flat key. 'row' is at most kMaxRowLength bytes, 'family' at most kMaxFamilyLength.
void AppendFlatKey(Bytes* out, ByteView row, ByteView family, ByteView qualifier, int64_t timestamp,
                   CellType type);

// Search keys (KeyValueUtil.createFirstOnRow and its sisters, hbase-cell spec section 2).
// Sorts before every cell of 'row'.
void AppendFirstOnRow(Bytes* out, ByteView row);
// Sorts after every cell of 'row', before every cell of a later row.
void AppendLastOnRow(Bytes* out, ByteView row);
// Sorts before every cell of that column, deletes included.
void AppendFirstOnColumn(Bytes* out, ByteView row, ByteView family, ByteView qualifier);
// Sorts before the cells of that column at 'timestamp' and after those that are newer.
void AppendFirstOnColumnAt(Bytes* out, ByteView row, ByteView family, ByteView qualifier,
                           int64_t timestamp);
// Sorts after every cell of that column.
void AppendLastOnColumn(Bytes* out, ByteView row, ByteView family, ByteView qualifier);

// A cell without a value, over a flat key that must outlive it.
inline Cell KeyAsCell(ByteView flat_key) {
  Cell cell;
  cell.key = flat_key.data();
  cell.key_length = static_cast<uint32_t>(flat_key.size());
  return cell;
}

// Whether 'type' may stand in a stored cell.
inline constexpr bool IsStoredType(uint8_t type) {
  return type == 4 || type == 8 || type == 10 || type == 12 || type == 14;
}

// Returns "Put", "DeleteColumn" … as HBase names the type; "Unknown(7)" for others.
std::string TypeName(CellType type);

// OK when 'key' is the flat key of a cell that can be stored: lengths that fit, a row, a known
// type, a timestamp that is not negative. Corruption, saying which, otherwise.
Status CheckFlatKey(ByteView key);

// The same as a bare answer, for readers that word the error themselves.
bool IsWellFormedFlatKey(ByteView key);

}  // namespace bennu::cell

#endif  // BENNU_SRC_CELL_FLAT_KEY_H_
