// ScanColumn: one column that a scan fills in.
#ifndef BENNU_SRC_SQL_PLAN_SCAN_COLUMN_H_
#define BENNU_SRC_SQL_PLAN_SCAN_COLUMN_H_

#include <cstdint>
#include <optional>

#include "bennu/bytes.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::sql::plan {

struct ScanColumn {
  enum class Source : uint8_t {
    kKey,        // column 'key_column' of the row key
    kCell,       // the value of the cell family:qualifier
    kElement,    // element 'element' of the array in the cell family:qualifier (single-cell tables)
    kTimestamp,  // the timestamp of the cell family:qualifier (of the empty column), as a DATE
    kRowKey,     // the whole row key
    kRowSize,    // bytes of all cells of the row, as HBase serializes them
  };
  Source source = Source::kCell;
  uint32_t key_column = 0;
  // kKey: the column of an index, which stores values of 'type' in another one of its own
  // (index_key_value.h).
  bool converts = false;
  Bytes family;
  Bytes qualifier;
  int32_t element = 0;
  DataType type;
  SortOrder order = SortOrder::kAsc;
  // VIEW_INDEX_ID of SYSTEM.CATALOG: a BIGINT of which a row may have the bytes of a SMALLINT.
  bool may_be_short = false;
  bool raw = false;                    // kRowSize: of all versions, and of delete markers
  std::optional<Value> default_value;  // for rows without the cell
  uint32_t output = 0;                 // the chunk's column
};

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_SCAN_COLUMN_H_
